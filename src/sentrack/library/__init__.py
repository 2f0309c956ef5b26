"""The library: clips that were looked at once, kept to be asked about many times."""

from sentrack.library.checking import Problem
from sentrack.library.entries import Entry, Presence
from sentrack.library.folder import LibraryError
from sentrack.library.planning import Task
from sentrack.library.store import Store, index_one

__all__ = ["Entry", "LibraryError", "Presence", "Problem", "Store", "Task", "index_one"]
