"""What is learned: from CAD-120 across subjects, from sampled data, and how fast.

    python -m benchmarks.learn [--only cad,recovery,speed] [--output docs/learning-measured.md]
        [--picture docs/confusion.png]

Prints Markdown. Every figure is measured in this run. The real data lies beside the project.
"""

import argparse
import csv
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.cad import DATA, Segment
from benchmarks.inference import machine
from benchmarks.sampled import sampled, sharp_word
from sentrack.errors import SentrackError
from sentrack.inference import Problem, posteriors
from sentrack.language import Meaning, parse
from sentrack.lexicon import Lexicon
from sentrack.objective import build
from sentrack.show.learning import draw_confusion
from sentrack.tasks import track
from sentrack.tasks.learn import Settings, learn
from sentrack.tasks.learning.climbing import Patience, best_of
from sentrack.tasks.learning.counting import Belief, backgrounds, expected
from sentrack.tasks.learning.estimating import Prior
from sentrack.tasks.learning.journal import Journal
from sentrack.tasks.learning.parallel import Crew
from sentrack.tasks.learning.starting import LOOKED_AT
from sentrack.vision import clip_from_arrays, load_clip
from sentrack.vision.clip import ROWS, Clip

Lines = Iterator[str]
Floats = npt.NDArray[np.float64]

# How the verbs of CAD-120 are said.
VERBS = {
    "pick": "picked up",
    "place": "put down",
    "open": "opened",
    "close": "closed",
    "drink": "drank from",
    "eat": "ate",
    "take_food": "emptied",
    "clean": "used",
    "microwave_food": "heated",
}
DOOR = "microwave"  # what opens and closes where no object is named
STEP = 3  # every third frame: 10 per second, as of a video
# What may be chosen, on the training subject alone: what verbs of two look at, and smoothing.
OF_BOTH = "speed(0) vertical(0) speed(1) vertical(1) gap(0,1) closing(0,1) together(0,1)"
CHOICES = [(features, frames) for features in (LOOKED_AT["verb 2"], OF_BOTH) for frames in (10, 60)]
FOLDS = 4
NEVER = -1e9  # the score of a sentence that cannot be said


@dataclass(frozen=True, eq=False)
class Example:
    """A segment as a clip."""

    segment: Segment
    clip: Clip

    @property
    def activity(self) -> str:
        """What the whole video is about."""
        return self.segment.video.split("-")[1]

    def sentence(self, verb: str | None = None, noun: str | None = None) -> str:
        """What is said of it, or with another verb or noun."""
        own = self.segment
        return f"The hand {VERBS[verb or own.verb]} the {noun or own.noun}."


