"""The command line, as a person uses it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sentrack.vision import save_clip, two_activities
from tests.commands import Run, start


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("clips") / "boxes.csv"
    save_clip(two_activities(0)[0], path)
    return str(path)


def test_help_loads_nothing_that_takes_long() -> None:
    code = "import sys; from sentrack.cli import main; sys.argv = ['sentrack', '--help']\n"
    code += "try: main()\nfinally: print(*sorted(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0
    *told, loaded = result.stdout.splitlines()
    assert "track" in "".join(told)
    heavy = {"numpy", "numba", "pyarrow", "cv2", "av", "lark", "distributed", "fastapi"}
    assert not heavy & set(loaded.split())


def test_version() -> None:
    assert start("--version").stdout.startswith("sentrack 0.")


def test_track_prints_a_table_and_json(run: Run, boxes: str) -> None:
    sentences = "The person picked up the cup.", "The person approached the chair."
    table = start("track", boxes, *sentences)
    assert table.returncode == 0, table.stderr
    assert table.stdout.count("no better tracks exist") == 2
    assert "proven" not in table.stdout
    assert "pick-up" in table.stdout
    documents = json.loads(run("track", boxes, *sentences, "--json").stdout)
    assert [d["sentence"] for d in documents] == list(sentences)
    for told in documents:
        verdict = "depicted" if told["match"] >= 0.5 else "not depicted"
        when = f"{told['start']:.1f} to {told['end']:.1f} s"
        assert f"  {verdict}, match {told['match']:.2f}, {when} " in table.stdout
    one = json.loads(run("track", boxes, sentences[0], "--json").stdout)
    assert one["certified"] is True
    assert one["score"] == documents[0]["score"]


def test_a_sentence_is_about_a_part_of_the_clip_or_about_all_of_it(run: Run, boxes: str) -> None:
    sentence = "The person carried the backpack to the right."
    arguments = "track", boxes, sentence, "--end", "4", "--json"
    part, whole = (json.loads(run(*arguments, *more).stdout) for more in ([], ["--whole"]))
    assert (whole["start"], whole["end"]) == (0, pytest.approx(4))
    assert 0 <= part["start"] < part["end"] <= 4.1
    # Of a part, ten frames a second are looked at; of the whole, all fifteen.
    for told, frames in ((part, 10 * (part["end"] - part["start"])), (whole, 60)):
        T = len(told["words"][0]["states"])
        assert pytest.approx(frames, abs=1) == T
        for participant in told["participants"]:
            times = [seconds for _, seconds, *_ in participant["boxes"]]
            assert 1 < len(times) <= T
            assert told["start"] <= min(times) <= max(times) < told["end"]


def test_track_writes_mot_lines_but_overwrites_nothing(
    run: Run, boxes: str, tmp_path: Path
) -> None:
    out = tmp_path / "tracks.txt"
    sentence = "The person picked up the cup."
    assert run("track", boxes, sentence, "--mot", str(out)).returncode == 0
    told = json.loads(run("track", boxes, sentence, "--json").stdout)
    rows = [line.split(",") for line in out.read_text().splitlines()]
    for number, participant in enumerate(told["participants"], 1):
        frames = [int(frame) - 1 for frame, who, *_ in rows if int(who) == number]
        assert frames == [box[0] for box in participant["boxes"]]
    again = run("track", boxes, sentence, "--mot", str(out))
    assert (again.returncode, "--force" in again.stderr) == (1, True)
    assert run("track", boxes, sentence, "--mot", str(out), "--force").returncode == 0
    assert [p.name for p in tmp_path.iterdir()] == ["tracks.txt"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("track", "missing.csv", "The person walked."), "missing.csv"),
        (("track", "{boxes}", "The person carryed the cup."), "carried"),
        (("track", "{boxes}", "The zebra walked."), "zebra"),
        (("track", "{boxes}", "The person walked.", "--lexicon", "evryday"), "everyday"),
        (("track", "{boxes}", "The person walked.", "--method", "vitebri"), "viterbi"),
        (("track", "{boxes}", "The person walked.", "--size", "640"), "640x480"),
        (("parse", "The person carryed."), "carried"),
        (("words", "cary"), "carry"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_1(
    run: Run, arguments: tuple[str, ...], message: str, boxes: str
) -> None:
    result = run(*(a.replace("{boxes}", boxes) for a in arguments))
    assert result.returncode == 1
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert message in lines[-1]
    assert len(lines) == 1
    assert "Traceback" not in result.stderr


def test_parse_shows_the_reading(run: Run) -> None:
    result = run("parse", "The person to the left of the chair carried the backpack slowly.")
    assert result.returncode == 0
    assert "left-of(person 0, chair 2)" in result.stdout
    assert "slowly(backpack 1)" in result.stdout


def test_words_are_listed_and_drawn(run: Run) -> None:
    assert "carry" in run("words").stdout
    drawn = run("words", "pick up").stdout
    assert "reaching" in drawn
    assert "reach(agent, patient)" in drawn


def test_demo_shows_several_activities_and_the_same_again(run: Run, tmp_path: Path) -> None:
    first = start("demo", "-o", str(tmp_path / "first.mp4"))
    second = run("demo", "-o", str(tmp_path / "second.mp4"))
    assert first.stdout.splitlines()[-1] == str(tmp_path / "first.mp4")
    assert (tmp_path / "first.mp4").stat().st_size > 10_000
    assert first.returncode == 0, first.stderr
    assert "picked up the cup" in first.stdout
    rows = [line for line in first.stdout.splitlines() if "% of frames" in line]
    assert len(rows) == 4
    assert all("yes" in row for row in rows)
    times = [line.rsplit("│", 2)[0] for line in second.stdout.splitlines() if "% of" in line]
    assert times == [row.rsplit("│", 2)[0] for row in rows]


def test_wrong_usage_is_exit_code_2() -> None:
    assert start("dmeo").returncode == 2


def test_importing_sentrack_does_not_import_numba() -> None:
    code = "import sys, sentrack; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
