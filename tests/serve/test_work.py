"""Workers: what they answer, and what becomes of those that hang, die or eat too much."""

import asyncio
import multiprocessing
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from sentrack.serve import work
from sentrack.serve.work import JobError, Pool
from tests.serve.chores import Chores


@asynccontextmanager
async def pool(size: int = 1, seconds: float = 30.0, memory: int = 1 << 30) -> AsyncIterator[Pool]:
    made = Pool(Chores(), size, seconds, memory)
    await made.start()
    try:
        yield made
    finally:
        await made.stop()


def lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def run(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(story(), 60))


async def until_free(workers: Pool, seconds: float) -> None:
    end = time.monotonic() + seconds
    while workers.busy:
        assert time.monotonic() < end, "the worker is not free again"
        await asyncio.sleep(0.02)


def test_pieces_come_in_order_and_one_by_one() -> None:
    async def story() -> None:
        async with pool() as workers:
            begin = time.monotonic()
            times: list[float] = []
            async for n in workers.run("count", to=4, pause=0.2):
                assert n == len(times)
                times.append(time.monotonic() - begin)
            assert len(times) == 4
            assert times[0] < times[3] - 0.5
            assert await workers.one("who") == await workers.one("who")
            assert (workers.busy, workers.waiting) == (0, 0)

    run(story)


@pytest.mark.parametrize(
    ("job", "status", "text"),
    [
        ("refuse", 404, "it is not there"),
        ("mistake", 422, "that makes no sense"),
        ("bug", 500, "failed"),
        ("full", 503, "failed"),
    ],
)
def test_what_goes_wrong_is_told_and_the_worker_goes_on(job: str, status: int, text: str) -> None:
    async def story() -> None:
        async with pool() as workers:
            before = await workers.one("who")
            with pytest.raises(JobError, match=text) as caught:
                await workers.one(job)
            assert caught.value.status == status
            assert await workers.one("who") == before

    run(story)


def test_memory_is_bounded() -> None:
    async def story() -> None:
        async with pool(memory=600 << 20) as workers:
            assert await workers.one("eat", size=10 << 20) == 10 << 20
            with pytest.raises(JobError, match="memory") as caught:
                await workers.one("eat", size=700 << 20)
            assert caught.value.status == 503
            assert await workers.one("eat", size=10 << 20) == 10 << 20

    run(story)


def test_who_leaves_early_frees_the_worker_without_killing_it() -> None:
    async def story() -> None:
        async with pool() as workers:
            before = await workers.one("who")
            async with aclosing(workers.run("count", to=10_000, pause=0.02)) as pieces:
                assert [await anext(pieces) for _ in range(3)] == [0, 1, 2]
            await until_free(workers, 1.0)
            assert await workers.one("who") == before

    run(story)


def test_a_job_that_does_not_stop_is_killed_and_another_worker_takes_its_place() -> None:
    async def story() -> None:
        async with pool() as workers:
            pid = await workers.one("who")
            job = asyncio.create_task(workers.one("hang"))
            await asyncio.sleep(0.1)
            assert (workers.busy, lives(pid)) == (1, True)
            job.cancel()
            await until_free(workers, work.GRACE + 5)
            assert not lives(pid)
            assert await workers.one("who") != pid

    run(story)


def test_a_job_ends_when_its_time_is_over() -> None:
    async def story() -> None:
        async with pool(seconds=1.0) as workers:
            found: list[int] = []

            async def count() -> None:
                async for n in workers.run("count", to=1000, pause=0.05):
                    found.append(n)  # noqa: PERF401 - what came before the error counts

            with pytest.raises(JobError, match="longer than 1 s") as caught:
                await count()
            assert caught.value.status == 503
            assert found == list(range(len(found)))
            assert 5 < len(found) < 25
            with pytest.raises(JobError, match=r"longer than 0\.5 s"):
                await workers.one("hang", 0.5)

    run(story)


def test_a_worker_that_dies_is_told_of_and_replaced() -> None:
    async def story() -> None:
        async with pool() as workers:
            with pytest.raises(JobError, match="its process died") as caught:
                await workers.one("crash")
            assert caught.value.status == 503
            pid = await workers.one("who")
            os.kill(pid, signal.SIGKILL)  # while it has nothing to do
            # Not by /proc: a process whose threads are still ending is a zombie there already.
            while pid in [child.pid for child in multiprocessing.active_children()]:
                await asyncio.sleep(0.01)
            assert await workers.one("who") != pid

    run(story)


def test_no_more_wait_than_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "WAITING", 3)

    async def story() -> None:
        async with pool() as workers:
            jobs = [
                asyncio.create_task(workers.one("count", None, to=1, pause=0.3)) for _ in range(9)
            ]
            await asyncio.sleep(0.1)
            assert (workers.busy, workers.waiting) == (1, 3)
            results = await asyncio.gather(*jobs, return_exceptions=True)
            refused = [each.status for each in results if isinstance(each, JobError)]
            assert (results.count(0), refused) == (4, [429] * 5)

    run(story)


def test_who_waits_too_long_is_told_so_and_who_leaves_the_queue_is_forgotten() -> None:
    async def story() -> None:
        async with pool(seconds=0.5) as workers:
            first = asyncio.create_task(workers.one("count", 20.0, to=1, pause=1.5))
            await asyncio.sleep(0.1)
            second = asyncio.create_task(workers.one("who"))
            third = asyncio.create_task(workers.one("who"))
            await asyncio.sleep(0.1)
            assert workers.waiting == 2
            third.cancel()
            with pytest.raises(JobError, match="nobody was free") as caught:
                await second
            assert (caught.value.status, workers.waiting) == (503, 0)
            assert await first == 0

    run(story)


def test_leaving_at_any_moment_loses_no_worker() -> None:
    async def story() -> None:
        async with pool(2) as workers:
            before = {await workers.one("who") for _ in range(20)}

            async def leave(after: float) -> None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(after):
                        await workers.one("count", None, to=3, pause=0.005)

            for n in range(12):
                await asyncio.gather(*(leave(0.001 * (m + n)) for m in range(20)))
            await until_free(workers, 5)
            assert workers.waiting == 0
            found = await asyncio.gather(*(workers.one("count", to=1, pause=0.1) for _ in range(2)))
            assert found == [0, 0]
            assert {await workers.one("who") for _ in range(20)} & before

    run(story)


def test_nothing_is_left_when_the_pool_stops() -> None:
    async def story() -> None:
        workers = Pool(Chores(), 2, 30.0, 1 << 30)
        await workers.start()
        pids = {await workers.one("who") for _ in range(20)}
        jobs = [asyncio.create_task(workers.one("hang")) for _ in range(4)]
        await asyncio.sleep(0.1)
        assert (workers.busy, workers.waiting) == (2, 2)
        begin = time.monotonic()
        await workers.stop()
        assert time.monotonic() - begin < 2
        assert not any(map(lives, pids))
        ended = await asyncio.gather(*jobs, return_exceptions=True)
        assert [each.status for each in ended if isinstance(each, JobError)] == [503] * 4

    run(story)
