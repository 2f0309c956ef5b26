"""What words tell of the things of a clip."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from sentrack.boxes import area, shared
from sentrack.language import Meaning
from sentrack.lexicon import Lexicon, Observed, WordModel
from sentrack.objective import interval
from sentrack.scene import Scene, measure
from sentrack.tasks.result import Tracking
from sentrack.tasks.tracker import RATE, best_moment
from sentrack.text import canonical
from sentrack.vision import Bools, Clip, ClipError, Floats, Ints

DEPTH = 2.5  # times that a way into the picture is longer than it looks, seen from above heads
EDGE = 0.01  # frame heights from the border of the picture that are no distance
MEET = 0.1  # part of the smaller of two boxes that they share from which on they meet
STEADY = 0.01  # frame heights per second by which a camera that rests seems to move


class Evidence:
    """The things of a clip, and what words tell of them.

    Args:
        clip: what was seen, with an identity for every detection.
        lexicon: what words mean.

    Attributes:
        lexicon: what words mean.
        vocabulary: its words with the clip's classes as nouns.
        clip: at most RATE frames in a second, with gaps bridged.
        things: (M,) identities.
        nouns: of the M things.
        place: (M, T) which candidate of a frame each of them is; -1 where it is not there.

    Raises:
        ClipError: when nothing was detected in the clip.
    """

    def __init__(self, clip: Clip, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.vocabulary = lexicon.vocabulary().with_nouns(clip.classes)
        sayable = np.array([bool(canonical(name)) for name in clip.classes], dtype=np.bool_)
        clip = clip.only(sayable[clip.label])
        self._classes = tuple(clip.classes[n] for n in np.unique(clip.label))
        if not self._classes:
            raise ClipError(f"{clip.name}: nothing was detected in it, so nothing can be said")
        self._measured = measure(clip, frozenset(self._classes), identity=True, rate=RATE)
        self.clip = self._measured.clip
        found = self._measured.candidates(self._classes)
        assert found is not None
        self._players = found
        self.things, first = np.unique(clip.id, return_index=True)
        self.nouns = tuple(canonical(clip.classes[clip.label[row]]) for row in first)
        id = np.where(found.real, self.clip.id[found.rows], -1)
        frame, column = np.nonzero(np.isin(id, self.things))
        self.place = np.full((len(self.things), self.clip.T), -1)
        self.place[np.searchsorted(self.things, id[frame, column]), frame] = column

    def told(self, model: WordModel, casts: Ints) -> Floats:
        """(N, T, K): what the states of a word tell of N casts, in nats over the background.

        -inf where one of a cast is not there, and 0 where one of them is not seen: hidden for a
        moment, it says nothing.

        Args:
            model: of the word.
            casts: (N, I) which things play its roles.
        """
        place = self.place[casts]
        T = np.arange(self.clip.T)
        tables = model.tables()
        h: Floats = np.zeros((len(casts), model.K, self.clip.T))
        for members, table in tables:
            code = np.zeros((len(casts), self.clip.T), dtype=np.int64)
            for observed in members:
                code = code * len(observed.feature.bins) + self._bins(observed, place)
            h += np.moveaxis(table[:, code], 0, 1)
        h = np.moveaxis(model.noisy(h) if len(tables) > 1 else h, 1, 2) - model.background
        hidden: Bools = np.any(self._measured.untold(self._players)[T, place], axis=1)
        h = np.where(hidden[..., None], 0.0, h)
        there: Bools = np.all(place >= 0, axis=1)
        return np.where(there[..., None], h, -np.inf)

    def _bins(self, observed: Observed, place: Ints) -> Ints:
        """(N, T): the bins of a feature, given where the roles of a word are (N, I, T)."""
        bins = self._measured.bins(observed.feature, [self._players] * observed.feature.arity)
        at = (place[:, role] for role in observed.roles)
        return np.asarray(bins[(np.arange(self.clip.T), *at)], dtype=np.int64)

    @cached_property
    def paths(self) -> Floats:
        """(M, T, 2): where each thing has come to, by its own motion, in its own smaller sides.

        That of the camera is no part of it. What is not there stays where it was.
        """
        who, T, there = self._players.candidates, np.arange(self.clip.T), self.place >= 0
        step = np.where(there[..., None], who.velocity[T, self.place] * self.clip.seconds, 0.0)
        side = np.where(there, who.extent[T, self.place].min(axis=-1), np.nan)
        usual = np.maximum(np.nanmedian(side, axis=1), 1e-6)
        return np.asarray(np.cumsum(step, axis=1) / usual[:, None, None])

    def steady(self, first: int, last: int) -> bool:
        """Whether the camera rests in some frames, by the background of all that is seen there."""
        rows = slice(*self.clip.start[[first, last]])
        seen = ~self.clip.projected[rows]
        moved = np.hypot(*self.clip.camera[rows][seen].T)
        return not len(moved) or bool(np.median(moved) <= STEADY)

    def outruns_camera(self, thing: int, first: int, last: int) -> bool:
        """Whether a thing moves faster than the camera does, in some frames."""
        frames, place = np.arange(first, last), self.place[thing, first:last]
        own = self._players.candidates.velocity[frames, place]
        camera = self.clip.camera[self._players.rows[frames, place]]
        return bool(np.hypot(*own.T).mean() > np.hypot(*camera.T).mean())

    def cut_off(self, thing: int, first: int, last: int) -> bool:
        """Whether the border of the picture cuts a thing off in some frames."""
        place = self.place[thing, first:last]
        boxes = self.clip.boxes[self._players.rows[np.arange(first, last), place]]
        edge, size = EDGE * self.clip.size[1], np.array(self.clip.size)
        out = (boxes[:, :2] <= edge).any() or (boxes[:, 2:] >= size - edge).any()
        return bool(out)

    def crossed(self, thing: int, first: int, last: int) -> Ints:
        """The things of the same noun whose boxes meet that of a thing in some frames.

        There it is not sure which box shows which of them.
        """
        same = [n for n, noun in enumerate(self.nouns) if noun == self.nouns[thing] and n != thing]
        T, place = np.arange(first, last), self.place[:, first:last]
        boxes = self.clip.boxes[self._players.rows[T, place]]
        own, others = boxes[thing], boxes[same]
        least = np.minimum(area(own), area(others))
        meet = shared(own, others) > MEET * least
        there = (place[same] >= 0) & (place[thing] >= 0)
        return np.asarray(np.array(same, dtype=np.int64)[(meet & there).any(axis=1)])

    def gap(self, thing: int, other: int, on_ground: bool) -> Floats:
        """(T,): how far apart two things are, in the larger sides of the smaller one.

        NaN where one of them is not there.

        Args:
            thing: one.
            other: the other.
            on_ground: whether both stand on the ground, of which a camera sees less in depth than
                across; else it is between their boxes.
        """
        T, place = np.arange(self.clip.T), self.place[[thing, other]]
        boxes = self.clip.boxes[self._players.rows[T, place]]
        low, high = boxes[..., :2].max(axis=0), boxes[..., 2:].min(axis=0)
        side = (boxes[..., 2:] - boxes[..., :2]).max(axis=-1).min(axis=0)
        across, down = np.maximum(low - high, 0.0).T
        if on_ground:
            down = DEPTH * np.abs(np.diff(boxes[..., 3], axis=0)[0])
        apart = np.hypot(across, down) / np.maximum(side, 1e-6)
        return np.where((place >= 0).all(axis=0), apart, np.nan)

    def track(self, meaning: Meaning, things: Sequence[int], frames: tuple[int, int]) -> Tracking:
        """What `track` answers where it is settled who takes part, within some frames.

        Args:
            meaning: what is said.
            things: which one each participant is.
            frames: the first one, and that after the last.
        """
        models = tuple(self.lexicon.model(word.word, word.part) for word in meaning.words)
        only = [self._measured.candidates(self._classes, int(self.things[n])) for n in things]
        candidates = tuple(each for each in only if each is not None)
        scene = Scene(meaning, models, candidates, self._measured)
        return best_moment(interval(scene), within=frames)
