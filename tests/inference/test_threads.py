"""Work on all cores."""

import pytest

from sentrack.inference.limits import in_parallel, in_threads


def test_results_are_in_the_order_of_the_items() -> None:
    assert in_threads(lambda item: item * item, range(20)) == [i * i for i in range(20)]
    assert in_threads(str, []) == []


def test_work_that_is_split_further_does_not_wait_for_itself() -> None:
    def work(size: int) -> list[int]:
        done: list[int] = []
        in_parallel(lambda first, last: done.extend(range(first, last)), size)
        return done

    assert in_threads(work, [7] * 16) == [list(range(7))] * 16
    assert in_threads(lambda size: in_threads(abs, range(size)), [7] * 16) == [list(range(7))] * 16


def test_an_error_is_raised_when_all_have_ended() -> None:
    ended = []

    def work(item: int) -> None:
        if item == 0:
            raise ValueError("the first")
        ended.append(item)

    with pytest.raises(ValueError, match="the first"):
        in_threads(work, range(10))
    assert sorted(ended) == list(range(1, 10))
