"""Harm done to libraries, files and servers, for as long as one likes: nothing may be lost by it.

`make soak` does so for an hour; the tests do a little of each. Every kind of harm is a function
that does it so many times and raises an `AssertionError` where something went wrong.
"""

import argparse
import logging
import os
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from sentrack.errors import SentrackError
from sentrack.files import whole
from sentrack.lexicon import Lexicon
from sentrack.library import Store
from sentrack.show import VideoWriter
from sentrack.tasks import Library, Settings, learn
from sentrack.vision import Clip, clip_from_arrays, load_clip, save_clip
from sentrack.vision.scan import Video

UP = "The person picked up the cup."
FORMATS = {
    "a.csv": None,
    "b.csv.gz": None,
    "c.parquet": None,
    "d.txt": "mot",
    "e.txt": "kitti",
    "f.json": "coco",
    "g.json": "coco-results",
    "yolo": "yolo",
}
ODD = (b"NaN", b"-1", b"1e400", b",", b"\n", b'"', b"\xff", b"9" * 30)
GROWTH = 64 << 20  # bytes by which memory may grow after a tenth of all searches
SILENT = 300  # connections that say nothing


def made_up(seed: int, T: int = 20) -> Clip:
    """A person who comes to a cup, which then goes up, and something that jumps about."""
    rng = np.random.default_rng(seed)
    part = np.linspace(0, 1, T)[:, None]
    up = np.maximum(2 * part - 1, 0) * np.array([0, -0.3])
    hand = (0.5, 0.6) - (1 - np.minimum(2 * part, 1)) * (0.4, 0) + up
    centre = np.stack([hand, up + np.array([0.55, 0.6]), rng.uniform(0.2, 0.8, (T, 2))], axis=1)
    centre = centre.reshape(-1, 2) + rng.normal(0, 0.002, (3 * T, 2))
    corners = np.hstack([centre - 0.05, centre + 0.05]) * 480
    frames, label = np.repeat(np.arange(T), 3), np.tile([0, 1, 1], T)
    score = rng.uniform(0.5, 1, 3 * T)
    names = ("person", "cup")
    return clip_from_arrays(
        f"clip-{seed}", (640, 480), 10, frames, names, corners, score, label=label
    )


