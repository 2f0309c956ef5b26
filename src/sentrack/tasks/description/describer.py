"""Say what happens in a clip: the best sentences about what was surely seen, and when.

A sentence is a core, who did what to whom and when, and what may be added to it: a way. Things are
followed first, so a core is a verb and as many things; its best moment is found exactly. A sentence
is said if `track` finds it depicted there, if it beats its opposite there, and if no sentence
before it says the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

import numpy as np

from sentrack.language import Meaning
from sentrack.lexicon import Lexicon, kinds
from sentrack.objective import LEAST_SECONDS
from sentrack.tasks.description.additions import Sentence, way
from sentrack.tasks.description.cores import Core, cores, express, moments
from sentrack.tasks.description.evidence import Evidence
from sentrack.tasks.description.sure_things import sure_things
from sentrack.tasks.result import Tracking
from sentrack.tasks.tracker import open_lexicon
from sentrack.vision import Clip, ClipError, as_clip

MEANWHILE = 0.5  # of the shorter of two times that they share if both are at the same time


@dataclass(frozen=True, eq=False)
class Described:
    """One sentence of a description.

    Attributes:
        sentence: in English.
        match: 0..1, as `track` has it of the things that are meant.
        start: seconds, from when on it is so.
        end: seconds, until when.
        fit: what it is ranked by; see `Core`.
        tracking: of the sentence.
    """

    sentence: str
    match: float
    start: float
    end: float
    fit: float
    tracking: Tracking


@dataclass(frozen=True, eq=False)
class Description(Sequence[Described]):
    """Sentences, the most telling first, and what it took to find them.

    Attributes:
        sentences: at most as many as asked for.
        cores: number of cores they were chosen from.
        tracked: number of sentences that were tracked.
    """

    sentences: tuple[Described, ...]
    cores: int
    tracked: int

    @overload
    def __getitem__(self, index: int) -> Described: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Described]: ...
    def __getitem__(self, index: int | slice) -> Described | Sequence[Described]:
        return self.sentences[index]

    def __len__(self) -> int:
        return len(self.sentences)


def describe(
    clip: Clip | str | Path, n: int = 5, lexicon: Lexicon | str | Path | None = None
) -> Description:
    """The sentences that tell best what happens in a clip.

    Each tells of something that those before it do not tell of: another motion, or the same thing
    at another time; if there are not enough of these, others follow that speak of other
    participants. There are fewer than n if no more is sure.

    Args:
        clip: the detections, or a file of them, or a video.
        n: how many sentences at most.
        lexicon: or its name or file; `everyday` by default.

    Raises:
        ClipError: when nothing was detected in the clip.
    """
    clip = as_clip(clip)
    words = open_lexicon(lexicon)
    if not len(clip.boxes):
        raise ClipError(f"{clip.name}: nothing was detected in it, so nothing can be said")
    seen = sure_things(clip)
    if not len(seen.boxes):
        return Description((), 0, 0)
    evidence = Evidence(seen, words)
    every = list(cores(evidence))
    speaker = Speaker(evidence)
    said = speaker.choose(in_order(every), n)
    return Description(tuple(said), len(every), speaker.tracked)


def in_order(every: Sequence[Core]) -> list[Core]:
    """Cores by falling fit; right before one comes what is rather said of the event."""
    found: list[Core] = []
    for core in sorted(every, key=lambda core: -core.fit):
        more = kinds().rather.get(core.model.name)
        same = (other for other in every if other.model.name == more)
        found += [o for o in same if o.things == core.things and meanwhile(o, core)]
        found.append(core)
    return list(dict.fromkeys(found))


class Speaker:
    """Makes sentences of cores, and tells no two of the same."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.tracked = 0
        self._chosen: list[tuple[Core, Described]] = []
        self._tried: set[tuple[Core, str]] = set()

    def choose(self, every: Sequence[Core], n: int) -> list[Described]:
        """The first n that can be said and tell of a new motion, then of other participants.

        First come events and what goes on with a way: that somebody walked tells little alone.
        Last comes what was said before, of another time.
        """
        left = list(every)
        for tells_more, alone, again in (
            (_new_motion, False, False),
            (_new_motion, True, False),
            (_more, True, False),
            (_new_motion, True, True),
        ):
            later = []
            for core in left:
                if len(self._chosen) == n:
                    break
                if not all(tells_more(core, told) for told, _ in self._chosen):
                    later.append(core)
                    continue
                sentence = way(self.evidence, core)
                if not alone and len(sentence.words) == len(core.things) == core.model.K == 1:
                    later.append(core)
                    continue
                described = self.described(core, sentence, again)
                if described is not None:
                    self._chosen.append((core, described))
                elif not again:
                    later.append(core)
            left = later
        return [described for _, described in self._chosen]

    def described(self, core: Core, with_way: Sentence, again: bool) -> Described | None:
        """The sentence of a core with its way, or without; None if neither can be said.

        Args:
            core: what is said.
            with_way: the same with the way that fits best.
            again: whether it may be said of another time than before.
        """
        known = [told for when, told in self._chosen if not again or meanwhile(core, when)]
        for things, words in dict.fromkeys((with_way, Sentence(core.things, (core.verb,)))):
            meaning = express(self.evidence, things, words)
            if any(_says_the_same(meaning, told.tracking) for told in known):
                continue
            if (core, meaning.sentence) in self._tried:
                continue
            self._tried.add((core, meaning.sentence))
            self.tracked += 1
            tracking = self.evidence.track(meaning, things, (core.first, core.last))
            lasts = core.model.K > 1 or tracking.end - tracking.start >= LEAST_SECONDS - 1e-6
            told = tracking.depicted and lasts and has_evidence(tracking)
            if told and self._beats_opposite(core):
                span = tracking.start, tracking.end
                return Described(tracking.sentence, tracking.match, *span, core.fit, tracking)
        return None

    def _beats_opposite(self, core: Core) -> bool:
        """Whether a verb fits better than its opposite when it is said, of the same things."""
        name = core.model.grammar.get("opposite")
        opposite = self.evidence.lexicon.words.get(("verb", str(name)))
        if opposite is None or len(opposite.roles) != len(core.things):
            return True
        casts, when = np.array([core.things]), slice(core.first, core.last)
        own, other = (
            moments(self.evidence, model, self.evidence.told(model, casts)[:, when])[0][0]
            for model in (core.model, opposite)
        )
        return bool(own > other)


