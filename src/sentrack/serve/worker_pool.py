"""Work in processes of their own, so that the server answers whatever they do.

A worker does one job at a time and sends what it finds piece by piece. Who no longer wants the rest
asks it to stop, which it does between two pieces; if that takes too long it is killed, and another
one takes its place, as when it dies. A job that a worker died before taking up is given to another.
"""

import asyncio
import contextlib
import logging
import multiprocessing
from collections.abc import AsyncGenerator, Awaitable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, TypeVar

from sentrack.errors import SentrackError
from sentrack.serve.errors import JobError
from sentrack.serve.process_limits import confine, uninterrupted

if TYPE_CHECKING:
    from starlette.requests import Request

WAITING = 32  # jobs that may wait for a worker
GRACE = 2.0  # seconds that a worker has to stop when asked
MEMORY = 4 << 30  # bytes of addresses that a worker may use; about half of it by libraries alone

STOP = None  # instead of a job
BEGUN, PIECE, DONE, ERROR, DIED = "begun", "piece", "done", "error", "died"

T = TypeVar("T")

_log = logging.getLogger("sentrack")


def work(pipe: "Connection[Any, Any]", jobs: Any, memory: int) -> None:
    """What a worker does as long as the server lives: jobs, one after another."""
    confine(memory)
    while True:
        try:
            job = pipe.recv()
            if job is not STOP:  # else it was asked to stop when it was done already
                pipe.send((BEGUN, None))
                pipe.send(_do(jobs, job, pipe))
        except (EOFError, OSError):
            return


def _do(jobs: Any, job: tuple[str, dict[str, Any]], pipe: "Connection[Any, Any]") -> Any:
    name, arguments = job
    pieces = getattr(jobs, name)(**arguments)
    while True:
        try:
            piece = next(pieces)
        except StopIteration:
            return DONE, None
        except JobError as error:
            return ERROR, error
        except SentrackError as error:
            return ERROR, JobError(str(error), 422)
        except MemoryError:
            return ERROR, JobError("this takes more memory than is allowed; ask for less", 503)
        except Exception as error:
            _log.exception("%s failed", name)
            # A full disk, above all.
            status = 503 if isinstance(error, OSError) else 500
            return ERROR, JobError("sentrack failed at this; its log says how", status)
        pipe.send((PIECE, piece))
        if pipe.poll():
            pipe.recv()
            pieces.close()
            return DONE, None


class Worker:
    """A process and the pipe to it.

    Attributes:
        process: its own.
        busy: whether it does a job.
    """

    def __init__(self, jobs: Any, memory: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, jobs, memory), daemon=True)
        with uninterrupted():
            self.process.start()
        theirs.close()
        self.busy = self._broken = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sentrack-worker")
        self._coming: asyncio.Future[tuple[str, Any]] | None = None

    @property
    def usable(self) -> bool:
        """Whether it may be given a job."""
        return not self.busy and not self._broken and self.process.is_alive()

    def send(self, job: tuple[str, dict[str, Any]] | None) -> None:
        """Give it a job, or ask it to stop; one that died is found out by `receive`."""
        self.busy = True
        with contextlib.suppress(OSError):
            self._pipe.send(job)

    async def receive(self, until: float) -> tuple[str, Any] | None:
        """What it sends next; None if nothing comes before that time of the event loop."""
        loop = asyncio.get_running_loop()
        if self._coming is None:
            self._coming = loop.run_in_executor(self._thread, self._next)
        # Not cancelled with the one who waits: the message is for whoever is next.
        await asyncio.wait({self._coming}, timeout=max(0.0, until - loop.time()))
        if not self._coming.done():
            return None
        (kind, content), self._coming = self._coming.result(), None
        self.busy = kind in (BEGUN, PIECE)
        return kind, content

    def _next(self) -> tuple[str, Any]:
        try:
            kind, content = self._pipe.recv()
        except (EOFError, OSError):
            self._broken = True
            return DIED, JobError("the work broke off: its process died; try again", 503)
        return kind, content

    def end(self) -> None:
        """Kill it, and wait until it is gone."""
        self.process.kill()
        self.process.join()
        self._thread.shutdown()
        self._pipe.close()


