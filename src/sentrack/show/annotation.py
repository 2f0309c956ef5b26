"""Annotated video: tracks on the picture, and below it what each word is doing."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from sentrack.errors import SentrackError
from sentrack.language import pieces
from sentrack.progress import Report, silent
from sentrack.show.drawing import (
    WHITE,
    Moving,
    chip,
    chip_extent,
    draw_marks,
    draw_rejected,
    extent,
    movings,
    span,
    text_size,
    write,
)
from sentrack.show.palette import Colour, colour
from sentrack.show.video_writer import VideoWriter
from sentrack.tasks import TrackedWord, Tracking
from sentrack.vision.scan import Frame, Image

LEAST_PICTURE = 480  # pixels of height, or of twice the width: smaller pictures are enlarged
TIME_TOLERANCE = 1e-3  # seconds that the times of a frame and a track may differ
EVIDENCE = (-2.0, 2.0)  # nats: the dimmest and the brightest of a band
STATES: tuple[Colour, Colour] = ((186, 134, 98), (214, 200, 150))  # a word's first and last state
EDGE: Colour = (40, 35, 30)  # of text on a band


@dataclass(frozen=True)
class Theme:
    """Colours of a caption: its ground, its text, what stands back, and a proof."""

    ground: Colour
    ink: Colour
    faint: Colour
    proof: Colour


DARK = Theme((34, 28, 26), (240, 240, 240), (160, 150, 145), (150, 215, 120))
LIGHT = Theme((255, 255, 255), (30, 25, 25), (125, 115, 110), (60, 130, 30))


def annotate(
    trackings: Sequence[Tracking],
    frames: Iterable[Frame],
    path: Path,
    *,
    candidates: bool = False,
    report: Report = silent,
) -> None:
    """Write an MP4 file that shows the tracks of all sentences and the states of their words.

    Args:
        trackings: answers about one video.
        frames: of that video, in order of time; those outside of the tracked span are left out, and
            boxes in between tracked frames are interpolated.
        path: of the file.
        candidates: also draw the candidates that were not chosen.
        report: told of the frames drawn.

    Raises:
        SentrackError: the file cannot be written, or no frame lies in the tracked span.
    """
    start, end = span(trackings)
    scene, first = None, start
    with VideoWriter(path, trackings[0].objective.clip.fps) as writer:
        for done, frame in enumerate(between(frames, start, end), 1):
            if scene is None:
                scene = Overlay(trackings, frame.image.shape[1], frame.image.shape[0], candidates)
                first = frame.time
            writer.write(scene.draw(frame), frame.time)
            passed = frame.time - first
            total = 1 + (done - 1) * (end - first) / passed if passed > 0 else None
            report("render", done, total)


def between(frames: Iterable[Frame], start: float, end: float) -> Iterator[Frame]:
    """The frames of a span, at least one."""
    found = False
    for frame in frames:
        if frame.time > end + TIME_TOLERANCE:
            break
        if frame.time >= start - TIME_TOLERANCE:
            found = True
            yield frame
    if not found:
        raise SentrackError(
            f"the video has no frame between {start:.2f} s and {end:.2f} s, where the tracks are"
        )


class Overlay:
    """Draws annotated frames of one size; what does not move is drawn only once."""

    def __init__(
        self, trackings: Sequence[Tracking], width: int, height: int, candidates: bool
    ) -> None:
        factor = max(-(-LEAST_PICTURE // height), -(-LEAST_PICTURE // (2 * width)))
        self.size = width * factor, height * factor
        self.moving = movings(trackings, self.size)
        self.candidates = candidates
        self.caption = Caption(self.moving, self.size[0], text_size(*self.size), DARK)
        canvas = np.empty((self.size[1] + self.caption.height, self.size[0], 3), np.uint8)
        self.canvas, self.picture = canvas, canvas[: self.size[1]]

    def draw(self, frame: Frame) -> Image:
        """The annotated frame, valid until the next one is drawn."""
        cv2.resize(frame.image, self.size, dst=self.picture)
        now = [moving.at(frame.time) for moving in self.moving]
        if self.candidates:
            for moving, (t, _) in zip(self.moving, now, strict=True):
                if moving.covers(frame.time):
                    draw_rejected(self.picture, moving.rejected(t))
        marks = [mark for _, marks in now for mark in marks]
        draw_marks(self.picture, marks, self.caption.size)
        self.caption.draw(self.canvas[self.size[1] :], frame.time, [t for t, _ in now])
        return self.canvas


class Caption:
    """Sentences with their nouns in colour, and a band over time for every other word.

    A band is coloured by state, and the brighter the better the word explains the frame.

    Args:
        sentences: and their tracks.
        width: in pixels.
        size: of the text.
        theme: colours.
        current: whether the names of the current states stand to the right of the bands.
    """

    def __init__(
        self, sentences: Sequence[Moving], width: int, size: int, theme: Theme, current: bool = True
    ) -> None:
        self.size, self.theme, self.pad = size, theme, size // 2
        self.small = max(round(0.8 * size), 11)
        self.row = extent("", size)[1] + size // 4
        self.band = self.row - size // 5  # pixels of height
        trackings = [moving.tracking for moving in sentences]
        self.start, self.end = span(trackings)
        words = [word for tracking in trackings for word in tracking.words if _banded(word)]
        self.dots = size * max([len(word.participants) for word in words], default=0)
        names = [extent(word.word, size)[0] for word in words]
        self.left = min(2 * self.pad + self.dots + max(names, default=0), width // 2)
        states = {name for tracking in trackings for name in _states(tracking) if current}
        room = max([extent(name, size)[0] + self.pad for name in states], default=0)
        self.right = max(self.left + 2, width - self.pad - room)
        self.tops: list[tuple[int, int, int]] = []  # sentence, word, and where its band begins
        lines = sum(len(t.sentence.split()) + len(t.words) + 2 for t in trackings)
        self.told = np.full(((lines + 2) * (self.row + self.pad), width, 3), theme.ground, np.uint8)
        self._draw_still(sentences)
        self.untold = self.told.copy()
        for _, _, y in self.tops:
            part = self.untold[y : y + self.band, self.left : self.right]
            part[:] = (0.35 * part + 0.65 * np.array(theme.ground)).astype(np.uint8)
        self.sentences = sentences
        self.current = [
            (m, trackings[m].words[w].states, y)
            for m, w, y in self.tops
            if current and trackings[m].objective.models[w].K > 1
        ]

    def draw(self, image: Image, time: float, frames: Sequence[int]) -> None:
        """The caption at a time, on an image of its size, given each sentence's tracked frame."""
        x = self.x(time)
        image[:, :x], image[:, x:] = self.told[:, :x], self.untold[:, x:]
        self._mark(image, time)
        for m, states, y in self.current:
            if self.sentences[m].covers(time):
                write(image, states[frames[m]], self.right + self.pad, y, self.size, self.theme.ink)

    def draw_all(self, image: Image, times: Sequence[float]) -> None:
        """The caption of the whole span, on an image of its size, with some times marked."""
        image[:] = self.told
        free, digits = 0, decimals(times)
        for time in times:
            free = self._mark(image, time, free, digits)

    def x(self, time: float) -> int:
        """Where a time is, across."""
        share = (time - self.start) / max(self.end - self.start, 1e-9)
        return round(self.left + float(np.clip(share, 0, 1)) * (self.right - 1 - self.left))

    def _mark(self, image: Image, time: float, free: int = 0, digits: int = 1) -> int:
        """A line across all bands, and the time below them where there is room.

        Args:
            image: to be drawn on.
            time: in seconds.
            free: pixels across, from which on there is no other time.
            digits: of the time, after the point.

        Returns:
            From where on there is none now.
        """
        x, half = self.x(time), max(1, self.size // 14)
        for _, _, y in self.tops:
            image[y : y + self.band, x - half : x + half] = self.theme.ink
        text = f"{time:.{digits}f} s"
        width, height = extent(text, self.small)
        x = min(max(x - width // 2, 0), int(image.shape[1]) - width - self.pad // 2)
        if x < free:
            return free
        y = image.shape[0] - height - self.pad // 2
        write(image, text, x, y, self.small, self.theme.faint)
        return x + width + self.pad

    def _draw_still(self, sentences: Sequence[Moving]) -> None:
        """What does not change, and how high all of it is."""
        y = self.pad
        for m, moving in enumerate(sentences):
            y = self._title(moving, y)
            for w, word in enumerate(moving.tracking.words):
                if _banded(word):
                    self.tops.append((m, w, y))
                    self._word(moving, w, y)
                    y += self.row
            y += self.pad
        y += extent("", self.small)[1]
        self.told = self.told[: y + y % 2]
        self.height = len(self.told)

    def _title(self, moving: Moving, y: int) -> int:
        """The sentence in as many lines as it needs, match and proof; returns where it ends."""
        tracking, size, end = moving.tracking, self.size, self.told.shape[1] - self.pad
        x, space = self.pad, size // 3
        stop = extent(".", size)[0]
        for piece in pieces(tracking.objective.meaning):
            text, noun = piece.text.strip(), piece.participant is not None
            wide = (chip_extent if noun else extent)(text, size)[0] if text else 0
            if x > self.pad and wide > stop and x + wide + stop > end:
                x, y = self.pad, y + self.row
            if piece.participant is not None:
                ground = colour(moving.first + piece.participant)
                chip(self.told, text, x, y - size // 8, size, ground)
            elif text:
                write(self.told, text, x, y, size, self.theme.ink)
            x += wide + (space if piece.text.endswith(" ") else 0)
        verdict = "depicted" if tracking.depicted else "not depicted"
        match = f"match {tracking.match:.2f}, {verdict}"
        proof = "best tracks" if tracking.certified else "tracks not proven best"
        place = end - extent(proof, size)[0]
        begin = place - 2 * space - extent(match, size)[0]
        y += self.row if x > begin else 0
        write(self.told, match, begin, y, size, self.theme.faint)
        tone = self.theme.proof if tracking.certified else self.theme.faint
        write(self.told, proof, place, y, size, tone)
        return y + self.row

    def _word(self, moving: Moving, w: int, y: int) -> None:
        """Dots for the participants that a word is about, its name, and its band."""
        word, radius = moving.tracking.words[w], self.size // 4
        for k, p in enumerate(word.participants):
            centre = self.pad + k * self.size + radius, y + self.band // 2
            cv2.circle(self.told, centre, radius, colour(moving.first + p), cv2.FILLED, cv2.LINE_AA)
        write(self.told, word.word, self.pad + self.dots, y, self.size, self.theme.ink)
        times, K = moving.times, moving.tracking.objective.models[w].K
        first, last = self.x(times[0]), self.x(times[-1]) + 1
        seconds = np.linspace(times[0], times[-1], last - first)
        nearest = np.searchsorted((times[1:] + times[:-1]) / 2, seconds)
        low, high = EVIDENCE
        light = 0.45 + 0.55 * np.clip((word.evidence[nearest] - low) / (high - low), 0, 1)
        tracking = moving.tracking
        state = tracking.objective.states(w, tracking.solution.states)[nearest]
        band = self.told[y : y + self.band, first:last]
        shades = np.array([*np.linspace(*STATES, K), self.theme.ground])
        band[:] = (shades[state] * light[:, None]).astype(np.uint8)
        changes = [0, *(np.flatnonzero(np.diff(state)) + 1), len(state)]
        for begin, end in pairwise(changes):
            name = word.states[nearest[begin]]
            width, height = extent(name, self.small)
            if K > 1 and width + self.pad < end - begin:
                place = int(begin) + self.pad // 2, (self.band - height) // 2
                write(band, name, *place, self.small, WHITE, EDGE)


def decimals(times: Iterable[float]) -> int:
    """How many digits after the point tell times apart: one, or two where one is not enough."""
    different = {*times}
    return 1 if len({f"{time:.1f}" for time in different}) == len(different) else 2


def _banded(word: TrackedWord) -> bool:
    return word.part != "noun"


def _states(tracking: Tracking) -> Iterator[str]:
    """The names of states that tell something: those of words that have several."""
    for word, model in zip(tracking.words, tracking.objective.models, strict=True):
        if _banded(word) and model.K > 1:
            yield from model.states
