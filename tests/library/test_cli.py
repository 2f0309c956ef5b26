"""The commands `index` and `library`."""

import json
import logging
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sentrack.cli import app
from sentrack.errors import SentrackError
from sentrack.library import Entry, Store, Task, index_one
from sentrack.progress import Report
from tests.library.scenes import assert_equal, files, scene


def run(*arguments: object) -> Result:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, [str(each) for each in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit | SentrackError)
    return result


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Three files of detections."""
    files(tmp_path / "sources", range(3))
    return tmp_path / "sources"


def test_indexing_and_indexing_again(sources: Path, tmp_path: Path) -> None:
    url = tmp_path / "lib"
    first = run("index", sources, "--library", url)
    assert (first.exit_code, first.stderr) == (0, "")
    assert first.stdout.splitlines()[-1] == "3 clips: 3 new, 0 changed, 0 there, 0 failed"
    assert Store(url).check() == []
    again = run("index", sources, "--library", url)
    assert again.stdout == "3 clips: 0 new, 0 changed, 3 there, 0 failed\n"
    changed = run("index", sources / "scene-1.parquet", "--library", url, "--fps", 5)
    assert "scene-1 changed: fps not given → 5.0" in changed.stderr
    assert changed.stdout.splitlines()[-1] == "1 clip: 0 new, 1 changed, 0 there, 0 failed"
    forced = json.loads(run("index", sources, "--library", url, "--force", "--json").stdout)
    assert [clip["state"] for clip in forced["clips"]] == ["changed"] * 3
    assert forced["failed"] == []


def test_a_source_at_fault_stops_no_other(
    sources: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (sources / "scene-1.parquet").write_bytes(b"nonsense")
    (sources / "notes.txt").write_text("about something else\n")
    (sources / "other.json").write_text("{}")
    (sources / "bad.csv").write_text("frame,class,x1,y1,x2,y2\n0.5,cup,1,2,4,6\n")
    result = run("index", sources, "--library", tmp_path / "lib", "--json")
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert "bad.csv: column 'frame' holds 0.5" in line
    (left_out,) = [record.getMessage() for record in caplog.records]
    assert f"left out: {sources / 'scene-1.parquet'}: not a readable Parquet file" in left_out
    assert [entry.name for entry in Store(tmp_path / "lib").entries()] == ["scene-0", "scene-2"]
    missing = run("index", tmp_path / "none.mp4", "--library", tmp_path / "lib")
    assert isinstance(missing.exception, SentrackError)
    assert "none.mp4: no such file" in str(missing.exception)


def test_listing(sources: Path, tmp_path: Path) -> None:
    run("index", sources, "--library", tmp_path / "lib")
    result = run("library", tmp_path / "lib")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["name", "seconds", "frames", "seen", "detector", "size", "kB"]
    assert [line.split()[0] for line in lines[1:4]] == ["scene-0", "scene-1", "scene-2"]
    assert "640x480" in lines[1]
    assert lines[4] == "3 clips, 0.1 minutes"
    document = json.loads(run("library", tmp_path / "lib", "--json").stdout)
    assert document["clips"] == [entry.to_dict() for entry in Store(tmp_path / "lib").entries()]


def test_checking_repairing_and_removing(
    sources: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    url = tmp_path / "lib"
    run("index", sources, "--library", url)
    assert run("library", url, "--check").stdout == "in order\n"
    (sources / "scene-0.parquet").unlink()
    noted = run("library", url, "--check")
    assert (noted.exit_code, noted.stdout.splitlines()[-1]) == (0, "1 problem")
    file = url / Store(url).entry("scene-1").file
    file.write_bytes(b"damaged")
    bad = run("library", url, "--check", "--json")
    assert bad.exit_code == 1
    assert [p["kind"] for p in json.loads(bad.stdout)["problems"]] == ["corrupt", "source gone"]
    caplog.set_level(logging.ERROR)
    assert run("library", url, "--repair").exit_code == 0
    assert not file.exists()
    assert (
        run("library", url, "--remove", "scene-0").stdout
        == "removed scene-0\n1 clip, 0.0 minutes\n"
    )
    assert [entry.name for entry in Store(url).entries()] == ["scene-2"]
    wrong = run("library", url, "--remove", "scene-7")
    assert "no clip 'scene-7'; nearest name: 'scene-2'" in str(wrong.exception)


def test_a_library_that_is_not_there(tmp_path: Path) -> None:
    result = run("library", tmp_path / "none")
    assert isinstance(result.exception, SentrackError)
    assert "sentrack index SOURCES --library" in str(result.exception)
    assert not (tmp_path / "none").exists()


def test_failed_clips_are_not_counted_as_new(sources: Path, tmp_path: Path) -> None:
    (sources / "bad.csv").write_text("frame,class,x1,y1,x2,y2\n0.5,cup,1,2,4,6\n")
    result = run("index", sources, "--library", tmp_path / "lib")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "4 clips: 3 new, 0 changed, 0 there, 1 failed"


def test_the_catalogue_is_completed_after_a_kill_before_it_was_written(
    sources: Path, tmp_path: Path
) -> None:
    run("index", sources, "--library", tmp_path / "lib")
    catalogue = tmp_path / "lib" / "catalogue.parquet"
    catalogue.unlink()
    again = run("index", sources, "--library", tmp_path / "lib")
    assert again.stdout == "3 clips: 0 new, 0 changed, 3 there, 0 failed\n"
    assert Store(tmp_path / "lib").check() == []
    written = catalogue.stat().st_mtime_ns
    run("index", sources, "--library", tmp_path / "lib")
    assert catalogue.stat().st_mtime_ns == written


def test_names_that_are_no_text(sources: Path, tmp_path: Path) -> None:
    odd = os.fsencode(sources) + b"/caf\xe9 \xff.parquet"
    Path(os.fsdecode(odd)).write_bytes((sources / "scene-1.parquet").read_bytes())
    (sources / "scene-1.parquet").unlink()
    url = tmp_path / "lib"
    result = run("index", sources, "--library", url)
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (
        0,
        "3 clips: 3 new, 0 changed, 0 there, 0 failed",
    )
    name = r"caf\xe9 \xff"
    entry = Store(url).entry(name)
    assert os.fsencode(entry.path) == odd
    assert entry.source.encode().endswith(rb"caf\xe9 \xff.parquet")
    assert_equal(Store(url).clip(name), scene(1))
    assert run("library", url, "--check").stdout == "in order\n"
    assert json.loads(run("library", url, "--json").stdout)["clips"][0]["name"] == name
    again = run("index", sources, "--library", url)
    assert again.stdout == "3 clips: 0 new, 0 changed, 3 there, 0 failed\n"
    named = run("index", os.fsdecode(odd), "--library", url, "--force")
    assert named.stdout.splitlines()[-1] == "1 clip: 0 new, 1 changed, 0 there, 0 failed"


def test_a_library_has_a_name() -> None:
    for command in (["search", "", "The person walked."], ["library", ""]):
        result = run(*command)
        assert "the library has no name" in str(result.exception)


def test_a_damaged_clip_is_named_and_indexed_again(
    sources: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    url = tmp_path / "lib"
    run("index", sources, "--library", url)
    path = url / Store(url).entry("scene-1").file
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 16
    path.write_bytes(content)
    assert "corrupt" in run("library", url, "--check").stdout
    found = run("search", url, "The person approached the cup.", "--json")
    assert (found.exit_code, json.loads(found.stdout)["damaged"]) == (0, ["scene-1"])
    assert "left out: scene-1 cannot be read" in caplog.text
    again = run("index", sources, "--library", url)
    assert "scene-1 changed: its file was damaged" in again.stderr
    assert run("library", url, "--check").stdout == "in order\n"


def test_many_questions_from_a_file(sources: Path, tmp_path: Path) -> None:
    url, file = tmp_path / "lib", tmp_path / "questions.txt"
    run("index", sources, "--library", url)
    asked = ["The person approached the cup.", "The dog left the person.", "The zebra walked."]
    file.write_text("\ufeff" + "\n\n".join(asked) + "\n", "utf-8")
    told = json.loads(run("search", url, "--from", file, "--json", "-k", 2).stdout)["questions"]
    assert [each["sentence"] for each in told] == asked
    for question, each in zip(asked, told, strict=True):
        alone = json.loads(run("search", url, question, "--json", "-k", 2).stdout)
        assert each == {"sentence": question, **alone}
    lines = run("search", url, "--from", file).stdout.splitlines()
    assert [line for line in lines if line in asked] == asked


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"The person walked.\nThe person frobbed.\n", "question 2: "),
        (b" \n\n", "there is no sentence in it"),
        (b"\xff\xfe\x00", "it is not text"),
        (None, "it cannot be read: No such file"),
    ],
)
def test_files_of_questions_at_fault(
    sources: Path, tmp_path: Path, content: bytes | None, message: str
) -> None:
    file = tmp_path / "questions.txt"
    if content is not None:
        file.write_bytes(content)
    run("index", sources, "--library", tmp_path / "lib")
    result = run("search", tmp_path / "lib", "--from", file)
    assert message in str(result.exception)


def test_a_search_asks_something(sources: Path, tmp_path: Path) -> None:
    run("index", sources, "--library", tmp_path / "lib")
    for more in ([], ["The person walked.", "--from", "x.txt"]):
        result = run("search", tmp_path / "lib", *more)
        assert result.exit_code == 2
        assert "give a sentence, or a file of them by --from" in result.stderr


def test_an_interrupt_says_what_is_kept_and_the_rest_is_done_later(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, calls = index_one, 0

    def interrupted(url: str, task: Task, report: Report) -> Entry:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return plain(url, task, report)

    monkeypatch.setattr("sentrack.tasks.library.index_one", interrupted)
    result = run("index", sources, "--library", tmp_path / "lib", "--workers", 1)
    assert (result.exit_code, result.stdout) == (130, "")
    text = "stopped: 2 of 3 clips are done and kept; the same command goes on from there"
    assert result.stderr == f"sentrack: {text}\n"
    assert Store(tmp_path / "lib").check() == []
    again = run("index", sources, "--library", tmp_path / "lib")
    assert again.stdout.splitlines()[-1] == "3 clips: 1 new, 0 changed, 2 there, 0 failed"
