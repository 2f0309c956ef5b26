"""What the paper says its method is for: focus of attention, generation and retrieval."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import sentrack
from benchmarks.paper.films import Film
from benchmarks.paper.first import boxes_of
from benchmarks.paper.many import each
from benchmarks.paper.noise import iou
from benchmarks.paper.readings import Reading, objective, sampled
from benchmarks.paper.sizes import Size
from benchmarks.paper.stories import films
from benchmarks.paper.truths import doubled, sentences, true_of
from benchmarks.paper.writing import OURS, THEIRS, figure, paragraph, table, write_csv, write_figure
from benchmarks.search import average_precision
from sentrack.inference import Problem
from sentrack.lexicon import Lexicon
from sentrack.objective import Objective, build
from sentrack.progress import Report
from sentrack.scene import detection_scores
from sentrack.tasks import understand
from sentrack.vision import Clip, Floats, two_activities

HEADER = ["task", "measure", "way", "number", "value"]
PAPER, EVERYDAY, PRESENCE, CHANCE = "the paper's words", "everyday", "presence", "chance"
COLOURS = {PAPER: THEIRS, EVERYDAY: OURS, PRESENCE: "#edae49", CHANCE: "#adb5bd"}
BOXES = 5  # candidates of a class in a frame
STATES = 3  # of a verb with the paper's words
OVERLAP = 0.5  # IoU from which on a box is the right one
ALL, WHO = "tracks right", "persons right"
OWN, TRUE, PRECISION = "own sentence", "a true sentence", "average precision"


@dataclass(frozen=True)
class Figure:
    """A row of the table: what a way reaches in a measure of a task, over so many cases."""

    task: str
    measure: str
    way: str
    number: int
    value: float


@cache
def _everyday() -> Lexicon:
    return Lexicon.load("everyday")


def terms(clip: Clip, sentence: str, words: str) -> Objective:
    """Eq. 4 with the paper's words, of the boxes of the nouns' own classes, or with everyday."""
    if words == PAPER:
        return objective(clip, sentence, STATES, Reading(nouns="own class"))
    return build(clip, understand(sentence, _everyday(), clip), _everyday())


def hits(clip: Clip, sentence: str, truth: Floats, ways: Sequence[str]) -> dict[str, Floats]:
    """By way, (L,) the share of frames in which each participant's box is the right one.

    Args:
        clip: what is seen.
        sentence: whose participants are tracked.
        truth: (L, T, 4) where they are.
        ways: the words to use. Presence tracks without any; chance is the share of candidates.
    """
    found = {}
    for words in ways:
        made = terms(clip, sentence, words)
        chosen = sentrack.solve(made.problem).tracks
        found[words] = _right(boxes_of(made, chosen), truth)
    alone = sentrack.solve(Problem(made.problem.tracks)).tracks
    found[PRESENCE] = _right(boxes_of(made, alone), truth)
    found[CHANCE] = np.array(
        [
            (iou(made.clip.boxes[own.rows], boxes[:, None]) > OVERLAP).mean()
            for own, boxes in zip(made.candidates, truth, strict=True)
        ]
    )
    return found


def _right(boxes: Floats, truth: Floats) -> Floats:
    return np.asarray((iou(boxes, truth) > OVERLAP).mean(axis=1))


def focus(size: Size, report: Report) -> Iterator[Figure]:
    """Two activities in one clip, a sentence for each: are the right ones tracked?"""
    pairs = list(doubled(size.applications.pairs, size.seed))
    several = [film for pair in pairs for film in pair]
    found = list(each(_film_hits, several, report, "focus of attention"))
    who = [[film.nouns[o] == "person" for o in film.participants] for film in several]
    yield from _summed("focus, made-up films", found, who)
    found, who = [], []
    for seed in range(size.seed, size.seed + size.applications.scenes):
        clip, truth = two_activities(seed)
        for sentence, objects in zip(truth.sentences, truth.participants, strict=True):
            found.append(hits(clip, sentence, truth.boxes[list(objects)], [EVERYDAY]))
            who.append([n == 0 for n in range(len(objects))])  # a person is the first of each
    yield from _summed("focus, the demonstration", found, who)


def _film_hits(film: Film) -> dict[str, Floats]:
    clip = sampled(film.clip, BOXES)
    truth = film.boxes[list(film.participants)][:, clip.frames]
    return hits(clip, film.sentence, truth, [PAPER, EVERYDAY])


def _summed(
    task: str, found: Sequence[dict[str, Floats]], who: Sequence[Sequence[bool]]
) -> Iterator[Figure]:
    person = np.concatenate(who)
    for way in found[0]:
        right = np.concatenate([hit[way] for hit in found])
        yield Figure(task, ALL, way, len(right), float(right.mean()))
        if person.any():
            yield Figure(task, WHO, way, int(person.sum()), float(right[person].mean()))


@dataclass(frozen=True, eq=False)
class Scored:
    """A film: what is true of it, and by way (150,) how well every sentence describes it."""

    own: str
    true: frozenset[str]
    values: dict[str, Floats]


def scored(film: Film) -> Scored:
    """Score all sentences on a film: nats per frame more than words that mean nothing.

    Presence takes just the mean strength of the best boxes of both classes. Chance knows nothing.
    """
    clip = sampled(film.clip, BOXES)
    every = sentences()
    values = {
        words: np.array([_value(terms(clip, sentence, words)) for sentence in every])
        for words in (PAPER, EVERYDAY)
    }
    best = np.full((clip.T, len(clip.classes)), -np.inf)
    np.maximum.at(best, (clip.frame_of, clip.label), detection_scores(clip))
    seen = dict(zip(clip.classes, best.mean(axis=0), strict=True))
    nouns = [(sentence.split()[1], sentence.split()[-1].rstrip(".")) for sentence in every]
    values[PRESENCE] = np.array([seen[a] + seen[b] for a, b in nouns])
    values[CHANCE] = np.zeros(len(every))
    return Scored(film.sentence, frozenset(true_of(film.nouns, film.boxes)), values)


def _value(made: Objective) -> float:
    score = sentrack.solve(made.problem).score
    return score / made.problem.T - sum(model.background for model in made.models)


def generation(found: Sequence[Scored]) -> Iterator[Figure]:
    """How often the best sentence is the clip's own, or a true one; ties count by their share."""
    every = sentences()
    for measure, right in ((OWN, lambda film: {film.own}), (TRUE, lambda film: film.true)):
        for way in found[0].values:
            shares = []
            for film in found:
                values = film.values[way]
                best = np.flatnonzero(values >= values.max() - 1e-9)
                shares.append(np.mean([every[i] in right(film) for i in best]))
            yield Figure("generation", measure, way, len(found), float(np.mean(shares)))


