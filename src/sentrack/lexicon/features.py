"""What words can look at: features of candidates, each with named bins.

Those of one candidate are here, those of two in `pair_features`.

A feature is computed for all frames and all candidates (or pairs of candidates) at once. Lengths
are in metres and times in seconds, so that neither distance nor resolution nor frame rate changes a
meaning.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sentrack.colours import BLACK, CELLS, GREY, HALVES, NAMES, basic_colours

Values = npt.NDArray[np.float32]
Bins = npt.NDArray[np.int16]
Parts = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of one participant, padded to the same number J in all T frames.

    Attributes:
        centre: (T, J, 2) in frame heights, y downwards.
        extent: (T, J, 2) width and height in frame heights.
        velocity: (T, J, 2) frame heights per second.
        colour: (T, J, 3) hue in degrees, saturation and value; NaN where unknown.
        looks: (T, J, HALVES * CELLS) how much of its halves is of each colour; 0 where unknown.
        metres: (T, J) how many of them a frame height is where the candidate stands.
        presence: (T, J) a bin of the feature of this name.
        growth: (T, J) how fast its height grows, as a logarithm, per second.
        gain: (T, J) how much faster it is after than before, as a part of the faster.
        turn: (T, J) degrees that it turns to its right.
        rise: (T, J) frame heights that it surely rises in about a second.
        aspect: width of a frame over its height.
        fps: source frames per second.
        hands: (T, J, H, 4) centre and extent of their hands; NaN where one is not seen.
    """

    centre: Values
    extent: Values
    velocity: Values
    colour: Values
    looks: Parts
    metres: Values
    presence: Bins
    growth: Values
    gain: Values
    turn: Values
    rise: Values
    aspect: float
    fps: float
    hands: Values | None = None

    def along(self, track: npt.NDArray[np.int64]) -> "Candidates":
        """One candidate per frame: those of a track (T,)."""
        chosen = np.arange(len(track))[:, None], track[:, None]
        hands = None if self.hands is None else self.hands[chosen]
        own = {name: getattr(self, name)[chosen] for name in MEASURED}
        return replace(self, hands=hands, **own)


#: The arrays of `Candidates`.
MEASURED = (
    "centre", "extent", "velocity", "colour", "looks", "metres", "presence", "growth", "gain",
    "turn", "rise",
)  # fmt: skip


@dataclass(frozen=True)
class Feature:
    """A named measurement and the bins that word models are written in.

    Attributes:
        name: what the lexicon calls it.
        arity: the number of participants it needs.
        unit: of its values, or "" where it has none.
        bins: their names, in order.
        edges: upper edges of all bins but the last; empty if `measure` returns bins itself.
        measure: from candidates, (T, J) each, to values (T, J) or (T, J1, J2).
        about: what it measures, in one line.
    """

    name: str
    arity: int
    unit: str
    bins: tuple[str, ...]
    edges: tuple[float, ...]
    measure: Callable[..., npt.NDArray[np.generic]]
    about: str

    def binned(self, *candidates: Candidates) -> Bins:
        """The bin of every candidate (T, J), or of every pair (T, J1, J2)."""
        values = self.measure(*candidates)
        if not self.edges:
            return values.astype(np.int16)
        # A value on an edge belongs to the lower bin.
        edges = np.array(self.edges, dtype=np.float32)
        return np.searchsorted(edges, values.astype(np.float32), side="left").astype(np.int16)


FEATURES: dict[str, Feature] = {}


def feature(
    name: str, arity: int, unit: str, bins: str, edges: tuple[float, ...] = ()
) -> Callable[[Callable[..., npt.NDArray[np.generic]]], Callable[..., npt.NDArray[np.generic]]]:
    """Register a measurement; its docstring says what it is."""

    def register(
        measure: Callable[..., npt.NDArray[np.generic]],
    ) -> Callable[..., npt.NDArray[np.generic]]:
        names = tuple(bins.split())
        about = (measure.__doc__ or "").splitlines()[0]
        FEATURES[name] = Feature(name, arity, unit, names, edges, measure, about)
        return measure

    return register


def length(vectors: Values) -> Values:
    """Euclidean length along the last axis."""
    return np.asarray(np.hypot(vectors[..., 0], vectors[..., 1]))


def rate(a: Candidates) -> Values:
    """(T, J): metres per second."""
    return np.asarray(length(a.velocity) * a.metres)


# Slower than this, in metres per second, is at rest: what jitter of boxes amounts to.
STILL = 0.15


@feature("speed", 1, "metres per second", "still slow moderate fast", (STILL, 0.5, 1.5))
def speed(a: Candidates) -> Values:
    """How fast it moves."""
    return rate(a)


@feature("motion", 1, "metres per second", "rest moving", (STILL,))
def motion(a: Candidates) -> Values:
    """Whether it moves at all."""
    return rate(a)


@feature("pace", 1, "metres per second", "rest shuffle walk hurry run", (STILL, 0.4, 1.5, 2.2))
def pace(a: Candidates) -> Values:
    """How fast it moves, for one that walks and runs."""
    return rate(a)


