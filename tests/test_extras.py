"""What is said where a package is missing."""

import subprocess
import sys
from pathlib import Path

import pytest

import sentrack
from sentrack.extras import MissingError, requires
from sentrack.vision import two_activities


def test_it_says_what_is_missing_and_what_brings_it() -> None:
    with pytest.raises(MissingError) as error, requires("sentrack[video]"):
        import no_such_package.deep  # type: ignore[import-not-found]  # noqa: F401
    text = 'no_such_package is missing; run: pip install "sentrack[video]"'
    assert str(error.value) == text
    assert isinstance(error.value, sentrack.SentrackError)


def test_a_package_by_its_name() -> None:
    with (
        pytest.raises(MissingError, match=r"run: pip install supervision$"),
        requires("supervision"),
    ):
        raise ModuleNotFoundError("gone", name="supervision")


def test_what_is_no_matter_of_packages_passes() -> None:
    with requires("sentrack[video]"):
        import json  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match="part"), requires("sentrack[video]"):
        raise ModuleNotFoundError("a part of sentrack", name="sentrack.gone")
    with pytest.raises(ValueError, match="other"), requires("sentrack[video]"):
        raise ValueError("other")


def test_a_film_is_not_made_without_the_extra(tmp_path: Path) -> None:
    clip, _ = two_activities(0)
    sentrack.save_clip(clip.cut(0, 4), tmp_path / "a.csv")
    code = "import sys; sys.modules['cv2'] = None; from sentrack.cli import main; main()"
    arguments = ["track", "a.csv", "The person moved.", "--output", "a.mp4"]
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=tmp_path, capture_output=True, text=True
    )
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == (
        'sentrack: cv2 is missing; run: pip install "sentrack[video]"'
    )
