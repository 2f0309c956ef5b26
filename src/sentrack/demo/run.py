"""A made-up clip with several activities at once, and what sentences find in it."""

import shutil
import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from sentrack.boxes import iou
from sentrack.extras import MissingError, requires
from sentrack.files import free, new
from sentrack.show import Bars, show_trackings
from sentrack.tasks import Tracking, track
from sentrack.text import visible
from sentrack.vision import Clip, Truth, load_clip, two_activities

# What to ask beside what is true: roles, verb or direction swapped.
SWAPPED = {
    "verb": ("The person picked up the cup.", "The person put down the cup."),
    "direction": (
        "The person carried the backpack to the right.",
        "The person carried the backpack to the left.",
    ),
    "roles": ("The person approached the chair.", "The chair approached the person."),
}
FILMED = 3  # sentences in the video
# Real footage in which one person walks past another, and what to ask of it.
FOOTAGE, SPAN = "walkers", (1.5, 6.5)
REAL = (
    "The person walked to the left.",
    "The person walked past the person.",
    "The person walked to the right.",
)


def show_demo(seed: int, output: Path | None = None) -> None:
    """Track several sentences in one clip, compare them with their opposites, and film them.

    Args:
        seed: of the clip.
        output: an MP4 file that does not exist yet; without it, sentrack-demo.mp4 or, if there is
            one, the next free of sentrack-demo-2.mp4, ...

    Raises:
        SentrackError: the file exists or cannot be written.
    """
    new(output, force=False)
    console = Console()
    clip, truth = two_activities(seed)
    per_frame = len(clip.label) / clip.T
    console.print(
        f"A made-up clip: {clip.T} frames, {per_frame:.0f} detections in each, most of them false; "
        "three people are doing different things at once."
    )
    answers = {sentence: track(clip, sentence) for sentence in truth.sentences}
    table = Table(title="Each sentence finds its own people and things", title_justify="left")
    for column in ("sentence", "match", "right object", "best tracks", "seconds"):
        table.add_column(column, overflow="fold")
    for sentence, objects in zip(truth.sentences, truth.participants, strict=True):
        answer = answers[sentence]
        table.add_row(
            sentence,
            f"{answer.match:.3f}",
            f"{100 * accuracy(answer, truth, objects):.0f} % of frames",
            "yes" if answer.certified else "no",
            f"{answer.seconds:.2f}",
        )
    console.print(table)
    table = Table(title="What is not there matches less", title_justify="left")
    for column in ("swapped", "false sentence", "match", "margin", "why"):
        table.add_column(column, overflow="fold")
    for what, (true, false) in SWAPPED.items():
        right = answers.get(true) or track(clip, true)
        wrong = track(clip, false)
        margin = right.match - wrong.match
        table.add_row(what, false, f"{wrong.match:.3f}", f"{margin:+.3f}", wrong.reason)
    console.print(table)
    try:
        path = output or free(Path("sentrack-demo.mp4"))
        film(clip, truth, list(answers.values())[:FILMED], path)
    except MissingError as error:
        print(f"For a video of it, {error}")
        return
    print(f"The first {FILMED} sentences, in one annotated video:\n{visible(path)}")
    tell_next()


def show_real(output: Path | None = None) -> None:
    """Look at real footage with a real detector, track sentences in it, and film them.

    Args:
        output: an MP4 file that does not exist yet; by default as of `show_demo`.
    """
    new(output, force=False)
    path = output or free(Path("sentrack-demo.mp4"))
    with requires("sentrack[video]"):
        from sentrack.demo import footage
        from sentrack.show import annotate, pictures
    with Bars() as bars:
        source = footage(FOOTAGE, bars)
        clip = load_clip(source, start=SPAN[0], end=SPAN[1], report=bars)
        answers = [track(clip, sentence) for sentence in REAL]
        annotate(answers[:2], pictures(source, clip), path, report=bars)
    show_trackings(answers, Console())
    print(f"{source.name}, {SPAN[0]:g} to {SPAN[1]:g} s, with the first two sentences:")
    print(visible(path))
    tell_next()


def tell_next() -> None:
    """Say what to do next, by the command as it can be called from here."""
    command = "sentrack"
    if shutil.which(command) is None:
        # The environment that `make` keeps is not on the path.
        beside = Path(sys.executable).with_name(command)
        called = beside if beside.exists() else Path(sys.executable)
        near = called.is_relative_to(Path.cwd())
        command = str(called.relative_to(Path.cwd()) if near else called)
        command += "" if beside.exists() else " -m sentrack"
    print("\nNext, with a video of your own:")
    print(f'  {visible(command)} track VIDEO "The person walked to the left."')
    print(f"  {visible(command)} index FOLDER --library lib && {visible(command)} serve lib --open")


def film(clip: Clip, truth: Truth, answers: list[Tracking], path: Path) -> None:
    """Write an annotated video of the made-up clip."""
    with requires("sentrack[video]"):
        from sentrack.demo.painting import paint
        from sentrack.show import annotate

    with Bars() as bars:
        annotate(answers, paint(clip, truth), path, report=bars)


def accuracy(answer: Tracking, truth: Truth, objects: tuple[int, ...]) -> float:
    """The part of frames, of those in which one is seen, in which tracks show the true objects."""
    hits = []
    for participant, thing in zip(answer.participants, objects, strict=True):
        there = truth.boxes[thing][participant.frames]
        hits.append((iou(participant.boxes, there) > 0.5)[participant.seen])
    return float(np.concatenate(hits).mean())
