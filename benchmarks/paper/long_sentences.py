"""The paper's six long sentences at its sizes, one of which it says would take twenty years."""

import math
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

import sentrack
from benchmarks.inference import best_toulbar2
from benchmarks.paper.films import Film
from benchmarks.paper.journal import Journal
from benchmarks.paper.readings import objective, sampled
from benchmarks.paper.sizes import Size
from benchmarks.paper.stories import STEP, film_of
from benchmarks.paper.writing import paragraph, table, write_csv
from benchmarks.scenes import ROWS, Row
from sentrack.files import whole
from sentrack.inference import Problem, Solution
from sentrack.objective import Objective
from sentrack.progress import Report
from sentrack.show import strip
from sentrack.tasks import Tracking
from sentrack.vision.scan import Frame

HEADER = [
    "row",
    "clip",
    "T",
    "J",
    "K",
    "L",
    "W",
    "method",
    "seconds",
    "score",
    "upper_bound",
    "certified",
]
PAPER = (56, 61, 129, 667, 520, 230)  # seconds of growth in the paper
TWENTY_YEARS = 3  # index of the row of which the paper says so
WIDTH, COLOURS = 1600, 96  # of a strip
SKY, GROUND = (226, 208, 190), (150, 176, 160)  # blue, green, red
THINGS = ((120, 108, 98), (92, 128, 84), (84, 110, 150), (140, 120, 90), (96, 96, 140))


@dataclass(frozen=True)
class Result:
    """What one method makes of one row."""

    method: str
    seconds: float
    score: float
    upper_bound: float
    certified: bool


@dataclass(frozen=True, eq=False)
class Story:
    """A row, its clip, its problem, and what the methods found; the first is auto."""

    row: Row
    film: Film
    objective: Objective
    best: Solution
    results: tuple[Result, ...]

    @property
    def sizes(self) -> tuple[int, int, int, int, int]:
        """T, J, K, L, W of the problem."""
        problem = self.objective.problem
        K = max(problem.states(w) for w in range(problem.W))
        return problem.T, int(problem.sizes.max()), K, problem.L, problem.W