@feature("heading", 1, "", "none right down left up")
def heading(a: Candidates) -> Bins:
    """The direction it moves in, if it moves."""
    angle = np.arctan2(a.velocity[..., 1], a.velocity[..., 0])
    quarter = np.rint(angle / (np.pi / 2)).astype(np.int16) % 4
    return np.where(rate(a) <= STILL, 0, 1 + quarter).astype(np.int16)


@feature("vertical", 1, "metres per second", "up level down", (-STILL, STILL))
def vertical(a: Candidates) -> Values:
    """Its vertical motion."""
    return np.asarray(a.velocity[..., 1] * a.metres)


@feature("rise", 1, "metres", "sinks level rises", (-0.02, 0.02))
def rise(a: Candidates) -> Values:
    """How far it surely rises within a second, and be it little."""
    return np.asarray(a.rise * a.metres)


@feature("change", 1, "part of its speed", "slower same faster", (-0.25, 0.25))
def change(a: Candidates) -> Values:
    """How its speed changes: that of the second after against that of the second before."""
    return a.gain


@feature("turning", 1, "degrees", "left ahead right", (-30.0, 30.0))
def turning(a: Candidates) -> Values:
    """How it turns, as it sees it: where it goes in the second after against the second before."""
    return np.where(rate(a) <= STILL, np.float32(0), a.turn)


@feature("veering", 1, "degrees", "ahead aside back", (30.0, 120.0))
def veering(a: Candidates) -> Values:
    """How far it turns off its way, to either side: that of the second after against before."""
    return np.where(rate(a) <= STILL, np.float32(0), np.abs(a.turn))


@feature("growth", 1, "part of its height per second", "shrinks steady grows", (-0.15, 0.15))
def growth(a: Candidates) -> Values:
    """How fast it grows, as those do who come nearer, stand up or get out."""
    return a.growth


@feature("posture", 1, "metres per second", "bends same straightens", (-0.12, 0.12))
def posture(a: Candidates) -> Values:
    """How fast its height changes: people bend to what they pick up, and straighten up again."""
    return np.asarray(a.growth * a.extent[..., 1] * a.metres)


@feature("presence", 1, "", "seen appears vanishes away")
def presence(a: Candidates) -> Bins:
    """Whether it is there: for long, since just now, only just, or not."""
    return a.presence


@feature("bulk", 1, "frame heights", "small medium large", (0.12, 0.35))
def bulk(a: Candidates) -> Values:
    """The side of a square of its area, as large as it looks."""
    return np.asarray(np.sqrt(a.extent.prod(axis=-1)))


@feature("shape", 1, "its widths", "wide squat tall", (0.8, 1.9))
def shape(a: Candidates) -> Values:
    """How tall it is for its width: people who stand are tall, and who lie are wide."""
    return np.asarray(a.extent[..., 1] / np.maximum(a.extent[..., 0], np.float32(1e-6)))


@feature("column", 1, "frame widths", "left middle right", (0.36, 0.64))
def column(a: Candidates) -> Values:
    """Where it is across the picture."""
    return np.asarray(a.centre[..., 0] / a.aspect)


@feature("row", 1, "frame heights", "top middle bottom", (0.36, 0.64))
def row(a: Candidates) -> Values:
    """Where it is down the picture."""
    return np.asarray(a.centre[..., 1])


UNKNOWN = len(NAMES)  # the last bin of features that look at colours


@feature("colour", 1, "", " ".join((*NAMES, "unknown")))
def colour(a: Candidates) -> Bins:
    """Its basic colour, from hue, saturation and value."""
    with np.errstate(invalid="ignore"):
        named = basic_colours(*np.moveaxis(a.colour, -1, 0))
    return np.where(np.isnan(a.colour[..., 0]), UNKNOWN, named).astype(np.int16)


@feature("upper-colour", 1, "", " ".join((*NAMES, "unknown")))
def upper_colour(a: Candidates) -> Bins:
    """The basic colour that most of its upper half shows, without the head of who stands."""
    return _most(a.looks, 0)


@feature("lower-colour", 1, "", " ".join((*NAMES, "unknown")))
def lower_colour(a: Candidates) -> Bins:
    """The basic colour that most of its lower half shows, without the feet of who stands."""
    return _most(a.looks, 1)


def _most(looks: Parts, half: int) -> Bins:
    """(T, J): the basic colour of most of a half; of clothes, the darkest grey is black."""
    parts = looks.reshape(*looks.shape[:-1], HALVES, CELLS)[..., half, :].astype(np.int16)
    named = parts[..., : len(NAMES)].copy()
    named[..., BLACK] += parts[..., GREY]
    named[..., GREY] = parts[..., GREY + 1 :].sum(axis=-1)
    return np.where(parts.any(axis=-1), named.argmax(axis=-1), UNKNOWN).astype(np.int16)


@feature("lightness", 1, "", "dark medium light unknown")
def lightness(a: Candidates) -> Bins:
    """How light its colour is, from black to white."""
    light = a.colour[..., 2] * (1 - 0.5 * a.colour[..., 1])
    tone = np.searchsorted(np.array([0.3, 0.6]), light)
    return np.where(np.isnan(light), 3, tone).astype(np.int16)
