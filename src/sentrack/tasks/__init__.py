"""What sentrack is for: track, search, describe and learn."""

from sentrack.tasks.describe import Described, Description, describe
from sentrack.tasks.learn import learn
from sentrack.tasks.library import Library
from sentrack.tasks.moments import Moment, moments
from sentrack.tasks.search import Moments
from sentrack.tasks.track import track, understand
from sentrack.tasks.tracking import Ledger, Tracking

__all__ = [
    "Described",
    "Description",
    "Ledger",
    "Library",
    "Moment",
    "Moments",
    "Tracking",
    "describe",
    "learn",
    "moments",
    "track",
    "understand",
]
