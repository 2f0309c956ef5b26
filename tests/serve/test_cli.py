"""`sentrack serve` on the command line: what it refuses, how it starts, and how it ends."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sentrack.cli import main
from tests.serve.serving import UP, served, stock
from tests.serve.test_work import lives


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
        (["--host", "0.0.0.0"], "others could reach 0.0.0.0: say who may by --token"),
        (["--host", "192.0.2.1"], "--token"),
        (["--host", "::"], "--token"),
        (["--token", ""], "--token is empty"),
        (["--token", "tökén"], "ASCII"),
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
        chosen = [port if option == "TAKEN" else option for option in options]
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


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_at_once_and_leaves_nothing_behind(lib: Path, how: signal.Signals) -> None:
    """Also while somebody searches, and though Ctrl-C reaches the workers, too."""
    command = [sys.executable, "-m", "sentrack", "serve", str(lib), "--port", "0"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        address = process.stdout.readline().split()[2]
        task = Path(f"/proc/{process.pid}/task")
        children = [pid for t in task.iterdir() for pid in (t / "children").read_text().split()]
        assert len(children) >= 3
        host, port = address.removeprefix("http://").rstrip("/").split(":")
        with socket.create_connection((host, int(port))) as open_one:
            asked = UP.replace(" ", "+")
            request = f"GET /api/search?sentence={asked} HTTP/1.1\r\nHost: localhost\r\n\r\n"
            open_one.sendall(request.encode())
            time.sleep(0.2)
            begin = time.monotonic()
            os.killpg(process.pid, how)
            process.wait(20)
        assert time.monotonic() - begin < 10
        assert process.returncode in (0, -how if how == signal.SIGTERM else 0)
        assert process.stderr.read() == ""
        for _ in range(50):
            if not any(lives(int(pid)) for pid in children):
                break
            time.sleep(0.1)
        assert not any(lives(int(pid)) for pid in children)


def test_workers_end_when_the_server_is_killed(lib: Path) -> None:
    command = [sys.executable, "-m", "sentrack", "serve", str(lib), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        task = Path(f"/proc/{process.pid}/task")
        children = [pid for t in task.iterdir() for pid in (t / "children").read_text().split()]
        time.sleep(1.0)
        process.kill()
        process.wait()
        for _ in range(100):
            if not any(lives(int(pid)) for pid in children):
                break
            time.sleep(0.1)
        assert not any(lives(int(pid)) for pid in children)


def test_another_lexicon_can_be_served(lib: Path) -> None:
    with served(lib, "--lexicon", "paper", "--workers", "1") as server:
        assert server.json("/api/library")["lexicon"] == "paper"
        assert server.json("/api/words")["lexicon"] == "paper"
