"""Descriptions: what they are found by, and what clips are known to show."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import sentrack
from benchmarks.describe import TRUE, Label, hits, label_of, labels
from sentrack.cli.library import describe as command
from sentrack.language import parse
from sentrack.lexicon import Lexicon
from sentrack.objective import DULL
from sentrack.tasks.description.additions import way
from sentrack.tasks.description.cores import (
    Core,
    best_moments,
    cores,
    express,
    is_converse,
    moments,
    possible,
)
from sentrack.tasks.description.describer import Description, describe, in_order, meanwhile
from sentrack.tasks.description.evidence import Evidence
from sentrack.tasks.description.sure_things import sure_things
from sentrack.vision import clip_from_arrays, save_clip, two_activities
from sentrack.vision.clip import Clip, ClipError

FPS = 10
EVERYDAY = Lexicon.load()


def clip_of(*things: tuple[str, np.ndarray, float], first: dict[int, int] | None = None) -> Clip:
    """A clip of things by their class, boxes (n, 4) in pixels from a first frame on, and score."""
    first = first or {}
    frame = np.concatenate(
        [np.arange(len(b)) + first.get(n, 0) for n, (_, b, _) in enumerate(things)]
    )
    classes = tuple(dict.fromkeys(noun for noun, _, _ in things))
    label = np.concatenate([np.full(len(b), classes.index(noun)) for noun, b, _ in things])
    score = np.concatenate([np.full(len(b), s) for _, b, s in things])
    return clip_from_arrays(
        "made-up", (640, 480), FPS, frame, classes, np.concatenate([b for _, b, _ in things]),
        score, label=label, frames=np.arange(int(frame.max()) + 1),
    )  # fmt: skip


def going(x: float, y: float, size: tuple[float, float], speed: float, T: int = 40) -> np.ndarray:
    """(T, 4): boxes that go to the right by so many pixels a second."""
    at = x + speed * np.arange(T) / FPS
    w, h = size
    return np.stack([at, np.full(T, y), at + w, np.full(T, y + h)], axis=1)


PERSON, CAR = (50.0, 160.0), (150.0, 80.0)


def test_what_kinds_do_is_said_of_them() -> None:
    clip = clip_of(
        ("person", going(50, 60, PERSON, 90), 0.9), ("car", going(450, 350, CAR, -90), 0.9)
    )
    said = describe(clip)
    assert {each.sentence for each in said} >= {
        "The person walked to the right.",
        "The car moved to the left.",
    }
    assert not any("car walked" in each.sentence for each in said)


@pytest.mark.parametrize(
    ("score", "frames", "kept"),
    [(0.9, 40, 1), (0.65, 40, 1), (0.55, 40, 0), (0.65, 8, 0), (1.0, 4, 1), (1.0, 2, 0)],
)
def test_what_was_surely_seen_is_kept(score: float, frames: int, kept: int) -> None:
    """By score and duration: the less sure, the longer it must be seen."""
    clip = clip_of(
        ("person", going(50, 60, PERSON, 90), 0.9),
        ("car", going(300, 350, CAR, 40, frames), score),
    )
    seen = sure_things(clip)
    assert (seen.label == 1).sum() == kept * frames
    assert (seen.label == 0).sum() == 40
    assert len(np.unique(seen.id)) == 1 + kept


def test_one_thing_has_one_name() -> None:
    boxes = going(100, 300, CAR, 50)
    clip = clip_of(("car", boxes, 0.8), ("truck", boxes + 3, 0.9), ("person", boxes + 200, 0.7))
    seen = sure_things(clip)
    assert {clip.classes[n] for n in seen.label} == {"truck", "person"}


@pytest.mark.parametrize(("other", "kept"), [(0.2, True), (0.45, False)])
def test_what_another_kind_shows_nearly_as_surely_has_no_sure_name(
    other: float, kept: bool
) -> None:
    boxes = going(100, 300, CAR, 50)
    clip = clip_of(("cell-phone", boxes, 0.65), ("car", boxes + 3, other))
    assert len(sure_things(clip).boxes) == 40 * kept


def test_nothing_sure_says_nothing_and_nothing_at_all_is_refused() -> None:
    clip = clip_of(("person", going(50, 60, PERSON, 90), 0.3))
    assert list(describe(clip)) == []
    with pytest.raises(ClipError, match="nothing was detected"):
        describe(clip.only(np.zeros(len(clip.label), np.bool_)))


def test_a_clip_may_be_a_file(tmp_path: Path) -> None:
    clip = two_activities(0)[0]
    save_clip(clip, tmp_path / "clip.parquet")
    told = [(each.sentence, each.match) for each in describe(clip, 2)]
    for path in (tmp_path / "clip.parquet", str(tmp_path / "clip.parquet")):
        assert [(each.sentence, each.match) for each in describe(path, 2)] == told


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return Evidence(sure_things(two_activities(0)[0]), EVERYDAY)


@pytest.mark.parametrize("name", ["walk", "pick-up", "follow", "give"])
def test_what_is_told_of_casts_is_what_is_told_of_their_boxes(
    evidence: Evidence, name: str
) -> None:
    """Against the emissions of all combinations of candidates."""
    model = EVERYDAY.words["verb", name]
    casts = possible(evidence, model)[:20]
    assert len(casts)
    told = evidence.told(model, casts)
    players, measured = evidence._players, evidence._measured
    every = measured.emission(model, [players] * len(model.roles)) - model.background
    for n, cast in enumerate(casts):
        for t in range(0, evidence.clip.T, 7):
            at = evidence.place[cast, t]
            if (at < 0).any():
                assert (told[n, t] == -np.inf).all()
            else:
                np.testing.assert_allclose(told[n, t], every[(t, slice(None), *at)])


def test_things_are_where_their_boxes_are(evidence: Evidence) -> None:
    rows = evidence._players.rows
    for n, thing in enumerate(evidence.things):
        frames = np.flatnonzero(evidence.place[n] >= 0)
        assert (evidence.clip.id[rows[frames, evidence.place[n, frames]]] == thing).all()
        assert (np.diff(frames) == 1).all()


@pytest.mark.parametrize("name", ["walk", "approach", "carry", "pick-up"])
def test_a_moment_is_that_which_track_finds(evidence: Evidence, name: str) -> None:
    model = EVERYDAY.words["verb", name]
    casts = possible(evidence, model)
    fit, first, last = moments(evidence, model, evidence.told(model, casts))
    # What tells less than a frame costs is no moment to `track`.
    told = [n for n in np.argsort(-fit)[:3] if fit[n] * model.most > DULL]
    assert told
    for n in told:
        core = Core(model, tuple(map(int, casts[n])), int(first[n]), int(last[n]), float(fit[n]))
        meaning = express(evidence, core.things, (core.verb,))
        tracking = evidence.track(meaning, core.things, (core.first, core.last))
        verb = next(word for word in tracking.words if word.part == "verb")
        assert tracking.certified
        assert verb.margin / model.most >= core.fit - 0.05  # detections count for a little there
        start, last_one = evidence.clip.times[[core.first, core.last - 1]]
        assert start <= tracking.start < tracking.end <= last_one + 1.1 * evidence.clip.seconds


def test_moments_of_a_cast_do_not_overlap(evidence: Evidence) -> None:
    model = EVERYDAY.words["verb", "walk"]
    found: dict[int, list[tuple[int, int]]] = {}
    for n, fit, first, last in best_moments(evidence, model, possible(evidence, model)):
        assert fit > 0
        assert all(last <= low or first >= high for low, high in found.get(n, []))
        found.setdefault(n, []).append((first, last))
    assert found


def test_only_one_of_two_converses_is_said(evidence: Evidence) -> None:
    words = EVERYDAY.words
    assert is_converse(words["verb", "lead"], words["verb", "follow"])
    assert not is_converse(words["verb", "leave"], words["verb", "approach"])
    assert not is_converse(words["verb", "walk"], words["verb", "run"])
    assert "lead" not in {core.model.name for core in cores(evidence)}


@pytest.fixture(scope="module")
def scenes() -> dict[int, Description]:
    return {seed: describe(two_activities(seed)[0]) for seed in (0, 1, 3)}


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_a_made_up_clip_is_described_by_its_activities(
    seed: int, scenes: dict[int, Description]
) -> None:
    said = [each.sentence for each in scenes[seed]]
    assert "The person carried the backpack to the right." in said
    assert "The person walked to the left." in said
    assert any("the cup" in sentence.lower() for sentence in said)
    assert 0 < scenes[seed].tracked < scenes[seed].cores


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_a_sentence_is_depicted_when_it_is_said(seed: int, scenes: dict[int, Description]) -> None:
    clip, _ = two_activities(seed)
    for each in scenes[seed]:
        assert each.match == each.tracking.match >= 0.5
        assert (each.start, each.end) == (each.tracking.start, each.tracking.end)
        assert clip.times[0] <= each.start < each.end <= clip.times[-1] + 0.2
        assert all(word.part == "noun" or word.margin > 0 for word in each.tracking.words)


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_no_sentence_says_the_same_as_one_before_it(
    seed: int, scenes: dict[int, Description]
) -> None:
    said = [each.sentence for each in scenes[seed]]
    assert len(set(said)) == len(said)
    for n, sentence in enumerate(said):
        assert not any(earlier.startswith(sentence[:-1]) for earlier in said[:n])


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_descriptions_parse_to_what_they_mean(seed: int, scenes: dict[int, Description]) -> None:
    clip, _ = two_activities(seed)
    vocabulary = EVERYDAY.vocabulary().with_nouns(clip.classes)
    for each in scenes[seed]:
        meaning = each.tracking.objective.meaning
        assert parse(each.sentence, vocabulary) == meaning


def test_what_is_depicted_beats_its_opposite() -> None:
    clip = clip_of(
        ("person", going(40, 200, PERSON, 90, 45), 0.9),
        ("bench", going(480, 280, (120, 80), 0, 45), 0.9),
    )
    said = [each.sentence for each in describe(clip)]
    assert any("approached the bench" in sentence for sentence in said)
    assert not any("left the bench" in sentence for sentence in said)
    back = replace(clip, boxes=clip.boxes[np.lexsort((clip.label, -clip.frame_of))])
    said = [each.sentence for each in describe(back)]
    assert any("left the bench" in sentence for sentence in said)
    assert not any("approached the bench" in sentence for sentence in said)


def test_what_rests_is_not_told() -> None:
    clip = clip_of(
        ("person", going(100, 100, PERSON, 0), 0.9), ("cup", going(130, 150, (30, 30), 0), 0.9)
    )
    assert list(describe(clip)) == []


@settings(max_examples=10)
@given(st.floats(0.03, 0.3), st.floats(-3, 3))
def test_where_the_camera_moves_no_way_and_no_event_is_told(speed: float, angle: float) -> None:
    clip = clip_of(
        ("person", going(50, 60, PERSON, 200), 0.9), ("person", going(300, 200, PERSON, 0), 0.9)
    )
    assert any("to the right" in each.sentence for each in describe(clip))
    pan = speed * np.array([np.cos(angle), np.sin(angle)])
    moving = replace(
        clip,
        camera=np.broadcast_to(pan, clip.camera.shape),
        boxes=clip.boxes + np.tile(pan * 480 * clip.times[clip.frame_of][:, None], 2),
    )
    for each in describe(moving):
        assert each.sentence in ("The person walked.", "The person ran.")


def test_those_who_go_side_by_side_do_not_follow() -> None:
    def said(gap: float) -> list[str]:
        people = (going(x, 200, PERSON, 80) for x in (40.0, 40.0 + PERSON[0] + gap))
        return [each.sentence for each in describe(clip_of(*(("person", b, 0.9) for b in people)))]

    assert any("followed" in sentence for sentence in said(90))
    assert not any("followed" in sentence for sentence in said(5))
    assert "The person walked to the right." in said(5)


@pytest.mark.parametrize(("speed", "told"), [(80.0, True), (16.0, False)])
def test_who_is_followed_moves(speed: float, told: bool) -> None:
    """One who goes after another, who hardly does, or does."""
    people = going(40, 200, PERSON, 80, 15), going(220, 200, PERSON, speed, 15)
    evidence = Evidence(sure_things(clip_of(*(("person", b, 0.9) for b in people))), EVERYDAY)
    assert any(core.model.name == "follow" for core in cores(evidence)) is told


def test_the_same_is_said_again_of_another_time() -> None:
    rest, T = 60, 30
    there = going(50, 60, PERSON, 100, T)
    boxes = np.concatenate(
        [there, np.repeat(there[-1:], rest, axis=0), there + there[-1] - there[0]]
    )
    clip = clip_of(("person", boxes, 0.9))
    spans = [(e.start, e.end) for e in describe(clip) if e.sentence.startswith("The person walked")]
    assert len(spans) == 2
    assert min(end for _, end in spans) <= max(start for start, _ in spans)


def test_what_sways_before_a_camera_that_moves_is_not_told() -> None:
    away = going(50, 60, PERSON, 100, 30)
    sways = np.concatenate([away[:15], away[14::-1]])

    def said(boxes: np.ndarray) -> list[str]:
        clip = clip_of(("person", boxes, 0.9))
        pan = np.array([0.0, 0.05])
        shift = np.tile(pan * 480 * clip.times[clip.frame_of][:, None], 2)
        camera = np.broadcast_to(pan, clip.camera.shape)
        return [
            e.sentence for e in describe(replace(clip, camera=camera, boxes=clip.boxes + shift))
        ]

    assert said(away) == ["The person walked."]
    assert said(sways) == []


def test_who_is_far_away_has_nothing_to_do_with_it() -> None:
    clip = clip_of(
        ("person", going(40, 20, PERSON, 80), 0.9), ("person", going(110, 310, PERSON, 80), 0.9)
    )
    assert not any("another" in each.sentence for each in describe(clip))


def test_what_is_rather_said_comes_first() -> None:
    take, pick, walk = (EVERYDAY.words["verb", name] for name in ("take", "pick-up", "walk"))
    every = [
        Core(pick, (0, 1), 0, 10, 0.2),
        Core(walk, (0,), 0, 10, 0.5),
        Core(take, (0, 1), 2, 12, 0.9),
        Core(pick, (0, 2), 0, 10, 0.1),
        Core(pick, (0, 1), 30, 40, 0.3),
    ]
    assert [every.index(core) for core in in_order(every)] == [0, 2, 1, 4, 3]
    assert meanwhile(every[0], every[2])
    assert not meanwhile(every[0], every[4])


def test_an_event_of_one_has_no_way(evidence: Evidence) -> None:
    stop = EVERYDAY.words["verb", "stop"]
    core = Core(stop, (evidence.nouns.index("person"),), 0, 20, 1.0)
    assert way(evidence, core).words == (core.verb,)


def test_another_is_said_of_a_second_participant_of_a_noun(evidence: Evidence) -> None:
    people = [n for n, noun in enumerate(evidence.nouns) if noun == "person"][:2]
    core = Core(EVERYDAY.words["verb", "follow"], tuple(people), 0, 10, 0.0)
    meaning = express(evidence, core.things, (core.verb,))
    assert meaning.sentence == "The person followed another person."
    assert parse(meaning.sentence, evidence.vocabulary) == meaning


def test_the_command_prints_sentences_with_their_times(tmp_path: Path) -> None:
    path = tmp_path / "clip.parquet"
    save_clip(two_activities(1)[0], path)
    app = typer.Typer()
    app.command()(command)
    printed = CliRunner().invoke(app, [str(path), "-n", "2", "--json"])
    assert printed.exit_code == 0, printed.output
    said = describe(sentrack.load_clip(path), 2)
    assert len(said) == 2
    keys = ("sentence", "match", "start", "end")
    assert json.loads(printed.stdout) == {
        "sentences": [{key: getattr(each, key) for key in keys} for each in said]
    }
    plain = CliRunner().invoke(app, [str(path), "-n", "2"])
    for each, line in zip(said, plain.stdout.splitlines(), strict=True):
        assert line.endswith(each.sentence)
        assert f"{each.start:.1f} to {each.end:.1f} s" in line


def test_the_command_says_that_nothing_is_sure(tmp_path: Path) -> None:
    path = tmp_path / "clip.parquet"
    save_clip(clip_of(("person", going(50, 60, PERSON, 90), 0.3)), path)
    app = typer.Typer()
    app.command()(command)
    printed = CliRunner().invoke(app, [str(path)])
    assert printed.stdout == "nothing in it is sure enough to be told\n"


def test_labels_hold_for_the_same_sentence_at_the_same_time(
    scenes: dict[int, Description],
) -> None:
    said = scenes[0][0]
    label = Label("x", said.start + 0.1, said.end, said.sentence, True)
    assert label_of([label], "x", said) is True
    assert label_of([replace(label, true=False)], "x", said) is False
    assert label_of([label], "y", said) is None
    assert label_of([replace(label, start=said.end - 0.2)], "x", said) is None
    assert label_of([replace(label, sentence="The cup fell.")], "x", said) is None
    known = labels()
    assert len({(each.video, each.start, each.sentence) for each in known}) == len(known) > 30


@pytest.mark.usefixtures("shared_data")
def test_things_picked_up_and_put_down_in_cad_are_told() -> None:
    from benchmarks.cad import segments

    found, videos = segments(18)
    right = [hits(describe(s.of(videos[s.video]), 3), s, TRUE[s.verb]) for s in found[::2]]
    assert np.mean(right) >= 0.5
