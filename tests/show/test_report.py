import base64
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

import sentrack.show.report as reporting
from sentrack.demo import paint
from sentrack.errors import SentrackError
from sentrack.lexicon import Lexicon
from sentrack.show.report import page, write_report
from sentrack.show.view import View, view_of
from sentrack.tasks.runner_up import Rivals, rivals
from sentrack.vision.scan.video import Frame, Video

from ..conftest import Chromium, Tab
from .conftest import Shown, hidden

LEXICON = Lexicon.load("everyday")
# How many pixels of the picture have a colour, such as "#e69f00".
INK = """(colour) => {
  const drawn = document.querySelector(".stage canvas");
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [drawn.width, drawn.height];
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(drawn, 0, 0);
  const { data } = context.getImageData(0, 0, copy.width, copy.height);
  const wanted = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  let found = 0;
  for (let i = 0; i < data.length; i += 4) {
    found += data[i + 3] === 255 && wanted.every((value, k) => data[i + k] === value);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def views(shown: Shown) -> list[View]:
    return [view_of(answer, rivals(answer, LEXICON), LEXICON) for answer in shown.trackings]


@pytest.fixture(scope="module")
def filmed(shown: Shown, views: list[View], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with the video inside, of two sentences."""
    path = tmp_path_factory.mktemp("report") / "filmed.html"
    assert write_report(views, path, paint(shown.clip, shown.truth)) == [path]
    return path


