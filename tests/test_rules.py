"""Rules for tests: none depends on how fast the machine is, and in CI none is skipped."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from tests import conftest

HERE = Path(__file__).parent
FILES = sorted(HERE.rglob("*.py"))
# The one place where time may pass, and the one where it is said that there are no deadlines.
EXCEPT = {HERE / "waiting.py", HERE / "conftest.py"}
CLOCKS = {"monotonic", "perf_counter", "process_time"}


def name_of(node: ast.expr) -> str:
    """The last name of a call's function: `sleep` of `time.sleep`."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def reads_clock(node: ast.AST) -> bool:
    calls = (each for each in ast.walk(node) if isinstance(each, ast.Call))
    return any(name_of(call.func) in CLOCKS for call in calls)


def faults(tree: ast.AST) -> Iterator[str]:
    """What in a test may depend on the speed of the machine."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp | ast.Compare) and reads_clock(node):
            yield f"{node.lineno}: time is measured"
        if not isinstance(node, ast.Call):
            continue
        name, given = name_of(node.func), {each.arg: each.value for each in node.keywords}
        if ast.unparse(node.func) in ("time.sleep", "sleep") or name == "wait_for_timeout":
            yield f"{node.lineno}: it sleeps"
        if name in ("sleep", "wait", "wait_for", "join") and any(map(is_number, node.args)):
            yield f"{node.lineno}: it waits for so many seconds"
        if "timeout" in given and is_number(given["timeout"]):
            yield f"{node.lineno}: it gives up after so many seconds"
        if name == "settings" and "deadline" in given:
            yield f"{node.lineno}: there is one rule for deadlines, in conftest.py"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(HERE).as_posix())
def test_nothing_depends_on_the_speed_of_the_machine(path: Path) -> None:
    if path not in EXCEPT:
        assert [*faults(ast.parse(path.read_text("utf-8")))] == []


@pytest.mark.parametrize(
    "code",
    [
        "time.sleep(1)",
        "from time import sleep\nsleep(PAUSE)",
        "await asyncio.sleep(0.1)",
        "page.wait_for_timeout(WHILE)",
        "assert time.monotonic() - start < 2",
        "while perf_counter() < end: pass",
        "process.wait(20)",
        "process.communicate(timeout=60)",
        "thread.join(5)",
        "@settings(max_examples=5, deadline=None)\ndef test(): ...",
    ],
)
def test_the_check_sees_a_fault(code: str) -> None:
    assert [*faults(ast.parse(code))] != []


@pytest.mark.parametrize(
    "code",
    [
        "process.wait()",
        "process.wait(HANG)",
        "await asyncio.sleep(PAUSE)",
        "', '.join(parts)",
        "growth.maximize(problem, deadline=time.monotonic())",
        "@settings(max_examples=5)\ndef test(): ...",
    ],
)
def test_the_check_sees_no_fault_where_there_is_none(code: str) -> None:
    assert [*faults(ast.parse(code))] == []


@pytest.mark.parametrize(
    ("ci", "outcome", "expected"),
    [
        (True, "skipped", "failed"),
        (False, "skipped", "skipped"),
        (True, "passed", "passed"),
    ],
)
def test_in_ci_nothing_is_skipped(
    ci: bool,
    outcome: Literal["passed", "skipped"],
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(conftest, "CI", ci)
    why = ("a.py", 1, "no such data") if outcome == "skipped" else None
    report = pytest.TestReport("a.py::b", ("a.py", 1, "b"), {}, outcome, why, "setup")
    told = conftest._unless_skipped_in_ci(report)
    assert told.outcome == expected
    assert ("no such data" in str(told.longrepr)) is (outcome == "skipped")
