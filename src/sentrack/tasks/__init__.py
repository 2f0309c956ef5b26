"""What people ask for: track, and what is built on it."""

from sentrack.tasks.track import track, understand
from sentrack.tasks.tracking import Ledger, Tracking

__all__ = ["Ledger", "Tracking", "track", "understand"]
