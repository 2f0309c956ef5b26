"""Indexers that are killed, and several at once."""

import random
import subprocess
import sys
from pathlib import Path

from sentrack.library import Store
from sentrack.vision import Clip, save_clip
from tests.library.scenes import assert_equal, files, scene
from tests.waiting import at_some_moment

KILLS = 18
STEP = 0.02  # seconds, about, that an indexer takes for a step

# Indexes the sources so many times, each time anew. Says when it is ready for a step, and does it
# after a line was sent; or, after a line that says so, all steps that are left.
INDEXER = """
import sys
from sentrack.library import Store, index_one
url, times, *sources = sys.argv[1:]
free = False
def step():
    global free
    if not free:
        print("ready", flush=True)
        free = sys.stdin.readline() == "all\\n"
for k in range(int(times)):
    step()
    store = Store(url)
    for task in store.plan(sources, force=k > 0):
        if task.state != "there":
            index_one(url, task)
            step()
    store.refresh()
"""


def indexer(library: Path, times: int, *sources: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", INDEXER, str(library), str(times), *map(str, sources)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def ready(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"


def go(process: subprocess.Popen[str], line: str = "all") -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def assert_whole(library: Path, clips: dict[str, Clip]) -> set[str]:
    """The names that a library holds, all of them whole clips."""
    store = Store(library)
    names = {entry.name for entry in store.entries()}
    assert names <= clips.keys()
    for name in names:
        assert_equal(store.clip(name), clips[name])
    assert not [problem for problem in store.check() if problem.kind == "corrupt"]
    return names


def test_a_library_survives_kills_at_any_moment(tmp_path: Path) -> None:
    clips = files(tmp_path / "sources", range(12), T=100)
    library, rng = tmp_path / "lib", random.Random(0)
    held: set[str] = set()
    sizes = []
    following = indexer(library, 1000, tmp_path / "sources")
    for kill in range(KILLS):
        process = following
        ready(process)
        following = indexer(library, 1000, tmp_path / "sources")
        # The first ones are killed early, while the library is still small.
        for _ in range(kill // 4 if kill < KILLS // 2 else rng.randint(12, 30)):
            go(process, "one")
            ready(process)
        go(process, "one")
        at_some_moment(rng, STEP)
        process.kill()
        with process:
            pass
        assert process.returncode == -9
        now = assert_whole(library, clips)
        assert held <= now
        held = now
        sizes.append(len(now))
    following.kill()
    with following:
        pass
    assert sizes[0] < len(clips), "killed too late to show anything"
    last = indexer(library, 1, tmp_path / "sources")
    ready(last)
    go(last)
    with last:
        assert last.wait() == 0
    assert assert_whole(library, clips) == clips.keys()
    store = Store(library)
    store.repair(age=0)
    assert store.check(age=0) == []
    assert len(list(library.iterdir())) == len(clips) + 1


def test_two_indexers_at_once_lose_nothing(tmp_path: Path) -> None:
    clips = files(tmp_path / "sources", range(15), T=40)
    paths = [tmp_path / "sources" / f"{name}.parquet" for name in clips]
    # And each has a source of its own with a name that the other has, too.
    for seed, place in ((90, "one"), (91, "two")):
        (tmp_path / place).mkdir()
        save_clip(scene(seed), tmp_path / place / "same.parquet")
    library = tmp_path / "lib"
    pair = [
        indexer(library, 2, *paths[:10], tmp_path / "one" / "same.parquet"),
        indexer(library, 2, *paths[:4:-1], tmp_path / "two" / "same.parquet"),
    ]
    for process in pair:
        ready(process)
    for process in pair:
        go(process)
    for process in pair:
        with process:
            assert process.wait() == 0
    store = Store(library)
    found = {Path(entry.source).relative_to(tmp_path).as_posix() for entry in store.entries()}
    expected = {f"sources/{name}.parquet" for name in clips}
    assert found == expected | {"one/same.parquet", "two/same.parquet"}
    for entry in store.entries():
        seeds = {"one": 90, "two": 91}
        place = Path(entry.source).parent.name
        assert_equal(
            store.clip(entry), scene(seeds[place]) if place in seeds else clips[entry.name]
        )
    assert {"same", "same-2"} == {entry.name for entry in store.entries()} - clips.keys()
    assert not [p for p in store.check(age=0) if p.kind in ("corrupt", "leftover")]


def test_a_reader_never_misses_a_clip_that_is_indexed_anew(tmp_path: Path) -> None:
    clips = files(tmp_path / "sources", range(6))
    library = tmp_path / "lib"
    Store(library).add(tmp_path / "sources")
    process = indexer(library, 4, tmp_path / "sources")
    assert process.stdout is not None
    generations = set()
    while process.stdout.readline():
        go(process, "one")
        # Meanwhile:
        store = Store(library)
        entries = store.entries()
        assert [entry.name for entry in entries] == sorted(clips)
        for entry in entries:
            assert_equal(store.clip(entry), clips[entry.name])
            generations.add(entry.origin.generation)
    with process:
        assert process.wait() == 0
    assert len(generations) >= 3