class Pool:
    """Some workers, and those who wait for one.

    Args:
        jobs: an object to be copied to every worker; its methods are the jobs, all generators.
        size: how many workers there are.
        seconds: that a job may wait, and then take.
        memory: bytes of addresses that a worker may use.
    """

    def __init__(self, jobs: object, size: int, seconds: float, memory: int = MEMORY) -> None:
        self._jobs, self._size, self._seconds, self._memory = jobs, size, seconds, memory
        self._workers: set[Worker] = set()
        self._idle: asyncio.Queue[Worker] = asyncio.Queue()
        self._settling: set[asyncio.Task[None]] = set()
        self._open = True
        self.waiting = 0

    @property
    def busy(self) -> int:
        """How many workers do something, if only getting ready."""
        return self._size - self._idle.qsize()

    async def start(self) -> None:
        """Start all workers."""
        for worker in await asyncio.gather(*(self._new() for _ in range(self._size))):
            self._idle.put_nowait(worker)

    async def stop(self) -> None:
        """End all workers, and with them what is worked on or waited for."""
        self._open = False
        for task in self._settling:
            task.cancel()
        await asyncio.gather(*self._settling, return_exceptions=True)
        workers, self._workers = self._workers, set()
        await asyncio.gather(*(asyncio.to_thread(worker.end) for worker in workers))
        for worker in [*workers][:1] * self.waiting:
            self._idle.put_nowait(worker)  # who waits is woken, and told

    async def settled(self) -> None:
        """Wait until the workers that were asked to stop have done so."""
        await asyncio.gather(*self._settling, return_exceptions=True)

    async def run(
        self, job: str, seconds: float | None = None, /, **arguments: Any
    ) -> AsyncGenerator[Any, None]:
        """The pieces that a job finds; leave it early by closing this generator.

        Args:
            job: its name.
            seconds: that it may take; as the pool says, if left out.
            **arguments: of the job.

        Raises:
            JobError: there is no answer, or no more of it.
        """
        limit = self._seconds if seconds is None else seconds
        until = None
        while True:
            worker = await self._take()
            try:
                worker.send((job, arguments))
                until = until or asyncio.get_running_loop().time() + limit
                kind, content = await _within(worker, until, limit)
                if kind == DIED:  # before it took up the job
                    continue
                while kind != DONE:
                    if kind in (ERROR, DIED):
                        raise content
                    if kind == PIECE:
                        yield content
                    kind, content = await _within(worker, until, limit)
                return
            finally:
                self._release(worker)

    async def one(self, job: str, seconds: float | None = None, /, **arguments: Any) -> Any:
        """The only piece of a job."""
        async with contextlib.aclosing(self.run(job, seconds, **arguments)) as pieces:
            found = [piece async for piece in pieces]
        return found[0]

    async def answer(
        self, request: "Request", job: str, seconds: float | None = None, /, **arguments: Any
    ) -> Any:
        """The only piece of a job, which is given up if the client leaves."""
        return await unless_gone(request, self.one(job, seconds, **arguments))

    async def _take(self) -> Worker:
        if self.waiting >= WAITING and self._idle.empty():
            raise JobError("too much is asked at once; try again soon", 429)
        self.waiting += 1
        try:
            async with asyncio.timeout(self._seconds):
                while self._open:
                    worker = await self._idle.get()
                    if worker.usable:
                        return worker
                    self._release(worker)
                raise JobError("the server ends", 503)
        except TimeoutError:
            raise JobError("nobody was free to do this; try again soon", 503) from None
        finally:
            self.waiting -= 1

    def _release(self, worker: Worker) -> None:
        if not self._open:
            return
        if worker.usable:
            self._idle.put_nowait(worker)
            return
        task = asyncio.get_running_loop().create_task(self._settle(worker))
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)

    async def _settle(self, worker: Worker) -> None:
        """Have a worker stop, or put another one in its place."""
        if worker.busy:
            worker.send(STOP)
            until = asyncio.get_running_loop().time() + GRACE
            while await worker.receive(until) is not None and worker.busy:
                pass
        if not worker.usable:
            self._workers.discard(worker)
            await asyncio.to_thread(worker.end)
            worker = await self._new()
        self._idle.put_nowait(worker)

    async def _new(self) -> Worker:
        while True:
            try:
                worker = await asyncio.to_thread(Worker, self._jobs, self._memory)
                break
            except OSError as error:  # no more processes, for now
                _log.warning("a worker cannot be started: %s", error)
                await asyncio.sleep(GRACE)
        self._workers.add(worker)
        return worker


async def _within(worker: Worker, until: float, limit: float) -> tuple[str, Any]:
    """What a worker sends next, if it comes in time."""
    message = await worker.receive(until)
    if message is None:
        raise JobError(f"this took longer than {limit:g} s, which is the limit here", 503)
    return message


async def unless_gone(request: "Request", work: Awaitable[T]) -> T:
    """What comes of some work, which is given up if the client leaves."""
    task = asyncio.ensure_future(work)
    gone = asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise JobError("nobody waits for this any more", 503)
        return task.result()
    finally:
        for each in (task, gone):
            each.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _gone(request: "Request") -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
