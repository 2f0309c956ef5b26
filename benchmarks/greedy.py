"""Tracking before any word is heard: boxes of a class linked greedily by their overlap."""

import numpy as np

from sentrack.vision import Clip, Floats, clip_from_arrays

Track = dict[int, int]  # by frame, the row of the clip

LINK = 0.3  # IoU from which two boxes are joined; 0.1 and 0.5 do no better on CAD-120
GAP = 5  # frames that a track may miss in a row


def overlaps(a: Floats, b: Floats) -> Floats:
    """(A, B): intersection over union of boxes."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    shared = np.maximum(high - low, 0).prod(axis=-1)
    areas = [(x[:, 2:] - x[:, :2]).prod(axis=-1) for x in (a, b)]
    return np.asarray(shared / (areas[0][:, None] + areas[1] - shared))


def greedy_tracks(clip: Clip, name: str) -> list[Track]:
    """Tracks of a class, longest first: every box goes to the track it overlaps most."""
    wanted = clip.label == clip.classes.index(name)
    tracks: list[Track] = []
    for t in range(clip.T):
        rows = np.arange(clip.start[t], clip.start[t + 1])[
            wanted[clip.start[t] : clip.start[t + 1]]
        ]
        active = [track for track in tracks if t - max(track) <= GAP + 1]
        last = np.array([track[max(track)] for track in active], dtype=np.int64)
        likeness = overlaps(clip.boxes[last], clip.boxes[rows])
        for _ in range(min(likeness.shape)):
            i, j = np.unravel_index(likeness.argmax(), likeness.shape)
            if likeness[i, j] < LINK:
                break
            active[i][t] = int(rows[j])
            likeness[i, :] = likeness[:, j] = -1.0
        taken = {track[t] for track in active if t in track}
        tracks += [{t: int(row)} for row in rows if row not in taken]
    return sorted(tracks, key=len, reverse=True)


def followed(clip: Clip, chosen: dict[str, Track]) -> Clip:
    """A clip that shows one track per class, interpolated where boxes are missing."""
    boxes = [
        np.stack([np.interp(np.arange(clip.T), list(track), column) for column in rows.T], axis=1)
        for track in chosen.values()
        for rows in [clip.boxes[list(track.values())]]
    ]
    return clip_from_arrays(
        clip.name,
        clip.size,
        clip.fps,
        np.tile(clip.frames, len(chosen)),
        list(chosen),
        np.concatenate(boxes),
        id=np.repeat(np.arange(len(chosen)), clip.T),
        label=np.repeat(np.arange(len(chosen)), clip.T),
        frames=clip.frames,
        times=clip.times,
    )
