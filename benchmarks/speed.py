"""How long people wait, each time beside the most that is promised.

    python -m benchmarks.speed [--listed 5000] [--searched 60] [--clients 50]

Prints Markdown, and fails if a promise is broken. To be run on a machine that does nothing else:
tests never measure time, since they must pass on any machine.
"""

import argparse
import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np

from benchmarks.cad import DATA
from sentrack.language import SentenceError, Vocabulary, parse
from sentrack.library import Store
from sentrack.vision import clip_from_arrays, load_clip, videos
from sentrack.vision.bridging import bridge
from sentrack.vision.scan.detectors.suppression import suppress
from tests.language.words import ENTRIES, LONG, ORANGE, VOCABULARY, noun
from tests.serve.serving import UP, Server, first_page, many, served
from tests.tasks.scenes import library

HARD = "The person walked" + " or walked" * 26  # takes long to read


@dataclass(frozen=True)
class Wait:
    """What somebody waits for.

    Attributes:
        what: it is.
        most: seconds that are promised.
        seconds: that it took.
    """

    what: str
    most: float
    seconds: float


def main() -> None:
    """Measure all, and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--listed", type=int, default=5000, help="clips of a library to list")
    parser.add_argument("--searched", type=int, default=60, help="clips of a library to search")
    parser.add_argument("--clients", type=int, default=50, help="who ask at once")
    options = parser.parse_args()
    print("| what | promised s | measured s |")
    print("|---|---|---|")
    broken = 0
    with tempfile.TemporaryDirectory() as folder:
        for wait in waits(Path(folder), options.listed, options.searched, options.clients):
            late = wait.seconds > wait.most
            broken += late
            told = f"{wait.seconds:.3f}{', too late' if late else ''}"
            print(f"| {wait.what} | {wait.most:g} | {told} |", flush=True)
    if broken:
        raise SystemExit(f"{broken} promises are broken")


def waits(folder: Path, listed: int, searched: int, clients: int) -> Iterator[Wait]:
    """All that is promised, measured."""
    yield Wait("`sentrack --help`", 1.0, _seconds(_help))
    yield from _reading()
    yield from _computing()
    many(folder / "many", listed)
    yield from _listing(folder / "many", listed)
    library(folder / "lib", range(searched), T=40)
    with served(folder / "lib", "--workers", "2") as server:
        yield from _busy(server, clients)
        yield Wait("the end of a server that searches", 10.0, _ending(server))


def _seconds(work: Callable[[], object]) -> float:
    """The second time counts: the first one may compile or load something."""
    work()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _help() -> None:
    command = [sys.executable, "-m", "sentrack", "--help"]
    subprocess.run(command, check=True, capture_output=True)


def _reading() -> Iterator[Wait]:
    vocabulary = Vocabulary([*ENTRIES, *(noun(f"thing-{i}") for i in range(365))])
    start = time.perf_counter()
    parse("The person walked.", vocabulary)
    yield Wait("the first sentence, read among 365 nouns", 0.3, time.perf_counter() - start)
    yield Wait("a sentence of 25 words, read", 0.02, _seconds(lambda: parse(LONG, vocabulary)))
    yield Wait("one of very many readings, refused", 0.2, _seconds(_refused))


def _refused() -> None:
    with contextlib.suppress(SentenceError):
        parse(ORANGE, VOCABULARY)


def _computing() -> Iterator[Wait]:
    rng = np.random.default_rng(0)
    low = rng.uniform(0, 600, (160_000, 2))
    boxes = np.concatenate([low, low + rng.uniform(10, 100, low.shape)], axis=1)
    label, score = np.tile(np.arange(80), 2000), rng.random(160_000)
    seconds = _seconds(lambda: suppress(boxes, label, score, 10, 0.5))
    yield Wait("suppression among 160,000 boxes of 80 classes", 0.5, seconds)
    T = 10_000
    frame = np.flatnonzero(rng.random(T) < 0.3).repeat(5)
    clip = clip_from_arrays(
        "long",
        (640, 480),
        30,
        frame,
        ["cup"],
        np.tile([10, 10, 50, 50], (len(frame), 1)),
        label=np.zeros(len(frame), dtype=int),
        frames=np.arange(T),
        velocity=np.zeros((len(frame), 2)),
    )
    seconds = _seconds(lambda: bridge(clip, ["cup"]))
    yield Wait("bridging of gaps in 10,000 frames", 1.0, seconds)
    if DATA.exists():
        path = DATA / "tracks.csv.gz"
        first = videos(path)[0]
        seconds = _seconds(lambda: load_clip(path, size=(640, 480), fps=30, video=first))
        yield Wait("one video of CAD-120, read", 1.0, seconds)


def _listing(folder: Path, clips: int) -> Iterator[Wait]:
    store = Store(folder)
    start = time.perf_counter()
    store.entries()
    yield Wait(f"{clips:,} clips, listed", 1.0, time.perf_counter() - start)
    yield Wait("the same again", 0.2, _seconds(store.entries))
    with served(folder) as server:
        start = time.perf_counter()
        first_page(server)
        yield Wait("the first page of them", 2.0, time.perf_counter() - start)
        times = []
        for n in range(10):
            start = time.perf_counter()
            server.json("/api/videos", offset=n * clips // 10)
            times.append(time.perf_counter() - start)
        # Looking again every few seconds included.
        yield Wait("any page of them, the slowest of ten", 1.0, max(times))
        yield Wait("any page of them, the median", 0.2, float(np.median(times)))


def _busy(server: Server, clients: int) -> Iterator[Wait]:
    server.search(UP)
    for what, path, sentences in (
        ("hard sentences are read", "/api/parse", [HARD + " x" * n for n in range(clients)]),
        ("searches go on", "/api/search", [UP] * clients),
    ):
        slowest = asyncio.run(_health(server, path, [each[:300] for each in sentences]))
        yield Wait(f"an answer while {clients} {what}, the slowest", 1.0, slowest)


async def _health(server: Server, path: str, sentences: list[str]) -> float:
    """The longest that the server took to say how it is, while it was asked for other things."""
    base, limits = server.client.base_url, httpx.Limits(max_connections=None)
    slowest = 0.0
    async with httpx.AsyncClient(base_url=base, timeout=None, limits=limits) as client:
        asked = asyncio.gather(*(client.get(path, params={"sentence": s}) for s in sentences))
        while not asked.done():
            start = time.perf_counter()
            await client.get("/api/health")
            slowest = max(slowest, time.perf_counter() - start)
        await asked
    return slowest


def _ending(server: Server) -> float:
    with server.client.stream("GET", "/api/search", params={"sentence": UP}):
        start = time.perf_counter()
        os.kill(server.process.pid, signal.SIGINT)
        server.process.wait()
        return time.perf_counter() - start


if __name__ == "__main__":
    main()
