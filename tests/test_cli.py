"""The command line, as a person uses it."""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sentrack.tasks import Library
from sentrack.vision import save_clip, two_activities
from tests.commands import Run, start


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("clips") / "boxes.csv"
    save_clip(two_activities(0)[0], path)
    return str(path)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library") / "lib"
    Library(folder).add(two_activities(0)[0].cut(0, 5))
    return folder


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


def test_each_sentence_gets_its_answer_or_its_reason(run: Run, boxes: str) -> None:
    asked = (
        "The person picked up the cup.",
        "The person caried the cup.",
        "The zebra walked.",
        "The person approached the chair.",
    )
    table = run("track", boxes, *asked)
    assert table.returncode == 1
    assert table.stdout.count("no better tracks exist") == 2
    faults = table.stderr.strip().splitlines()
    assert len(faults) == 2
    assert asked[1] in faults[0]
    assert "'carried'" in faults[0]
    assert asked[2] in faults[1]
    told = run("track", boxes, *asked, "--json")
    documents = json.loads(told.stdout)
    assert told.returncode == 1
    assert [document["sentence"] for document in documents] == list(asked)
    assert [each for each in documents if "error" in each] == [
        {"sentence": asked[n + 1], "error": line.partition(": ")[2].partition(": ")[2]}
        for n, line in enumerate(faults)
    ]
    assert documents[0]["certified"] is documents[3]["certified"] is True


def test_what_was_never_detected_is_said_with_what_was(run: Run, tmp_path: Path) -> None:
    clip, _ = two_activities(0)
    save_clip(clip.only(clip.label != clip.classes.index("cup")), tmp_path / "no-cup.parquet")
    found = run("track", str(tmp_path / "no-cup.parquet"), "The person carried the cup.")
    assert found.returncode == 1
    message = "no-cup: no cup was detected in it; surely seen: "
    assert message in found.stderr
    assert "person" in found.stderr.split(message)[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("track", "{boxes}", "The person walked.", "-o", "x.avi"), "call it x.mp4"),
        (("track", "{boxes}", "The person walked.", "--strip", "x.jpg"), "call it x.png"),
        (("track", "{boxes}", "The person walked.", "--report", "x.pdf"), "call it x.html"),
        (("demo", "-o", "x.gif"), "call it x.mp4"),
        (
            ("track", "{boxes}", "The person walked.", "--no-video", "-o", "x.mp4"),
            "contradict each other",
        ),
        (
            ("track", "rtsp://127.0.0.1/a", "The person walked."),
            "sentrack watch rtsp://127.0.0.1/a",
        ),
        (("describe", "https://127.0.0.1/a.mp4"), "https://127.0.0.1/a.mp4: this is an address"),
        (("index", "http://127.0.0.1/a.mp4", "-l", "lib"), "http://127.0.0.1/a.mp4: this is an"),
        (("describe", "{folder}"), "this is a folder; name one file, such as {boxes}, or index"),
        (("track", "{folder}", "The person walked."), "sentrack index {folder} --library"),
        (("detect", "{folder}"), "this is a folder; name one file, such as {boxes}, or index"),
        (("detect", "{library}"), "this is a library, not a clip"),
        (("search", "{folder}", "The person walked."), "there is no such library; make one by"),
        (("describe", "{library}"), "this is a library, not a clip"),
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
    run: Run, arguments: tuple[str, ...], message: str, boxes: str, library: Path
) -> None:
    def filled(text: str) -> str:
        folder = Path(boxes).parent
        return text.format(boxes=boxes, folder=folder, library=library)

    result = run(*map(filled, arguments))
    assert result.returncode == 1
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert filled(message) in lines[-1]
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
    lines = first.stdout.splitlines()
    assert lines[-5] == str(tmp_path / "first.mp4")
    # What is said to be next can be called from here.
    command = shlex.split(lines[-2])
    assert command[1:3] == ["track", "VIDEO"]
    assert shutil.which(command[0]) is not None
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
