"""Cores of sentences: who did what to whom."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from sentrack.boxes import iou
from sentrack.language import Meaning, Participant, Word, can_be_said, distinct_pairs, say
from sentrack.lexicon import WordModel
from sentrack.tasks.description.evidence import Evidence
from sentrack.vision import Floats, Ints

# Who acts by itself. Boxes hardly tell who carries whom; others are agents less often.
ACTORS = frozenset(
    [
        "person",
        "man",
        "woman",
        "child",
        "boy",
        "girl",
        "baby",
        "hand",
        "robot",
        "bird",
        "cat",
        "dog",
        "horse",
        "sheep",
        "cow",
        "elephant",
        "bear",
        "zebra",
        "giraffe",
        "car",
        "truck",
        "bus",
        "train",
        "bicycle",
        "motorcycle",
        "boat",
        "airplane",
    ]
)
UNLIKELY = 1.0  # of a typical depiction: what another must fit better, if someone could act
NAMED = 0.5  # the same, for a verb that names more than the agent: more is told
CROWD = 2000  # combinations of candidates in a frame up to which verbs of three are looked at
SAME = 0.5  # mean IoU of two tracks from which on they show the same thing


@dataclass(frozen=True, eq=False)
class Core:
    """A verb and the nouns of its participants.

    Attributes:
        model: of the verb.
        nouns: one for each of its roles.
        favour: what is added to its fit: for naming participants, against unlikely agents.
    """

    model: WordModel
    nouns: tuple[str, ...]
    favour: float


@dataclass(frozen=True, eq=False)
class Told:
    """A core with its tracks.

    Attributes:
        core: what was said.
        fit: how well the verb fits the whole clip, 1 in a typical depiction, and the core's favour.
        tracks: (L, T) the candidates chosen.
        boxes: (L, T, 4) where they are, in pixels.
    """

    core: Core
    fit: float
    tracks: Ints
    boxes: Floats

    @property
    def mover(self) -> Floats:
        """(T, 4): the boxes of what the verb moves."""
        return np.asarray(self.boxes[self.core.model.moves])

    @property
    def movers(self) -> Floats:
        """(2, T, 4): the boxes of who acts and of what moves."""
        return np.asarray(self.boxes[[0, self.core.model.moves]])


def among(thing: Floats, things: Floats) -> bool:
    """Whether boxes (T, 4) show one of several things (N, T, 4)."""
    return bool((iou(things, thing).mean(axis=-1) > SAME).any())


def cores(scene: Evidence) -> Iterator[Core]:
    """Every verb with every choice of nouns; three of them are different, and no crowds."""
    acting = ACTORS & set(scene.nouns)
    for model in scene.lexicon.words.values():
        if model.part != "verb" or not model.observed:
            continue
        for nouns in product(scene.nouns, repeat=len(model.roles)):
            if not can_be_said(model.name, nouns[0]):
                continue
            crowd = np.prod([scene.kind(noun).f.shape[1] for noun in nouns])
            if len(nouns) < 3 or (len(set(nouns)) == 3 and crowd <= CROWD):
                unlikely = UNLIKELY if acting and nouns[0] not in acting else 0.0
                yield Core(model, nouns, NAMED * (len(nouns) > 1) - unlikely)


def fragment(scene: Evidence, cores: int) -> int:
    """The number of sentences that are chosen from: cores with a way or none, a manner or none."""
    parts = [model.part for model in scene.lexicon.words.values() if model.K == 1]
    ways = parts.count("direction") + parts.count("motion") * len(scene.nouns)
    return cores * (1 + ways) * (1 + parts.count("adverb"))


def verb(core: Core) -> Word:
    """The verb of a core, said of all its participants in order."""
    return Word(core.model.name, tuple(range(len(core.nouns))), "verb")


def express(scene: Evidence, nouns: tuple[str, ...], words: tuple[Word, ...]) -> Meaning:
    """What words say of participants, in English; a noun that is said again is "another"."""
    people = tuple(
        Participant(noun, "another" if noun in nouns[:i] else "the", i + 1)
        for i, noun in enumerate(nouns)
    )
    said = (*(Word(noun, (i,), "noun") for i, noun in enumerate(nouns)), *words)
    unsaid = Meaning("", people, said, distinct_pairs(people, said))
    return Meaning(say(unsaid, scene.vocabulary), people, said, unsaid.distinct)
