"""Which videos learning takes for the same, and which runs."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st

from sentrack.lexicon import Lexicon
from sentrack.tasks import learn as learning
from sentrack.tasks.learning.corpus import gather
from sentrack.tasks.learning.settings import Settings
from sentrack.vision import Clip, load_clip, save_clip
from sentrack.vision.clip import ROWS
from tests.tasks.stages import UP, stage

TWO = ("The hand glorped the cup.", "The hand fribbed the cup.")
OTHER_FACTS: dict[str, Any] = {"size": (641, 480), "fps": 11.0, "classes": ("a", "b", "c")}


def test_what_is_said_of_a_video_is_no_rival_however_often_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = []
    for seed in range(2):
        save_clip(stage(UP, "cup", seed), tmp_path / f"{seed}.parquet")
        pairs += [(load_clip(tmp_path / f"{seed}.parquet"), sentence) for sentence in TWO]
    looked_at: Counter[tuple[str, str]] = Counter()
    module = learning_module()
    question = module._question

    def watched(clip: Clip, meaning: Any, *more: Any) -> Any:
        looked_at[clip.name, meaning.sentence] += 1
        return question(clip, meaning, *more)

    monkeypatch.setattr(module, "_question", watched)
    quick = Settings(restarts=1, iterations=1, contrast=1, nouns=False, rivals=100)
    learning(pairs, settings=quick)
    # Once as its own sentence, and never as a rival of the other.
    assert {looked_at[clip.name, sentence] for clip, sentence in pairs} == {1}
    assert len(looked_at) > len(pairs)


def learning_module() -> Any:
    """The module, whose name in its package is that of its function."""
    import sys

    return sys.modules["sentrack.tasks.learning.learner"]


@pytest.mark.parametrize("field", ["frames", "times", "start", *ROWS, *OTHER_FACTS])
@options(max_examples=10)
@given(data=st.data())
def test_a_video_is_all_that_it_holds(field: str, data: st.DataObject) -> None:
    clip = stage(UP, "cup", 0)
    value = OTHER_FACTS.get(field)
    if value is None:
        value = getattr(clip, field).copy()
        # The last start is the number of boxes.
        place = data.draw(st.integers(0, value.size - (2 if field == "start" else 1)))
        value.flat[place] = not value.flat[place] if value.dtype == bool else 77
    assert replace(clip, **{field: value}).sha256 != clip.sha256
    assert replace(clip, name="another").sha256 == stage(UP, "cup", 0).sha256


def test_all_that_changes_what_is_learned_makes_another_run() -> None:
    def run(clip: Clip, fixed: Lexicon, settings: Settings, seed: int = 0) -> str:
        pairs = [(clip, "The hand picked up the cup."), (stage(UP, "cup", 1), TWO[1])] * 2
        corpus = gather(pairs, fixed, Lexicon.load(), settings, strict=True)
        found: str = learning_module()._run(corpus, settings, seed)
        return found

    clip, fixed, settings = stage(UP, "cup", 0), Lexicon.load(), Settings(nouns=False)
    known = fixed.words["verb", "pick-up"]
    assert known.seconds is not None

    def other(**change: Any) -> Lexicon:
        return replace(fixed, words=fixed.words | {("verb", "pick-up"): replace(known, **change)})

    runs = [
        run(clip, fixed, settings),
        run(replace(clip, velocity=clip.velocity + 0.1), fixed, settings),
        run(replace(clip, camera=clip.camera + 0.1), fixed, settings),
        run(replace(clip, colour=np.zeros_like(clip.colour)), fixed, settings),
        run(replace(clip, size=(320, 240)), fixed, settings),
        run(clip, other(seconds=known.seconds * 2), settings),
        run(clip, other(noise=0.5), settings),
        run(clip, other(observed=known.observed[::-1]), settings),
        run(clip, fixed, replace(settings, smoothing=3.0)),
        run(clip, fixed, settings, seed=1),
    ]
    assert len(set(runs)) == len(runs)
    assert run(stage(UP, "cup", 0), Lexicon.load(), Settings(nouns=False)) == runs[0]
