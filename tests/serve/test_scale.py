"""A library of 5,000 clips: its first page is small and opens none of them."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from sentrack.library.entry import Origin, pack, read_facts
from sentrack.library.folder import Folder
from sentrack.library.manifest import write_rows
from sentrack.vision.io import table_of
from tests.serve.serving import Server, served
from tests.tasks.scenes import scene

CLIPS = 5000
BYTES = 300_000  # of all that the first page needs


def many(folder: Path) -> None:
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
    for n in range(CLIPS):
        origin = Origin(f"street/clip-{n:05d}", "clip", None, f"{n:064x}", {})
        (folder / origin.file).touch()
        told = facts[n % 8] | {"origin": asdict(origin)}
        listed.append((origin.file, (1000, json.dumps(told))))
    write_rows(store, listed)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("large") / "lib"
    many(folder)
    return folder


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


def test_the_first_page_of_many_clips(large: Path) -> None:
    with served(large, "--workers", "1") as server:
        assert first_page(server) < BYTES
        told = server.json("/api/library")
        assert told["clips"] == CLIPS
        page = server.json("/api/videos")
        assert (page["total"], len(page["videos"])) == (CLIPS, 60)
        last = server.json("/api/videos", offset=CLIPS - 10)
        assert [video["name"] for video in last["videos"]] == [
            f"street/clip-{n:05d}" for n in range(CLIPS - 10, CLIPS)
        ]
        some = server.json("/api/videos", contains="CLIP-0123")
        assert some["total"] == 10
