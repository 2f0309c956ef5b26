import io
import re
import subprocess
import sys

import pytest
from rich.console import Console

from sentrack.show import progress
from sentrack.show.progress import Bars
from tests.waiting import HANG


def terminal() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=100)


def drawn(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", console.file.getvalue())


def test_nothing_is_printed_where_stderr_is_no_terminal() -> None:
    code = """
from sentrack.show import progress
progress.PATIENCE = -1
with progress.Bars() as bars:
    for n in range(100):
        bars("render", n, 100)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", HANG)
    console = terminal()
    with Bars(console) as bars:
        bars("render", 1, 2)
        bars("render", 2, 2)
    assert drawn(console) == ""


def test_stages_have_bars_with_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    console = terminal()
    with Bars(console) as bars:
        bars("detect", 5, None)
        bars("detect", 10, 10)
        for n in range(50):
            bars("render", n, 200 + n)  # a total may be a guess
    text = drawn(console)
    assert re.search(r"detect .* 10/10 +\d+\.\d/s", text)
    assert re.search(r"render .* 49/249 +\d+\.\d/s, \d+:\d\d:\d\d left", text)


def test_the_next_file_has_a_pace_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    console, now = terminal(), [0.0]
    console.get_time = lambda: now[0]
    with Bars(console) as bars:
        for now[0], done in ((0.0, 0), (100.0, 100), (100.0, 1), (101.0, 11)):
            bars("looking", done, 100)
    assert re.search(r"looking .* 11/100 +11\.0/s, 0:00:08 left", drawn(console))


def test_the_cursor_comes_back_after_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    console = terminal()

    def work() -> None:
        with Bars(console) as bars:
            bars("render", 1, 2)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().rfind("\x1b[?25h") > console.file.getvalue().rfind("\x1b[?25l")
