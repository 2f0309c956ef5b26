"""What the API answers with."""

import math

from sentrack.serve.schemas import to_json


def test_answers_are_strict_json() -> None:
    assert to_json(list[float], [math.inf, -math.inf, math.nan, 0.5]) == b"[null,null,null,0.5]"