def examples(limit: int | None = None) -> dict[str, list[Example]]:
    """The segments of each subject in which a verb is shown with the boxes that it needs."""
    with (DATA / "segments.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["verb"] in VERBS]
    found: dict[str, list[Example]] = {}
    videos: dict[str, Clip] = {}
    for r in rows[:limit]:
        name, noun = r["video"], r["class"] or DOOR
        if name not in videos:
            videos[name] = load_clip(DATA / "tracks.csv.gz", size=(640, 480), fps=30, video=name)
        segment = Segment(name, int(r["start"]), int(r["end"]), r["verb"], noun)
        clip = every(segment.of(videos[name]), STEP)
        if {"hand", noun} <= seen(clip):
            found.setdefault(segment.subject, []).append(Example(segment, clip))
    return found


def every(clip: Clip, step: int) -> Clip:
    """Every so many frames of a clip; motion stays as measured on all of them."""
    kept = np.arange(0, clip.T, step)
    rows = np.isin(clip.frame_of, kept)
    return replace(
        clip,
        frames=clip.frames[kept],
        times=clip.times[kept],
        start=np.concatenate([[0], np.cumsum(np.diff(clip.start)[kept])]),
        **{name: getattr(clip, name)[rows] for name in ROWS},
    )


def seen(clip: Clip) -> set[str]:
    """The classes that were detected."""
    return {clip.classes[i] for i in np.unique(clip.label)}


def score(clip: Clip, meaning: Meaning, lexicon: Lexicon) -> float:
    """Nats per frame by which the words explain the clip better than words that mean nothing."""
    objective = build(clip, meaning, lexicon)
    problem = objective.problem
    alone = Problem(problem.tracks, problem.words[len(meaning.words) :])
    nothing = sum(model.background for model in objective.models) * clip.T
    gain = posteriors(problem).log_partition - posteriors(alone).log_partition - nothing
    return gain / clip.T


def scores(found: Sequence[Example], sentences: Sequence[list[str]], lexicon: Lexicon) -> Floats:
    """(clips, sentences): scores; NEVER where a sentence cannot be said of a clip."""
    classes = sorted({c for example in found for c in example.clip.classes})
    nouns = [model.name for model in lexicon.words.values() if model.part == "noun"]
    vocabulary = lexicon.vocabulary().with_nouns([*classes, *nouns])
    table = np.full((len(found), max(map(len, sentences))), NEVER)
    for i, example in enumerate(found):
        for j, sentence in enumerate(sentences[i]):
            try:
                table[i, j] = score(example.clip, parse(sentence, vocabulary), lexicon)
            except SentrackError:
                continue
    return table


@dataclass(frozen=True, eq=False)
class Figures:
    """How well verbs and sentences are chosen: parts of one, and (V, V) confusions."""

    pick_or_place: float
    verbs: float
    sentences: float
    confusion: npt.NDArray[np.int64]


def figures(verbs: Floats, sentences: Floats, found: Sequence[Example]) -> Figures:
    """What is chosen by the highest score.

    Args:
        verbs: (clips, V) of every verb with the clip's own noun.
        sentences: (clips, S) of every sentence of the corpus.
        found: the clips.
    """
    names = list(VERBS)
    truth = np.array([names.index(example.segment.verb) for example in found])
    answer = verbs.argmax(axis=1)
    confusion = np.zeros((len(names), len(names)), dtype=np.int64)
    np.add.at(confusion, (truth, answer), 1)
    corpus = said(found)
    own = np.array([corpus.index(example.sentence()) for example in found])
    return Figures(
        *verb_figures(found, verbs),
        macro_f1(own, sentences.argmax(axis=1)),
        confusion,
    )


def said(found: Sequence[Example]) -> list[str]:
    """All sentences of a corpus."""
    return sorted({example.sentence() for example in found})


def macro_f1(truth: npt.NDArray[np.int64], answer: npt.NDArray[np.int64]) -> float:
    """The mean over sentences of the harmonic mean of precision and recall."""
    parts = []
    for sentence in np.unique(truth):
        right = int(((truth == sentence) & (answer == sentence)).sum())
        parts.append(2 * right / int((truth == sentence).sum() + (answer == sentence).sum()))
    return float(np.mean(parts))


def judged(found: Sequence[Example], lexicon: Lexicon) -> Figures:
    """What a lexicon chooses."""
    verbs = of_verbs(found, lexicon)
    return figures(verbs, scores(found, [said(found)] * len(found), lexicon), found)


def by_habit(train: Sequence[Example], test: Sequence[Example]) -> Figures:
    """The verb prior: always what is said most often, of what the clip has the boxes for."""
    often = Counter(example.segment.verb for example in train)
    prior = np.array([float(often[verb]) for verb in VERBS])
    told = Counter(example.sentence() for example in train)
    corpus = said(test)
    known = np.array([told[sentence] + 0.001 for sentence in corpus])
    nouns = {example.sentence(): example.segment.noun for example in test}
    there = np.array([[nouns[s] in seen(example.clip) for s in corpus] for example in test])
    return figures(np.tile(prior, (len(test), 1)), np.where(there, known, NEVER), test)


def verb_figures(found: Sequence[Example], verbs: Floats) -> tuple[float, float]:
    """Parts of right answers: pick or place, and all verbs."""
    names = list(VERBS)
    truth = np.array([names.index(example.segment.verb) for example in found])
    either = truth < 2
    right = verbs[either, :2].argmax(axis=1) == truth[either]
    return float(right.mean()), float((verbs.argmax(axis=1) == truth).mean())


def of_verbs(found: Sequence[Example], lexicon: Lexicon) -> Floats:
    """(clips, V): scores of every verb with the clip's own noun."""
    return scores(found, [[example.sentence(verb) for verb in VERBS] for example in found], lexicon)


def choose(train: Sequence[Example], base: Settings) -> tuple[Settings, list[str]]:
    """The choice that does best on activities that it was not learned from, and a row for each."""
    activities = sorted({example.activity for example in train})
    order = np.random.default_rng(0).permutation(len(activities))
    fold = {activities[a]: i % FOLDS for i, a in enumerate(order)}
    rows, best = [], (-1.0, base)
    for features, smoothing in CHOICES:
        settings = replace(base, features=base.features | {"verb 2": features}, smoothing=smoothing)
        quick = replace(settings, contrast=0, restarts=3, iterations=20, tolerance=1e-3)
        tested: list[Example] = []
        tables = []
        for k in range(FOLDS):
            pairs = [(e.clip, e.sentence()) for e in train if fold[e.activity] != k]
            held_out = [e for e in train if fold[e.activity] == k]
            tables.append(of_verbs(held_out, learn(pairs, settings=quick)))
            tested += held_out
        either, every_verb = verb_figures(tested, np.concatenate(tables))
        rows.append(f"| {features} | {smoothing} | {either:.1%} | {every_verb:.1%} |")
        best = max(best, (either + every_verb, settings), key=lambda pair: pair[0])
    return best[1], rows


def cad(picture: Path | None = None, limit: int | None = None, quick: bool = False) -> Lines:
    """CAD-120: learn from one subject, understand the other."""
    subjects = examples(limit)
    base = Settings(restarts=1, iterations=3, contrast=1) if quick else Settings()
    panels = []
    yield "## CAD-120, across subjects"
    yield ""
    yield "Sentences are made from the segments: “The hand picked up the cup.” Learned from all of"
    yield "one subject and judged on all of the other, every third frame. What verbs look at and"
    yield "how much is smoothed is chosen on the training subject alone, by four-fold validation on"
    yield "activities left out. A sentence is chosen by ln Z per frame, relative to its tracks and"
    yield "to words that mean nothing. The verb prior always answers the commonest verb, or"
    yield "sentence, of the training subject."
    for test in sorted(subjects):
        (train,) = (subject for subject in subjects if subject != test)
        pairs = [(example.clip, example.sentence()) for example in subjects[train]]
        chosen = subjects[test]
        yield ""
        yield f"### From {train} ({len(pairs)} clips) to {test} ({len(chosen)} clips)"
        yield ""
        settings, rows = choose(subjects[train], replace(base, nouns=False))
        yield f"Within {train}, on activities left out:"
        yield ""
        yield "| features of verbs | smoothing | pick or place | all verbs |"
        yield "|---|---|---|---|"
        yield from rows
        yield ""
        ways = {
            "learned": settings,
            "learned, first stage alone": replace(settings, contrast=0),
            "learned, nouns too": replace(settings, nouns=True),
        }
        yield "| words | pick or place | all verbs, given the object | macro F1 | learning s |"
        yield "|---|---|---|---|---|"
        chance = 1 / len(VERBS)
        yield f"| chance | 50.0% | {chance:.1%} | {1 / len(said(chosen)):.3f} | |"
        yield _row("verb prior", by_habit(subjects[train], chosen), "")
        yield _row("`everyday`", judged(chosen, Lexicon.load("everyday")), "")
        for name, way in ways.items():
            begin = time.perf_counter()
            lexicon = learn(pairs, settings=way)
            seconds = time.perf_counter() - begin
            result = judged(chosen, lexicon)
            yield _row(name, result, f"{seconds:.0f}")
            if name == "learned":
                panels.append((f"{train} to {test}", result.confusion))
    yield ""
    if picture is not None:
        draw_confusion(panels, list(VERBS), picture)
        yield f"![Which verb is taken for which]({picture.name})"
        yield ""


def _row(name: str, result: Figures, seconds: str) -> str:
    return (
        f"| {name} | {result.pick_or_place:.1%} | {result.verbs:.1%} "
        f"| {result.sentences:.3f} | {seconds} |"
    )


def recovered(
    seed: int, clips: int = 60, restarts: int = 5, frames: int = 40
) -> tuple[float, float]:
    """Nats per frame of fresh data under the truth and under what was learned from a sample."""
    rng = np.random.default_rng(seed)
    truth = {("verb", name): sharp_word(name, rng) for name in ("dax", "wug")}
    train, fresh = (
        [sampled(truth[key], frames, 3, rng) for key in truth for _ in range(clips)]
        for _ in range(2)
    )
    bins = backgrounds(train, truth)
    prior = Prior(Settings().smoothing, bins, 1.0)
    belief = Belief(truth, {}, bins, np.zeros(0), frozenset(truth))
    patience = Patience(Settings().iterations, Settings().tolerance)
    with Crew(train) as crew:
        found = best_of(
            belief, crew, prior, patience, restarts, seed, Journal(None, ""), lambda *_: None
        )
    total = sum(scene.T for scene in fresh)
    true, learned = (sum(expected(s, each)[0] for s in fresh) for each in (belief, found))
    return true / total, learned / total


def recovery(seeds: Sequence[int] = (0, 1, 2, 3, 4)) -> Lines:
    """Data sampled from known words, learned from random starts."""
    yield "## Recovery of known words"
    yield ""
    yield "Two words of three states over six features, 60 clips of 40 frames each, three"
    yield "candidates for each of two participants, of which one is spoken of. Nats per frame on as"
    yield "many fresh clips, relative to usual bins."
    yield ""
    yield "| seed | truth | learned | short by |"
    yield "|---|---|---|---|"
    for seed in seeds:
        true, found = recovered(seed)
        yield f"| {seed} | {true:.4f} | {found:.4f} | {1 - found / true:.2%} |"
    yield ""


def crowd(seed: int, T: int = 60, J: int = 8) -> Clip:
    """Two classes with J boxes each that drift."""
    rng = np.random.default_rng(seed)
    centre = rng.uniform(60, 420, (1, 2, J, 2)) + np.cumsum(rng.normal(0, 2, (T, 2, J, 2)), axis=0)
    boxes = np.concatenate((centre - 20, centre + 20), axis=-1).reshape(-1, 4)
    frame, label = np.repeat(np.arange(T), 2 * J), np.tile(np.repeat([0, 1], J), T)
    scores = rng.uniform(0.3, 1, len(boxes))
    return clip_from_arrays(
        f"crowd {seed}", (640, 480), 30, frame, ("hand", "cup"), boxes, scores, label=label
    )


def speed(clips: int = 200) -> Lines:
    """The cost of an iteration beside that of scoring every clip once."""
    found = [crowd(seed) for seed in range(clips)]
    pairs = [
        (clip, f"The hand {'picked up' if i % 2 else 'put down'} the cup.")
        for i, clip in enumerate(found)
    ]
    lexicon = Lexicon.load("everyday")
    track(*pairs[0], lexicon)  # compile and bridge before anything is timed
    begin = time.perf_counter()
    for clip, sentence in pairs:
        track(clip, sentence, lexicon)
    scoring = time.perf_counter() - begin
    times: list[float] = []
    settings = Settings(nouns=False, restarts=1, iterations=4, tolerance=0.0, contrast=0)
    learn(
        pairs,
        settings=settings,
        report=lambda *_: times.append(time.perf_counter()),
    )
    iteration = float(np.median(np.diff(times)))
    yield f"## Speed: {clips} clips of 60 frames, two participants, 8 candidates each"
    yield ""
    yield f"Scoring every clip once (`track`): {scoring:.2f} s. An iteration: {iteration:.2f} s,"
    yield f"{iteration / scoring:.2f} times that."
    yield ""


def main() -> None:
    """Run the sections asked for and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default="cad,recovery,speed", help="sections to run")
    parser.add_argument("--output", type=Path, help="also write the Markdown there")
    parser.add_argument("--picture", type=Path, help="also draw the confusions there")
    options = parser.parse_args()
    sections: dict[str, Callable[[], Lines]] = {
        "cad": lambda: cad(options.picture),
        "recovery": recovery,
        "speed": speed,
    }
    written = []
    for name in options.only.split(","):
        for line in sections[name]():
            print(line, flush=True)
            written.append(line)
    if options.output:
        command = "python -m benchmarks.learn " + " ".join(sys.argv[1:])
        head = f"# Learning, measured\n\nMade by `{command.strip()}` on {machine()}.\n\n"
        options.output.write_text(head + "\n".join(written) + "\n")


if __name__ == "__main__":
    main()
