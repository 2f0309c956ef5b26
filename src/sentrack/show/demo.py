"""A made-up clip with several activities at once, and what sentences find in it."""

import numpy as np
from rich.console import Console
from rich.table import Table

from sentrack.tasks import Tracking, track
from sentrack.vision import Truth, two_activities

# What to ask beside what is true: roles, verb or direction swapped.
SWAPPED = {
    "verb": ("The person picked up the cup.", "The person put down the cup."),
    "direction": (
        "The person carried the backpack to the right.",
        "The person carried the backpack to the left.",
    ),
    "roles": ("The person approached the chair.", "The chair approached the person."),
}


def show_demo(seed: int) -> None:
    """Track several sentences in one clip and compare them with their opposites."""
    console = Console()
    clip, truth = two_activities(seed)
    per_frame = len(clip.label) / clip.T
    console.print(
        f"A made-up clip: {clip.T} frames, {per_frame:.0f} detections in each, most of them false; "
        "three people are doing different things at once."
    )
    answers = {sentence: track(clip, sentence) for sentence in truth.sentences}
    table = Table(title="Each sentence finds its own people and things", title_justify="left")
    for column in ("sentence", "match", "right object", "proven best", "seconds"):
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
    for column in ("swapped", "not depicted", "match", "margin", "why"):
        table.add_column(column, overflow="fold")
    for what, (true, false) in SWAPPED.items():
        right = answers.get(true) or track(clip, true)
        wrong = track(clip, false)
        margin = right.match - wrong.match
        table.add_row(what, false, f"{wrong.match:.3f}", f"{margin:+.3f}", wrong.reason)
    console.print(table)


def accuracy(answer: Tracking, truth: Truth, objects: tuple[int, ...]) -> float:
    """The part of frames, over all participants, in which the track shows the true object."""
    hits = []
    for participant, thing in zip(answer.participants, objects, strict=True):
        real = truth.boxes[thing]
        low = np.maximum(participant.boxes[:, :2], real[:, :2])
        high = np.minimum(participant.boxes[:, 2:], real[:, 2:])
        shared = np.clip(high - low, 0, None).prod(axis=1)
        areas = [(box[:, 2:] - box[:, :2]).prod(axis=1) for box in (participant.boxes, real)]
        hits.append(shared / (areas[0] + areas[1] - shared) > 0.5)
    return float(np.mean(hits))
