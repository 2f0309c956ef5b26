"""What people wear is checked where there are pixels, and said not to be where there are none."""

from dataclasses import replace

import numpy as np
import pytest

import sentrack
from sentrack.colours import CELLS, HALVES, NAMES
from sentrack.vision import Clip, clip_from_arrays

# Two people who walk to the left, by the colours of their shirts and trousers.
CLOTHES = (("red", "black"), ("blue", "white"))


def street() -> Clip:
    """Both, over two seconds."""
    looks = np.zeros((2, HALVES, CELLS))
    for wearer, halves in enumerate(CLOTHES):
        for half, name in enumerate(halves):
            looks[wearer, half, NAMES.index(name)] = 255
    frame, person = np.repeat(np.arange(20), 2), np.tile([0, 1], 20)
    x = 500.0 - 8 * frame - 150 * person
    boxes = np.stack([x, 0 * x + 100, x + 60, 0 * x + 260], axis=1)
    return clip_from_arrays(
        "street",
        (640, 480),
        10,
        frame,
        ["person"] * 40,
        boxes,
        np.full(40, 0.9),
        looks=looks.reshape(2, -1)[person],
    )


def found(clip: Clip, sentence: str) -> int:
    """Who is meant: 0 or 1."""
    (person,) = sentrack.track(clip, sentence).participants
    frame, left = int(person.frames[0]), float(person.boxes[0, 0])
    return round((500 - 8 * frame - left) / 150)


@pytest.mark.parametrize(
    ("sentence", "who"),
    [
        ("The person in a red shirt walked.", 0),
        ("The person in a blue shirt walked.", 1),
        ("A man with white trousers walks to the left.", 1),
        ("A woman wearing a red jacket and black pants walks.", 0),
        ("The white-trousered person walked.", 1),
    ],
)
def test_clothes_tell_who_is_meant(sentence: str, who: int) -> None:
    assert found(street(), sentence) == who


def test_clothes_that_nobody_wears_are_not_depicted() -> None:
    right, wrong = (
        sentrack.track(street(), f"The person in a {colour} shirt walked.")
        for colour in ("red", "green")
    )
    assert right.match > 0.5 > wrong.match
    assert "the upper half of the person was mostly" in wrong.reason
    assert right.unchecked == wrong.unchecked == ()


def test_without_pixels_clothes_are_named_as_not_checked_and_count_for_nothing() -> None:
    blind = replace(street(), looks=np.zeros((40, HALVES * CELLS), dtype=np.uint8))
    dressed = sentrack.track(blind, "The person in a green shirt walked to the left.")
    plain = sentrack.track(blind, "The person walked to the left.")
    assert dressed.unchecked == ("in a green shirt",)
    assert dressed.to_dict()["unchecked"] == ["in a green shirt"]
    assert dressed.match == pytest.approx(plain.match)
    assert "shirt" not in dressed.reason
