"""The library: clips that were looked at once, kept to be asked about many times."""

from sentrack.library.entry import Entry, Presence, unused
from sentrack.library.folder import DamagedError, LibraryError
from sentrack.library.index_plan import Task
from sentrack.library.integrity import HOUR, Fault
from sentrack.library.pieces import Work, keep_piece, scan_piece, work_left
from sentrack.library.sources import sources_in
from sentrack.library.store import JUDGED, Store, index_one

__all__ = [
    "HOUR",
    "JUDGED",
    "DamagedError",
    "Entry",
    "Fault",
    "LibraryError",
    "Presence",
    "Store",
    "Task",
    "Work",
    "index_one",
    "keep_piece",
    "scan_piece",
    "sources_in",
    "unused",
    "work_left",
]
