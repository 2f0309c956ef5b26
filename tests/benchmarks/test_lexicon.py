"""How fitted words are chosen."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import lexicon, word_cases
from benchmarks.lexicon import Judged, answered, better, fit, groups, judged, speaking
from benchmarks.word_cases import Case
from sentrack.lexicon import Lexicon
from sentrack.scene import scene_of
from sentrack.tasks import track
from sentrack.tasks.learning.choices import CERTAINTY
from sentrack.tasks.learning.examples import Key
from sentrack.tasks.learning.questions import Question
from sentrack.tasks.tracker import understand
from tests.tasks.stages import DOWN, UP, stage

WRITTEN = Lexicon.load("written")
MODELS = {key: model for key, model in WRITTEN.words.items() if model.observed}
PAIR: list[Key] = [("verb", "pick-up"), ("verb", "put-down")]


def case(source: str, direction: int, seed: int, upside_down: bool = False) -> Case:
    """Picked up or put down, or what somebody says who means the opposite."""
    clip = stage(direction, "cup", seed)
    verbs = ("picked up", "put down")[:: 1 if (direction == UP) != upside_down else -1]
    own, other = (
        Question(scene_of(clip, understand(f"The hand {verb} the cup.", WRITTEN, clip), WRITTEN))
        for verb in verbs
    )
    return Case(source, str(seed), own, (other,), frozenset(PAIR))


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case("ab"[n // 6], (UP, DOWN)[n % 2], n, upside_down=True) for n in range(12)]


def test_words_of_two_sets_go_with_their_opposites(cases: list[Case]) -> None:
    assert groups(cases) == []  # either word is said three times in a set
    more = [*cases, *(replace(each, video="again") for each in cases)]
    assert groups(more) == [PAIR]
    assert groups([replace(each, contrary=frozenset()) for each in more]) == [[k] for k in PAIR]
    assert groups([each for each in more if each.source == "a"]) == []
    assert speaking(more) == ["a", "b"]
    assert speaking(more[:4]) == []


def test_a_case_is_judged_as_match_judges_it(cases: list[Case]) -> None:
    losses, right = answered(cases[:2], MODELS)
    for each, loss, best in zip(cases, losses, right, strict=False):
        seed, direction = int(each.video), (UP, DOWN)[int(each.video) % 2]
        clip = stage(direction, "cup", seed)
        sentences = (q.scene.meaning.sentence for q in (each.own, *each.others))
        own, other = (track(clip, s, WRITTEN, whole=True) for s in sentences)
        assert best == (own.match > other.match)
        behind = other.shown.fit - own.shown.fit
        assert loss == pytest.approx(np.logaddexp(0, CERTAINTY * behind))


def test_what_is_better_left_out_is_better(
    cases: list[Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Both sets say the opposite of what words mean: fitted to one, they are better on the other.
    monkeypatch.setattr(lexicon, "WAYS", {"loosely": (1.0, lexicon.NOTHING_MORE)})
    before = judged(answered(cases[6:], MODELS))
    models = MODELS | fit(cases[:6], PAIR, MODELS, "loosely")
    after = judged(answered(cases[6:], models))
    assert better([before], [after])
    assert not better([after], [before])


def test_better_means_in_every_set() -> None:
    written = [Judged(1.0, 0.5, 10), Judged(2.0, 0.5, 10)]
    assert better(written, [Judged(0.9, 0.5, 10), Judged(1.9, 0.5, 10)])
    assert not better(written, [Judged(0.1, 0.9, 10), Judged(2.1, 0.5, 10)])
    assert not better(written, [Judged(0.9, 0.4, 10), Judged(1.9, 0.5, 10)])


def test_where_there_is_no_data_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(word_cases, "DATA", tmp_path)
    monkeypatch.setattr(word_cases, "CAD_DATA", tmp_path)
    written = tmp_path / "page.md", tmp_path / "fitted.toml"
    arguments = ["lexicon", "--output", str(written[0]), "--fitted", str(written[1])]
    monkeypatch.setattr("sys.argv", arguments)
    lexicon.main()
    assert capsys.readouterr().err.splitlines() == [
        "not beside the project, and left out: virat, meva, caviar, svag_mot, vidvrd, "
        "something_else, cad120",
        "there is nothing to fit to: `everyday` stays as it is",
    ]
    assert not any(path.exists() for path in written)


@pytest.mark.skipif("cad120" not in word_cases.present(), reason="the data is not there")
def test_real_cases_are_choices() -> None:
    for name in word_cases.present():
        found = next(iter(word_cases.cases(name, WRITTEN, 1)))
        assert found.words
        assert found.others
        losses, _ = answered([found], MODELS)
        assert np.isfinite(losses).all()


def test_up_and_down_are_told_as_written() -> None:
    found = [case("a", direction, 3) for direction in (UP, DOWN)]
    assert judged(answered(found, MODELS)).right == 1
