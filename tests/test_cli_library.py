"""The commands `index`, `library`, `search` and `describe`, as a person uses them."""

import json
from pathlib import Path

import av
import pytest

from sentrack.tasks import Library
from sentrack.vision import load_clip, save_clip
from tests.commands import Run, start
from tests.tasks.scenes import scene

SENTENCE = "The person picked up the cup."
OTHER = "The person carried the cup."


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve files of detections."""
    folder = tmp_path_factory.mktemp("sources")
    for seed in range(12):
        clip = scene(seed)
        save_clip(clip, folder / f"{clip.name}.parquet")
    return folder


@pytest.fixture(scope="module")
def library(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A library of them, made by two processes."""
    url = tmp_path_factory.mktemp("libraries") / "lib"
    result = start("index", str(sources), "--library", str(url), "--workers", "2")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1] == "12 clips: 12 new, 0 changed, 0 there, 0 failed"
    return str(url)


def test_indexing_again_does_nothing_and_says_so(run: Run, sources: Path, library: str) -> None:
    before = sorted(path.stat().st_mtime_ns for path in Path(library).iterdir())
    again = json.loads(run("index", str(sources), "--library", library, "--json").stdout)
    assert [clip["state"] for clip in again["clips"]] == ["there"] * 12
    assert again["failed"] == []
    assert sorted(path.stat().st_mtime_ns for path in Path(library).iterdir()) == before


def test_several_processes_index_as_one_does(
    run: Run, sources: Path, library: str, tmp_path: Path
) -> None:
    alone = tmp_path / "alone"
    run("index", str(sources), "--library", str(alone), "--workers", "1")
    names = sorted(path.name for path in Path(library).glob("scene*"))
    assert len(names) == 2 * 12  # clips, and what is kept of their things
    assert names == sorted(path.name for path in alone.glob("scene*"))
    for name in names:
        assert (alone / name).read_bytes() == (Path(library) / name).read_bytes()


def test_a_library_is_listed_and_checked(run: Run, library: str) -> None:
    listed = run("library", library)
    assert listed.returncode == 0, listed.stderr
    assert listed.stdout.splitlines()[-1] == "12 clips, 0.8 minutes"
    assert run("library", library, "--check").stdout == "in order\n"


