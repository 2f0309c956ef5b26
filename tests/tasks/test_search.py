"""Search against solving every clip."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from sentrack.errors import SentrackError
from sentrack.inference import Infeasible, best_interval
from sentrack.language import SentenceError
from sentrack.lexicon import Lexicon
from sentrack.library import Entry, Store
from sentrack.library.thing_file import thing_name
from sentrack.objective import interval, most_of, most_of_things, windows_of
from sentrack.scene import ThingTable, scene_of
from sentrack.tasks import RATE, Library, Moment
from sentrack.tasks.moment import LEAST_NATS, moments
from sentrack.tasks.search import steps
from sentrack.tasks.tracker import understand
from sentrack.vision import Clip, ClipError
from sentrack.workers import Executor
from tests.tasks.scenes import library, scene

EVERYDAY = Lexicon.load("everyday")
MOST = 12
UP, CARRY, COME = SENTENCES = (
    "The person picked up the cup.",
    "The person carried the backpack.",
    "The person approached the chair.",
)


@pytest.fixture(scope="module")
def forty(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library(tmp_path_factory.mktemp("forty") / "lib", range(40))


@pytest.fixture(scope="module")
def every(forty: Library) -> dict[str, list[Moment]]:
    """All moments of all clips, by sentence: each clip solved with no bar to reach."""
    found: dict[str, list[Moment]] = {}
    for sentence in SENTENCES:
        found[sentence] = []
        for entry in forty.entries():
            clip = forty.clip(entry)
            meaning = understand(sentence, EVERYDAY, clip)
            if {participant.noun for participant in meaning.participants} <= entry.classes.keys():
                found[sentence] += moments(clip, meaning, EVERYDAY, MOST, -np.inf).moments
    return found


def ranking(found: list[Moment], k: int) -> list[tuple[float, str, float, float, str]]:
    rows = [(-m.score, m.video, m.start, m.end, m.sentence) for m in found if m.score >= LEAST_NATS]
    return sorted(rows)[:k]


@pytest.mark.parametrize("k", [1, 2, 5, MOST])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_answer_is_that_of_solving_every_clip(
    sentence: str, k: int, forty: Library, every: dict[str, list[Moment]]
) -> None:
    found = forty.search(sentence, k, workers=1)
    expected = ranking(every[sentence], k)
    assert len(expected) > min(k, 2) - 1
    assert ranking(list(found), k) == expected
    assert [moment.score for moment in found] == [-row[0] for row in expected]
    nouns = {participant.noun for participant in found[0].tracking.participants}
    assert found.clips == 40
    assert found.read == sum(nouns <= entry.classes.keys() for entry in forty.entries())
    assert found.solved < found.read < found.clips
    assert all(moment.tracking.certified for moment in found)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ([UP, CARRY], (UP, CARRY)),
        ([COME, UP, CARRY], (UP, CARRY, COME)),
        (f"{UP[:-1]} or carried the backpack.", (UP, CARRY)),
        ([f"{UP[:-1]} or carried the backpack.", COME], (UP, CARRY, COME)),
    ],
)
def test_several_sentences_and_alternatives_are_ranked_together(
    asked: str | list[str], meant: tuple[str, ...], forty: Library, every: dict[str, list[Moment]]
) -> None:
    found = forty.search(asked, MOST, workers=1)
    assert ranking(list(found), MOST) == ranking([m for s in meant for m in every[s]], MOST)
    assert len({moment.sentence for moment in found}) > 1


def test_moments_name_the_clip_of_the_library(tmp_path: Path) -> None:
    """A clip goes by the name that it was given, not by the one that it had."""
    made = Library(tmp_path / "lib")
    made.add(next(clip for clip in map(scene, range(99)) if _shows(clip)), name="here/it is")
    found = made.search(UP, 1, workers=1)
    assert [moment.video for moment in found] == ["here/it is"]


def _shows(clip: Clip) -> bool:
    answer = moments(clip, understand(UP, EVERYDAY, clip), EVERYDAY, 1)
    return any(moment.score > 10 for moment in answer.moments)


def test_equal_moments_are_in_the_order_of_names(tmp_path: Path) -> None:
    clip = next(clip for clip in map(scene, range(99)) if _shows(clip))
    made = Library(tmp_path / "lib")
    for name in "fbdace":
        made.add(clip, name=name)
    for k in range(1, 7):
        found = made.search(UP, k, workers=1)
        assert [moment.video for moment in found] == list("abcdef")[:k]
    assert len({moment.score for moment in found}) == 1


def test_nothing_is_found_where_there_is_nothing(tmp_path: Path, forty: Library) -> None:
    found = forty.search("The zebra walked.", workers=1)
    assert (len(found), found.clips, found.read, found.solved) == (0, 40, 0, 0)
    empty = Library(tmp_path / "none").search(UP, workers=1)
    assert (len(empty), empty.clips) == (0, 0)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("The person frobbed the cup.", "frobbed"),
        ("The giraffe walked.", "giraffe"),
        ("The person walked or.", "'or' at word 4"),
        ("", "empty"),
    ],
)
def test_what_cannot_be_understood_is_told(sentence: str, message: str, forty: Library) -> None:
    with pytest.raises(SentenceError, match=message):
        forty.search([UP, sentence], workers=1)


def test_there_must_be_somebody_to_work(forty: Library) -> None:
    with pytest.raises(SentrackError, match="workers must be at least 1, and it is 0"):
        forty.search(UP, workers=0)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_steps_tell_the_best_so_far_and_end_with_the_answer(
    sentence: str, forty: Library, every: dict[str, list[Moment]]
) -> None:
    told = list(steps(forty, [sentence], 5, EVERYDAY, Executor()))
    stages = [step.stage for step in told]
    assert stages == sorted(stages)  # "bound", then "search"
    for stage in ("bound", "search"):
        done = [step.done for step in told if step.stage == stage]
        assert done == sorted(set(done))
        assert done[0] == 0
    assert all(step.total == step.found.read for step in told)
    assert told[-1].done == told[-1].total
    everything = set(ranking(every[sentence], 10**6))
    for before, after in pairwise(told):
        assert len(before.found) <= len(after.found) <= 5
        assert before.found.solved <= after.found.solved
        now = ranking(list(after.found), 5)
        assert set(now) <= everything
        assert now[: len(before.found)] <= ranking(list(before.found), 5)
    assert ranking(list(told[-1].found), 5) == ranking(every[sentence], 5)
    assert len({len(step.found) for step in told}) > 1


def test_progress_is_told(forty: Library) -> None:
    told: list[tuple[str, int, int]] = []
    found = forty.search(UP, 3, workers=1, report=lambda *step: told.append(step))
    assert {what for what, _, _ in told} >= {"search"}
    assert all(0 <= done <= total == found.read for _, done, total in told)


def test_many_questions_are_answered_as_each_by_itself(forty: Library) -> None:
    asked = [UP, [CARRY, COME], "The zebra walked.", f"{UP[:-1]} or {COME}", UP]
    together = forty.search_all(asked, 4, workers=1)
    alone = [forty.search(question, 4, workers=1) for question in asked]
    for found, expected in zip(together, alone, strict=True):
        assert ranking(list(found), 4) == ranking(list(expected), 4)
        assert (found.clips, found.read, found.solved) == (
            expected.clips,
            expected.read,
            expected.solved,
        )
    assert forty.search_all([], 4, workers=1) == ()
    with pytest.raises(SentenceError, match=r"question 2: .*frobbed"):
        forty.search_all([UP, "The person frobbed the cup."], workers=1)


def test_many_questions_read_every_clip_once_to_bound_it(
    forty: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Counter[str]()
    plain = Store.things

    def counted(store: Store, which: Entry, classes: frozenset[str]) -> ThingTable | None:
        read[which.name] += 1
        return plain(store, which, classes)

    monkeypatch.setattr(Store, "things", counted)
    for step in steps(forty, [UP, COME, CARRY, UP], 2, EVERYDAY, Executor()):
        if step.stage == "search":
            break
    assert set(read.values()) == {1}


def test_a_damaged_clip_is_set_aside_by_name(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = library(tmp_path / "lib", range(8))
    made.refresh()
    best = made.search(UP, 1, workers=1)[0].video
    expected = [m for m in made.search(UP, MOST, workers=1) if m.video != best]
    path = tmp_path / "lib" / made.entry(best).file
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)
    found = Library(made.url).search(UP, MOST, workers=1)
    assert ranking(list(found), MOST) == ranking(expected, MOST)
    assert found.damaged == (best,)
    assert f"left out: {best} cannot be read" in caplog.text
    described = {entry.name for entry, _ in Library(made.url).describe(1, workers=1)}
    assert described == {e.name for e in made.entries()} - {best}


@pytest.mark.parametrize("sentence", [*SENTENCES, "The cup moved.", "The person left the person."])
def test_bounds_of_many_clips_at_a_time_are_those_of_each(sentence: str, tmp_path: Path) -> None:
    """Things that were kept bound what they do in the clip, and nothing scores more than that."""
    clips = [*map(scene, range(6)), replace(scene(6), size=(320, 480)), scene(7).cut(0, 30)]
    known = {"person", *(name for clip in clips for name in clip.classes)}
    meaning = understand(sentence, EVERYDAY, nouns=known)
    nouns = [p.noun for p in meaning.participants]
    store, scenes, tables = Store(tmp_path / "lib"), [], []
    for n, clip in enumerate(clips):
        (entry,) = store.add(clip, name=str(n))
        table = store.things(entry, frozenset(nouns))
        try:
            scenes.append(scene_of(store.clip(entry), meaning, EVERYDAY, RATE))
        except ClipError:
            continue
        assert table is not None
        tables.append(table)
    assert len(tables) > 2
    together = most_of_things(tables, meaning, EVERYDAY, -np.inf)
    for found, table, each in zip(together, tables, scenes, strict=True):
        alone = most_of_things([table], meaning, EVERYDAY, -np.inf)[0]
        assert found == alone == most_of(each, EVERYDAY, -np.inf)
        objective = interval(each)
        with suppress(Infeasible):
            best = best_interval(objective.problem, objective.final)
            assert best.solution.score <= found
            # What cannot reach that much is left out, and so much is not.
            least = best.solution.score - 1e-9
            (around,) = [
                w for w in windows_of(each, EVERYDAY, least) if w.first <= best.first < w.last
            ]
            assert around.last >= best.last
            assert around.bound >= best.solution.score


def test_what_is_kept_of_things_can_be_made_again(tmp_path: Path) -> None:
    made = library(tmp_path / "lib", range(8))
    kept = sorted((tmp_path / "lib").glob("*.things"))
    assert len(kept) == 8
    expected = ranking(list(made.search(UP, MOST, workers=1)), MOST)
    content = {path: path.read_bytes() for path in kept}
    files = [entry.file for entry in made.entries() if {"person", "cup"} <= entry.classes.keys()]
    read = [tmp_path / "lib" / thing_name(file) for file in files]
    for harm in (b"", content[kept[0]][:-9], content[kept[0]].replace(b"made_by", b"made-by")):
        for path in kept:
            path.write_bytes(harm)
        assert ranking(list(made.search(UP, MOST, workers=1)), MOST) == expected
        assert [path.read_bytes() for path in read] == [content[path] for path in read]
    assert {fault.kind for fault in made.check()} <= {"corrupt", "catalogue"}
    made.repair()
    made.remove(made.entries()[0].name)
    assert len(list((tmp_path / "lib").glob("*.things"))) < 8
    kept[-1].with_suffix(".parquet").unlink()
    (fault, *_) = made.check()
    assert (fault.kind, fault.what) == ("leftover", kept[-1].name)
