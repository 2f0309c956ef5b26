"""What is seen in a notebook, and the example that runs as written."""

from pathlib import Path
from xml.etree import ElementTree

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import sentrack
from sentrack.demo import footage
from sentrack.lexicon import Lexicon
from sentrack.show import html_of
from sentrack.tasks import Moment, Tracking
from sentrack.vision import clip_from_arrays, two_activities
from tests.conftest import Chromium
from tests.waiting import HANG

NOTEBOOK = Path(__file__).parents[1] / "docs" / "examples" / "first-steps.ipynb"


@pytest.fixture(scope="module")
def tracking() -> Tracking:
    return sentrack.track(two_activities()[0], "The person picked up the cup.")


def tree(html: str) -> ElementTree.Element:
    """HTML that is well-formed, all of it."""
    return ElementTree.fromstring(f"<div>{html}</div>")


def text(html: str) -> str:
    return "".join(tree(html).itertext())


def test_the_example_runs_in_jupyter_and_every_cell_shows_something(tmp_path: Path) -> None:
    """As written, by a kernel of Jupyter's own."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    assert all(not cell.get("outputs") for cell in notebook.cells)
    NotebookClient(notebook, resources={"metadata": {"path": tmp_path}}, timeout=HANG).execute()
    shown = [
        output.data
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type in ("execute_result", "display_data")
    ]
    drawn = {data["text/plain"].partition("(")[0]: data.get("text/html") for data in shown}
    assert {"Clip", "Tracking", "Moment", "Lexicon"} <= drawn.keys()
    for name in ("Clip", "Tracking", "Moment", "Lexicon"):
        assert text(drawn[name])
    assert (tmp_path / "picked-up.png").stat().st_size > 10_000


def test_an_answer_is_drawn(tracking: Tracking) -> None:
    html = tracking._repr_html_()
    assert f"match {tracking.match:.2f}" in text(html)
    assert "reaching" in text(html)
    assert "holding" in text(html)
    assert tracking.reason in text(html)
    boxes = [rect for rect in tree(html).iter("rect") if rect.get("fill") == "none"]
    assert len({rect.get("stroke") for rect in boxes}) == 2
    assert len(html) < 20_000


def test_what_others_wrote_stays_text() -> None:
    evil = "<script>alert(1)</script>"
    boxes = np.tile([10.0, 10, 30, 60], (10, 1))
    label = np.zeros(10, np.int64)
    frames, size = np.arange(10), (100, 100)
    clip = clip_from_arrays(evil, size, 10, frames, (evil,), boxes, np.ones(10), label=label)
    assert "<script" not in clip._repr_html_()
    assert evil in text(clip._repr_html_())
    assert "<script" not in html_of(evil)


def test_representations_are_short(tracking: Tracking) -> None:
    clip = tracking.objective.clip
    moment = Moment("v", tracking.sentence, 1.0, 2.0, 0.5, 3.0, tracking)
    for each in (tracking, clip, moment, Lexicon.load()):
        assert len(repr(each)) < 160
        assert repr(each).startswith(type(each).__name__)
    assert "certified" in repr(tracking)


def test_a_figure_has_key_frames_and_words(tracking: Tracking) -> None:
    figure = tracking.plot(count=3)
    assert len(figure.axes) == 3 + 1
    assert figure.axes[-1].get_ylabel() == "pick-up"
    assert all(len(axes.patches) == 2 for axes in figure.axes[:3])


def test_a_figure_shows_the_pixels_of_its_video() -> None:
    source = footage("driveway")
    clip = sentrack.load_clip(source, start=11, end=13, fps=5)
    figure = sentrack.track(clip, "The car moved.").plot(source, 2)
    for axes in figure.axes[:2]:
        assert axes.images[0].get_array().shape == (480, 640, 3)
        assert axes.images[0].get_array().std() > 20


def test_a_browser_draws_it(tracking: Tracking, chromium: Chromium, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text(f"<!doctype html><meta charset=utf-8>{tracking._repr_html_()}", "utf-8")
    tab = chromium.open(page.as_uri())
    assert tab.complaints == []
    drawn = tab.page.locator("svg").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect().height)"
    )
    assert len(drawn) == 5
    assert min(drawn) > 10