def test_search_prints_moments(run: Run, library: str) -> None:
    expected = Library(library).search([SENTENCE, OTHER], 4)
    assert len(expected) == 4
    result = run("search", library, SENTENCE, OTHER, "-k", "4", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    document = json.loads(result.stdout)
    assert list(document) == ["moments"]
    assert len(document["moments"]) == 4
    for told, moment in zip(document["moments"], expected, strict=True):
        assert {"video", "start", "end", "match", "score", "participants"} <= told.keys()
        for name in ("video", "sentence", "start", "end", "match", "score"):
            assert told[name] == getattr(moment, name)
        assert told["reason"] == moment.tracking.reason
        clip = load_clip(Library(library).entry(told["video"]).source)
        for shown, tracked in zip(told["participants"], moment.tracking.participants, strict=True):
            assert shown["noun"] == tracked.noun
            for frame, seconds, *corners, score in shown["boxes"]:
                assert told["start"] <= seconds < told["end"]
                assert seconds == pytest.approx(frame / clip.fps)
                assert len(corners) == 4
                assert 0 <= score <= 1
    table = run("search", library, SENTENCE, OTHER, "-k", "4")
    assert table.returncode == 0, table.stderr
    lines = table.stdout.splitlines()
    assert lines[0].split()[:4] == ["video", "from", "to", "match"]
    rows = [line.split() for line in lines[1:5]]
    assert [(row[0], row[1]) for row in rows] == [
        (str(rank), moment.video) for rank, moment in enumerate(expected, 1)
    ]
    assert all(moment.sentence in line for line, moment in zip(lines[1:5], expected, strict=True))
    assert lines[-1].startswith("12 clips, ")


def test_excerpts_can_be_played_and_are_not_overwritten(
    run: Run, library: str, tmp_path: Path
) -> None:
    folder = tmp_path / "new" / "excerpts"
    arguments = "search", library, SENTENCE, "-k", "2", "--clips", str(folder)
    result = run(*arguments)
    assert result.returncode == 0, result.stderr
    expected = Library(library).search(SENTENCE, 2)
    names = [
        f"{rank:02d}-{moment.video}-{moment.start:.1f}s.mp4"
        for rank, moment in enumerate(expected, 1)
    ]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert result.stdout.splitlines()[-2:] == [str(folder / name) for name in names]
    for name, moment in zip(names, expected, strict=True):
        with av.open(str(folder / name)) as container:
            stream = container.streams.video[0]
            assert stream.codec_context.name == "h264"
            assert stream.codec_context.pix_fmt == "yuv420p"
            pictures = [frame.to_ndarray(format="rgb24") for frame in container.decode(stream)]
            assert container.duration is not None
            seconds = container.duration / av.time_base
        assert len(pictures) == len(moment.tracking.participants[0].frames)
        assert all(picture.std() > 1 for picture in pictures), "nothing is drawn"
        # The time of the last picture may or may not be counted.
        assert seconds == pytest.approx(moment.end - moment.start, abs=0.15)
    again = run(*arguments)
    assert (again.returncode, "--force" in again.stderr) == (1, True)
    assert run(*arguments, "--force").returncode == 0


def test_nothing_found_is_an_answer(run: Run, library: str) -> None:
    result = run("search", library, "The zebra walked.")
    assert result.returncode == 0
    assert result.stdout.splitlines() == [
        "no moment depicts it",
        "12 clips, 0 with all nouns, 0 solved",
    ]
    empty = run("search", library, "The zebra walked.", "--json")
    assert json.loads(empty.stdout) == {"moments": []}


def test_describe_says_what_happens(run: Run, sources: Path) -> None:
    one = json.loads(run("describe", str(sources / "scene-00.parquet"), "-n", "2", "--json").stdout)
    assert list(one) == ["sentences"]
    assert 1 <= len(one["sentences"]) <= 2
    for told in one["sentences"]:
        assert told.keys() == {"sentence", "match", "start", "end"}
        assert told["start"] < told["end"]
        assert 0 < told["match"] <= 1
        assert told["sentence"].startswith("The person ")
    plain = run("describe", str(sources / "scene-00.parquet"), "-n", "2")
    lines = plain.stdout.splitlines()
    for line, told in zip(lines, one["sentences"], strict=True):
        span = f"{told['start']:.1f} to {told['end']:.1f} s"
        assert line.split("  ", 1)[0] == f"{told['match']:.2f}"
        assert line.endswith(f"{span}  {told['sentence']}")


def test_describe_tells_of_every_clip_of_a_library(run: Run, sources: Path, tmp_path: Path) -> None:
    few = tmp_path / "few"
    files = [str(sources / f"scene-0{n}.parquet") for n in range(3)]
    run("index", *files, "--library", str(few))
    told = json.loads(run("describe", "--library", str(few), "-n", "1", "--json").stdout)
    assert [clip["clip"] for clip in told["clips"]] == ["scene-00", "scene-01", "scene-02"]
    alone = [json.loads(run("describe", file, "-n", "1", "--json").stdout) for file in files]
    assert [{"sentences": clip["sentences"]} for clip in told["clips"]] == alone
    lines = run("describe", "--library", str(few), "-n", "1").stdout.splitlines()
    assert lines[0] == "scene-00"
    assert {"scene-00", "scene-01", "scene-02"} <= set(lines)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("search", "{none}", SENTENCE), "there is no such library; make one by: sentrack index"),
        (("describe", "--library", "{none}"), "there is no such library"),
        (("library", "{none}"), "there is no such library"),
        (("search", "{library}", "The person pickd up the cup."), "picked"),
        (("search", "{library}", "The giraffe walked."), "giraffe"),
        (("search", "{library}", "The person or walked."), "what 'or' joins"),
        (("search", "{library}", SENTENCE, "--workers", "0"), "at least 1"),
        (("search", "{library}", SENTENCE, "--cluster", "nowhere"), "'nowhere' is not HOST:PORT"),
        (("search", "{library}", SENTENCE, "--lexicon", "evryday"), "everyday"),
        (("search", "{library}", SENTENCE, "--clips", "{file}"), "it cannot be made"),
        (("index", "missing.mp4", "--library", "{none}"), "missing.mp4"),
        (("describe",), "name a clip, or a library"),
        (("describe", "missing.csv"), "missing.csv"),
        (("describe", "missing.csv", "--library", "{library}"), "name a clip, or a library"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_1(
    run: Run, arguments: tuple[str, ...], message: str, library: str, sources: Path, tmp_path: Path
) -> None:
    places = {
        "none": str(tmp_path / "none"),
        "library": library,
        "file": str(sources / "scene-00.parquet"),
    }
    result = run(*(argument.format(**places) for argument in arguments))
    assert result.returncode == 1, result.stdout
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert message in line
    assert not (tmp_path / "none").exists()


def test_wrong_usage_is_exit_code_2(run: Run, library: str) -> None:
    assert run("search", library).returncode == 2
    assert run("search", library, SENTENCE, "-k", "0").returncode == 2


def test_a_library_that_cannot_be_reached_is_named(run: Run) -> None:
    """Nobody listens on port 9 of this machine."""
    url = "http://127.0.0.1:9/lib"
    result = run("search", url, SENTENCE)
    assert result.returncode == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"sentrack: {url}: it cannot be reached: ")
