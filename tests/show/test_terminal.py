"""What others wrote, on the terminal: shown as it is, never obeyed."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import sentrack
from sentrack.lexicon import Lexicon
from sentrack.show.answers import show_trackings
from sentrack.show.lexicon import show_beside, show_word, show_words
from sentrack.show.terminal import plain
from sentrack.vision import clip_from_arrays
from tests.commands import Run

from .conftest import Shown, hidden

EVIL = ["[bold]x[/bold]", "[/]x", "a\x1b[31mb", "\x1b]0;title\x07x", ":dog:", "[link=x]y"]


def drawn(draw: object) -> str:
    """All that a function prints on a terminal without colours."""
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, color_system=None, width=200)
    draw(console)  # type: ignore[operator]
    return stream.getvalue()


@pytest.mark.parametrize("text", EVIL)
def test_text_is_shown_as_it_is(text: str) -> None:
    shown = drawn(lambda console: console.print(plain(text)))
    assert shown.rstrip("\n") == text.replace("\x1b", "\\x1b").replace("\x07", "\\x07")


@pytest.mark.parametrize("text", EVIL)
def test_sentences_classes_and_words_of_others(text: str) -> None:
    boxes = [[50 + 4 * t, 100, 110 + 4 * t, 200] for t in range(10)]
    clip = clip_from_arrays("x", (640, 480), 10, range(10), [text] * 10, boxes)
    tracking = sentrack.track(clip, f"The {text} moved.")
    model = sentrack.Lexicon.load().words["verb", "carry"]
    own = type(model)(**vars(model) | {"name": text, "states": (text,) * model.K, "forms": (text,)})
    lexicon = Lexicon(text, text, {("verb", text): own})
    for draw in (
        lambda console: show_trackings([tracking], console),
        lambda console: show_word(own, console),
        lambda console: show_words(lexicon, console),
        lambda console: show_beside(lexicon, lexicon, console),
    ):
        shown = drawn(draw)
        assert "\x1b]" not in shown
        assert "\x1b[31m" not in shown
        assert text.replace("\x1b", "\\x1b").replace("\x07", "\\x07") in shown


@pytest.mark.parametrize("name", ["[bold]x[-bold]", "[red]", "a\x1b[31mb"])
def test_names_of_files_and_of_classes_in_commands(run: Run, tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["frame", "class", "x1", "y1", "x2", "y2"])
        for t in range(90):
            writer.writerow([t, name, 50 + 4 * t, 100, 110 + 4 * t, 200])
    library, mot = str(tmp_path / "lib"), tmp_path / f"{name}.txt"
    shown = name.replace("\x1b", "\\x1b")
    commands = [
        (0, "track", str(path), f"The {name} moved.", "--whole", "--mot", str(mot)),
        (0, "track", str(path), f"The {name} moved."),
        (1, "track", str(path), "The wombat moved."),
        (1, "track", str(tmp_path / f"{name}.none"), "The wombat moved."),
        (0, "index", str(path), "--library", library),
        (0, "library", library),
        (0, "search", library, f"The {name} moved."),
        (0, "describe", str(path)),
        (1, "parse", f"The {name} moved."),
    ]
    for code, *arguments in commands:
        result = run(*map(str, arguments))
        assert result.returncode == code, result.stderr
        assert "Traceback" not in result.stderr
        assert "\x1b" not in result.stdout + result.stderr
        if arguments[0] not in ("describe", "parse"):
            assert shown in result.stdout + result.stderr
    assert len(np.loadtxt(mot, delimiter=",")) == 90


def test_an_answer_tells_whether_and_when(shown: Shown) -> None:
    tracking = replace(shown.parts[1], certified=True, seconds=0.25)
    assert tracking.match >= 0.5
    told = drawn(lambda console: show_trackings([tracking], console)).splitlines()
    assert told[1].strip() == tracking.sentence
    when = f"{tracking.start:.1f} to {tracking.end:.1f} s"
    score = f"score {tracking.score:.2f} nats, no better tracks exist   (0.25 s)"
    assert told[2].strip() == f"depicted, match {tracking.match:.2f}, {when}   {score}"
    doubtful = replace(
        tracking,
        shown=replace(tracking.shown, sureness=0.0),  # nothing is detected
        certified=False,
        upper_bound=tracking.score + 1.5,
        reason="why not",
    )
    told = drawn(lambda console: show_trackings([doubtful], console)).splitlines()
    assert told[2].strip().startswith("not depicted, match 0.00, ")
    assert "at most 1.5 nats below the best" in told[2]
    assert told[3].strip() == "why not"


def test_the_frames_in_which_a_thing_is_seen_are_told(shown: Shown) -> None:
    (walker,) = shown.parts[1].participants
    T = len(walker.times)
    for there in ([], [2, 3, 5]):
        tracking = hidden(shown.parts[1], 0, [t for t in range(T) if t not in there])
        told = drawn(lambda console, tracking=tracking: show_trackings([tracking], console))
        (row,) = (line for line in told.splitlines() if f"of {T} frames" in line)
        assert f" {len(there)} of {T} frames" in row
        assert "nan" not in row
        ends = [f"{walker.times[t]:.1f} s" for t in there[:1] + there[-1:]]
        assert [cell.strip() for cell in row.split("  ") if cell.strip().endswith(" s")] == ends
