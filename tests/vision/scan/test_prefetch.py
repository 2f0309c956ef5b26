"""Items that are made ahead, in order, with their errors, and no thread left behind."""

import threading
from collections.abc import Iterator

import pytest

from sentrack.vision.scan.prefetch import MOST_WAITING, prefetched


def test_all_items_come_in_order() -> None:
    assert list(prefetched(range(100))) == list(range(100))
    assert list(prefetched([])) == []


def test_an_error_comes_after_the_items_before_it() -> None:
    def items() -> Iterator[int]:
        yield from range(5)
        raise KeyError("six")

    source = prefetched(items())
    assert [next(source) for _ in range(5)] == list(range(5))
    with pytest.raises(KeyError, match="six"):
        next(source)


def test_no_more_is_made_than_wanted_and_no_thread_stays() -> None:
    made = []

    def items() -> Iterator[int]:
        for n in range(1000):
            made.append(n)
            yield n

    before = threading.active_count()
    source = prefetched(items())
    assert [next(source) for _ in range(3)] == [0, 1, 2]
    source.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before
    assert len(made) <= 3 + MOST_WAITING + 3
