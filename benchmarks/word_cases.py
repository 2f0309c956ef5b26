"""What annotated video says of words: true sentences beside such as are not true of the clip.

Every case is a choice by `match`: the annotated sentence of the annotated participants; its
opposite, of the same; and the sentence of any other participants. CAD-120 has hands and things
without identities there: its sentences are about whoever fits.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.annotated import DATA, Span, clip_of, opposite, span_of, truths
from benchmarks.cad import DATA as CAD_DATA
from benchmarks.cad_verbs import examples
from benchmarks.real import SETS, accepted
from sentrack.errors import SentrackError
from sentrack.lexicon import Lexicon
from sentrack.scene import scene_of
from sentrack.tasks.learning.examples import Key
from sentrack.tasks.learning.questions import Question, answer
from sentrack.tasks.tracker import understand
from sentrack.vision import Clip

Bools = npt.NDArray[np.bool_]

SAME = 0.51  # pixels that two boxes differ by at most if they are one
OPPOSITE_VERBS = {"pick": "place", "place": "pick", "open": "close", "close": "open"}


@dataclass(frozen=True, eq=False)
class Case:
    """A clip's own sentence among others.

    Attributes:
        source: the set.
        video: that it is of.
        own: the sentence of those of whom it is annotated.
        others: that are not true.
        contrary: the words in which the first of the others, if it is an opposite, differs.
    """

    source: str
    video: str
    own: Question
    others: tuple[Question, ...]
    contrary: frozenset[Key]

    @property
    def words(self) -> frozenset[Key]:
        """Of its own sentence, nouns left out."""
        return words_of(self.own)


def words_of(question: Question) -> frozenset[Key]:
    """The words of a question, nouns left out."""
    return frozenset(key for key in question.keys if key[0] != "noun")


def present() -> list[str]:
    """The sets that are there."""
    found = [name for name in SETS if (DATA / name / "truth.jsonl").exists()]
    return found + (["cad120"] if (CAD_DATA / "segments.csv").exists() else [])


def cases(name: str, lexicon: Lexicon, most: int) -> Iterator[Case]:
    """The cases of a set, of each sentence so many at most; what is refused is left out."""
    if name == "cad120":
        yield from _cad(lexicon)
        return
    seen: Counter[str] = Counter()
    for truth in truths(name, 10**9):
        seen[truth["sentence"]] += 1
        if seen[truth["sentence"]] <= most:
            try:
                case = _annotated(name, truth, lexicon)
            except SentrackError:
                continue
            if case is not None and case.others and answer(case.own, {}) is not None:
                yield case


def _annotated(name: str, truth: Mapping[str, Any], lexicon: Lexicon) -> Case | None:
    clip = clip_of(name, truth)
    if clip is None:
        return None
    scene = scene_of(clip, understand(truth["sentence"], lexicon, clip), lexicon)
    ids = _identities(scene.clip, span_of(name, truth))
    away = scene.clip.id < 0
    # Some annotations name fewer than the sentence does.
    named = [
        np.isin(scene.clip.id, [thing for thing, id in ids.items() if id in accepted(truth, p)])
        for p in range(min(len(truth["participants"]), len(scene.candidates)))
    ]
    own = Question(scene, tuple(each | away for each in named))
    others: list[Question] = []
    contrary: frozenset[Key] = frozenset()
    against = opposite(truth["sentence"])
    if against is not None:
        other = scene_of(clip, understand(against, lexicon, clip), lexicon)
        others.append(Question(other, own.allowed))
        contrary = words_of(own) ^ words_of(others[0])
    for p, each in enumerate(named):
        rows = scene.candidates[p].rows
        if (~each & ~away)[rows].any():
            others.append(Question(scene, tuple(~each if i == p else None for i in range(p + 1))))
    return Case(name, truth["video"], own, tuple(others), contrary)


def _identities(clip: Clip, real: Span) -> dict[int, int]:
    """The annotated identity of every thing that was followed, by most of its boxes."""
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    for t in range(clip.T):
        rows = np.arange(clip.start[t], clip.start[t + 1])
        rows = rows[~clip.projected[rows]]
        for id, _, box in real.boxes.get(int(clip.frames[t]), []):
            for row in rows[np.abs(clip.boxes[rows] - box).max(axis=1) <= SAME]:
                votes[int(clip.id[row])][id] += 1
    return {thing: each.most_common(1)[0][0] for thing, each in votes.items()}


def _cad(lexicon: Lexicon) -> Iterator[Case]:
    for subject, found in sorted(examples().items()):
        for example in found:
            verb = OPPOSITE_VERBS.get(example.segment.verb)
            if verb is None:
                continue
            try:
                own, other = (
                    Question(scene_of(example.clip, meaning, lexicon))
                    for meaning in (
                        understand(sentence, lexicon, example.clip)
                        for sentence in (example.sentence(), example.sentence(verb))
                    )
                )
            except SentrackError:
                continue
            contrary = words_of(own) ^ words_of(other)
            yield Case("cad120", f"{subject} {example.activity}", own, (other,), contrary)
