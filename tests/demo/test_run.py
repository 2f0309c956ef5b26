import subprocess
import sys
from pathlib import Path

import av
import pytest

from sentrack.demo.run import FILMED, show_demo
from sentrack.errors import SentrackError
from sentrack.tasks import track
from sentrack.vision import two_activities


def test_it_ends_with_the_path_of_a_video_and_overwrites_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sentrack-demo.mp4").write_text("mine")
    show_demo(0)
    output = capsys.readouterr().out.splitlines()
    assert "sentrack-demo-2.mp4" in output
    assert (tmp_path / "sentrack-demo.mp4").read_text() == "mine"
    clip, truth = two_activities(0)
    shown = [track(clip, sentence).participants[0].times for sentence in truth.sentences[:FILMED]]
    first, last = min(times[0] for times in shown), max(times[-1] for times in shown)
    with av.open("sentrack-demo-2.mp4") as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "h264"
        # All frames from the beginning of the first interval to the end of the last.
        assert stream.frames == ((clip.times >= first) & (clip.times <= last)).sum()
    with pytest.raises(SentrackError, match="exists"):
        show_demo(0, tmp_path / "sentrack-demo.mp4")
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "sentrack-demo-2.mp4",
        "sentrack-demo.mp4",
    ]


@pytest.mark.parametrize("missing", ["av", "cv2", "PIL"])
def test_without_the_extra_it_says_how_to_get_it(missing: str, tmp_path: Path) -> None:
    code = f"""
import sys
sys.modules[{missing!r}] = None
from sentrack.demo.run import show_demo
show_demo(0)
"""
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    last = result.stdout.splitlines()[-1]
    assert missing in last
    assert 'pip install "sentrack[video]"' in last
    assert list(tmp_path.iterdir()) == []
