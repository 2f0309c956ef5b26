"""The same by one process, by several, and after one of them was killed."""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from functools import partial
from operator import add
from pathlib import Path
from typing import Any

import pytest

from sentrack.errors import SentrackError
from sentrack.lexicon import Lexicon
from sentrack.library import Entry, work_left
from sentrack.tasks import Library, Moments
from sentrack.tasks.learning.learner import Settings, learn
from sentrack.tasks.library import index
from sentrack.vision import save_clip
from sentrack.workers import CALLS_EACH, COMES_BACK, Executor, cores, open_executor
from tests.tasks.scenes import library, scene
from tests.tasks.stages import corpus, same_words
from tests.waiting import HANG, until

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

SENTENCES = [
    "The person picked up the cup.",
    "The person carried the backpack or approached the chair.",
]
MOST = 12
PAIRS = corpus(8)
QUICK = Settings(restarts=2, iterations=3, contrast=2)


def told(found: Moments) -> str:
    """All that is said of moments, but for how long it took."""
    documents = []
    for moment in found:
        document = moment.tracking.to_dict()
        del document["seconds"]
        where = moment.video, moment.sentence, moment.start, moment.end, moment.match, moment.score
        documents.append([*where, document])
    return json.dumps(documents)


@pytest.fixture(scope="module")
def twenty(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library(tmp_path_factory.mktemp("twenty") / "lib", range(20))


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it takes to reach a cluster."""
    connect = distributed.Client
    monkeypatch.setattr(
        distributed, "Client", lambda *given, **more: connect(*given, **more | {"timeout": HANG})
    )


@pytest.fixture(scope="module")
def machines() -> Iterator[Any]:
    """A Dask cluster that somebody else started, whose processes are replaced when they die."""
    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with (
        dask.config.set(COMES_BACK),
        distributed.LocalCluster(n_workers=2, **options) as cluster,
    ):
        yield cluster


@pytest.fixture(scope="module")
def learned() -> Lexicon:
    return learn(PAIRS, settings=QUICK, workers=1)


@pytest.fixture(scope="module")
def alone(twenty: Library) -> str:
    return told(twenty.search(SENTENCES, MOST, workers=1))


def test_processes_of_this_machine_find_the_same(twenty: Library, alone: str) -> None:
    assert told(twenty.search(SENTENCES, MOST, workers=2)) == alone


def test_a_cluster_finds_the_same(twenty: Library, alone: str, machines: Any) -> None:
    address = machines.scheduler_address
    assert told(twenty.search(SENTENCES, MOST, cluster=address)) == alone


class Death:
    """Kills a worker of a cluster in the middle of its work, when told to strike.

    The worker is first made to hold still, until there is work that it was given and not done.
    """

    def __init__(self, address: str) -> None:
        self.client = distributed.Client(address, set_as_default=False)
        self.pids: dict[str, int] = self.client.run(os.getpid)
        self.worker, self.pid = min(self.pids.items())
        self.thread = threading.Thread(target=self._wait_and_kill)

    def strike(self) -> None:
        if self.thread.ident is None:
            os.kill(self.pid, signal.SIGSTOP)
            self.thread.start()

    def _wait_and_kill(self) -> None:
        until(lambda: self.client.processing()[self.worker])
        os.kill(self.pid, signal.SIGKILL)

    def assert_came(self) -> None:
        """It died while there was work for it, and another one took its place."""
        self.thread.join()
        until(lambda: len(self.client.nthreads()) == len(self.pids))
        assert self.pid not in self.client.run(os.getpid).values()
        self.client.close()


def test_a_search_survives_the_death_of_a_worker(
    twenty: Library, alone: str, machines: Any
) -> None:
    death = Death(machines.scheduler_address)

    def report(stage: str, done: float, total: float | None) -> None:  # noqa: ARG001
        if stage == "search" and done > 0:
            death.strike()

    found = twenty.search(SENTENCES, MOST, cluster=machines.scheduler_address, report=report)
    death.assert_came()
    assert told(found) == alone


def test_an_index_survives_the_death_of_a_worker(tmp_path: Path, machines: Any) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    for seed in range(24):
        save_clip(scene(seed, 100), sources / f"scene-{seed:02d}.parquet")
    plain, struck = Library(tmp_path / "plain"), Library(tmp_path / "struck")
    plain.add(sources)
    tasks = struck.plan([sources])
    death = Death(machines.scheduler_address)
    with open_executor(cluster=machines.scheduler_address) as executor:
        # Held still before there is work, or all of it could be done before the worker dies.
        death.strike()
        done = list(index(struck.url, [work_left(task) for task in tasks], executor))
    death.assert_came()
    assert done == plain.entries() == struck.entries()
    assert struck.check(age=0) == [p for p in struck.check() if p.kind == "catalogue"]
    for entry in plain.entries():
        files = [tmp_path / place / entry.file for place in ("plain", "struck")]
        assert files[0].read_bytes() == files[1].read_bytes()


def test_a_cluster_learns_the_same(learned: Lexicon, machines: Any) -> None:
    found = learn(PAIRS, settings=QUICK, cluster=machines.scheduler_address)
    assert same_words(found, learned)


def test_learning_survives_the_death_of_a_worker(learned: Lexicon, machines: Any) -> None:
    death = Death(machines.scheduler_address)

    def report(stage: str, done: float, total: float | None) -> None:  # noqa: ARG001
        # At the first start, or the others could be done with all of it before there is work again.
        if stage.startswith("words, start"):
            death.strike()

    found = learn(PAIRS, settings=QUICK, cluster=machines.scheduler_address, report=report)
    death.assert_came()
    assert same_words(found, learned)


class Sent:
    """A number that counts how often it is sent."""

    times = 0

    def __init__(self, n: int) -> None:
        self.n = n

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        Sent.times += 1
        return int, (self.n,)


def test_scattered_items_are_sent_once(machines: Any) -> None:
    death = Death(machines.scheduler_address)
    with open_executor(cluster=machines.scheduler_address) as executor:
        items: Sequence[Any] = executor.scatter(Sent(n) for n in range(6))
        for more in range(3):
            assert list(executor.map(partial(add, more), items)) == list(range(more, more + 6))
        death.strike()
        assert list(executor.map(partial(add, 9), items)) == list(range(9, 15))
    death.assert_came()
    assert Sent.times == 6


def test_large_items_are_scattered_without_a_warning(machines: Any) -> None:
    with open_executor(cluster=machines.scheduler_address) as executor:
        items = executor.scatter([bytes(11_000_000)])
        assert list(executor.map(len, items)) == [11_000_000]


def test_this_process_keeps_what_is_scattered() -> None:
    thing = object()
    assert Executor().scatter([thing])[0] is thing


def test_a_fault_in_one_source_is_told_by_whoever_met_it(tmp_path: Path, machines: Any) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    save_clip(scene(0), sources / "good.parquet")
    (sources / "bad.csv").write_text("frame,class,x1,y1,x2,y2\n0.5,cup,1,2,4,6\n")
    store = Library(tmp_path / "lib")
    with open_executor(cluster=machines.scheduler_address) as executor:
        bad, good = index(store.url, [work_left(t) for t in store.plan([sources])], executor)
    assert isinstance(bad, SentrackError)
    assert "bad.csv: column 'frame' holds 0.5" in str(bad)
    assert isinstance(good, Entry)
    assert [entry.name for entry in store.entries()] == ["good"]


def test_descriptions_are_the_same_by_several(tmp_path: Path, machines: Any) -> None:
    made = library(tmp_path / "lib", range(3), T=15)

    def told(**by: Any) -> list[tuple[str, list[tuple[str, float]]]]:
        return [
            (e.name, [(s.sentence, s.match) for s in said]) for e, said in made.describe(2, **by)
        ]

    few = told(workers=1)
    assert [name for name, _ in few] == ["scene-00", "scene-01", "scene-02"]
    assert any(said for _, said in few)
    assert told(cluster=machines.scheduler_address) == few


def test_work_that_fails_is_no_death(machines: Any) -> None:
    """What goes wrong in a worker goes wrong here, and in order: what came before it is done."""
    with open_executor(cluster=machines.scheduler_address) as executor:
        results = executor.map(float, ["1", "2", "x", "4"])
        assert [next(results), next(results)] == [1.0, 2.0]
        with pytest.raises(ValueError, match="'x'"):
            next(results)
        assert list(executor.map(float, ["4"])) == [4.0]


def test_few_jobs_are_done_here() -> None:
    with open_executor(calls=3) as executor:
        assert executor.size == 1
        assert list(executor.map(lambda n: os.getpid() + n, [0])) == [os.getpid()]


def test_no_more_processes_are_started_than_there_is_work_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sentrack.workers.cores", lambda: 4)
    with open_executor(calls=3 * CALLS_EACH - 1) as executor:
        assert executor.size == 2


def test_a_search_is_worth_processes_by_the_hours_of_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, asked = library(tmp_path / "lib", range(3), T=15), list[int]()

    def noted(_: int | None, __: str | None, calls: int) -> Any:
        asked.append(calls)
        return open_executor(1)

    monkeypatch.setattr("sentrack.tasks.library.open_executor", noted)
    monkeypatch.setattr("sentrack.tasks.library.HOURS_A_CALL", 1 / 36000)
    tenths = 10 * sum(entry.seconds for entry in made.entries())
    made.search(SENTENCES[0])
    made.search_all([SENTENCES[0]] * 3)
    assert asked == pytest.approx([tenths, 3 * tenths], abs=1)


def test_workers_that_are_busy_in_the_end_are_ended_without_a_word(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with open_executor(2) as executor:
        next(executor.map(time.sleep, [0.0, 60.0]))
    assert [each for each in caplog.records if each.levelno >= logging.WARNING] == []


def test_others_on_this_machine_have_no_say(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    cluster = distributed.LocalCluster

    def noted(**options: Any) -> Any:
        opened.append(cluster(**options))
        return opened[0]

    monkeypatch.setattr(distributed, "LocalCluster", noted)
    with open_executor(2) as executor:
        assert list(executor.map(abs, [-1, -2])) == [1, 2]
        place = opened[0].scheduler_address
        assert place.startswith("tls://127.0.0.1:")
        with pytest.raises(OSError):
            distributed.Client(place.replace("tls", "tcp"), timeout="2s", set_as_default=False)


def test_without_dask_this_process_works_unless_others_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.setattr("sentrack.workers.cores", lambda: 4)
    with open_executor(calls=1000) as executor:
        assert executor.size == 1
    with (
        pytest.raises(SentrackError, match=r'pip install "sentrack\[cluster\]"'),
        open_executor(2),
    ):
        pass


def test_processes_share_the_cores_and_keep_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    # What Dask sets, and what makes its processes give memory back over and over; another cluster
    # of this process leaves it behind.
    trimming = "MALLOC_TRIM_THRESHOLD_"
    monkeypatch.delenv(trimming, raising=False)
    many = cores() + 1
    with open_executor(many) as executor:
        assert list(executor.map(lambda _: cores(), range(4))) == [1] * 4
        assert list(executor.map(lambda name: os.environ.get(name), [trimming])) == [None]
    assert cores() == many - 1


KILLED = """
import os, signal
from sentrack.workers import Executor, open_executor
with open_executor(2) as executor:
    print(*executor.map(lambda _: os.getpid(), range(2)), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX")
def test_a_run_that_is_killed_leaves_no_processes() -> None:
    # Its processes keep its output open, so all of them are over when that is.
    ran = subprocess.run(
        [sys.executable, "-c", KILLED], capture_output=True, text=True, check=False
    )
    assert ran.returncode == -signal.SIGKILL
    assert str(os.getpid()) not in ran.stdout.split()


def test_a_cluster_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = distributed.client.Client
    monkeypatch.setattr(
        distributed, "Client", lambda *given, **options: connect(*given, **options | {"timeout": 1})
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # and nobody listens
        address = f"127.0.0.1:{free.getsockname()[1]}"
        message = f"{address}: no Dask scheduler answers there"
        with pytest.raises(SentrackError, match=message), open_executor(cluster=address):
            pass
