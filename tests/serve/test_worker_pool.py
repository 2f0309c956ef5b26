"""Workers: what they answer, and what becomes of those that hang, die or eat too much."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from sentrack.serve import worker_pool
from sentrack.serve.errors import JobError
from sentrack.serve.worker_pool import Pool
from tests.serve.chores import Chores
from tests.waiting import HANG, PAUSE


@asynccontextmanager
async def pool(size: int = 1, memory: int = 1 << 30) -> AsyncIterator[Pool]:
    made = Pool(Chores(), size, HANG, memory)
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
    asyncio.run(asyncio.wait_for(story(), 3 * HANG))


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(PAUSE)


def stands(workers: Pool, busy: int, waiting: int) -> Callable[[], bool]:
    return lambda: (workers.busy, workers.waiting) == (busy, waiting)


def later(seconds: float) -> None:
    """Let time pass for all that waits in this event loop, at once."""
    loop = asyncio.get_running_loop()
    clock = loop.time
    loop.time = lambda: clock() + seconds  # type: ignore[method-assign]


@pytest.fixture
def gates(tmp_path: Path) -> Iterator[dict[Path, int]]:
    """Named pipes, and what to write to so that they let one pass."""
    made = {}
    for n in range(4):
        gate = tmp_path / f"gate-{n}"
        os.mkfifo(gate)
        made[gate] = os.open(gate, os.O_RDWR)  # for writing alone it would wait for a reader
    yield made
    for pipe in made.values():
        os.close(pipe)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that are asked to stop have all the time that they need."""
    monkeypatch.setattr(worker_pool, "GRACE", HANG)


def test_pieces_come_in_order_and_one_by_one(gates: dict[Path, int]) -> None:
    async def story() -> None:
        async with pool() as workers, aclosing(workers.run("gated", gates=[*gates])) as pieces:
            for n, pipe in enumerate(gates.values()):
                # None of the later ones can have been made.
                os.write(pipe, b"x")
                assert await anext(pieces) == n
        async with pool() as workers:
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


@pytest.mark.usefixtures("patient")
def test_who_leaves_early_frees_the_worker_without_killing_it() -> None:
    async def story() -> None:
        async with pool() as workers:
            before = await workers.one("who")
            async with aclosing(workers.run("count", to=10**9)) as pieces:
                assert [await anext(pieces) for _ in range(3)] == [0, 1, 2]
            await until(stands(workers, 0, 0))
            assert await workers.one("who") == before

    run(story)


def test_a_job_that_does_not_stop_is_killed_and_another_worker_takes_its_place() -> None:
    async def story() -> None:
        async with pool() as workers:
            pid = await workers.one("who")
            job = asyncio.create_task(workers.one("hang"))
            await until(stands(workers, 1, 0))
            assert lives(pid)
            job.cancel()
            await until(stands(workers, 0, 0))
            assert not lives(pid)
            assert await workers.one("who") != pid

    run(story)


def test_a_job_ends_when_its_time_is_over() -> None:
    async def story() -> None:
        async with pool() as workers:
            found: list[int] = []

            async def count() -> None:
                async for n in workers.run("hang", after=5):
                    found.append(n)
                    if n == 4:
                        later(HANG)

            with pytest.raises(JobError, match="longer than 600 s") as caught:
                await count()
            assert caught.value.status == 503
            assert found == [0, 1, 2, 3, 4]
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
            assert await workers.one("who") != pid

    run(story)


def test_a_job_that_a_worker_did_not_live_to_take_up_is_done_by_another() -> None:
    async def story() -> None:
        async with pool() as workers:
            pid = await workers.one("who")
            os.kill(pid, signal.SIGSTOP)
            job = asyncio.create_task(workers.one("who"))
            await until(stands(workers, 1, 0))
            os.kill(pid, signal.SIGKILL)
            assert await job != pid

    run(story)


def test_no_more_wait_than_are_allowed(
    gates: dict[Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_pool, "WAITING", 3)

    async def story() -> None:
        async with pool() as workers:
            jobs = [asyncio.create_task(workers.one("gated", gates=[*gates][:1]))]
            await until(stands(workers, 1, 0))
            jobs += [asyncio.create_task(workers.one("count", to=1)) for _ in range(8)]
            await until(lambda: sum(job.done() for job in jobs) == 5)
            assert (workers.busy, workers.waiting) == (1, 3)
            os.write(next(iter(gates.values())), b"x")
            results = await asyncio.gather(*jobs, return_exceptions=True)
            refused = [each.status for each in results if isinstance(each, JobError)]
            assert (results.count(0), refused) == (4, [429] * 5)

    run(story)


def test_who_waits_too_long_is_told_so_and_who_leaves_the_queue_is_forgotten(
    gates: dict[Path, int],
) -> None:
    async def story() -> None:
        async with pool() as workers:
            first = asyncio.create_task(workers.one("gated", 3 * HANG, gates=[*gates][:1]))
            await until(stands(workers, 1, 0))
            second = asyncio.create_task(workers.one("who"))
            third = asyncio.create_task(workers.one("who"))
            await until(stands(workers, 1, 2))
            third.cancel()
            await until(stands(workers, 1, 1))
            later(HANG)
            with pytest.raises(JobError, match="nobody was free") as caught:
                await second
            assert (caught.value.status, workers.waiting) == (503, 0)
            os.write(next(iter(gates.values())), b"x")
            assert await first == 0

    run(story)


@pytest.mark.usefixtures("patient")
def test_leaving_at_any_moment_loses_no_worker() -> None:
    async def story() -> None:
        async with pool(2) as workers:
            before = {await workers.one("who") for _ in range(20)}

            async def leave(after: float) -> None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(after):
                        await workers.one("count", to=3)

            for n in range(12):
                await asyncio.gather(*(leave(0.001 * (m + n)) for m in range(20)))
            await until(stands(workers, 0, 0))
            found = await asyncio.gather(*(workers.one("count", to=1) for _ in range(2)))
            assert found == [0, 0]
            assert {await workers.one("who") for _ in range(20)} == before

    run(story)


@pytest.mark.usefixtures("patient")
def test_nothing_is_left_when_the_pool_stops() -> None:
    async def story() -> None:
        workers = Pool(Chores(), 2, HANG, 1 << 30)
        await workers.start()
        pids = {await workers.one("who") for _ in range(20)}
        jobs = [asyncio.create_task(workers.one("hang")) for _ in range(4)]
        await until(stands(workers, 2, 2))
        await workers.stop()  # without waiting for what hangs
        assert not any(map(lives, pids))
        ended = await asyncio.gather(*jobs, return_exceptions=True)
        assert [each.status for each in ended if isinstance(each, JobError)] == [503] * 4

    run(story)
