"""A scene is measured once, and a part of it is a part of what was measured."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.things import doubtful
from sentrack.lexicon import Lexicon
from sentrack.lexicon.features import Feature
from sentrack.lexicon.model import aligned
from sentrack.objective import Bounds, interval, whole
from sentrack.scene import scene_of
from sentrack.tasks.tracker import track, understand
from sentrack.vision import ClipError, two_activities

LEXICON = Lexicon.load("everyday")
SENTENCE = "The person approached another person slowly."


def test_everything_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: Counter[Any] = Counter()
    binned = Feature.binned

    def counted(self: Feature, *candidates: Any) -> Any:
        measured[self.name, tuple(map(id, candidates))] += 1
        return binned(self, *candidates)

    monkeypatch.setattr(Feature, "binned", counted)
    clip, _ = two_activities()
    scene = scene_of(clip, understand(SENTENCE, LEXICON, clip), LEXICON)
    whole(scene)
    interval(scene)
    Bounds(scene)
    whole(scene.cut(10, 40))
    assert measured
    assert set(measured.values()) == {1}


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), first=st.integers(0, 3), frames=st.integers(1, 4))
def test_a_cut_is_the_part_of_what_was_measured(seed: int, first: int, frames: int) -> None:
    clip = doubtful(seed, 8, ("person", "cup"), 3, 2)
    try:
        scene = scene_of(clip, understand(SENTENCE, LEXICON, clip), LEXICON)
    except ClipError:
        return
    part = scene.cut(first, first + frames)
    players = part.players(2)
    for w in range(len(scene.models)):
        own = part.emission(w)
        widths = map(slice, own.shape[2:])
        np.testing.assert_array_equal(
            own, scene.emission(w)[(slice(first, first + frames), slice(None), *widths)]
        )
    J, own_whole = players[0].rows.shape[1], scene.players(2)[0]
    # What comes and goes is known from all of the clip.
    g = scene.measured.coherence(own_whole)[first : first + frames - 1]
    np.testing.assert_array_equal(part.measured.coherence(players[0]), g[:, :J, :J])
    one = scene.measured.one(own_whole, own_whole)[first : first + frames]
    np.testing.assert_array_equal(part.measured.one(players[0], players[0]), one[:, :J, :J])


def test_axes_are_those_of_a_words_participants() -> None:
    values = np.arange(24).reshape(2, 3, 4)
    assert aligned(values, (0, 1), 2).shape == (2, 3, 4)
    assert aligned(values, (1, 0), 2).shape == (2, 4, 3)
    assert aligned(values, (2, 0), 3).shape == (2, 4, 1, 3)
    turned = aligned(values, (2, 0), 3)
    assert all(
        turned[t, b, 0, a] == values[t, a, b] for t in range(2) for a in range(3) for b in range(4)
    )


def test_sentences_about_the_same_things_share_what_is_measured() -> None:
    clip, _ = two_activities()
    first, second = (
        track(clip, sentence, whole=True).objective.scene
        for sentence in ("The person picked up the cup.", "The person put down the cup.")
    )
    assert first.measured is second.measured
