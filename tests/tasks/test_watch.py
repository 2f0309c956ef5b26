"""Live sources: every moment is told once, when it is sure, and what breaks off goes on."""

import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from sentrack.errors import SentrackError
from sentrack.lexicon import Lexicon
from sentrack.show import Excerpts, Hook
from sentrack.tasks import Watcher, moments, understand, watch
from sentrack.vision import Clip, ClipError, two_activities
from sentrack.vision.scan import Frame, Observation, Stream, stream
from tests.vision.scan.test_scanner import SIZE, Bright, picture
from tests.waiting import until

RIGHT = "The person moved to the right."
LASTS, FPS = 5.0, 10  # seconds of the film that is served, and frames per second


def observations(clip: Clip, start: float = 0.0) -> Iterator[Observation]:
    """The frames of a clip as if they came one by one."""
    for t, (first, last) in enumerate(pairwise(clip.start)):
        own = slice(first, last)
        kept = ~clip.projected[own]
        yield Observation(
            int(clip.frames[t]),
            start + float(clip.times[t]),
            clip.boxes[own][kept],
            clip.label[own][kept],
            clip.score[own][kept],
            clip.colour[own][kept],
            clip.looks[own][kept],
            np.zeros(int(kept.sum()), np.int64),
            clip.velocity[own][kept],
            clip.camera[own][kept],
        )


def watcher(clip: Clip, *sentences: str, window: float = 20.0, lag: float = 2.0) -> Watcher:
    return Watcher(sentences, Lexicon.load(), clip.classes, "made", clip.size, window, lag)


@pytest.fixture(scope="module")
def clip() -> Clip:
    return two_activities()[0].thinned(10)


def test_what_is_told_in_the_end_is_what_a_search_of_all_finds(clip: Clip) -> None:
    sentence = "The person picked up the cup."
    own = watcher(clip, sentence, lag=19.0)
    for each in observations(clip):
        assert own.see(each) == []
    told = own.finish()
    best = moments(clip, understand(sentence, clip=clip), Lexicon.load(), 8).moments
    wanted = sorted((m for m in best if m.match >= 0.5), key=lambda m: m.start)
    assert len(wanted) >= 1
    assert [(m.start, m.end) for m in told] == [(m.start, m.end) for m in wanted]
    assert [m.score for m in told] == pytest.approx([m.score for m in wanted], rel=1e-6)
    assert own.finish() == []


def test_a_moment_is_told_once_when_it_is_sure_and_memory_stays(clip: Clip) -> None:
    """The same six seconds again and again: each time, what happens is told once."""
    sentence = "The person picked up the cup."
    best = moments(clip, understand(sentence, clip=clip), Lexicon.load(), 1).moments[0]
    middle = (best.start + best.end) / 2
    own = watcher(clip, sentence, window=8.0, lag=1.5)
    told = []
    for again in range(3):
        for each in observations(clip, again * 20.0):
            for moment in own.see(each):
                told.append(moment)
                assert each.time - moment.end >= 1.5 - 1e-6
            assert len(own._seen) <= 8.0 * 10 + 2
    told += own.finish()
    for again in range(3):
        at = again * 20.0 + middle
        assert sum(moment.start <= at < moment.end for moment in told) == 1
    assert not any(a.overlaps(b) for a, b in pairwise(sorted(told, key=lambda m: m.start)))
    assert all(moment.end > own._seen[0].time for moment in own._told)


def test_a_lag_as_long_as_the_window_is_refused(clip: Clip) -> None:
    with pytest.raises(SentrackError, match="must be shorter"):
        watcher(clip, "The person walked.", window=2.0, lag=2.0)
    with pytest.raises(SentrackError, match="caried"):
        watcher(clip, "The person caried the cup.")


def chunks() -> list[bytes]:
    """A film as MPEG-TS, frame by frame: a person stands, goes to the right, and stands."""
    buffer = io.BytesIO()
    found = []
    with av.open(buffer, "w", format="mpegts") as container:
        made: Any = container.add_stream(
            "libx264", rate=FPS, options={"preset": "ultrafast", "tune": "zerolatency", "g": "5"}
        )
        made.width, made.height, made.pix_fmt = *SIZE, "yuv420p"
        for n in range(int(LASTS * FPS)):
            image = picture(40 + 6 * min(max(0, n - 8), 16))
            container.mux(made.encode(av.VideoFrame.from_ndarray(image, format="bgr24")))
            found.append(buffer.getvalue())
        container.mux(made.encode(None))
    found.append(buffer.getvalue())
    return [after[len(before) :] for before, after in pairwise([b"", *found])]