@pytest.fixture(scope="module")
def bare(views: list[View], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of boxes alone."""
    path = tmp_path_factory.mktemp("report") / "bare.html"
    write_report(views[:1], path)
    return path


def watching(tab: Tab) -> str:
    return tab.page.locator(".time").inner_text()


def at(seen: View, index: int) -> str:
    return f"{seen.times[index]:.1f} s, frame {seen.frames[index]}"


def clean(tab: Tab) -> None:
    """Nothing was complained of, and nobody was asked for anything but the file itself."""
    assert tab.complaints == []
    assert [url for url in tab.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert sum(url.startswith("file:") for url in tab.requests) == 1


def test_it_holds_all_of_the_view_and_no_other_script(bare: Path, views: list[View]) -> None:
    text = bare.read_text("utf-8")
    data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    told = json.loads(data[1])
    assert told["views"][0]["score"] == views[0].score
    assert told["media"] is None
    for kind, name in (("script", "module"), ("style", None)):
        opened = f'<{kind} type="{name}">' if name else f"<{kind}>"
        body = text.split(opened)[1].split(f"</{kind}>")[0]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in text


def test_what_is_said_cannot_break_out_of_the_page() -> None:
    text = page("</title><script>alert(1)</script>", {"video": "</script><script>alert(2)"})
    assert "<script>alert" not in text


def test_keys_step_jump_and_play(chromium: Chromium, filmed: Path, views: list[View]) -> None:
    seen = views[0]
    tab = chromium.open(filmed.as_uri())
    keys = tab.page.keyboard
    expect(tab.page.locator("h1")).to_have_text(seen.sentence)
    expect(tab.page.locator("h1 mark")).to_have_text([p.noun for p in seen.tracks])
    assert watching(tab) == at(seen, 0)
    keys.press("ArrowRight")
    assert watching(tab) == at(seen, 1)
    keys.press("Shift+ArrowRight")
    assert watching(tab) == at(seen, 11)
    keys.press("ArrowLeft")
    assert watching(tab) == at(seen, 10)
    last = len(seen.times) - 1
    keys.press("5")
    assert watching(tab) == at(seen, int(last / 2 + 0.5))
    keys.press("End")
    assert watching(tab) == at(seen, last)
    keys.press("0")
    assert watching(tab) == at(seen, 0)
    keys.press("Space")
    expect(tab.page.locator("button.play")).to_have_text("Pause")
    tab.until("document.querySelector('video').currentTime > 0.4")
    keys.press("Space")
    expect(tab.page.locator("button.play")).to_have_text("Play")
    assert float(watching(tab).split()[0]) > 0.2
    keys.press("?")
    expect(tab.page.locator("dialog")).to_be_visible()
    assert "play or pause" in tab.page.locator("dialog").inner_text()
    keys.press("Escape")
    expect(tab.page.locator("dialog")).to_be_hidden()
    clean(tab)


def test_the_video_shows_the_frame_of_the_tracks(
    chromium: Chromium, filmed: Path, views: list[View]
) -> None:
    tab = chromium.open(filmed.as_uri())
    tab.until("document.querySelector('video').readyState >= 2")
    tab.page.keyboard.press("5")
    tab.until("!document.querySelector('video').seeking")
    time = tab.page.evaluate("document.querySelector('video').currentTime")
    middle = views[0].times[int((len(views[0].times) - 1) / 2 + 0.5)]
    assert time == pytest.approx(middle - views[0].times[0], abs=0.01)


def test_its_rows_ledger_and_rivals_tell_what_the_view_does(
    chromium: Chromium, bare: Path, views: list[View]
) -> None:
    seen, tab = views[0], chromium.open(bare.as_uri())
    words = [word for word in seen.words if word.part != "noun"]
    expect(tab.page.locator(".row canvas")).to_have_count(len(seen.tracks) + len(words))
    label = tab.page.locator(".row canvas").last.get_attribute("aria-label") or ""
    # Before and after an event there is no phase to tell of.
    assert words[-1].states == ["reaching", "holding", ""]
    assert words[-1].state[0] == 2
    assert re.match(f"{words[-1].word}: reaching [0-9.]+ s to [0-9.]+ s, holding ", label)
    total = tab.page.locator("tfoot td").last.inner_text()
    rows = tab.page.locator("tbody tr td:last-child").all_inner_texts()
    numbers = [float(text.replace("−", "-")) for text in [*rows, total]]
    assert sum(numbers[:-1]) == pytest.approx(numbers[-1], abs=0.006 * len(numbers))
    assert numbers[-1] == pytest.approx(seen.score, abs=0.005)
    expect(tab.page.locator(".rivals h3")).to_have_text(["Runner-up", "Roles swapped"])
    assert f"+{seen.rivals[0].nats:.1f} nats" in tab.page.locator(".rivals").inner_text()
    before = tab.page.locator(".stage").screenshot()
    tab.page.get_by_role("button", name="Draw these tracks on the picture").first.click()
    assert tab.page.locator(".stage").screenshot() != before
    assert "proven to be the best" in tab.page.locator(".certificate").inner_text()
    clean(tab)


def test_pointing_at_a_time_goes_there(chromium: Chromium, bare: Path, views: list[View]) -> None:
    tab = chromium.open(bare.as_uri())
    box = tab.page.locator(".row canvas").first.bounding_box()
    assert box is not None
    tab.page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 5)
    index = views[0].times.index(float(watching(tab).split()[0]))
    assert index == pytest.approx(len(views[0].times) / 2, abs=1)


def test_boxes_play_without_a_video(chromium: Chromium, bare: Path) -> None:
    tab = chromium.open(bare.as_uri())
    expect(tab.page.locator("video")).to_have_count(0)
    before = tab.page.locator(".stage").screenshot()
    tab.page.keyboard.press("Space")
    tab.until("parseFloat(document.querySelector('.time').innerText) >= 0.4")
    tab.page.keyboard.press("Space")
    assert tab.page.locator(".stage").screenshot() != before
    assert float(watching(tab).split()[0]) >= 0.4
    clean(tab)


def test_several_sentences_can_be_chosen(
    chromium: Chromium, filmed: Path, views: list[View]
) -> None:
    tab = chromium.open(filmed.as_uri())
    tab.page.get_by_role("button", name=views[1].sentence).click()
    expect(tab.page.locator("h1")).to_have_text(views[1].sentence)
    tab.page.keyboard.press("ArrowRight")
    assert watching(tab) == at(views[1], 1)
    clean(tab)


def test_the_video_goes_from_the_first_interval_to_the_last(
    chromium: Chromium, shown: Shown, tmp_path: Path
) -> None:
    path = tmp_path / "a.html"
    parts = [view_of(answer, rivals(answer, LEXICON), LEXICON) for answer in shown.parts]
    start, last = parts[0].times[0], parts[1].times[-1]
    assert parts[0].times[-1] < parts[1].times[0]
    write_report(parts, path, paint(shown.clip, shown.truth))
    tab = chromium.open(path.as_uri())
    tab.until("document.querySelector('video').readyState >= 2")
    assert tab.page.evaluate("document.querySelector('video').duration") >= last - start
    tab.page.get_by_role("button", name=parts[1].sentence).click()
    tab.until("document.querySelector('video').readyState >= 2")
    for key, index in (("Home", 0), ("End", -1)):
        tab.page.keyboard.press(key)
        assert watching(tab) == at(parts[1], index)
        tab.until("!document.querySelector('video').seeking")
        time = tab.page.evaluate("document.querySelector('video').currentTime")
        assert time == pytest.approx(parts[1].times[index] - start, abs=0.01)
    clean(tab)


def test_what_is_not_seen_is_told_and_not_drawn(
    chromium: Chromium, shown: Shown, tmp_path: Path
) -> None:
    answer = hidden(hidden(shown.parts[0], 0, []), 1, [1, 2, 5])
    seen = view_of(answer, Rivals(None, None), LEXICON)
    write_report([seen], tmp_path / "a.html")
    tab, T = chromium.open((tmp_path / "a.html").as_uri()), len(seen.times)
    labels = [row.get_attribute("aria-label") for row in tab.page.locator(".row canvas").all()]
    assert labels[:2] == [
        f"person: seen in {T} of {T} frames",
        f"backpack: seen in {T - 3} of {T} frames",
    ]
    for t in range(6):
        gone = t in (1, 2, 5)
        told = tab.page.locator(".row .now").all_inner_texts()
        assert told[1] == ("not seen" if gone else f"score {seen.tracks[1].scores[t]:.2f}")
        ink = [tab.page.evaluate(INK, each.colour) for each in seen.tracks]
        assert [n > 0 for n in ink] == [True, not gone]
        tab.page.keyboard.press("ArrowRight")
    clean(tab)


@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_narrow_screen_in_light_and_dark(
    chromium: Chromium, bare: Path, dark: bool
) -> None:
    tab = chromium.open(bare.as_uri(), width=400, dark=dark)
    assert tab.page.evaluate("document.documentElement.scrollWidth") == 400
    ground = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", ground))) < 200) is dark


def test_a_large_video_is_put_beside_the_page(
    chromium: Chromium,
    shown: Shown,
    views: list[View],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reporting, "INSIDE", 1000)
    path = tmp_path / "a.html"
    files = write_report(views[:1], path, paint(shown.clip, shown.truth))
    assert files == [path, tmp_path / "a.mp4"]
    assert sum(1 for _ in Video(files[1]).frames()) == shown.clip.T
    tab = chromium.open(path.as_uri())
    tab.until("document.querySelector('video').readyState >= 2")
    assert tab.complaints == []
    with pytest.raises(SentrackError, match="--force"):
        write_report(views[:1], path, paint(shown.clip, shown.truth))
    write_report(views[:1], path, paint(shown.clip, shown.truth), force=True)


def test_it_is_not_left_half_written(views: list[View], tmp_path: Path) -> None:
    def frames() -> Iterator[Frame]:
        yield Frame(0, 0.0, np.zeros((480, 640, 3), np.uint8))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_report(views, tmp_path / "a.html", frames())
    assert list(tmp_path.iterdir()) == []