def retrieval(found: Sequence[Scored], seed: int) -> Iterator[Figure]:
    """Mean average precision of the films that a sentence is true of, for what is said of any."""
    every = sentences()
    asked = sorted({film.own for film in found})
    rng = np.random.default_rng(seed)
    for way in found[0].values:
        precisions = []
        for sentence in asked:
            values = np.array([film.values[way][every.index(sentence)] for film in found])
            relevant = np.array([sentence in film.true for film in found])
            precisions.append(average_precision(values, relevant, rng))
        yield Figure("retrieval", PRECISION, way, len(asked), float(np.mean(precisions)))


def section(size: Size, output: Path, report: Report) -> Iterator[str]:
    """The three applications, each with chance and a baseline without relations."""
    rows = list(focus(size, report))
    made = list(films(size.applications.films, size.seed))
    found = list(each(scored, made, report, "generation and retrieval"))
    rows += [*generation(found), *retrieval(found, size.seed)]
    write_csv(
        output / "applications.csv",
        HEADER,
        ((r.task, r.measure, r.way, r.number, f"{r.value:.4f}") for r in rows),
    )
    _draw(rows, output / "applications.png")
    yield "## Applications"
    yield ""
    true = np.mean([len(film.true) for film in found])
    yield from paragraph(
        f"On made-up films of the corpus' kind, every 8th frame, with the {BOXES} best boxes of "
        f"every class: with the paper's words (K={STATES}) and with `everyday`. *Presence* has no "
        "relations, just classes and detector scores. Ties count by their share."
    )
    yield from paragraph(
        f"**Focus of attention**: two films in one clip, two persons who do different things; "
        "each sentence is to pick its own. The measure is the share of frames in which a box has "
        f"IoU above {OVERLAP} with the truth, over all participants and over persons, of whom "
        "there are two. Presence tracks the best box of each class without words; chance takes any "
        "candidate. The demonstration clip has three persons, four sentences and boxes at 15 "
        "frames per second."
    )
    yield from paragraph(
        f"**Generation**: the best of all {len(sentences())} sentences of two nouns and one of "
        f"five verbs, on {len(found)} films of which {true:.1f} sentences are true on average "
        "(who comes 100 pixels nearer has approached). **Retrieval**: for every sentence that is "
        "some film's own, films are ranked by how well it describes them; relevant are those of "
        "which it is true."
    )
    ways = list(COLOURS)
    groups: dict[tuple[str, str, int], dict[str, float]] = {}
    for r in rows:
        groups.setdefault((r.task, r.measure, r.number), {})[r.way] = r.value
    yield from table(
        ["task", "measure", "n", *ways],
        (
            [*key, *(f"{values[way]:.3f}" if way in values else "–" for way in ways)]
            for key, values in groups.items()
        ),
    )
    yield "![What each way reaches in each task](applications.png)"
    yield ""


def _draw(rows: Sequence[Figure], path: Path) -> None:
    places = list(dict.fromkeys((r.task, r.measure) for r in rows))
    picture, axes = figure(1, 1, width=11.0, height=3.2)
    panel = axes[0, 0]
    for n, (way, colour) in enumerate(COLOURS.items()):
        some = {places.index((r.task, r.measure)): r.value for r in rows if r.way == way}
        at = [place + 0.2 * (n - 1.5) for place in some]
        panel.bar(at, some.values(), 0.18, color=colour, label=way)
    names = ["\n".join([*task.split(", "), measure]) for task, measure in places]
    panel.set_xticks(range(len(places)), names, fontsize=8)
    panel.set_ylim(0, 1.02)
    panel.legend(frameon=False, fontsize=8, ncols=4, loc="upper right")
    write_figure(picture, path)
