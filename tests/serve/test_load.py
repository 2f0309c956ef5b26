"""Many at once, and those who leave, on a real server."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from sentrack.serve.work import GRACE, MEMORY, WAITING
from tests.serve.serving import UP, Server, served
from tests.tasks.scenes import library

CLIPS, CLIENTS = 60, 50
PAGES = 1 << 20  # bytes in a MB
SENTENCES = (UP, "The person carried the backpack.", "The person approached the chair.")


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose searches take a while."""
    folder = tmp_path_factory.mktemp("load") / "lib"
    library(folder, range(CLIPS), T=40)
    with served(folder, "--workers", "2") as server:
        yield server


def resident(server: Server) -> list[float]:
    """MB in use by each process of a server."""
    pids = [server.process.pid, *server.workers()]
    texts = [Path(f"/proc/{pid}/status").read_text() for pid in pids]
    rows = [line for text in texts for line in text.splitlines() if line.startswith("VmHWM")]
    return [int(row.split()[1]) / 1024 for row in rows]


def flood(n: int) -> tuple[str, dict[str, str]]:
    """What takes long to read, another one for every number."""
    return "/api/parse", {"sentence": ("The person walked" + " or walked" * 26 + " x" * n)[:300]}


def test_sentences_that_are_hard_to_read_do_not_keep_the_server_from_answering(
    busy: Server,
) -> None:
    busy.json("/api/parse", sentence=UP)
    slowest: list[float] = []

    async def story() -> list[int]:
        base, limits = str(busy.client.base_url), httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(base_url=base, timeout=100, limits=limits) as client:
            asked = [client.get(path, params=query) for path, query in map(flood, range(50))]
            work = asyncio.gather(*asked)
            while not work.done():
                begin = time.monotonic()
                assert (await client.get("/api/health")).status_code == 200
                slowest.append(time.monotonic() - begin)
            return [answer.status_code for answer in await work]

    statuses = asyncio.run(story())
    assert set(statuses) <= {200, 429}
    assert statuses.count(200) >= WAITING
    assert max(slowest) < 1.0


def test_fifty_searches_at_once_are_all_answered_or_refused(busy: Server) -> None:
    base = str(busy.client.base_url)
    slowest: list[float] = []

    async def watch(client: httpx.AsyncClient) -> None:
        while True:
            begin = time.monotonic()
            answer = await client.get("/api/health")
            assert answer.status_code == 200
            slowest.append(time.monotonic() - begin)
            await asyncio.sleep(0.05)

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

    async def story() -> list[tuple[int, str]]:
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(base_url=base, timeout=300, limits=limits) as client:
            watcher = asyncio.create_task(watch(client))
            answers = await asyncio.gather(*(one(client, n) for n in range(CLIENTS)))
            assert not watcher.done()
            watcher.cancel()
        return list(answers)

    answers = asyncio.run(story())
    statuses = [status for status, _ in answers]
    assert len(statuses) == CLIENTS
    assert set(statuses) <= {200, 429, 503}
    # Two were worked on and as many as may waited; who came later was refused at once.
    assert statuses.count(200) >= WAITING
    assert statuses.count(429) > 0
    assert len({text for status, text in answers if status == 200}) == len(SENTENCES)
    assert len(slowest) > 20
    assert max(slowest) < 1.0
    memory = resident(busy)
    # Seen with `pytest -s`.
    refused, answered = statuses.count(429), statuses.count(200)
    print(f"\n{answered} answered, {refused} refused, {CLIENTS} asked; health within ", end="")
    print(f"{max(slowest):.2f} s; largest process {max(memory):.0f} MB")
    assert max(memory) < 700
    assert max(memory) < MEMORY / PAGES
    told = busy.json("/api/health")
    assert (told["busy"], told["waiting"]) == (0, 0)


def until_idle(server: Server, seconds: float) -> float:
    begin = time.monotonic()
    while server.json("/api/health")["busy"]:
        assert time.monotonic() - begin < seconds, "a worker is still busy"
        time.sleep(0.05)
    return time.monotonic() - begin


def test_closing_the_stream_frees_the_worker(busy: Server) -> None:
    for _ in range(3):
        with busy.client.stream("GET", "/api/search", params={"sentence": UP}) as answer:
            assert answer.status_code == 200
            first = next(answer.iter_lines())
            assert json.loads(first)["kind"] == "progress"
            assert busy.json("/api/health")["busy"] == 1
        assert until_idle(busy, GRACE + 3) < GRACE + 3
    assert busy.search(UP, 1)[-1]["kind"] == "done"


def test_who_leaves_while_waiting_or_while_a_moment_is_made_is_forgotten(busy: Server) -> None:
    asked = {"sentence": UP}
    with (
        busy.client.stream("GET", "/api/search", params=asked),
        busy.client.stream("GET", "/api/search", params=asked),
    ):
        with pytest.raises(httpx.ReadTimeout):
            busy.client.get("/api/search", params=asked, timeout=0.2)
        with pytest.raises(httpx.ReadTimeout):
            busy.client.get("/api/description", params={"name": "scene-00"}, timeout=0.2)
        time.sleep(0.3)
        assert busy.json("/api/health")["waiting"] == 0
    until_idle(busy, GRACE + 3)


def test_a_worker_that_is_killed_ends_its_search_with_a_word_and_is_replaced(busy: Server) -> None:
    before = set(busy.workers())
    with busy.client.stream("GET", "/api/search", params={"sentence": UP}) as answer:
        lines = answer.iter_lines()
        next(lines)
        # The one that computes is the one to be hit.
        for pid in before:
            text = Path(f"/proc/{pid}/cmdline").read_text()
            if "resource_tracker" not in text:
                os.kill(pid, signal.SIGKILL)
        last = json.loads(list(lines)[-1])
    assert last["kind"] == "error"
    assert "its process died" in last["error"]
    until_idle(busy, 10)
    assert busy.search(UP, 1)[-1]["kind"] == "done"
    workers = set(busy.workers())
    assert len(workers) >= 2
    assert len(workers & before) == 1  # the one that keeps count of the others


def test_a_search_ends_when_its_time_is_over_with_what_was_found(busy: Server) -> None:
    args = busy.process.args
    assert isinstance(args, list)
    with served(Path(str(args[4])), "--time-limit", "1", "--workers", "1") as server:
        said = " or ".join(each.rstrip(".") for each in SENTENCES) + " or the person moved."
        # Of no help before it has started.
        while server.get("/api/search", sentence="The zebra walked.").status_code != 200:
            pass
        lines = server.search(said, 100)
        last = lines[-1]
        assert last["kind"] == "error"
        assert "longer than 1 s" in last["error"]
        assert last["partial"] is any(line["kind"] == "moments" for line in lines)
        until_idle(server, GRACE + 5)
