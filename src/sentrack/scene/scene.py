"""A scene: what was seen and what was said of it, measured once."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from sentrack.inference import TrackTerms, WordTerms
from sentrack.language import Meaning
from sentrack.lexicon import Lexicon, WordModel
from sentrack.scene.candidates import Bools, CandidateSet, Floats, unpadded
from sentrack.scene.identity import identified, without_gaps
from sentrack.scene.measurements import PRESENCE, Measurements
from sentrack.scene.presence import with_away
from sentrack.vision import Clip, ClipError, bridge, seen_classes

RATE = 10.0  # frames per second that are looked at, at most, where the sentence is not about all
TOLD = 5  # classes that are told of, where one is missing


@dataclass(frozen=True, eq=False)
class Scene:
    """Clip × Meaning × Lexicon: all that objectives, bounds and learning are made of.

    Attributes:
        meaning: what was said.
        models: of its words, in order.
        candidates: of every participant; those whose nouns name the same classes share them.
        measured: of the clip.
    """

    meaning: Meaning
    models: tuple[WordModel, ...]
    candidates: tuple[CandidateSet, ...]
    measured: Measurements

    @property
    def clip(self) -> Clip:
        """What was seen, with gaps bridged."""
        return self.measured.clip

    def cut(self, first: int, last: int) -> "Scene":
        """The frames first to last - 1."""
        measured = self.measured.cut(first, last)
        named = [self.measured.named(each) for each in self.candidates]
        return replace(
            self,
            candidates=tuple(found for each in named if (found := measured.candidates(*each))),
            measured=measured,
        )

    def players(self, word: int) -> list[CandidateSet]:
        """The candidates of the participants of a word."""
        return [self.candidates[p] for p in self.meaning.words[word].participants]

    def emission(self, word: int, against_background: bool = False) -> Floats:
        """(T, K, J1, ..., JI): h of a word, padded, or by how much it beats the background."""
        model = self.models[word]
        h = self.measured.emission(model, self.players(word))
        if against_background:
            h = h - (model.background if model.observed else h.max())
        return h

    def scores(self, participant: int, against_background: bool = False) -> Floats:
        """(T, J): f of the candidates of a participant, padded."""
        spoken_of = any(
            word.participants[role] == participant
            for word, model in zip(self.meaning.words, self.models, strict=True)
            for role in model.roles_of(PRESENCE)
        )
        scores = self.measured.scores(against_background, spoken_of)
        return np.asarray(scores[self.candidates[participant].rows])

    def tracks(self, against_background: bool = False) -> list[TrackTerms]:
        """Detection scores f and coherence g of every participant."""
        found = []
        for i, each in enumerate(self.candidates):
            n, g = each.counts, self.measured.coherence(each)
            f = unpadded(self.scores(i, against_background), 0, [n])
            found.append(TrackTerms(f, unpadded(g, 0, [n[:-1], n[1:]])))
        return found

    def apart(self) -> list[WordTerms]:
        """Words of one state that say nothing but that pairs of participants are different things.

        A pair that no candidates of any frame could show as one thing needs none.
        """
        words = []
        for pair in self.meaning.distinct:
            a, b = (self.candidates[i] for i in pair)
            one: Bools = self.measured.one(a, b) & a.real[:, :, None] & b.real[:, None]
            if one.any():
                emission = unpadded(np.where(one, -np.inf, 0.0)[:, None], 1, [a.counts, b.counts])
                words.append(WordTerms([0.0], [[0.0]], emission, pair))
        return words


def scene_of(clip: Clip, meaning: Meaning, lexicon: Lexicon, rate: float | None = None) -> Scene:
    """Measure a clip for a sentence.

    Args:
        clip: what was seen.
        meaning: what was said.
        lexicon: what its words mean.
        rate: frames per second that are looked at, at most; things are followed in all frames.

    Raises:
        ClipError: when a noun's class was not detected anywhere in the clip.
    """
    models = tuple(lexicon.model(word.word, word.part) for word in meaning.words)
    named = [lexicon.named(p.noun, clip.classes) for p in meaning.participants]
    everything = frozenset(c for classes in named for c in classes)
    if lexicon.identity:  # what is known of things is the same whatever is said of them
        everything = frozenset(clip.classes)
    measured = measure(clip, everything, lexicon.identity, rate)
    candidates = []
    for participant, classes in zip(meaning.participants, named, strict=True):
        found = measured.candidates(classes)
        if found is None:
            told = ", ".join([*seen_classes(clip)][:TOLD]) or "nothing"
            text = f"no {participant.noun} was detected in it; surely seen: {told}"
            raise ClipError(f"{clip.name}: {text}")
        candidates.append(found)
    return Scene(meaning, models, tuple(candidates), measured)


@lru_cache(maxsize=1)
def measure(
    clip: Clip, classes: frozenset[str], identity: bool, rate: float | None = None
) -> Measurements:
    """What is measured of some classes of a clip; sentences about the same things share it.

    Args:
        clip: what was seen.
        classes: their names, as the clip has them.
        identity: see `Measurements`.
        rate: see `scene_of`.
    """
    if identity:
        labels = np.array(sorted(clip.classes.index(name) for name in classes), dtype=np.int64)
        clip = identified(clip, labels)
    if rate is not None:
        clip = clip.thinned(rate)
    return Measurements(
        with_away(without_gaps(clip)) if identity else bridge(clip, classes), identity
    )
