"""How answers on CAD-120 are judged."""

import math

import numpy as np
import pytest

from benchmarks.cad import Segment
from benchmarks.cad_verbs import NEVER, Example, loss, macro_f1
from sentrack.tasks.learning.choices import CERTAINTY
from sentrack.tasks.match import PER_FIT
from tests.tasks.stages import UP, stage


def test_macro_f1() -> None:
    truth, answer = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 1])
    assert macro_f1(truth, answer) == pytest.approx(np.mean([2 / 3, 1 / 2, 0]))


def test_loss_is_that_of_the_verbs_that_were_learned() -> None:
    clip = stage(UP, "cup", 0)
    found = [Example(Segment("x", 0, 1, v, "cup"), clip) for v in ("pick", "place", "open")]
    verbs = np.array([[0.4, 0.5, NEVER], [0.2, 0.2, NEVER], [0.1, 0.1, NEVER]])
    # Odds of 2 to 3, as sharp as the stage of contrast has them.
    first = math.log(1 + 1.5 ** (CERTAINTY / PER_FIT))
    assert loss(found, verbs) == pytest.approx((first + math.log(2)) / 2)
