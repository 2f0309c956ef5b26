"""Learning words from clips with sentences, from end to end."""

import json
import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import sentrack
from sentrack.cli.learn import learn as command
from sentrack.lexicon import Lexicon
from sentrack.tasks import track
from sentrack.tasks.learning import examples
from sentrack.tasks.learning.corpus import PathAndSentence
from sentrack.tasks.learning.initial_models import DEFAULT_FEATURES as FEATURES
from sentrack.tasks.learning.learner import PairError, Settings, learn, read_pairs
from sentrack.vision import save_clip
from tests.tasks.stages import DOWN, UP, corpus, same_words, stage

QUICK = Settings(restarts=2, iterations=3, contrast=2, nouns=False)


STEPS: list[str] = []  # of the run that is not interrupted


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return learn(corpus(8), settings=QUICK, report=lambda stage, *_: STEPS.append(stage))


def test_learned_words_tell_fresh_clips_apart(lexicon: Lexicon) -> None:
    for seed in range(100, 106):
        for direction, own in ((UP, "glorped"), (DOWN, "fribbed")):
            clip = stage(direction, "cup", seed)
            scores = {
                verb: track(clip, f"The hand {verb} the cup.", lexicon).score
                for verb in ("glorped", "fribbed")
            }
            assert max(scores, key=lambda verb: scores[verb]) == own


def test_a_learned_lexicon_is_an_ordinary_one(lexicon: Lexicon, tmp_path: Path) -> None:
    lexicon.save(tmp_path / "mine.toml")
    again = sentrack.Lexicon.load(tmp_path / "mine.toml")
    clip = stage(UP, "cup", 7)
    sentence = "The hand glorped the cup."
    assert track(clip, sentence, again).match == pytest.approx(
        track(clip, sentence, lexicon).match, abs=1e-9
    )
    assert again.words["verb", "glorp"].states == ("phase 1", "phase 2", "phase 3")


def test_clips_may_be_files(lexicon: Lexicon, tmp_path: Path) -> None:
    pairs: list[PathAndSentence] = []
    for n, (clip, sentence) in enumerate(corpus(8)):
        save_clip(clip, tmp_path / f"{n}.parquet")
        pairs.append((tmp_path / f"{n}.parquet", sentence))
    assert same_words(learn(pairs, settings=QUICK), lexicon)


def test_nouns_are_learned_from_the_classes_that_co_occur() -> None:
    # The nouns are nonsense: only what goes up and down tells what they name.
    said = {"cup": "zup", "box": "blick"}
    pairs = [
        (clip, sentence.replace(thing, said[thing]).replace("hand", "mip"))
        for (clip, sentence) in corpus(16)
        for thing in said
        if thing in sentence
    ]
    found = learn(pairs, settings=replace(QUICK, nouns=True, contrast=0, iterations=10))
    named = {noun: found.words["noun", noun].classes for noun in ("zup", "blick", "mip")}
    assert named == {"zup": ("cup",), "blick": ("box",), "mip": ("hand",)}


def test_kept_words_stay_as_they_are() -> None:
    everyday = Lexicon.load("everyday")
    pairs = [(clip, text.replace("glorped", "picked up")) for clip, text in corpus(8)]
    found = learn(pairs, keep=everyday, settings=QUICK)
    assert found.words["verb", "pick-up"] is everyday.words["verb", "pick-up"]
    assert found.words["verb", "frib"].observed != everyday.words["verb", "pick-up"].observed
    again = learn(pairs, settings=QUICK)
    assert again.words["verb", "pick-up"].grammar["particle"] == "up"
    assert again.words["verb", "pick-up"].outputs[0].shape[0] == 3


def upside_down(number: int) -> list[tuple[sentrack.Clip, str]]:
    """Pairs in which "picked up" is said of what goes down, and the other way round."""
    said = {"glorped": "put down", "fribbed": "picked up"}
    pairs = []
    for clip, text in corpus(number):
        verb = next(each for each in said if each in text)
        pairs.append((clip, text.replace(verb, said[verb])))
    return pairs


