"""Cores of sentences: who did what to whom, and when."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sentrack.inference import best_intervals_of_runs
from sentrack.language import Meaning, Participant, Word, distinct_pairs, say
from sentrack.lexicon import WordModel, kinds
from sentrack.objective import DULL, LEAST_SECONDS, Chain, at_least, lasting, least_told
from sentrack.scene import PRESENCE
from sentrack.tasks.description.evidence import Evidence
from sentrack.vision import Floats, Ints

TOLD = 0.3  # what a core fits better for each thing that moves: the motion of more is told
MOMENTS = 3  # of a verb and the same things
LASTS = 1.0  # seconds of nothing that are thought to be seen besides: what lasts longer is surer
NEAR = 1.5  # of the larger side of the smaller one: how near who has to do with another comes to it
ADVANCE = "advance"  # the feature of who comes nearer or goes away
ONWARDS = 2 / 3  # of the room that a motion takes by which it must get away
MOVED = 0.5  # of its own smaller side that a thing must come away to be said to move


@dataclass(frozen=True, eq=False)
class Core:
    """A verb, the things that play its roles, and when.

    Attributes:
        model: of the verb.
        things: one for each of its roles.
        first: frame.
        last: the frame after the last one.
        fit: how well the verb fits them there, as a part of what it could tell at best, less for
            what is soon over and more for each thing that moves.
    """

    model: WordModel
    things: tuple[int, ...]
    first: int
    last: int
    fit: float

    @property
    def mover(self) -> int:
        """The thing that the verb moves."""
        return self.things[self.model.moves]

    @property
    def verb(self) -> Word:
        """The verb, said of all its participants in order."""
        return Word(self.model.name, tuple(range(len(self.things))), "verb")


def chain_of(model: WordModel, evidence: Evidence) -> Chain:
    """How a word goes through its states in a moment of its own."""
    seconds, T = evidence.clip.seconds, evidence.clip.T
    chain = lasting(model, seconds, T)
    return chain if model.K > 1 else at_least(chain, min(T, round(LEAST_SECONDS / seconds)))


def best_moments(
    evidence: Evidence, model: WordModel, casts: Ints
) -> Iterator[tuple[int, float, int, int]]:
    """Moments of casts (N, I) that fit a verb and do not overlap: MOMENTS of each at most.

    Yields:
        The number of the cast, the fit, the first frame and the one after the last.
    """
    told = evidence.told(model, casts)
    left = np.arange(len(casts))
    for _ in range(MOMENTS):
        fit, first, last = moments(evidence, model, told)
        found = fit > 0
        for n in np.flatnonzero(found):
            yield int(left[n]), float(fit[n]), int(first[n]), int(last[n])
            told[n, first[n] : last[n]] = -np.inf
        told, left = told[found], left[found]


def moments(evidence: Evidence, model: WordModel, told: Floats) -> tuple[Floats, Ints, Ints]:
    """(N,) three times: how well a verb fits N casts at best, the first frame, and after the last.

    The fit is relative to what the word could tell at best, as that of `match` is; -inf for a cast
    of which it cannot be said at all.

    Args:
        evidence: of the clip.
        model: of the verb.
        told: (N, T, K) what it tells of them.
    """
    chain = chain_of(model, evidence)
    N, T, K = told.shape
    score, first, last = best_intervals_of_runs(
        chain.initial,
        chain.transition,
        chain.state,
        chain.final,
        (told - DULL).reshape(-1, K),
        np.arange(N + 1) * T,
    )
    least = least_told(model, evidence.clip.seconds, T) if model.K > 1 else 1
    lasts = last - first
    return (score + DULL * lasts) / np.maximum(lasts, least) / model.most, first, last


def cores(evidence: Evidence) -> Iterator[Core]:
    """Every verb with all things that can play its roles, at the best moment of each.

    A word that looks at whether something is there takes it for evidence that nothing was
    detected, which is never sure: it is not said.
    """
    verbs: list[WordModel] = []
    for model in evidence.lexicon.words.values():
        if model.part != "verb" or not model.observed or model.roles_of(PRESENCE):
            continue
        weaker = kinds().instead.get(model.name)
        if ("verb", weaker) in evidence.lexicon.words:
            continue
        if any(is_converse(model, other) for other in verbs):
            continue
        verbs.append(model)
        casts = possible(evidence, model)
        if not len(casts):
            continue
        for n, fit, first, last in best_moments(evidence, model, casts):
            core = Core(model, tuple(map(int, casts[n])), first, last, fit)
            if _surely(evidence, core):
                yield replace(core, fit=_ranked(evidence, core))


def possible(evidence: Evidence, model: WordModel) -> Ints:
    """(N, I): the different things that can play the roles of a word and are there together."""
    least = round(LEAST_SECONDS / evidence.clip.seconds) if model.K == 1 else 1
    there = evidence.place >= 0
    found = np.empty((1, 0), dtype=np.int64)
    for role in range(len(model.roles)):
        can = [n for n, noun in enumerate(evidence.nouns) if kinds().can(model.name, role, noun)]
        pairs = np.array([[*cast, n] for cast in found for n in can if n not in cast])
        found = pairs.reshape(-1, role + 1).astype(np.int64)
        together = there[found].all(axis=1).sum(axis=1) >= min(least, evidence.clip.T)
        found = found[together]
    return found


def _ranked(evidence: Evidence, core: Core) -> float:
    """How well a core fits, less for what is soon over and more for each motion it tells of."""
    lasts = (core.last - core.first) * evidence.clip.seconds
    moving = sum(moves(evidence, thing, core) for thing in core.things)
    return core.fit * lasts / (lasts + LASTS / core.model.K) + TOLD * moving


def _surely(evidence: Evidence, core: Core) -> bool:
    """Whether a core is more than what detections and the camera make of something else.

    What the verb moves must move, or be touched by a hand that does; so must whoever it says
    comes nearer or goes away, as who is followed does; the others must be near. Where the camera
    moves, it is sure at most that something moves that is faster than the camera and does not just
    sway; where another of its kind crosses it, or the border of the picture cuts it off, no event
    is.
    """
    model = core.model
    if not evidence.steady(core.first, core.last) and (
        model.K > 1
        or len(core.things) > 1
        or not evidence.outruns_camera(core.mover, core.first, core.last)
        or _sways(evidence, core)
    ):
        return False
    moved = moves(evidence, core.mover, core) or _reached(evidence, core)
    advancing = {o.roles[0] for o in model.observed if o.feature.name == ADVANCE} - {model.moves}
    moved = moved and all(moves(evidence, core.things[role], core) for role in advancing)
    if not moved or not near(evidence, core):
        return False
    if model.K == 1:
        return True
    span = core.first, core.last
    clear = {*evidence.crossed(core.mover, *span)} <= {*core.things}
    return clear and not evidence.cut_off(core.mover, *span)


def _reached(evidence: Evidence, core: Core) -> bool:
    """Whether a hand moves and touches what the verb moves: what it does there is handling it."""
    agent = core.things[0]
    return (
        "hand" in kinds().of(evidence.nouns[agent])
        and moves(evidence, agent, core)
        and bool(gaps(evidence, agent, core.mover, core).min() == 0)
    )


def moves(evidence: Evidence, thing: int, core: Core) -> bool:
    """Whether a thing comes away from where it was, while a core is so."""
    path = evidence.paths[thing, core.first : core.last]
    return bool(np.hypot(*np.ptp(path, axis=0)) >= MOVED)


def _sways(evidence: Evidence, core: Core) -> bool:
    """Whether what a verb moves comes back, for the most part, from where it was going."""
    path = evidence.paths[core.mover, core.first : core.last]
    return bool(np.hypot(*(path[-1] - path[0])) < ONWARDS * np.hypot(*np.ptp(path, axis=0)))


def near(evidence: Evidence, core: Core) -> bool:
    """Whether those who take part come near to who acts, while that is said, if not too near."""
    agent, *others = core.things
    apart = kinds().apart.get(core.model.name, 0.0)
    found = (gaps(evidence, agent, other, core) for other in others)
    return all(gap.min() <= NEAR and np.median(gap) >= apart for gap in found)


def gaps(evidence: Evidence, thing: int, other: int, core: Core) -> Floats:
    """(frames,): how far apart two things are while a core is so."""
    on_ground = all("stands" in kinds().of(evidence.nouns[n]) for n in (thing, other))
    return evidence.gap(thing, other, on_ground)[core.first : core.last]


def is_converse(model: WordModel, other: WordModel) -> bool:
    """Whether a verb says of two what another says of them the other way round."""

    def looks(word: WordModel, turn: int) -> dict[tuple[str, tuple[int, ...]], Floats]:
        return {
            (o.feature.name, tuple(abs(turn - role) for role in o.roles)): output
            for o, output in zip(word.observed, word.outputs, strict=True)
        }

    mine, theirs = looks(model, 0), looks(other, 1)
    return (
        len(model.roles) == len(other.roles) == 2
        and mine.keys() == theirs.keys()
        and all(np.array_equal(mine[key], theirs[key]) for key in mine)
    )


def express(evidence: Evidence, things: tuple[int, ...], words: tuple[Word, ...]) -> Meaning:
    """What words say of things, in English; a noun that is said again is "another"."""
    nouns = [evidence.nouns[n] for n in things]
    people = tuple(
        Participant(noun, "another" if noun in nouns[:i] else "the", i + 1)
        for i, noun in enumerate(nouns)
    )
    said = (*(Word(noun, (i,), "noun") for i, noun in enumerate(nouns)), *words)
    unsaid = Meaning("", people, said, distinct_pairs(people, said))
    return Meaning(say(unsaid, evidence.vocabulary), people, said, unsaid.distinct)
