"""What sentrack is for: track, search, describe and learn."""

from typing import TYPE_CHECKING

from sentrack.lazy import on_demand

if TYPE_CHECKING:
    from sentrack.tasks.description import Described, Description, describe
    from sentrack.tasks.learning import RightBox, Settings, learn, read_pairs
    from sentrack.tasks.ledger import Ledger
    from sentrack.tasks.library import Library, index
    from sentrack.tasks.moment import Moment, moments
    from sentrack.tasks.result import TrackedParticipant, TrackedWord, Tracking
    from sentrack.tasks.runner_up import Rivals, rivals
    from sentrack.tasks.search import Moments, steps
    from sentrack.tasks.tracker import (
        RATE,
        best_moment,
        open_lexicon,
        track,
        understand,
        vocabulary_of,
    )
    from sentrack.tasks.watcher import LAG, WINDOW, Watcher, watch
else:
    __getattr__ = on_demand(__name__)

__all__ = [
    "LAG",
    "RATE",
    "WINDOW",
    "Described",
    "Description",
    "Ledger",
    "Library",
    "Moment",
    "Moments",
    "RightBox",
    "Rivals",
    "Settings",
    "TrackedParticipant",
    "TrackedWord",
    "Tracking",
    "Watcher",
    "best_moment",
    "describe",
    "index",
    "learn",
    "moments",
    "open_lexicon",
    "read_pairs",
    "rivals",
    "steps",
    "track",
    "understand",
    "vocabulary_of",
    "watch",
]