def tell(row: Row, clip: int, size: Size, journal: Journal) -> Story:
    """Solve one clip of a row by auto, growth, and exact methods: our own, and toulbar2."""
    film = film_of(row, size.seed + clip)
    made = objective(sampled(film.clip, row.J // 6), row.sentence, row.K)
    best = sentrack.solve(made.problem)

    def others() -> list[tuple[object, ...]]:
        grown = sentrack.solve(made.problem, size.growth, seed=size.seed)
        results = [_exact(made.problem), _result(grown), _peer(made.problem, size.peer_limit)]
        return [astuple(result) for result in results]

    known = journal.once(f"{row.name} {clip} {size.seed} {size.growth} {size.peer_limit}", others)
    return Story(row, film, made, best, (_result(best), *(Result(*each) for each in known)))


def _result(found: Solution) -> Result:
    return Result(found.method, found.seconds, found.score, found.upper_bound, found.certified)


def _exact(problem: Problem) -> Result:
    """The lattice of all joint states, which fits nowhere."""
    try:
        return _result(sentrack.solve(problem, "viterbi"))
    except sentrack.ProblemTooLarge:
        return Result("viterbi", math.nan, -math.inf, math.inf, certified=False)


def _peer(problem: Problem, limit: int) -> Result:
    peer = best_toulbar2(problem, limit)
    # It counts in whole parts of a nat, so its bound may fall short of its own score by a few.
    bound = math.inf if peer.bound is None else max(peer.bound, peer.score)
    seconds = peer.build_seconds + peer.solve_seconds
    return Result("toulbar2", seconds, peer.score, bound, peer.proved)


def section(size: Size, output: Path, report: Report) -> Iterator[str]:
    """Times, scores and certificates of the long sentences, and their tracks."""
    rows = ROWS[: size.rows]
    journal = Journal(output / "long_sentences.journal")
    every: list[list[Story]] = []
    for n, row in enumerate(rows):
        every.append([])
        for clip in range(size.stories):
            every[n].append(tell(row, clip, size, journal))
            report("long sentences", n * size.stories + clip + 1, len(rows) * size.stories)
    write_csv(
        output / "long_sentences.csv",
        HEADER,
        (
            (
                *(n, clip, *story.sizes, r.method),
                *(f"{r.seconds:.4f}", r.score, r.upper_bound, r.certified),
            )
            for n, several in enumerate(every, 1)
            for clip, story in enumerate(several)
            for r in story.results
        ),
    )
    stories = [several[0] for several in every]
    yield "## Six long sentences"
    yield ""
    yield from paragraph(
        f"The paper's sentences at its sizes, each on {size.stories} made-up clips of the corpus' "
        "kind that show it: auto, growth with the paper's schedule, and toulbar2 with the better "
        f"of two settings and {size.peer_limit} seconds. Seconds are medians, with the least and "
        "the most; *certified* and *proved* is on how many; growth's error is how far its score "
        "stays behind, in per cent. The lattice of all joint states (viterbi) fits in the memory "
        f"of {sum(not math.isnan(s.results[1].seconds) for several in every for s in several)} of "
        "them. The paper's seconds are of growth on its own machine and clips."
    )
    header = ["row", "T", "J", "K", "L", "W", "auto s", "certified", "growth s", "error %"]
    header += ["toulbar2 s", "proved", "the paper's s"]
    yield from table(header, (_line(n, several) for n, several in enumerate(every)))
    if len(stories) > TWENTY_YEARS:
        yield from _twenty_years(stories[TWENTY_YEARS])
    yield "### The tracks"
    yield ""
    for n, story in enumerate(stories, 1):
        name = f"long_sentence_{n}.png"
        tracking = Tracking.of(story.objective, story.best)
        strip([tracking], _frames(story.film), output / name)
        _shrink(output / name)
        yield from paragraph(f"{n}. *{story.row.sentence}*")
        yield f"![Key frames with the tracks of sentence {n}]({name})"
        yield ""
    journal.end()


def _line(n: int, several: list[Story]) -> list[object]:
    auto, _, grown, peer = ([story.results[m] for story in several] for m in range(4))
    errors = [
        100 * (best.score - found.score) / abs(best.score)
        for best, found in zip(auto, grown, strict=True)
    ]
    return [
        *(n + 1, *several[0].sizes),
        *(_spread([r.seconds for r in auto], 3), _share(auto)),
        *(_spread([r.seconds for r in grown], 2), _spread(errors, 0)),
        *(_spread([r.seconds for r in peer], 2), _share(peer)),
        PAPER[n],
    ]


def _spread(values: list[float], digits: int) -> str:
    """Median, least and most."""
    middle, low, high = np.median(values), min(values), max(values)
    return f"{middle:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def _share(results: list[Result]) -> str:
    return f"{sum(r.certified for r in results)}/{len(results)}"


def _twenty_years(story: Story) -> Iterator[str]:
    T, J, K, L, _ = story.sizes
    auto, _, _, peer = story.results
    comparisons = T * (J**L * K) ** 2
    yield f"### Twenty years: row {TWENTY_YEARS + 1}"
    yield ""
    yield f"*{story.row.sentence}*"
    yield from paragraph(
        f"The paper counts {T}×({J}^{L}×{K})² = {comparisons:,} comparisons of joint states for "
        f"its Viterbi algorithm, and estimates 20 years. auto takes {auto.seconds:.3f} seconds. "
        "Its certificate:"
    )
    same = math.isclose(auto.score, peer.score, rel_tol=1e-6, abs_tol=1e-4)
    agreed = "the same optimum" if same else f"{peer.score:.6f}"
    proof = "proves" if peer.certified else "finds, without a proof,"
    rows = (
        ("score of the tracks and states found, by Eq. 4", f"{auto.score:.9f}"),
        ("no tracks and states score more than", f"{auto.upper_bound:.9f}"),
        ("gap", f"{auto.upper_bound - auto.score:.1e}"),
        ("certified", "yes" if auto.certified else "no"),
        ("toulbar2, which shares no code", f"{proof} {agreed} in {peer.seconds:.2f} s"),
    )
    yield from table(("what", "nats"), rows)


def _shrink(path: Path) -> None:
    """Make a picture small enough for a page: fewer pixels and colours."""
    with Image.open(path) as large:
        small = large.convert("RGB")
    small.thumbnail((WIDTH, WIDTH))
    with whole(path) as temporary:
        small.quantize(COLOURS).save(temporary, optimize=True)


def _frames(film: Film) -> Iterator[Frame]:
    """Plain pictures of what is really there: ground, sky, and a shape for every object."""
    width, height = film.clip.size[0] // 2, film.clip.size[1] // 2
    ground = round(0.82 * film.boxes[..., 3].max() / 2)
    for t in range(0, film.clip.T, STEP):
        image = np.empty((height, width, 3), np.uint8)
        image[:ground], image[ground:] = SKY, GROUND
        for o, box in enumerate(np.round(film.boxes[:, t] / 2).astype(int).tolist()):
            ink = THINGS[o % len(THINGS)]
            if film.nouns[o] == "person":
                middle = (box[0] + box[2]) // 2, (box[1] + box[3]) // 2
                half = (box[2] - box[0]) // 2, (box[3] - box[1]) // 2
                cv2.ellipse(image, middle, half, 0, 0, 360, ink, cv2.FILLED, cv2.LINE_AA)
            else:
                cv2.rectangle(image, box[:2], box[2:], ink, cv2.FILLED)
        yield Frame(int(film.clip.frames[t]), float(film.clip.times[t]), image)
