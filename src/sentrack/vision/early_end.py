"""Videos that end before they should: files that are cut off."""

import logging
from pathlib import Path

EARLY = 0.5  # seconds that a video may end before its announced end without being called cut off

_log = logging.getLogger("sentrack")


def warn_if_cut_off(path: str | Path, last: float, duration: float | None, fps: float) -> None:
    """Say that a video ends long before its announced end.

    Args:
        path: of the video.
        last: seconds at which the last frame is that can be decoded.
        duration: seconds that it should last, where it says so.
        fps: its frames per second.
    """
    if duration is not None and last < duration - max(EARLY, 3 / fps):
        text = "%s: it ends at %.1f s of %.1f s; what can be decoded is used"
        _log.warning(text, path, max(last, 0.0), duration)
