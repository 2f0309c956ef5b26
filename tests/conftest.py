"""A real browser for tests of pages."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")


@dataclass
class Tab:
    """A page, with all that it complained of and all that it asked of anybody."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def until(self, condition: str, seconds: float = 20) -> None:
        """Wait for a condition in JavaScript; polled from outside, for pages that forbid `eval`."""
        end = monotonic() + seconds
        while not self.page.evaluate(condition):
            assert monotonic() < end, f"not within {seconds} s: {condition}"
            self.page.wait_for_timeout(30)


@dataclass(frozen=True)
class Chromium:
    """Opens pages of its own: wide or narrow, light or dark."""

    browser: Browser

    def open(self, url: str, width: int = 1200, dark: bool = False) -> Tab:
        """Go to an address, listening to everything from the start."""
        page = self.browser.new_page(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        tab = Tab(page)
        page.on("console", lambda m: tab.complaints.append(f"{m.type}: {m.text}"))
        page.on("pageerror", lambda e: tab.complaints.append(f"error: {e}"))
        page.on("request", lambda r: tab.requests.append(r.url))
        page.goto(url)
        return tab


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    """Chromium as installed; `.ci/run` sees to it that it is."""
    found = [path for name in NAMES if (path := shutil.which(name))]
    if not found:
        assert not os.environ.get("CI"), "no Chromium: apt-get install chromium"
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--autoplay-policy=no-user-gesture-required"]
        browser = playwright.chromium.launch(executable_path=Path(found[0]), args=flags)
        yield Chromium(browser)
        browser.close()
