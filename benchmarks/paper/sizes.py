"""How much of everything a run does."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sentrack.inference import Growth
from sentrack.progress import Report


@dataclass(frozen=True)
class Cell:
    """A setting of the paper's table, and on how many clips it is measured.

    Attributes:
        n: best boxes of every class that are candidates.
        K: states of a verb.
        clips: how many.
    """

    n: int
    K: int
    clips: int

    @property
    def J(self) -> int:  # noqa: N802 - the paper's symbol
        """Candidates of a frame, with six classes."""
        return 6 * self.n


def cells(*clips: int) -> tuple[Cell, ...]:
    """The four cells of the paper's table, its empty one last, on so many clips each."""
    pairs = ((5, 3), (20, 3), (5, 9), (20, 9))
    return tuple(Cell(n, K, m) for (n, K), m in zip(pairs, clips, strict=True) if m)


@dataclass(frozen=True)
class Scaling:
    """How far curves of time go.

    Attributes:
        points: of every axis.
        problems: random ones at each point.
        limit: seconds after which a curve ends.
        growth: the schedule of the growth transform.
    """

    points: int
    problems: int
    limit: float
    growth: Growth


@dataclass(frozen=True)
class Joint:
    """What joint tracking is compared on.

    Attributes:
        segments: of CAD-120, which has 108.
        films: made-up clips.
        noises: random ones of each level.
        series: kinds of noise.
        settings: of trackers that are tried.
        tuned: clips that the best setting is chosen on.
        questions: about crowds.
    """

    segments: int
    films: int
    noises: int
    series: tuple[str, ...]
    settings: int
    tuned: int
    questions: int


@dataclass(frozen=True)
class Applications:
    """What applications are measured on.

    Attributes:
        pairs: made-up clips of two activities.
        scenes: random ones of the demonstration clip.
        films: that sentences are generated for and that are retrieved.
    """

    pairs: int
    scenes: int
    films: int


@dataclass(frozen=True)
class Size:
    """How much to run.

    Attributes:
        growth: the schedule of the growth transform.
        films: made-up clips of the corpus.
        cells: what the relative error is measured on.
        choices: the same for every unstated choice.
        cad: the same for segments of CAD-120.
        rows: how many of the long sentences.
        stories: clips of each.
        peer_limit: seconds that toulbar2 may take for one problem.
        scaling: how far the curves of time go.
        joint: what joint tracking is compared on.
        applications: what applications are measured on.
        seed: of everything random.
    """

    growth: Growth
    films: int
    cells: tuple[Cell, ...]
    choices: tuple[Cell, ...]
    cad: tuple[Cell, ...]
    rows: int
    stories: int
    peer_limit: int
    scaling: Scaling
    joint: Joint
    applications: Applications
    seed: int = 0


EVERY = ("clutter", "misses", "both")
Section = Callable[[Size, Path, Report], Iterator[str]]

TINY = Size(
    growth=Growth(starts=4, iterations=20, final_iterations=50),
    films=6,
    cells=cells(3, 1, 2, 1),
    choices=cells(1, 0, 0, 0),
    cad=cells(1, 0, 0, 0),
    rows=2,
    stories=2,
    peer_limit=5,
    scaling=Scaling(2, 2, 0.5, Growth(starts=2, iterations=10, final_iterations=20)),
    joint=Joint(
        segments=1,
        films=1,
        noises=1,
        series=("both",),
        settings=2,
        tuned=1,
        questions=3,
    ),
    applications=Applications(pairs=1, scenes=1, films=2),
)
QUICK = Size(
    growth=Growth(),
    films=93,
    cells=cells(93, 24, 40, 10),
    choices=cells(20, 0, 10, 0),
    cad=cells(4, 1, 4, 1),
    rows=6,
    stories=2,
    peer_limit=30,
    scaling=Scaling(10, 3, 10.0, Growth(starts=15, iterations=30, final_iterations=500)),
    joint=Joint(
        segments=54,
        films=36,
        noises=5,
        series=EVERY,
        settings=18,
        tuned=20,
        questions=60,
    ),
    applications=Applications(pairs=24, scenes=6, films=36),
)
FULL = Size(
    growth=Growth(),
    films=93,
    cells=cells(93, 93, 93, 93),
    choices=cells(10, 2, 10, 1),
    cad=cells(19, 19, 19, 19),
    rows=6,
    stories=10,
    peer_limit=600,
    scaling=Scaling(10, 7, 300.0, Growth()),
    joint=Joint(
        segments=108, films=93, noises=5, series=EVERY, settings=18, tuned=93, questions=269
    ),
    applications=Applications(pairs=93, scenes=20, films=93),
)
