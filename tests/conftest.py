"""Rules for all tests, and a real browser for those of pages."""

import os
import shutil
import signal
import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CompletedProcess
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from playwright.sync_api import Browser, Page, expect, sync_playwright

from sentrack import cli
from tests.commands import Run
from tests.waiting import HANG, until

HERE = Path(__file__).parent
NAMES = ("chromium", "chromium-browser", "google-chrome")
CI = bool(os.environ.get("CI"))
# Coverage is not measured while these run, nor while Hypothesis tries its examples: it takes twice
# the time, for lines that others cover or that are not the package's.
UNTRACED = {path.name for path in (HERE / "benchmarks").iterdir()} | {
    "test_learn.py",
    "test_em.py",
    "test_describe.py",
    "test_search.py",
    "test_footage.py",
    "test_browser.py",
    "test_load.py",
    "test_everyday.py",
    "test_track.py",
    "test_moments.py",
    "test_rivals.py",
    "test_distinct.py",
    "test_matching.py",
    "test_solve.py",
    "test_workers.py",
    "test_format_fuzz.py",
    "test_flow.py",
    "test_docs.py",
    "test_scanner.py",
    "test_processes.py",
    "test_growth.py",
}
LONG = (
    "readme",
    "browser",
    "footage",
    "cli_video",
    "learn",
    "load",
    "cli",
    "workers",
    "paper_more",
)

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

# However slow the machine; and in CI the same examples every time, elsewhere others in every run.
settings.register_profile(
    "sentrack",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=CI,
    max_examples=50,
    print_blob=True,
)
settings.load_profile("sentrack")
# A shell that runs the tests in the background has interrupts ignored, here and in all children.
signal.signal(signal.SIGINT, signal.default_int_handler)
expect.set_options(timeout=HANG * 1000)


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: tests of servers, browsers and commands wait for others."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that all processes end at about the same time."""
    order = {f"test_{name}.py": n for n, name in enumerate(LONG)}
    items.sort(key=lambda item: order.get(item.path.name, len(LONG)))
    for item in items:
        if is_hypothesis_test(getattr(item, "function", None)) or item.path.name in UNTRACED:
            item.add_marker("no_cover")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a machine does not have is not tested there; but CI must have all."""
    return _unless_skipped_in_ci((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for whole modules."""
    return _unless_skipped_in_ci((yield))


def _unless_skipped_in_ci(report: Report) -> Report:
    if CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"nothing may be skipped in CI: {report.longreprtext}"
    return report


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The data beside the project, for tests on real detections."""
    folder = Path(__file__).parents[2] / "shared" / "data"
    if not folder.exists():
        pytest.skip(f"the shared data is not here: {folder}")
    return folder


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in this process, which is ready sooner than another."""
    monkeypatch.setenv("COLUMNS", "200")

    def command(*arguments: str) -> CompletedProcess[str]:
        capfd.readouterr()
        monkeypatch.setattr(sys, "argv", ["sentrack", *arguments])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        code = stop.value.code or 0
        assert isinstance(code, int)
        return CompletedProcess(arguments, code, *capfd.readouterr())

    return command


@dataclass
class Tab:
    """A page, with all that it complained of and all that it asked of anybody."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def until(self, condition: str) -> None:
        """Wait for a condition in JavaScript; polled from outside, for pages that forbid `eval`."""
        until(lambda: self.page.evaluate(condition))


@dataclass(frozen=True)
class Chromium:
    """Opens pages of its own: wide or narrow, light or dark."""

    browser: Browser

    def open(self, url: str, width: int = 1200, dark: bool = False) -> Tab:
        """Go to an address, listening to everything from the start."""
        page = self.browser.new_page(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        page.set_default_timeout(HANG * 1000)
        tab = Tab(page)
        page.on("console", lambda m: tab.complaints.append(f"{m.type}: {m.text}"))
        page.on("pageerror", lambda e: tab.complaints.append(f"error: {e}"))
        page.on("request", lambda r: tab.requests.append(r.url))
        page.goto(url)
        return tab


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium as installed; `.ci/run` sees to it that it is."""
    found = [path for name in NAMES if (path := shutil.which(name))]
    if not found:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--autoplay-policy=no-user-gesture-required"]
        opened = playwright.chromium.launch(executable_path=Path(found[0]), args=flags)
        yield opened
        opened.close()


@pytest.fixture
def chromium(browser: Browser) -> Iterator[Chromium]:
    """Pages for one test; a page that stays open would go on playing while others are tested."""
    yield Chromium(browser)
    for context in browser.contexts:
        context.close()
