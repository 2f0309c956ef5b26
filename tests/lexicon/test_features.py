"""Every feature against values worked out by hand."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from sentrack.colours import NAMES
from sentrack.lexicon.features import FEATURES, STILL, Candidates
from sentrack.scene.candidates import candidate_set
from sentrack.scene.things import things
from sentrack.vision import clip_from_arrays
from tests.lexicon.made import candidates

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "lexicon.md"
OURS = [name for name in FEATURES if not name.startswith("paper-")]
Pair = tuple[float, float]
HERE: Pair = (0.5, 0.5)


def one(
    centre: Pair = HERE,
    extent: Pair = (0.1, 0.2),
    velocity: Pair = (0.0, 0.0),
    colour: tuple[float, float, float] = (np.nan, np.nan, np.nan),
    metres: float = 1.0,
) -> Candidates:
    """A single candidate in a single frame."""

    def array(values: tuple[float, ...]) -> npt.NDArray[np.float32]:
        return np.array(values, dtype=np.float32).reshape(1, 1, -1)

    arrays = array(centre), array(extent), array(velocity), array(colour)
    return candidates(*arrays, metres=metres)


def value(name: str, *players: Candidates) -> float:
    return float(FEATURES[name].measure(*players).item())


def bin_of(name: str, *players: Candidates) -> str:
    feature = FEATURES[name]
    return feature.bins[feature.binned(*players).item()]


def moving(x: float, y: float) -> Candidates:
    return one(velocity=(x, y))


RIGHT = one((0.9, 0.8))  # 0.4 to the right of HERE and 0.3 below: at a distance of 0.5


@pytest.mark.parametrize(
    ("name", "players", "expected"),
    [
        ("speed", (moving(0.3, -0.4),), 0.5),
        ("motion", (moving(0.3, -0.4),), 0.5),
        ("pace", (moving(0.3, -0.4),), 0.5),
        ("speed", (one(velocity=(0.3, -0.4), metres=3),), 1.5),
        ("vertical", (one(velocity=(0.3, -0.4), metres=3),), -1.2),
        ("distance", (one(metres=2), one((0.9, 0.8), metres=3)), 1.5),
        ("gap", (one(metres=2), one((0.7, 0.5))), 0.2),
        ("closing", (one(velocity=(0.4, 0.3), metres=3), RIGHT), -1.5),
        ("advance", (one(velocity=(0.4, 0.3), metres=3), RIGHT), 1.5),
        ("vertical", (moving(0.3, -0.4),), -0.4),
        ("bulk", (one(extent=(0.2, 0.8)),), 0.4),
        # Frames are four wide and three high.
        ("column", (RIGHT,), 0.675),
        ("row", (RIGHT,), 0.8),
        ("distance", (one(), RIGHT), 0.5),
        ("gap", (one(), one((0.7, 0.5))), 0.1),
        ("gap", (one(), RIGHT), np.hypot(0.3, 0.1)),
        ("gap", (one(), one((0.55, 0.55))), 0.0),
        ("closing", (moving(0.4, 0.3), RIGHT), -0.5),
        ("closing", (one(), one((0.9, 0.8), velocity=(0.4, 0.3))), 0.5),
        ("closing", (moving(0.4, 0.3), one((0.9, 0.8), velocity=(0.4, 0.3))), 0.0),
        ("advance", (moving(0.4, 0.3), one((0.9, 0.8), velocity=(9, 9))), 0.5),
        ("advance", (moving(-0.4, -0.3), RIGHT), -0.5),
        ("advance", (moving(-0.3, 0.4), RIGHT), 0.0),
        ("side", (one(), RIGHT), -0.4),
        ("height", (one(), RIGHT), -0.3),
        ("overlap", (one(), one((0.55, 0.5))), 0.5),
        ("overlap", (one(), one(extent=(0.4, 0.4))), 1.0),
        ("containment", (one(), one(extent=(0.4, 0.4))), 1.0),
        ("containment", (one(extent=(0.4, 0.4)), one()), 0.125),
        ("ratio", (one(extent=(0.4, 0.4)), one()), 8.0),
        ("depth", (one(), RIGHT), -0.3),
        ("depth", (one(extent=(0.1, 0.4)), one()), 0.1),
        # The picture ends before either does: the lower one in front hides the other.
        ("depth", (one((0.5, 0.9), (0.1, 0.2)), one((0.5, 0.8), (0.3, 0.4))), 0.2),
    ],
)
def test_values(name: str, players: tuple[Candidates, ...], expected: float) -> None:
    assert value(name, *players) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("velocity", "expected"),
    [
        ((0.5, 0.0), "right"),
        ((-0.5, 0.1), "left"),
        ((0.1, -0.5), "up"),
        ((-0.1, 0.5), "down"),
        ((0.0, STILL), "none"),
    ],
)
def test_heading(velocity: Pair, expected: str) -> None:
    assert bin_of("heading", moving(*velocity)) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((0.0, 0.0), (0.1, 0.0), "still"),
        ((0.5, 0.0), (0.45, 0.1), "together"),
        ((0.5, 0.0), (0.0, 0.0), "apart"),
        ((0.5, 0.0), (-0.5, 0.0), "apart"),
    ],
)
def test_together(first: Pair, second: Pair, expected: str) -> None:
    assert bin_of("together", moving(*first), moving(*second)) == expected


@pytest.mark.parametrize(
    ("speed", "degrees", "expected"),
    [
        (0.5, 10, "ahead"),
        (0.5, -70, "aside"),
        (0.5, 70, "aside"),
        (0.5, -175, "back"),
        (0.5, 175, "back"),
        (0.1, 175, "ahead"),  # at rest, where any way is chance
    ],
)
def test_veering(speed: float, degrees: float, expected: str) -> None:
    who = moving(speed, 0)
    assert bin_of("veering", replace(who, turn=np.full_like(who.turn, degrees))) == expected


@pytest.mark.parametrize(
    ("centre", "expected"),
    [
        ((0.5, 0.1), "above"),  # its lower edge is at 0.2
        ((0.5, 0.27), "on"),  # 0.03 above the top of the other
        ((0.5, 0.5), "into"),
        ((0.5, 0.39), "on"),  # 0.01 above the middle of the other
        ((0.5, 0.65), "beneath"),  # 0.05 below the bottom of the other
        ((0.72, 0.5), "beside"),
        ((0.69, 0.5), "into"),
    ],
)
def test_support(centre: Pair, expected: str) -> None:
    # The other is from 0.3 to 0.7 across and from 0.4 to 0.7 down.
    assert bin_of("support", one(centre), one((0.5, 0.55), (0.4, 0.3))) == expected


@pytest.mark.parametrize(
    ("colour", "expected"),
    [
        ((5, 0.9, 0.8), "red"),
        ((355, 0.9, 0.8), "red"),
        ((30, 0.9, 0.9), "orange"),
        ((30, 0.9, 0.4), "brown"),
        ((60, 0.9, 0.9), "yellow"),
        ((120, 0.9, 0.5), "green"),
        ((220, 0.9, 0.5), "blue"),
        ((280, 0.9, 0.5), "purple"),
        ((320, 0.9, 0.9), "pink"),
        ((5, 0.4, 0.9), "pink"),
        ((120, 0.1, 0.9), "white"),
        ((120, 0.1, 0.5), "grey"),
        ((120, 0.9, 0.1), "black"),
        ((np.nan, np.nan, np.nan), "unknown"),
    ],
)
def test_colour(colour: tuple[float, float, float], expected: str) -> None:
    assert bin_of("colour", one(colour=colour)) == expected


@pytest.mark.parametrize(
    ("colour", "expected"),
    [
        ((220, 1.0, 0.5), "dark"),  # 0.25: half of the value, as its colour is pure
        ((220, 0.0, 0.25), "dark"),
        ((220, 0.0, 0.5), "medium"),
        ((220, 1.0, 1.0), "medium"),
        ((220, 0.5, 1.0), "light"),
        ((np.nan, np.nan, np.nan), "unknown"),
    ],
)
def test_lightness(colour: tuple[float, float, float], expected: str) -> None:
    assert bin_of("lightness", one(colour=colour)) == expected


def test_all_colours_are_reached() -> None:
    hue, saturation, value_ = np.meshgrid(np.arange(360), [0.05, 0.4, 0.9], [0.1, 0.5, 0.9])
    colour = np.stack([hue, saturation, value_], axis=-1).reshape(1, -1, 3).astype(np.float32)
    empty = np.zeros((1, colour.shape[1], 2), dtype=np.float32)
    found = FEATURES["colour"].binned(candidates(empty, empty, empty, colour))
    assert {FEATURES["colour"].bins[b] for b in np.unique(found)} == set(NAMES)


@pytest.mark.parametrize("name", [name for name, feature in FEATURES.items() if feature.edges])
def test_a_value_on_an_edge_is_in_the_lower_bin(name: str) -> None:
    feature = FEATURES[name]
    edges = np.array(feature.edges, dtype=np.float32)
    assert len(feature.bins) == len(edges) + 1
    for values, offset in ((edges, 0), (np.nextafter(edges, np.float32(np.inf)), 1)):
        fixed = replace(feature, measure=lambda *_, values=values: values)
        assert fixed.binned().tolist() == [i + offset for i in range(len(edges))]


def filmed(scale: float, fps: float) -> Candidates:
    """The same twenty boxes in each of three frames, as cameras of several kinds see them."""
    rng = np.random.default_rng(5)
    corner = rng.uniform(0, 0.5, (60, 2))
    boxes = np.concatenate([corner, corner + rng.uniform(0.02, 0.5, (60, 2))], axis=-1)
    clip = clip_from_arrays(
        "scattered",
        (round(640 * scale), round(480 * scale)),
        fps,
        np.repeat(np.arange(3), 20),
        ["thing"] * 60,
        boxes * 480 * scale,
        velocity=rng.normal(0, 0.3, (60, 2)),
        colour=rng.uniform(0, 1, (60, 3)) * [360, 1, 1],
    )
    return candidate_set(clip, np.ones(60, dtype=np.bool_), things(clip, True)).candidates


@pytest.mark.parametrize("name", OURS)
def test_neither_resolution_nor_frame_rate_matters(name: str) -> None:
    feature = FEATURES[name]
    bins = [
        feature.binned(*[filmed(scale, fps)] * feature.arity)
        for scale, fps in ((1, 30), (2, 30), (0.5, 10))
    ]
    assert bins[0].shape == (3, *[20] * feature.arity)
    assert bins[0].max() < len(feature.bins)
    assert np.array_equal(bins[0], bins[1])
    assert np.array_equal(bins[0], bins[2])


@pytest.mark.parametrize("name", FEATURES)
def test_the_page_lists_every_feature_with_its_bins(name: str) -> None:
    feature = FEATURES[name]
    (row,) = [
        line for line in PAGE.read_text("utf-8").splitlines() if line.startswith(f"| `{name}`")
    ]
    _, _, participants, bins, edges, about, _ = (cell.strip() for cell in row.split("|"))
    assert int(participants) == feature.arity
    assert bins == " ".join(feature.bins)
    assert edges == " ".join(f"{edge:g}" for edge in feature.edges)
    assert about.endswith(f"({feature.unit})" if feature.unit else feature.about)
    assert about.startswith(feature.about.rstrip("."))
