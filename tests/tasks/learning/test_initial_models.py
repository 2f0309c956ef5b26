"""Where EM starts."""

from dataclasses import replace

import numpy as np
import pytest

from sentrack.tasks.learning.initial_models import (
    DEFAULT_FEATURES,
    DEFAULT_STATES,
    initial_noun,
    parse_features,
)
from tests.tasks.learning.samples import small


def test_nouns_begin_as_what_is_there_when_they_are_said() -> None:
    _, example = small(0)

    def began(*clips: list[int], classes: list[float]) -> np.ndarray:
        examples = [replace(example, nouns=(("zup", (np.array(seen),)),)) for seen in clips]
        return initial_noun(examples, "zup", np.array(classes))

    # The first is there three times; each of the others twice, and once it is not.
    share = began([0, 1], [0, 2], [0, 1, 2], classes=[0.4, 0.3, 0.3])
    weight = np.array([(0.9 / 0.4) ** 3, *[(0.9 / 0.3) ** 2 * 0.1] * 2])
    assert share == pytest.approx(0.9 * weight / weight.sum() + 0.1 / 3)
    # One that is always there, though common, rather than two rare ones that take turns.
    assert began([0, 1], [0, 2], [0, 1], [0, 2], classes=[0.6, 0.2, 0.2]).argmax() == 0
    # Two that are always there are equally likely.
    assert began([0, 1], [1, 0, 2], classes=[0.4, 0.4, 0.2])[:2] == pytest.approx(0.46, abs=0.03)


def test_every_part_of_speech_has_features_that_fit() -> None:
    assert {key.split()[0] for key in DEFAULT_FEATURES} == set(DEFAULT_STATES)
    for key, features in DEFAULT_FEATURES.items():
        arity = key.split()[1]
        for observed in parse_features(features):
            assert len(observed.roles) == observed.feature.arity
            assert max(observed.roles) < int(arity)
