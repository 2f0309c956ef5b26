"""CAD-120 for learning: its verbs as sentences, and how well words choose among them."""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from benchmarks.cad import DATA, PICK_OR_PLACE, Segment
from sentrack.errors import SentrackError
from sentrack.lexicon import Lexicon
from sentrack.tasks import track
from sentrack.tasks.learning.choices import CERTAINTY
from sentrack.tasks.learning.initial_models import DEFAULT_FEATURES
from sentrack.tasks.learning.learner import Settings, learn
from sentrack.tasks.match import PER_FIT
from sentrack.vision import Clip, load_clip

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
# What verbs of two may look at.
OF_BOTH = (
    "speed(0) vertical(0) rise(0) speed(1) vertical(1) rise(1) change(1) gap(0,1) closing(0,1) "
    "together(0,1) advance(0,1)"
)
CHOICES = (DEFAULT_FEATURES["verb 2"], OF_BOTH)
FOLDS = 4
NEVER = -1.0  # in place of the match of a sentence that cannot be said


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
        whole = segment.of(videos[name])
        clip = whole.picked(np.arange(0, whole.T, STEP))
        if {"hand", noun} <= seen(clip):
            found.setdefault(segment.subject, []).append(Example(segment, clip))
    return found


def seen(clip: Clip) -> set[str]:
    """The classes that were detected."""
    return {clip.classes[i] for i in np.unique(clip.label)}


def scores(found: Sequence[Example], sentences: Sequence[list[str]], lexicon: Lexicon) -> Floats:
    """(clips, sentences): the match of each, about all of a clip; NEVER where it is refused."""
    table = np.full((len(found), max(map(len, sentences))), NEVER)
    for i, example in enumerate(found):
        for j, sentence in enumerate(sentences[i]):
            try:
                table[i, j] = track(example.clip, sentence, lexicon, whole=True).match
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
    """What is chosen by the highest match.

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
    """(clips, V): the match of every verb with the clip's own noun."""
    return scores(found, [[example.sentence(verb) for verb in VERBS] for example in found], lexicon)


def loss(found: Sequence[Example], verbs: Floats) -> float:
    """Nats per clip: less the log probability of its own verb, as the stage of contrast has it.

    Clips whose verb was not learned do not count.
    """
    truth = np.array([list(VERBS).index(example.segment.verb) for example in found])
    every = np.arange(len(truth))
    known = verbs[every, truth] > NEVER
    match = np.clip(verbs, 1e-9, 1 - 1e-9)
    x = np.where(verbs > NEVER, CERTAINTY / PER_FIT * np.log(match / (1 - match)), -np.inf)
    return float((np.logaddexp.reduce(x, axis=1) - x[every, truth])[known].mean())


def compared(found: Sequence[Example], base: Settings) -> Iterator[str]:
    """A row for every choice of features: what it does on activities that were left out.

    The loss, over all verbs and between the two, tells more than how many are right: there are few
    clips.
    """
    activities = sorted({example.activity for example in found})
    order = np.random.default_rng(0).permutation(len(activities))
    fold = {activities[a]: i % FOLDS for i, a in enumerate(order)}
    for features in CHOICES:
        settings = replace(base, features=base.features | {"verb 2": features})
        tested: list[Example] = []
        tables = []
        for k in range(FOLDS):
            pairs = [(e.clip, e.sentence()) for e in found if fold[e.activity] != k]
            held_out = [e for e in found if fold[e.activity] == k]
            tables.append(of_verbs(held_out, learn(pairs, settings=settings, workers=1)))
            tested += held_out
        verbs = np.concatenate(tables)
        both = [n for n, example in enumerate(tested) if example.segment.verb in PICK_OR_PLACE]
        losses = loss([tested[n] for n in both], verbs[both, :2]), loss(tested, verbs)
        parts = verb_figures(tested, verbs)
        cells = [f"{part:.1%} | {nats:.3f}" for part, nats in zip(parts, losses, strict=True)]
        yield f"| {features} | {' | '.join(cells)} |"
