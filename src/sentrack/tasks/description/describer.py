"""Say what happens in a clip: the best sentences of the grammar, found by bounds.

A sentence is a core, who did what to whom, and what may be added to it: a way and a manner. Cores
are ranked by how well the verb fits all of the clip, among those in which something moves.
Bounds that need no tracks order the work: a core is tracked only if its bound is above what was
found.
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import overload

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from sentrack.lexicon import Lexicon
from sentrack.objective import least_told
from sentrack.tasks.description.additions import additions
from sentrack.tasks.description.cores import Core, Told, among, cores, express, fragment, verb
from sentrack.tasks.description.evidence import Evidence
from sentrack.tasks.result import Tracking
from sentrack.tasks.tracker import open_lexicon, track
from sentrack.vision import Clip, ClipError, Floats

# A verb must fit at least this well, where 1 is a typical depiction and 0 is nothing.
LEAST = 0.5
# Frame heights that who acts or what is moved must move; what rests is not told.
MOVED = 0.03
# Of a typical depiction: what a verb must fit better if only who acts moves.
RESTS = 0.5
SURE = 0.5  # probability of a detection that is worth telling
OFTEN = 0.2  # of the frames in which a class must be seen
STEADY = 0.2  # seconds over which its place is the median


@dataclass(frozen=True, eq=False)
class Described:
    """One sentence of a description.

    Attributes:
        sentence: in English.
        match: 0..1, as `track` has it.
        fit: what it is ranked by: how well its verb fits, 1 in a typical depiction, and more for
            naming participants.
        tracking: of the sentence.
    """

    sentence: str
    match: float
    fit: float
    tracking: Tracking


@dataclass(frozen=True, eq=False)
class Description(Sequence[Described]):
    """Sentences, the most telling first, and what it took to find them.

    Attributes:
        sentences: at most as many as asked for.
        fragment: number of sentences they were chosen from.
        bounded: number of cores whose gain was bounded.
        solved: number of cores that were tracked.
    """

    sentences: tuple[Described, ...]
    fragment: int
    bounded: int
    solved: int

    @overload
    def __getitem__(self, index: int) -> Described: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Described]: ...
    def __getitem__(self, index: int | slice) -> Described | Sequence[Described]:
        return self.sentences[index]

    def __len__(self) -> int:
        return len(self.sentences)


def describe(clip: Clip, n: int = 5, lexicon: Lexicon | str | Path | None = None) -> Description:
    """The sentences that tell best what happens in a clip.

    Each tells of a motion that those before it do not tell of; if there are not enough of these,
    others follow that speak of other participants. There are fewer than n if no more is seen.

    Args:
        clip: the detections.
        n: how many sentences at most.
        lexicon: or its name or file; `everyday` by default.

    Raises:
        ClipError: when nothing was detected in the clip.
    """
    scene = Evidence(_sure(clip), open_lexicon(lexicon))
    every = list(cores(scene))
    search = Search(scene, every)
    described = [_described(clip, scene, told) for told in choose(search, n)]
    return Description(
        tuple(each for each in described if each is not None),
        fragment(scene, len(every)),
        len(every),
        search.solved,
    )


def _sure(clip: Clip) -> Clip:
    """A clip of what was surely seen: nobody asked for these things, so none may be made up.

    Boxes that are more probably false are left out, and so are classes that are hardly ever seen.
    """
    if not clip.score.size or clip.score.min() < 0 or clip.score.max() > 1:
        return clip
    kept = clip.score >= SURE
    seen = np.unique(np.stack([clip.label[kept], clip.frame_of[kept]]), axis=1)[0]
    often = np.bincount(seen, minlength=clip.label.max() + 1) >= OFTEN * clip.T
    return clip.only(kept & often[clip.label])


class Search:
    """Cores by falling fit, tracking no more of them than that takes."""

    def __init__(self, scene: Evidence, every: Sequence[Core]) -> None:
        self.scene = scene
        self.solved = 0
        self._queue: list[tuple[float, int, Core | Told]] = [
            (-bound, i, core)
            for i, (core, bound) in enumerate(zip(every, bounds(scene, every), strict=True))
        ]
        heapq.heapify(self._queue)

    def __iter__(self) -> Iterator[Told]:
        while self._queue:
            bound, i, best = heapq.heappop(self._queue)
            if isinstance(best, Told):
                yield best
            elif -bound - max(best.favour, 0.0) > LEAST:
                self.solved += 1
                told = tell(self.scene, best)
                if told is not None:
                    heapq.heappush(self._queue, (-told.fit, i, told))


def fit(core: Core, total: float, frames: int) -> float:
    """How well a core fits.

    Args:
        core: what is said.
        total: nats of evidence for its verb less what its tracks lack.
        frames: of which the verb tells.
    """
    return total / (frames * core.model.information) + core.favour


def bounds(scene: Evidence, every: Sequence[Core]) -> list[float]:
    """No core fits better than this; cores of one verb must follow each other."""
    found: list[float] = []
    for model, group in groupby(every, key=lambda core: core.model):
        same = list(group)
        totals = scene.by_frames(model, [core.nouns for core in same])
        frames = (
            scene.clip.T if model.K == 1 else least_told(model, scene.clip.seconds, scene.clip.T)
        )
        found += [fit(core, total, frames) for core, total in zip(same, totals, strict=True)]
    return found


def tell(scene: Evidence, core: Core) -> Told | None:
    """Track a core and read how it fits.

    None if its participants cannot be different things, nothing moves or a phase has no evidence.
    """
    model = core.model
    solved = scene.solve(model, core.nouns)
    if solved is None:
        return None
    (tracks, states), chain = solved, scene.chain(model)
    played = list(zip(scene.kinds(model, core.nouns), tracks, strict=True))
    boxes = np.array([kind.follow(track) for kind, track in played])
    told = chain.spread(scene.told(model, core.nouns), 0.0)
    evidence = told[(np.arange(scene.clip.T), states, *tracks)]
    moves = chain.transition[states[:-1], states[1:]]
    total = float(evidence.sum() + chain.initial[states[0]] + moves.sum())
    total += sum(kind.lack(track) for kind, track in played)
    phase = chain.state[states]
    phases = np.bincount(phase, evidence, model.K)[np.unique(phase[phase < model.K])]
    moved = [_travel(scene, thing) >= MOVED for thing in boxes[[0, model.moves]]]
    frames = chain.frames_told(model, scene.clip.seconds, states)
    fits = fit(core, total, frames) - (0.0 if moved[1] else RESTS)
    if not fits - max(core.favour, 0.0) > LEAST or phases.min() <= 0 or not any(moved):
        return None
    return Told(core, fits, tracks, boxes)


def _travel(scene: Evidence, boxes: Floats) -> float:
    """How far apart the places are that a thing comes to, given (T, 4) boxes, in frame heights."""
    centre = 0.5 * (boxes[:, :2] + boxes[:, 2:]) / scene.clip.size[1]
    width = min(len(centre), max(1, round(STEADY / scene.clip.seconds)))
    places = np.median(sliding_window_view(centre, width, axis=0), axis=-1)
    return float(np.hypot(*np.ptp(places, axis=0)))


def choose(found: Iterable[Told], n: int) -> list[Told]:
    """The first n that tell of a new motion; failing that, of other participants."""
    chosen: list[Told] = []
    spare: list[Told] = []
    for told in found:
        if len(chosen) == n:
            break
        if not any(among(told.mover, other.movers) for other in chosen):
            chosen.append(told)
        elif not any(_repeats(told, other) for other in [*chosen, *spare]):
            spare.append(told)
    for told in spare:
        if len(chosen) < n and not any(_repeats(told, other) for other in chosen):
            chosen.append(told)
    return chosen


def _repeats(told: Told, other: Told) -> bool:
    """Whether all participants of a core are those of another."""
    return all(among(boxes, other.boxes) for boxes in told.boxes)


def _described(clip: Clip, scene: Evidence, told: Told) -> Described | None:
    """The sentence of a core with what can be added to it; None if the clip cannot show it."""
    tracking = None
    for nouns, words in (additions(scene, told), (told.core.nouns, (verb(told.core),))):
        try:
            tracking = track(clip, express(scene, nouns, words), scene.lexicon, whole=True)
        except ClipError:  # with doubtful boxes among them, they are too few different things
            continue
        if all(word.margin > 0 for word in tracking.words if word.part != "noun"):
            break
    if tracking is None:
        return None
    return Described(tracking.sentence, tracking.match, told.fit, tracking)