def flipped_bits(folder: Path, rng: random.Random, count: int | None = None) -> int:
    """Flip bits of every file of a small library, all of them if left out: each is found."""
    store = Store(folder / "lib")
    for seed in range(2 if count else 1):
        store.add(made_up(seed, 2), name=f"clip-{seed}")
    store.refresh()
    done = 0
    for path in sorted((folder / "lib").iterdir()):
        content = path.read_bytes()
        bits: Sequence[int] = range(8 * len(content))
        for bit in bits if count is None else rng.sample(bits, count):
            harmed = bytearray(content)
            harmed[bit // 8] ^= 1 << bit % 8
            path.write_bytes(harmed)
            found = [problem.what for problem in Store(folder / "lib").check()]
            assert found == [path.name], f"bit {bit} of {path.name}: {found}"
            done += 1
        path.write_bytes(content)
    assert Store(folder / "lib").check() == []
    return done


def _index(folder: Path) -> None:
    store = Store(folder / "lib")
    store.add(folder / "sources", force=True)
    store.refresh()


def _search(folder: Path) -> None:
    Library(folder / "lib").search(UP, 3, workers=1)


def _learn(folder: Path) -> None:
    pairs = [(made_up(seed), UP) for seed in range(2)]
    settings = Settings(restarts=1, iterations=3, contrast=0, nouns=False)
    learned = learn(pairs, settings=settings, journal=folder / "journal.json", workers=1)
    learned.save(folder / "learned.toml")


def _upload(folder: Path) -> None:
    """What the server does with a video that was sent, here a file of detections."""
    uploads = folder / "lib" / "uploads"
    uploads.mkdir(exist_ok=True)
    draft = uploads / ".draft"
    save_clip(made_up(50), draft.with_suffix(".csv"))
    path = draft.with_suffix(".csv").replace(uploads / "sent.csv")
    store = Store(folder / "lib")
    store.add(path, name="sent", force=True)
    store.refresh()


def kills(folder: Path, rng: random.Random, count: int) -> int:
    """End a process at a random moment of index, search, learn or upload: nothing is lost."""
    (folder / "sources").mkdir()
    clips = {f"clip-{seed}": made_up(seed) for seed in range(8)}
    for name, clip in clips.items():
        save_clip(clip, folder / "sources" / f"{name}.parquet")
    _index(folder)
    context = get_context("forkserver")
    context.set_forkserver_preload(["sentrack.tasks", "sentrack.vision"])
    works: tuple[Callable[[Path], None], ...] = (_index, _search, _learn, _upload)
    lasts: dict[Callable[[Path], None], float] = {}
    for number in range(count + len(works)):
        work = works[number % len(works)]
        process = context.Process(target=work, args=(folder,))
        begin = time.monotonic()
        process.start()
        if work in lasts:
            time.sleep(rng.uniform(0, lasts[work]))
            process.kill()
        process.join()
        if work not in lasts:
            assert process.exitcode == 0, f"{work.__name__} fails without a kill"
            lasts[work] = time.monotonic() - begin
        store = Store(folder / "lib")
        held = {entry.name for entry in store.entries()}
        assert clips.keys() <= held <= {*clips, "sent"}, f"lost in {work.__name__}"
        assert all(store.sound(entry) for entry in store.entries())
    _index(folder)
    store = Store(folder / "lib")
    store.repair(age=0)
    assert store.check(age=0) == []
    learned = folder / "learned.toml"
    before = learned.read_bytes()
    _learn(folder)
    assert learned.read_bytes() == before
    return count


def damaged_inputs(folder: Path, rng: random.Random, count: int) -> int:
    """Read files of every kind with some bytes changed: what is in it, or an error of one line."""
    for name, format in FORMATS.items():
        save_clip(made_up(0, 6), folder / name, format)
    with VideoWriter(folder / "film.mp4", 10) as film:
        for number in range(12):
            film.write(np.full((48, 64, 3), 20 * number, np.uint8), number / 10)
    Lexicon.load("paper").save(folder / "words.toml")
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    contents = {path: path.read_bytes() for path in paths}
    for number in range(count):
        path = paths[number % len(paths)]
        path.write_bytes(_harmed(contents[path], rng))
        try:
            _read(path)
        except BaseException as error:
            if not isinstance(error, SentrackError) or "\n" in str(error):
                raise AssertionError(f"{path.name}, {number}: {error!r}") from error
        path.write_bytes(contents[path])
    return count


def _read(path: Path) -> None:
    if path.suffix == ".mp4":
        for _ in Video(path).frames():
            pass
    elif path.suffix == ".toml":
        Lexicon.load(path)
    else:
        names = None if path.name[0] in "abce" else ["person", "cup"]
        source = path.parent if path.parent.name == "yolo" else path
        assert isinstance(load_clip(source, size=(640, 480), fps=10, names=names), Clip)


def _harmed(content: bytes, rng: random.Random) -> bytes:
    """Some bytes flipped, left out, repeated or put in."""
    harmed = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        at = rng.randrange(len(harmed) + 1)
        length = rng.choice([1, 1, 2, 8, 64])
        match rng.randrange(5):
            case 0:
                harmed[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del harmed[at : at + length]
            case 2:
                harmed[at:at] = harmed[at : at + length]
            case 3:
                harmed[at:at] = rng.choice(ODD)
            case _:
                del harmed[at:]
    return bytes(harmed)


def _index_on_a_full_disk(folder: Path, most: int) -> None:
    """Index where no file may have more bytes than so many; exit with 3 if that is said."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    try:
        _index(folder)
    except SentrackError as error:
        sys.exit(3 if "\n" not in str(error) else 4)


def full_disks(folder: Path, rng: random.Random, count: int) -> int:
    """Index where there is no room for a whole file: an error, and the library as it was."""
    (folder / "sources").mkdir()
    for seed in range(2):
        save_clip(made_up(seed), folder / "sources" / f"{seed}.parquet")
    _index(folder)
    before = sorted((folder / "lib").iterdir())
    smallest = min(path.stat().st_size for path in before if path.name != "catalogue.parquet")
    context = get_context("forkserver")
    context.set_forkserver_preload(["sentrack.tasks", "sentrack.vision"])
    for _ in range(count):
        most = rng.randrange(smallest)
        process = context.Process(target=_index_on_a_full_disk, args=(folder, most))
        process.start()
        process.join()
        assert process.exitcode == 3, f"{most} bytes: exit code {process.exitcode}"
        assert sorted((folder / "lib").iterdir()) == before
        assert Store(folder / "lib").check(age=0) == []
    return count


def searches(folder: Path, _: random.Random, count: int) -> int:
    """Search again and again in one process: its memory stops growing."""
    library = Library(folder / "lib")
    for seed in range(4):
        library.add(made_up(seed), name=f"clip-{seed}")
    library.refresh()
    before = 0
    for number in range(count):
        found = Library(library.url).search(UP, 3, workers=1)
        assert len(found) == 3
        if number == count // 10:
            before = _memory()
    grown = _memory() - before
    assert grown < GROWTH, f"{grown:,} bytes more after {count} searches"
    return count


def _memory() -> int:
    """Bytes that this process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def silent_clients(folder: Path, rng: random.Random, count: int) -> int:
    """Ask a server beside hundreds of connections that say nothing or half a request."""
    library = Library(folder / "lib")
    library.add(made_up(0), name="clip")
    library.refresh()
    command = [sys.executable, "-m", "sentrack", "serve", library.url, "--port", "0"]
    with subprocess.Popen(
        [*command, "--workers", "1"], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://([\d.]+):(\d+)", server.stdout.readline())
            assert found is not None
            place = found[1], int(found[2])
            for _ in range(count):
                clients = [socket.create_connection(place) for _ in range(SILENT)]
                for client in rng.sample(clients, SILENT // 2):
                    with suppress(OSError):
                        client.sendall(b"GET / HTTP/1.1\r\nHost:")
                with urllib.request.urlopen(f"{found[0]}/api/health", timeout=60) as answer:
                    assert answer.status == 200
                for client in clients:
                    client.close()
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()
    return count


KINDS: dict[str, tuple[Callable[..., int], int]] = {
    "a bit of a file flipped": (flipped_bits, 2000),
    "a process killed": (kills, 300),
    "a damaged input": (damaged_inputs, 5000),
    "a full disk": (full_disks, 20),
    "a search more": (searches, 2000),
    f"{SILENT} silent clients": (silent_clients, 5),
}


def soak(minutes: float, seed: int) -> dict[str, int]:
    """Do all kinds of harm in turn until the time is over, all at least once; how often each."""
    end = time.monotonic() + 60 * minutes
    total = {"every bit of a library flipped": every_bit(seed)} | dict.fromkeys(KINDS, 0)
    rounds = 0
    while True:
        for kind, (harm, count) in KINDS.items():
            if rounds and time.monotonic() > end:
                return total
            with tempfile.TemporaryDirectory(prefix="sentrack-soak-") as folder:
                total[kind] += harm(Path(folder), random.Random(seed + rounds), count)
            print(f"{kind}: {total[kind]:,}", file=sys.stderr, flush=True)
        rounds += 1


def every_bit(seed: int) -> int:
    """Every bit of every file of a small library."""
    with tempfile.TemporaryDirectory(prefix="sentrack-soak-") as folder:
        return flipped_bits(Path(folder), random.Random(seed))


def main() -> None:
    """Print a table of what was done; it ends early, with an error, where something is lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    logging.getLogger("sentrack").setLevel(logging.ERROR)  # what is odd in damaged inputs
    begin = time.monotonic()
    total = soak(options.minutes, options.seed)
    lasted = (time.monotonic() - begin) / 60
    rows = "\n".join(f"| {kind} | {count:,} | 0 |" for kind, count in total.items())
    text = f"""# Harm done, and nothing lost

Made by `python -m benchmarks.soak --minutes {options.minutes:g} --seed {options.seed}`; it lasted
{lasted:.0f} minutes on {os.cpu_count()} cores that others used, too. It ends at the first fault.

| harm | times | faults |
|---|---|---|
{rows}
"""
    print(text)
    if options.output is not None:
        with whole(options.output) as draft:
            draft.write_text(text)


if __name__ == "__main__":
    main()
