"""`sentrack serve` on the command line: what it refuses, how it starts, and how it ends."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from sentrack.cli import main
from tests.serve.serving import UP, Server, served, stock
from tests.serve.test_worker_pool import lives
from tests.waiting import HANG, until


@pytest.fixture(scope="module")
def lib(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stock(tmp_path_factory.mktemp("cli") / "lib", 3)


def refused(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["sentrack", "serve", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--host", "0.0.0.0"], "others could reach 0.0.0.0: say who may by --token-file"),
        (["--host", "192.0.2.1"], "--token-file"),
        (["--host", "::"], "--token-file"),
        (["--token-file", "EMPTY"], "is empty; choose one that is hard to guess"),
        (["--token-file", "ODD"], "ASCII"),
        (["--token-file", "BINARY"], "it is not text"),
        (["--token-file", "NONE"], "it cannot be read: No such file"),
        (["--lexicon", "everday"], "did you mean 'everyday'"),
        (["--host", "127.0.0.1", "--port", "TAKEN"], "choose another --port"),
    ],
)
def test_what_cannot_be_served_is_told_in_one_line(
    lib: Path,
    options: list[str],
    text: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        given = {"EMPTY": b"\n", "ODD": "tökén".encode(), "BINARY": b"\xff"}
        for name, content in given.items():
            (lib.parent / name).write_bytes(content)
        files = {name: str(lib.parent / name) for name in (*given, "NONE")}
        chosen = [(files | {"TAKEN": port}).get(option, option) for option in options]
        refused(str(lib), *chosen, monkeypatch=monkeypatch)
    said = capsys.readouterr()
    assert text in said.err
    assert (said.out, said.err.count("\n")) == ("", 1)


def test_a_library_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(str(tmp_path / "none"), monkeypatch=monkeypatch)
    assert "there is no such library; make one by: sentrack index" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn"])
def test_without_the_extra_it_says_what_to_install(
    lib: Path, missing: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in sys.modules if each.startswith("sentrack.serve")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    refused(str(lib), monkeypatch=monkeypatch)
    said = capsys.readouterr().err
    assert said == f'sentrack: {missing} is missing; run: pip install "sentrack[serve]"\n'


def test_help_needs_nothing_of_the_server() -> None:
    code = "import sys, sentrack.cli; print({'fastapi', 'uvicorn', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@contextmanager
def started(lib: Path) -> Iterator[Server]:
    """A server in a session of its own, as a shell would start it; whoever starts it ends it."""
    command = [sys.executable, "-m", "sentrack", "serve", str(lib), "--port", "0"]
    with subprocess.Popen(
        [*command, "--workers", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[2]
        with httpx.Client(base_url=address, timeout=HANG) as client:
            yield Server(process, client, lib)


def assert_none_lives(pids: list[int]) -> None:
    until(lambda: not any(map(lives, pids)))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_at_once_and_leaves_nothing_behind(lib: Path, how: signal.Signals) -> None:
    """Also while somebody searches, and though Ctrl-C reaches the workers, too."""
    with started(lib) as server:
        process, children = server.process, server.workers()
        assert len(children) >= 3
        with server.client.stream("GET", "/api/search", params={"sentence": UP}) as answer:
            assert answer.status_code == 200
            os.killpg(process.pid, how)
            process.wait(HANG)
        assert process.returncode in (0, -how if how == signal.SIGTERM else 0)
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert_none_lives(children)


def test_it_does_not_wait_for_a_search_to_end(lib: Path) -> None:
    with started(lib) as server, socket.socket() as asking:
        process, children = server.process, server.workers()
        with server.held():  # this search never ends
            asking.connect((server.client.base_url.host, server.client.base_url.port))
            asked = UP.replace(" ", "+")
            request = f"GET /api/search?sentence={asked} HTTP/1.1\r\nHost: localhost\r\n\r\n"
            asking.sendall(request.encode())
            until(lambda: server.json("/api/health")["busy"] == 1)
            process.send_signal(signal.SIGINT)
            process.wait(HANG)
        assert process.returncode == 0
        assert_none_lives(children)


def test_workers_end_when_the_server_is_killed(lib: Path) -> None:
    with started(lib) as server:
        children = server.workers()
        assert server.search(UP, 1)[-1]["kind"] == "done"
        for child in children:
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                # As if it were busy: it does not come to look who lives.
                os.kill(child, signal.SIGSTOP)
        server.process.kill()
        server.process.wait()
        assert_none_lives(children)


def test_another_lexicon_can_be_served(lib: Path) -> None:
    with served(lib, "--lexicon", "paper") as server:
        assert server.json("/api/library")["lexicon"] == "paper"
        assert server.json("/api/words")["lexicon"] == "paper"
