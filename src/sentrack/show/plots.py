"""An answer as a figure of Matplotlib."""

from pathlib import Path
from typing import Any

import numpy as np

from sentrack.extras import requires
from sentrack.show.key_frames import key_times
from sentrack.show.palette import hexadecimal
from sentrack.tasks import Tracking

SHADES = ("#9db9dd", "#bfe4da")  # a word's states, by turns


def plot(tracking: Tracking, video: str | Path | None = None, count: int = 4) -> Any:
    """Key frames with the tracks, and below them every word over time; see `Tracking.plot`."""
    with requires("sentrack[plot]"):
        from matplotlib.figure import Figure
        from matplotlib.patches import Rectangle

    clip = tracking.objective.clip
    times = key_times(tracking, count)
    words = [word for word in tracking.words if word.part != "noun"]
    figure = Figure(figsize=(2.6 * len(times), 2.4 + 0.6 * len(words)), layout="constrained")
    grid = figure.add_gridspec(1 + len(words), len(times), height_ratios=[2.0, *[0.6] * len(words)])
    for n, (time, image) in enumerate(zip(times, _images(tracking, video, times), strict=True)):
        axes = figure.add_subplot(grid[0, n])
        axes.imshow(image, extent=(0, clip.size[0], clip.size[1], 0))
        t = int(np.abs(clip.times - time).argmin())
        for i, participant in enumerate(tracking.participants):
            if participant.seen[t]:
                x1, y1, x2, y2 = participant.boxes[t]
                box = Rectangle((x1, y1), x2 - x1, y2 - y1, fill=False, linewidth=2)
                box.set_edgecolor(hexadecimal(i))
                axes.add_patch(box)
        axes.set(xticks=[], yticks=[], title=f"{time:.1f} s")
    for n, word in enumerate(words, 1):
        axes = figure.add_subplot(grid[n, :])
        changes = [t for t in range(clip.T) if t == 0 or word.states[t] != word.states[t - 1]]
        edges = [*clip.times[changes], tracking.end]
        for k, t in enumerate(changes):
            if word.states[t]:
                axes.axvspan(edges[k], edges[k + 1], color=SHADES[k % 2], linewidth=0)
            if word.states[t] and len(changes) > 1:
                axes.text(edges[k], 0.95, f" {word.states[t]}", va="top", fontsize="small",
                          transform=axes.get_xaxis_transform())  # fmt: skip
        axes.step(clip.times, word.evidence, where="post", color="#1c1f24", linewidth=1)
        axes.axhline(0, color="#555b65", linewidth=0.5)
        axes.set(xlim=(tracking.start, tracking.end), ylabel=word.word)
        if n < len(words):
            axes.set_xticks([])
        else:
            axes.set_xlabel("seconds; evidence in nats")
    names = ", ".join(participant.noun for participant in tracking.participants)
    figure.suptitle(f"{tracking.sentence} match {tracking.match:.2f} ({names})")
    return figure


def _images(tracking: Tracking, video: str | Path | None, times: Any) -> list[Any]:
    """A picture of red, green and blue for every time: of the video, or a plain one."""
    width, height = tracking.objective.clip.size
    if video is None:
        return [np.full((2, 2, 3), 46, np.uint8)] * len(times)
    with requires("sentrack[video]"):
        from sentrack.show.pixels import pictures
    found: list[Any] = []
    for frame in pictures(video, tracking.objective.clip):
        while len(found) < len(times) and frame.time >= times[len(found)] - 1e-3:
            found.append(frame.image[..., ::-1])
    blank = np.full((height, width, 3), 46, np.uint8)
    return found + [blank] * (len(times) - len(found))
