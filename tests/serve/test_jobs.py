"""What workers send."""

import math

from sentrack.serve.jobs import dump


def test_answers_are_strict_json() -> None:
    assert dump(list[float], [math.inf, -math.inf, math.nan, 0.5]) == b"[null,null,null,0.5]"