def test_words_begin_with_a_meaning_and_are_held_to_it() -> None:
    everyday = Lexicon.load("everyday")
    quick = replace(QUICK, contrast=3)
    firm = learn(upside_down(8), start=everyday, settings=replace(quick, belief=1e6))
    loose = learn(upside_down(8), start=everyday, settings=replace(quick, belief=1.0))
    fresh = upside_down(14)[8:]
    for verb in ("pick-up", "put-down"):
        before, after = everyday.words["verb", verb], firm.words["verb", verb]
        assert after.observed == before.observed  # what tells nothing more is not looked at
        for a, b in zip(after.outputs, before.outputs, strict=True):
            assert a == pytest.approx(b, abs=1e-3)
    assert firm.words["verb", "walk"] is everyday.words["verb", "walk"]

    def right(lexicon: Lexicon) -> int:
        count = 0
        for clip, text in fresh:
            pair = ("picked up", "put down")
            other = text.replace(*(pair if pair[0] in text else pair[::-1]))
            own, against = (track(clip, said, lexicon, whole=True) for said in (text, other))
            count += own.match > against.match
        return count

    assert right(firm) == 0
    assert right(loose) > len(fresh) / 2


def test_the_same_seed_gives_the_same_lexicon_however_many_work_on_it(lexicon: Lexicon) -> None:
    assert same_words(lexicon, learn(corpus(8), settings=QUICK, workers=2))
    assert not same_words(lexicon, learn(corpus(8), seed=1, settings=replace(QUICK, iterations=1)))


@pytest.mark.parametrize("after", [1, 6, 13])
def test_an_interrupted_run_goes_on(after: int, lexicon: Lexicon, tmp_path: Path) -> None:
    journal = tmp_path / ".mine.learning"
    steps: list[str] = []

    def interrupt(stage: str, done: float, total: float | None) -> None:  # noqa: ARG001
        steps.append(stage)
        if len(steps) == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn(corpus(8), settings=QUICK, journal=journal, report=interrupt)
    # The first step is told before it is kept.
    assert journal.exists() == (after > 1)
    rest: list[str] = []
    again = learn(
        corpus(8),
        settings=QUICK,
        journal=journal,
        report=lambda stage, *_: rest.append(stage),
    )
    assert same_words(again, lexicon)
    assert not journal.exists()
    # Nothing is done twice but the step that was not kept.
    assert after - 1 + len(rest) == len(STEPS)


def test_a_journal_of_another_run_is_disregarded(lexicon: Lexicon, tmp_path: Path) -> None:
    for text in ("nonsense", '{"run": "another", "stages": {}}'):
        journal = tmp_path / "journal"
        journal.write_text(text)
        assert same_words(learn(corpus(8), settings=QUICK, journal=journal), lexicon)


FAULTS = {
    "zzz the the": "sentence ends too early|does not fit|unknown word|starts with",
    "The hand glorped the elephant.": "no elephant was detected",
    "The hand yonked the cup.": "the verb 'yonk' is said once",
}


@pytest.mark.parametrize("sentence", FAULTS)
def test_a_pair_that_is_no_good_is_named_and_left_out_or_refused(
    sentence: str, caplog: pytest.LogCaptureFixture
) -> None:
    pairs = [*corpus(6), (stage(UP, "cup", 50), sentence)]
    with caplog.at_level(logging.WARNING, "sentrack"):
        found = learn(pairs, settings=replace(QUICK, iterations=1, contrast=0))
    assert ("verb", "glorp") in found.words
    assert ("verb", "yonk") not in found.words
    with pytest.raises(PairError, match=FAULTS[sentence]) as error:
        learn(pairs, settings=QUICK, strict=True)
    assert f"left out: {error.value}" in caplog.messages
    assert "\n" not in str(error.value)


