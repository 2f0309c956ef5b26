"""Libraries to be served, and servers in processes of their own."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from sentrack.cache import checksum
from sentrack.library.clip_file import pack, read_facts
from sentrack.library.entry import Origin
from sentrack.library.folder import Folder
from sentrack.library.manifest import write_rows
from sentrack.vision import clip_from_arrays
from sentrack.vision.io import table_of
from tests.tasks.scenes import CLASSES, library, scene
from tests.vision.films import film
from tests.waiting import HANG, until

UP = "The person picked up the cup."
FRAMES = 50  # of the film, 25 a second


@dataclass(frozen=True)
class Server:
    """A server, and how to ask it."""

    process: subprocess.Popen[str]
    client: httpx.Client
    folder: Path

    def get(self, path: str, **parameters: Any) -> httpx.Response:
        return self.client.get(path, params=parameters)

    def json(self, path: str, **parameters: Any) -> Any:
        answer = self.get(path, **parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def search(self, sentence: str, k: int = 24) -> list[dict[str, Any]]:
        """All lines of a search."""
        answer = self.get("/api/search", sentence=sentence, k=k)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("application/x-ndjson")
        return [json.loads(line) for line in answer.text.splitlines()]

    def workers(self) -> list[int]:
        """The processes that it has started."""
        task = Path(f"/proc/{self.process.pid}/task")
        found = [(each / "children").read_text().split() for each in task.iterdir()]
        return sorted(int(pid) for pids in found for pid in pids)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Meanwhile its workers stand still: nothing that they are asked for is done."""
        pids = self.workers()
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def until_idle(self) -> None:
        """Wait until no worker does anything."""
        until(lambda: self.json("/api/health")["busy"] == 0)


@contextmanager
def served(
    folder: Path,
    *options: str,
    headers: dict[str, str] | None = None,
    python: list[str] | None = None,
) -> Iterator[Server]:
    """A server of a library, on a port of its own, until it is interrupted."""
    environment = os.environ | {"SENTRACK_CACHE": str(folder.parent / "cache")}
    command = [*(python or [sys.executable]), "-m", "sentrack", "serve", str(folder)]
    command += ["--port", "0", "--time-limit", str(HANG), "--workers", "1", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        found = re.search(r"http://\S+(?=/ )", process.stdout.readline())
        if found is None:
            process.kill()
            raise AssertionError(process.stderr.read())
        try:
            with httpx.Client(base_url=found[0], timeout=HANG, headers=headers) as client:
                yield Server(process, client, folder)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(HANG)
            finally:
                process.kill()
        assert process.returncode == 0
        assert process.stderr.read() == ""


def stock(folder: Path, count: int = 12) -> Path:
    """A library of made-up clips and of a film with its pixels, as if a detector had seen it."""
    library(folder, range(count))
    shown(folder, film(folder.parent / "film.mp4"), "film")
    return folder


def shown(folder: Path, source: Path, name: str) -> None:
    """Add a film of which every other frame was looked at, and a person was seen in it."""
    T = FRAMES // 2
    boxes = np.linspace([2, 2, 22, 42], [40, 4, 60, 44], T)
    clip = clip_from_arrays(
        name,
        (64, 48),
        25,
        np.arange(T) * 2,
        CLASSES,
        boxes,
        np.full(T, 0.9),
        label=np.full(T, CLASSES.index("person")),
    )
    origin = Origin(name, str(source), None, checksum(source), {"detector": "made-up"})
    (folder / origin.file).write_bytes(pack(table_of(clip), origin))


def many(folder: Path, count: int) -> None:
    """A library of which only the catalogue can be read: every clip is an empty file."""
    folder.mkdir()
    store = Folder(folder)
    facts = []
    for seed in range(8):
        origin = Origin("x", "clip", None, "0", {})
        store.put(origin.file, pack(table_of(scene(seed)), origin))
        facts.append(json.loads(read_facts(store, origin.file)))
        store.remove(origin.file)
    listed = []
    for n in range(count):
        origin = Origin(f"street/clip-{n:05d}", "clip", None, f"{n:064x}", {})
        (folder / origin.file).touch()
        told = facts[n % 8] | {"origin": asdict(origin)}
        listed.append((origin.file, (1000, json.dumps(told))))
    write_rows(store, listed)


def first_page(server: Server) -> int:
    """Bytes of what the page asks for when it is opened, and of its own files."""
    total = 0
    for path in (
        "/",
        "/api/library",
        "/api/videos",
        "/api/health",
        "/page/app.js",
        "/page/app.css",
    ):
        answer = server.get(path)
        assert answer.status_code == 200
        total += len(answer.content)
    return total
