"""Many at once, and those who leave, on a real server."""

import asyncio
import json
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import httpx
import pytest

from sentrack.serve.worker_pool import MEMORY, WAITING
from tests.serve.serving import UP, Server, served
from tests.tasks.scenes import library
from tests.waiting import HANG, PAUSE, until

CLIPS, CLIENTS, WORKERS = 20, 50, 2
PAGES = 1 << 20  # bytes in a MB
SENTENCES = (UP, "The person carried the backpack.", "The person approached the chair.")


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of two that search."""
    folder = tmp_path_factory.mktemp("load") / "lib"
    library(folder, range(CLIPS))
    with served(folder, "--workers", str(WORKERS)) as server:
        yield server


def resident(server: Server) -> list[float]:
    """MB in use by each process of a server."""
    pids = [server.process.pid, *server.workers()]
    texts = [Path(f"/proc/{pid}/status").read_text() for pid in pids]
    rows = [line for text in texts for line in text.splitlines() if line.startswith("VmHWM")]
    return [int(row.split()[1]) / 1024 for row in rows]


def flood(n: int) -> tuple[str, dict[str, str]]:
    """What takes long to read, another one for every number."""
    return "/api/parse", {"sentence": ("The person walked" + " or walked" * 18 + " x" * n)[:300]}


Ask = Callable[[httpx.AsyncClient, int], Awaitable[tuple[int, str]]]


def asked_at_once(server: Server, ask: Ask, workers: int) -> list[tuple[int, str]]:
    """What becomes of so many who ask while all workers are at work, and of whom some can wait.

    The server goes on answering all the while.
    """

    async def story() -> list[tuple[int, str]]:
        base, limits = str(server.client.base_url), httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(base_url=base, timeout=HANG, limits=limits) as client:

            async def standing() -> tuple[int, int]:
                told = (await client.get("/api/health")).json()
                return told["busy"], told["waiting"]

            with server.held():
                tasks = [asyncio.ensure_future(ask(client, n)) for n in range(CLIENTS)]
                while sum(task.done() for task in tasks) < CLIENTS - workers - WAITING:
                    await asyncio.sleep(PAUSE)
                assert await standing() == (workers, WAITING)
            seen = set()
            while not all(task.done() for task in tasks):
                seen.add(await standing())
            # It answered in the middle of the work, not when all was done.
            assert len({waiting for _, waiting in seen}) > 2
            return [await task for task in tasks]

    return asyncio.run(story())


def test_sentences_that_are_hard_to_read_do_not_keep_the_server_from_answering(
    busy: Server,
) -> None:
    async def read(client: httpx.AsyncClient, n: int) -> tuple[int, str]:
        path, query = flood(n)
        answer = await client.get(path, params=query)
        return answer.status_code, answer.text

    statuses = [status for status, _ in asked_at_once(busy, read, 1)]
    assert (statuses.count(200), statuses.count(429)) == (1 + WAITING, CLIENTS - 1 - WAITING)


def test_fifty_searches_at_once_are_all_answered_or_refused(busy: Server) -> None:
    async def one(client: httpx.AsyncClient, n: int) -> tuple[int, str]:
        sentence = SENTENCES[n % len(SENTENCES)]
        answer = await client.get("/api/search", params={"sentence": sentence, "k": 5})
        if answer.status_code != 200:
            assert int(answer.headers["retry-after"]) > 0
            assert "error" in answer.json()
            return answer.status_code, sentence
        lines = [json.loads(line) for line in answer.text.splitlines()]
        assert lines[-1]["kind"] == "done"
        found = [line["moments"] for line in lines if line["kind"] == "moments"][-1]
        return 200, json.dumps(found)

    answers = asked_at_once(busy, one, WORKERS)
    statuses = [status for status, _ in answers]
    # Two were worked on and as many as may waited; who came later was refused at once.
    answered = WORKERS + WAITING
    assert (statuses.count(200), statuses.count(429)) == (answered, CLIENTS - answered)
    assert len({text for status, text in answers if status == 200}) == len(SENTENCES)
    memory = resident(busy)
    print(f"\nlargest process {max(memory):.0f} MB")  # seen with `pytest -s`
    assert max(memory) < 700
    assert max(memory) < MEMORY / PAGES
    busy.until_idle()
    assert busy.json("/api/health")["waiting"] == 0


@contextmanager
def in_the_middle(server: Server, sentence: str = UP) -> Iterator[Iterator[str]]:
    """The lines of a search whose worker stands still after the first of them.

    Should the search be over by then, or its time before it began, there is another one.
    """
    while True:
        with server.client.stream("GET", "/api/search", params={"sentence": sentence}) as answer:
            if answer.status_code == 503:
                continue
            lines = answer.iter_lines()
            first = next(lines)
            assert json.loads(first)["kind"] == "progress"
            with server.held():
                if server.json("/api/health")["busy"] == 1:
                    yield chain([first], lines)
                    return


def test_closing_the_stream_frees_the_worker(busy: Server) -> None:
    for _ in range(3):
        with in_the_middle(busy):
            pass
        busy.until_idle()
    assert busy.search(UP, 1)[-1]["kind"] == "done"


def test_who_leaves_while_waiting_or_while_a_moment_is_made_is_forgotten(busy: Server) -> None:
    def standing() -> tuple[int, int]:
        told = busy.json("/api/health")
        return told["busy"], told["waiting"]

    async def story() -> None:
        asked, place = {"sentence": UP}, {"name": "scene-00"}
        async with httpx.AsyncClient(base_url=busy.client.base_url, timeout=HANG) as client:

            async def ask(path: str, query: dict[str, str], *then: int) -> None:
                """Ask, and go on when so many are worked on and so many wait."""
                tasks.append(asyncio.create_task(client.get(path, params=query)))
                while standing() != then:
                    await asyncio.sleep(PAUSE)

            await ask("/api/search", asked, 1, 0)
            await ask("/api/moment", asked | {"video": "scene-00"}, 2, 0)
            await ask("/api/search", asked, 2, 1)
            await ask("/api/description", place, 2, 2)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    tasks: list[asyncio.Task[httpx.Response]] = []
    with busy.held():
        asyncio.run(story())
        until(lambda: standing()[1] == 0)
    busy.until_idle()
    assert busy.search(UP, 1)[-1]["kind"] == "done"


def test_a_worker_that_is_killed_ends_its_search_with_a_word_and_is_replaced(busy: Server) -> None:
    before = set(busy.workers())
    with in_the_middle(busy) as lines:
        # The one that computes is the one to be hit.
        for pid in before:
            text = Path(f"/proc/{pid}/cmdline").read_text()
            if "resource_tracker" not in text:
                os.kill(pid, signal.SIGKILL)
        last = json.loads(list(lines)[-1])
    assert last["kind"] == "error"
    assert "its process died" in last["error"]
    busy.until_idle()
    assert busy.search(UP, 1)[-1]["kind"] == "done"
    workers = set(busy.workers())
    assert len(workers) >= 2
    assert len(workers & before) == 1  # the one that keeps count of the others


def test_a_search_ends_when_its_time_is_over_with_what_was_found(busy: Server) -> None:
    with served(busy.folder, "--time-limit", "2") as server:
        # Of no help before it has started.
        until(lambda: server.get("/api/search", sentence="The zebra walked.").status_code == 200)
        with in_the_middle(server) as lines:
            told = [json.loads(line) for line in lines]
        last = told[-1]
        assert last["kind"] == "error"
        assert "longer than 2 s" in last["error"]
        assert last["partial"] is any(line["kind"] == "moments" for line in told)
        server.until_idle()