def test_an_empty_corpus_is_refused() -> None:
    with pytest.raises(PairError, match="nothing to learn from: there are no pairs"):
        learn([])
    with pytest.raises(PairError, match="nothing to learn from: stage 50"):
        learn([(stage(UP, "cup", 50), "nonsense")])
    with pytest.raises(PairError, match="held fixed"):
        learn([(stage(UP, "cup", 50), "The hand picked up the cup.")] * 2, keep="everyday")


def test_a_noun_said_once_names_its_own_class(caplog: pytest.LogCaptureFixture) -> None:
    pairs = [*corpus(6, ("cup",)), (stage(UP, "box", 60), "The hand glorped the box.")]
    found = learn(pairs, settings=replace(QUICK, nouns=True, iterations=1, contrast=0))
    assert found.words["noun", "box"].classes == ("box",)
    assert "'box' is said once; it is taken to name the class of its name" in caplog.messages


def test_lattices_too_large_for_exact_sums_are_thinned_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pairs = [(stage(UP, "cup", n, ("cup",)), "The hand glorped the cup.") for n in range(3)]
    pairs = [(_doubled(clip), text) for clip, text in pairs]
    # Three states, and of each noun one box that is left and the two of what is not there.
    monkeypatch.setattr(examples, "JOINT", 3 * 3 * 3)
    learn(pairs, settings=replace(QUICK, iterations=1, contrast=0))
    assert any("too many candidates for exact sums" in m for m in caplog.messages)
    monkeypatch.setattr(examples, "JOINT", 3 * 3 * 3 - 1)
    with pytest.raises(PairError, match="too many candidates"):
        learn(pairs, settings=QUICK, strict=True)


def _doubled(clip: sentrack.Clip) -> sentrack.Clip:
    """Every box seven times."""
    rows = np.repeat(np.arange(len(clip.label)), 7)
    names = ("boxes", "label", "score", "velocity", "camera", "colour", "looks", "id", "projected")
    return replace(
        clip, start=clip.start * 7, **{name: getattr(clip, name)[rows] for name in names}
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"restarts": 0}, "restarts is 0"),
        ({"noise": 1.0}, "noise is 1"),
        ({"smoothing": 0.0}, "smoothing is 0"),
        ({"states": {"noun": 2}}, "'noun' has no states"),
        ({"states": {"verb": 0}}, "a verb cannot have 0"),
        ({"features": {}}, "'verb 1' must be given as in"),
        (
            {"features": dict(FEATURES) | {"verb 1": "gap(0,1)"}},
            "'verb 1' must be given as in",
        ),
        (
            {"features": dict(FEATURES) | {"verb 2": "gasp(0,1)"}},
            "'verb 2' must be given as in",
        ),
    ],
)
def test_settings_are_checked(change: dict[str, object], message: str) -> None:
    with pytest.raises(sentrack.SentrackError, match=message):
        Settings(**change)  # type: ignore[arg-type]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    lines = []
    for n, (clip, sentence) in enumerate(corpus(6)):
        save_clip(clip, tmp_path / f"{n}.csv")
        lines.append(json.dumps({"clip": f"{n}.csv", "sentence": sentence, "start": 0.0}))
    (tmp_path / "pairs.jsonl").write_text("\n".join([*lines, "", ""]))
    return tmp_path


