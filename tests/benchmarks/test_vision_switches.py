import numpy as np

from benchmarks.vision import apart


def test_boxes_that_have_nothing_in_common_with_the_one_before_are_counted() -> None:
    right = np.array([[x, 0.0, x + 10.0, 20.0] for x in (0, 5, 16, 25, 36)])
    assert apart(right) == 2
    assert apart(right[:, [1, 0, 3, 2]]) == 2  # the same from top to bottom
    assert apart(right[:2]) == apart(right[:1]) == 0
