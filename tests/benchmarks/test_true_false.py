"""True or false: the list, how it is judged, and the fit."""

from pathlib import Path

import numpy as np
import pytest

import sentrack
from benchmarks.annotated import DATA, clip_of, opposite, truths
from benchmarks.true_false import auc, logistic, promised, rows


def test_the_list_is_half_true_and_can_be_read() -> None:
    asked = rows()
    assert len(asked) >= 60
    assert 0.4 < np.mean([row.true for row in asked]) < 0.6
    assert {"role", "direction", "absent", "colour", "verb"} <= {row.kind for row in asked}
    for row in asked:
        assert sentrack.parse(row.sentence).words


def test_the_area_under_the_curve() -> None:
    assert auc([0.9, 0.8, 0.1], [True, True, False]) == 1
    assert auc([0.5, 0.5], [True, False]) == 0.5
    assert auc([0.2, 0.3, 0.6], [True, False, True]) == 0.5


def test_a_logistic_regression_finds_what_was_drawn() -> None:
    rng = np.random.default_rng(0)
    x = np.column_stack([np.ones(20_000), rng.normal(size=(20_000, 2))])
    true = rng.random(len(x)) < 1 / (1 + np.exp(-x @ [0.5, -1.0, 2.0]))
    found = logistic(x, true, np.ones(len(x)))
    np.testing.assert_allclose(found, [0.5, -1.0, 2.0], atol=0.1)


def test_what_is_promised_is_compared_with_what_is_true() -> None:
    lines = list(promised(np.array([0.1, 0.1, 0.9, 1.0]), np.array([False, True, True, True])))
    assert lines[2:] == ["| 0.0 to 0.2 | 2 | 0.10 | 0.50 |", "| 0.8 to 1.0 | 2 | 0.95 | 1.00 |"]


@pytest.mark.usefixtures("shared_data")
def test_annotated_clips_have_no_identities() -> None:
    truth = truths("caviar", 8)[0]
    clip = clip_of("caviar", truth)
    assert clip is not None
    assert (clip.id == -1).all()
    assert {p["noun"] for p in truth["participants"]} <= set(clip.classes)
    assert Path(DATA / "caviar").exists()


def test_opposites_are_mutual() -> None:
    for sentence in ("The person entered the car.", "The dog moved to the left."):
        other = opposite(sentence)
        assert other is not None
        assert other != sentence
        assert opposite(other) == sentence
    assert opposite("The person ran.") is None