def test_pairs_are_read_from_a_file(files: Path) -> None:
    pairs = read_pairs(files / "pairs.jsonl")
    assert [pair[1] for pair in pairs] == [sentence for _, sentence in corpus(6)]
    for found, (clip, _) in zip(pairs, corpus(6), strict=True):
        assert found[0].boxes == pytest.approx(clip.boxes, abs=1e-6)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[1]", "must be an object"),
        ('{"clip": "0.csv"}', "'sentence' must be given"),
        ('{"clip": 3, "sentence": "x"}', "'clip' must be given"),
        ('{"clip": "0.csv", "sentence": "x", "strat": 1}', "did you mean 'start'"),
        ('{"clip": "0.csv", "sentence": "x", "start": "1"}', "'start' must be a number"),
        ('{"clip": "0.csv", "sentence": "x", "size": [1]}', "'size' must be"),
        ('{"clip": "0.csv", "sentence": "x", "size": [NaN, 480]}', "'size' must be"),
        ('{"clip": "0.csv", "sentence": "x", "size": [640, 1e400]}', "'size' must be"),
        ('{"clip": "0.csv", "sentence": "x", "size": [640, -480.5]}', "'size' must be"),
        ('{"clip": "0.csv", "sentence": "x", "fps": NaN}', "'fps' must be"),
        ('{"clip": "0.csv", "sentence": "x", "video": 1}', "'video' must be text"),
        ('{"clip": "0.csv", "sentence": "x", "boxes": [1]}', "'boxes' must be"),
        (
            '{"clip": "0.csv", "sentence": "x", "boxes":'
            ' [{"participant": 0, "frame": 1, "box": [3, 0, 1, 9]}]}',
            "with x1 < x2",
        ),
        ('{"clip": "none.csv", "sentence": "x"}', "no such file"),
        ('{"clip": "0.csv", "sentence": "x", "start": 99}', "no frame from 99"),
    ],
)
def test_a_bad_line_is_named(
    line: str, message: str, files: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = files / "pairs.jsonl"
    path.write_text(path.read_text().rstrip() + "\n" + line)
    assert len(read_pairs(path)) == 6
    with pytest.raises(PairError, match=message) as error:
        read_pairs(path, strict=True)
    assert str(error.value).startswith("pairs.jsonl, line 7: ")
    assert f"left out: {error.value}" in caplog.messages


def test_a_file_of_pairs_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PairError, match=r"none\.jsonl: it cannot be read: No such file"):
        read_pairs(tmp_path / "none.jsonl")
    (tmp_path / "pairs.parquet").write_bytes(b"PAR1\xff\xfe")
    with pytest.raises(PairError, match="it is not text"):
        read_pairs(tmp_path / "pairs.parquet")


def test_the_command_writes_a_lexicon_and_compares(files: Path) -> None:
    app = typer.Typer()
    app.command()(command)
    path = files / "pairs.jsonl"
    path.write_text(path.read_text().replace("glorped", "picked up"))
    output = files / "mine.toml"
    options = [
        "--restarts",
        "1",
        "--iterations",
        "2",
        "--contrast",
        "1",
        "--states",
        "verb=2",
        "--no-nouns",
        "--workers",
        "1",
    ]
    ran = CliRunner().invoke(app, [str(path), "-o", str(output), *options, "--compare", "everyday"])
    assert ran.exit_code == 0, ran.output
    assert "learned" in ran.output
    assert "reaching" in ran.output  # a phase of the hand-written word
    assert "only learned: frib" in ran.output
    assert len(Lexicon.load(output).words["verb", "pick-up"].states) == 2
    assert not list(files.glob(".*"))
    other = files / "fitted.toml"
    ran = CliRunner().invoke(app, [str(path), "-o", str(other), *options, "--from", "everyday"])
    assert ran.exit_code == 0, ran.output
    assert Lexicon.load(other).words["verb", "pick-up"].states == ("reaching", "holding")
    again = CliRunner().invoke(app, [str(path), "-o", str(output), *options])
    assert isinstance(again.exception, sentrack.SentrackError)
    wrong = CliRunner().invoke(app, [str(path), "-o", str(files / "x.toml"), "--states", "verb"])
    assert "PART=NUMBER" in str(wrong.exception)
    wrong = CliRunner().invoke(app, [str(path), "-o", str(files / "x.toml"), "--cluster", "here"])
    assert "HOST:PORT" in str(wrong.exception)
