"""Prefetching: the next items of an iterator are made while the last one is worked on."""

from collections.abc import Iterable, Iterator
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import TypeVar

Item = TypeVar("Item")

MOST_WAITING = 3  # items that wait


def prefetched(items: Iterable[Item]) -> Iterator[Item]:
    """The same items in the same order, made in a thread of their own.

    What the iterator raises is raised here, after the items before it. When the items are no longer
    wanted, the thread ends.
    """
    waiting: Queue[tuple[Item] | BaseException | None] = Queue(MOST_WAITING)
    unwanted = Event()

    def put(thing: tuple[Item] | BaseException | None) -> bool:
        while not unwanted.is_set():
            try:
                waiting.put(thing, timeout=0.1)
            except Full:
                continue
            return True
        return False

    def work() -> None:
        try:
            for item in items:
                if not put((item,)):
                    return
            put(None)
        except BaseException as error:
            put(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    try:
        while (thing := waiting.get()) is not None:
            if isinstance(thing, BaseException):
                raise thing
            yield thing[0]
    finally:
        unwanted.set()
        while thread.is_alive():
            try:
                waiting.get(timeout=0.01)
            except Empty:
                thread.join(0.01)