def has_evidence(tracking: Tracking) -> bool:
    """Whether every word of an answer, and every phase of it, tells more than nothing would."""
    for word in tracking.words:
        if word.part == "noun":
            continue
        states = np.array(word.states)
        if word.margin <= 0 or any(
            word.evidence[states == name].sum() <= 0 for name in set(word.states)
        ):
            return False
    return True


def _new_motion(core: Core, told: Core) -> bool:
    """Whether a core tells of a motion that another does not tell of."""
    return core.mover not in told.things or not meanwhile(core, told)


def _more(core: Core, told: Core) -> bool:
    """Whether a core names somebody whom another does not name."""
    return not {*core.things} <= {*told.things} or not meanwhile(core, told)


def meanwhile(core: Core, told: Core) -> bool:
    """Whether two cores are so at the same time, for the most part."""
    common = min(core.last, told.last) - max(core.first, told.first)
    return common > MEANWHILE * min(core.last - core.first, told.last - told.first)


def _says_the_same(meaning: Meaning, told: Tracking) -> bool:
    """Whether a sentence says no more than another: "walked" after "walked to the left"."""
    other = told.objective.meaning
    mine, theirs = (
        {(w.word, tuple(m.participants[p].noun for p in w.participants)) for w in m.words}
        for m in (meaning, other)
    )
    return mine <= theirs
