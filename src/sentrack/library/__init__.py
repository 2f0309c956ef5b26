"""The library: clips that were looked at once, kept to be asked about many times."""

from sentrack.library.entry import Entry, Presence
from sentrack.library.folder import LibraryError
from sentrack.library.index_plan import Task
from sentrack.library.integrity import Problem
from sentrack.library.store import Store, index_one

__all__ = ["Entry", "LibraryError", "Presence", "Problem", "Store", "Task", "index_one"]
