"""Boxes that somebody put right: which thing a participant is, and where, in some frames.

A box that was put right says which thing the participant is: the one that was detected there, or
one that the detector missed. That is said by identities, which `sentrack.scene` believes: all that
is put right of a participant is one thing, and between two of its boxes that thing is on the line
between them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sentrack.boxes import centre, iou
from sentrack.scene import identified, is_away
from sentrack.vision import Clip, ClipError, clip_from_arrays

SAME_BOX_IOU = 0.5  # from which on a detection is what somebody drew a box around

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RightBox:
    """Where a participant really is in a frame: x1 y1 x2 y2, in pixels.

    Attributes:
        participant: its number in the sentence, from 0.
        frame: number of the source frame.
        box: the box.
    """

    participant: int
    frame: int
    box: tuple[float, float, float, float]


@dataclass(frozen=True, eq=False)
class Corrected:
    """A clip in which boxes were put right.

    Attributes:
        clip: with what was missed; what was put right has an identity.
        things: the identity of every participant that was put right.
        frames: per such participant, the numbers of the frames in which it was.
    """

    clip: Clip
    things: Mapping[int, int]
    frames: Mapping[int, Ints]

    def allowed(self, clip: Clip, participants: int) -> tuple[Bools | None, ...]:
        """Per participant, (N,) which detections of a measured clip it may be; None for all.

        Args:
            clip: this one, as a scene has it: thinned, filled in, and with what is away.
            participants: of the sentence.
        """
        found: list[Bools | None] = [None] * participants
        away, number = is_away(clip), clip.frames[clip.frame_of]
        for p, thing in self.things.items():
            own = clip.id == thing
            # A frame in which the box is left out for want of room shows nothing of it.
            there = self.frames[p][np.isin(self.frames[p], number[own & ~away])]
            found[p] = (own | away) & ~(away & np.isin(number, there))
        return tuple(found)


def put_right(
    clip: Clip, nouns: Sequence[tuple[str, Sequence[str]]], boxes: Sequence[RightBox]
) -> Corrected:
    """Take over boxes that somebody put right.

    Args:
        clip: what was seen.
        nouns: of every participant, and the classes of the clip that it names.
        boxes: that were put right.

    Raises:
        ClipError: a box is of no participant, in no frame, or of no class that the clip has; or
            two participants are the same thing.
    """
    for each in boxes:
        if each.participant >= len(nouns):
            text = f"the sentence has {len(nouns)} participants, and no number {each.participant}"
            raise ClipError(f"{clip.name}: {text} to put a box right of")
        if each.frame not in clip.frames:
            raise ClipError(
                f"{clip.name}: frame {each.frame} is not in it, and has a box put right"
            )
    corrected = sorted({each.participant for each in boxes})
    labels = {p: [clip.classes.index(name) for name in nouns[p][1]] for p in corrected}
    every = np.array(sorted({label for own in labels.values() for label in own}), dtype=np.int64)
    seen = identified(clip, every)
    fresh = int(seen.id.max(initial=-1)) + 1
    id, score, sure = clip.id.copy(), clip.score.copy(), clip.score.max(initial=1.0)
    owner: dict[int, int] = {}
    chosen: list[tuple[int, int, int]] = []  # participant, frame, detection
    missed: list[RightBox] = []
    for each in boxes:
        p, t = each.participant, int(np.searchsorted(clip.frames, each.frame))
        here = np.arange(clip.start[t], clip.start[t + 1])
        here = here[np.isin(clip.label[here], labels[p]) & ~clip.projected[here]]
        meets = iou(clip.boxes[here], np.array(each.box))
        if meets.max(initial=0.0) < SAME_BOX_IOU:
            missed.append(each)
            continue
        row = int(here[meets.argmax()])
        if owner.setdefault(int(seen.id[row]), p) != p:
            raise ClipError(f"{clip.name}: boxes put right of two participants show the same thing")
        chosen.append((p, t, row))
    for thing, p in owner.items():
        id[seen.id == thing] = fresh + p
    for p, t, row in chosen:
        here = np.arange(clip.start[t], clip.start[t + 1])
        id[here[(id[here] == fresh + p) & (here != row)]] = -1
        score[row] = sure
    for each in missed:
        t = int(np.searchsorted(clip.frames, each.frame))
        here = np.arange(clip.start[t], clip.start[t + 1])
        id[here[id[here] == fresh + each.participant]] = -1
    return Corrected(
        _with(clip, id, score, nouns, missed, fresh),
        {p: fresh + p for p in corrected},
        {p: np.array(sorted({b.frame for b in boxes if b.participant == p})) for p in corrected},
    )


def _with(
    clip: Clip,
    id: Ints,
    score: npt.NDArray[np.float64],
    nouns: Sequence[tuple[str, Sequence[str]]],
    missed: Sequence[RightBox],
    fresh: int,
) -> Clip:
    """The clip with other identities and scores, and with boxes that were missed."""
    label, camera = [], []
    for each in missed:
        noun, classes = nouns[each.participant]
        if noun not in classes and len(classes) != 1:
            text = f"a box of '{noun}' was put right, and no class is called so"
            raise ClipError(f"{clip.name}: {text}")
        label.append(clip.classes.index(noun if noun in classes else classes[0]))
        camera.append(_camera(clip, each))
    P, boxes = len(missed), np.array([each.box for each in missed]).reshape(-1, 4)
    frame = np.concatenate([clip.frames[clip.frame_of], [each.frame for each in missed]])

    def both(known: npt.NDArray[np.generic], more: object) -> npt.NDArray[np.generic]:
        added = np.broadcast_to(np.asarray(more), (P, *known.shape[1:]))
        return np.concatenate([known, added])

    made = clip_from_arrays(
        clip.name,
        clip.size,
        clip.fps,
        frame.astype(np.int64),
        clip.classes,
        np.concatenate([clip.boxes, boxes]),
        both(score, score.max(initial=1.0)),
        both(id, [fresh + each.participant for each in missed]),
        label=both(clip.label, label),
        frames=clip.frames,
        times=clip.times,
        velocity=both(clip.velocity, 0.0),
        camera=both(clip.camera, np.array(camera).reshape(-1, 2)),
        colour=both(clip.colour, np.nan),
        looks=both(clip.looks, 0),
        projected=both(clip.projected, False),
    )
    added = np.argsort(frame, kind="stable") >= len(clip.boxes)
    velocity = made.velocity.copy()
    for row in np.flatnonzero(added):
        # From the box of the same thing before it to the one after it, less the camera's motion.
        same = np.flatnonzero(made.id == made.id[row])
        at = int(np.searchsorted(same, row))
        ends = same[[max(at - 1, 0), min(at + 1, len(same) - 1)]]
        lapse = float(np.diff(made.times[made.frame_of[ends]])[0])
        way = np.diff(centre(made.boxes[ends]), axis=0)[0] / clip.size[1]
        velocity[row] = way / lapse - made.camera[row] if lapse > 0 else 0.0
    return replace(made, velocity=velocity)


def _camera(clip: Clip, each: RightBox) -> npt.NDArray[np.float64]:
    """(2,) the motion of the background, which is that of the nearest detection of the frame."""
    t = int(np.searchsorted(clip.frames, each.frame))
    rows = slice(int(clip.start[t]), int(clip.start[t + 1]))
    if rows.start == rows.stop:
        return np.zeros(2)
    apart = centre(clip.boxes[rows]) - centre(np.array(each.box))
    return np.asarray(clip.camera[rows][np.hypot(*apart.T).argmin()])