@contextmanager
def served(parts: list[bytes], times: int) -> Iterator[tuple[str, list[bytes]]]:
    """An address that sends a film at its own speed and breaks off, so many times; and posts."""
    left, posts, over = [times], list[bytes](), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if left[0] == 0:
                self.send_error(503)
                return
            left[0] -= 1
            self.send_response(200)
            self.end_headers()
            for part in parts:
                self.wfile.write(part)
                self.wfile.flush()
                over.wait(1 / FPS)

        def do_POST(self) -> None:
            posts.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/", posts
    finally:
        over.set()
        server.shutdown()
        server.server_close()


def test_a_stream_at_its_own_speed_that_breaks_off(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Served twice: it is opened again, time goes on, and each time one moment is told."""
    monkeypatch.setattr("sentrack.vision.scan.open_detector", lambda *_, **__: Bright())
    monkeypatch.setattr(stream, "PAUSES", (0.1,))
    film = Excerpts(tmp_path / "clips", 20.0)
    with served(chunks(), 3) as (address, posts):  # once for a first look at its size
        source = Stream(address)
        found = watch(source, RIGHT, lag=1.0, looked_at=film.keep)
        first = next(found)
        path = film.write(first)
        Hook(address).post({"sentence": first.sentence})
        second = next(found)
        found.close()  # type: ignore[attr-defined]
    assert source.ended.is_set()
    assert second.start > first.end
    assert second.start >= LASTS
    for moment in (first, second):
        x = moment.tracking.participants[0].boxes[:, 0]
        assert x[-1] > x[0] + 30
    assert "it broke off; trying again" in caplog.text
    assert json.loads(posts[0]) == {"sentence": RIGHT}
    with av.open(str(path)) as container:
        shown = sum(1 for _ in container.decode(video=0))
    assert shown >= len(first.tracking.objective.clip.times) - 1


RTSP_SERVER = """
use AnyEvent; use RTSP::Server;
my %options = @ARGV;
RTSP::Server->new(log_level => 0, max_clients => 9, %options)->listen;
AnyEvent->condvar->recv;
"""


def free_port(kind: int = socket.SOCK_STREAM) -> int:
    """A port of this machine that nobody uses."""
    with socket.socket(socket.AF_INET, kind) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def rtsp_server() -> Iterator[tuple[str, str]]:
    """The addresses to publish to and to look at, of Debian's RTSP server, which has UDP alone."""
    if subprocess.run(["perl", "-MRTSP::Server", "-e", "1"], capture_output=True).returncode:
        pytest.skip("there is no RTSP server: apt-get install librtsp-server-perl")
    ports = {"source": free_port(), "client": free_port()}
    options = [f"rtp_start_port={free_port(socket.SOCK_DGRAM) & ~1}"]
    for side, port in ports.items():
        options += [f"{side}_listen_port={port}", f"{side}_listen_address=127.0.0.1"]
    given = [part for option in options for part in option.split("=")]
    server = subprocess.Popen(["perl", "-e", RTSP_SERVER, "--", *given])

    def listens() -> bool:
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", ports["client"])) == 0

    try:
        until(listens)
        yield tuple(f"rtsp://127.0.0.1:{port}/yard" for port in ports.values())  # type: ignore[misc]
    finally:
        server.terminate()
        server.wait()


@contextmanager
def camera(address: str) -> Iterator[None]:
    """Meanwhile a film is published over and over, at its own speed: a person goes to the right."""
    over = threading.Event()

    def publish() -> None:
        with av.open(address, "w", format="rtsp", options={"rtsp_transport": "udp"}) as container:
            options = {"preset": "ultrafast", "tune": "zerolatency", "g": "5"}
            made: Any = container.add_stream("libx264", rate=FPS, options=options)
            made.width, made.height, made.pix_fmt = *SIZE, "yuv420p"
            for n in count():
                image = picture(40 + 6 * min(max(0, n % 50 - 8), 16))
                container.mux(made.encode(av.VideoFrame.from_ndarray(image, format="bgr24")))
                if over.wait(1 / FPS):
                    return

    thread = threading.Thread(target=publish)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_camera_by_rtsp_that_goes_off_and_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A real server, which refuses TCP: it is looked at by UDP, and again when it is back."""
    monkeypatch.setattr("sentrack.vision.scan.open_detector", lambda *_, **__: Bright())
    monkeypatch.setattr(stream, "PAUSES", (0.1,))
    monkeypatch.setattr(stream, "SILENCE", 1.0)
    with rtsp_server() as (to, of):
        with camera(to):
            until(lambda: _opens(of))
            source = Stream(of)
            found = watch(source, RIGHT, lag=1.0)
            first = next(found)
        # Until then the server would hand the pictures of another camera to the same client.
        until(lambda: "it broke off; trying again" in caplog.text)
        with camera(to):
            second = next(found)
            found.close()  # type: ignore[attr-defined]
    assert second.start > first.end
    for moment in (first, second):
        x = moment.tracking.participants[0].boxes[:, 0]
        assert x[-1] > x[0]  # by how much depends on when it was opened


def _opens(address: str) -> bool:
    try:
        Stream(address)
    except ClipError:
        return False
    return True


def test_a_file_that_grows_is_followed_to_its_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    parts = chunks()
    path = tmp_path / "growing.ts"
    path.write_bytes(b"".join(parts[:10]))
    source = Stream(str(path), patience=3.0)
    monkeypatch.setattr(stream, "GROWTH", 0.05)
    times = []
    for frame in source.frames(FPS):
        times.append(frame.time)
        if len(times) == 8:
            with path.open("ab") as file:
                file.write(b"".join(parts[10:]))
    assert times == sorted(set(times))
    assert len(times) >= LASTS * FPS - 2
    assert times[-1] == pytest.approx(LASTS - 1 / FPS, abs=0.15)


def test_frames_that_come_too_fast_are_left_out() -> None:
    ended, taken, all_made = threading.Event(), [], threading.Event()

    def fast() -> Iterator[Frame]:
        for n in range(100):
            yield Frame(n, n / 10, np.zeros((2, 2, 3), np.uint8))
        all_made.set()

    for frame in stream._newest(fast(), ended):
        taken.append(frame.number)
        all_made.wait()
    assert taken == sorted(taken)
    assert len(taken) <= 1 + stream.WAITING
    assert taken[-1] == 99


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nothing.mp4", "no such file, and no address"),
        ("http://127.0.0.1:9/", "it cannot be read"),
        ("rtsp://127.0.0.1:9/a", "it cannot be read"),
        ("99", "it cannot be read"),
        (".", "this is a folder; name one file"),
    ],
)
def test_what_is_no_source_is_said(source: str, message: str) -> None:
    with pytest.raises(ClipError, match=message):
        Stream(source)


@pytest.mark.parametrize(
    "address",
    ["http://192.0.2.1/", "https://127.0.0.1/", "http://example.com:80/", "file:///x", ""],
)
def test_a_hook_is_on_this_machine(address: str) -> None:
    with pytest.raises(SentrackError, match="hook"):
        Hook(address)


def test_a_hook_that_nobody_answers_holds_nothing_up(caplog: pytest.LogCaptureFixture) -> None:
    Hook("http://127.0.0.1:9/").post({"a": 1})
    assert "the moment was not taken" in caplog.text


CODE = """
import sys
import sentrack.vision.scan as scan
from tests.vision.scan.test_scanner import Bright
scan.open_detector = lambda *_, **__: Bright()
from sentrack.cli import main
main()
"""


def command(tmp_path: Path, *arguments: str) -> list[str]:
    path = tmp_path / "film.ts"
    path.write_bytes(b"".join(chunks()))
    return [sys.executable, "-c", CODE, "watch", str(path), RIGHT, *arguments]


def test_the_command_prints_lines_or_json(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        command(tmp_path, "--patience", "0.1", "--json", "--clips", str(tmp_path / "out")),
        capture_output=True,
        text=True,
        env=environment,
    )
    assert run.returncode == 0, run.stderr
    (line,) = run.stdout.splitlines()
    document = json.loads(line)
    assert document["sentence"] == RIGHT
    assert document["match"] >= 0.5
    assert Path(document["clip"]).stat().st_size > 1000


def test_an_interrupt_ends_it_cleanly(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        command(tmp_path, "--patience", "600", "--lag", "0.5"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert RIGHT in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
        assert "Traceback" not in process.stderr.read()
