"""A library in an object store: a real S3 server in a process of its own, on loopback."""

import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from sentrack.library import Store
from sentrack.tasks import Library
from tests.library.scenes import assert_equal, files, scene
from tests.tasks.scenes import library as made_up
from tests.tasks.scenes import scene as act
from tests.waiting import until

UP = "The person picked up the cup."
# As `moto_server` does, but on a port that the system chooses and tells.
SERVER = """
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server
server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
print(server.server_port, flush=True)
server.serve_forever()
"""
INDEXER = """
import sys
from sentrack.library import Store
store = Store(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    store.add(sys.argv[3], force=True)
    print("done", flush=True)
store.refresh()
"""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    command = [sys.executable, "-c", SERVER]
    pipe, none = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdout=pipe, stderr=none, text=True) as server:
        assert server.stdout is not None
        yield f"http://127.0.0.1:{server.stdout.readline().strip()}"
        server.kill()


@pytest.fixture
def url(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """An address in a bucket of its own; all processes know where the store is."""
    for name, value in {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    bucket = f"b{uuid.uuid4().hex[:12]}"
    boto3.client("s3").create_bucket(Bucket=bucket)
    return f"s3://{bucket}/lib"


def indexer(url: str, times: int, source: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", INDEXER, url, str(times), str(source)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def test_clips_are_kept_checked_and_removed(url: str, tmp_path: Path) -> None:
    clips = files(tmp_path / "sources", range(3))
    store = Store(url)
    assert not store.exists()
    store.add(tmp_path / "sources")
    store.refresh()
    assert store.url == url
    opened = Store(url)
    assert opened.exists()
    assert [entry.name for entry in opened.entries()] == sorted(clips)
    for name, clip in clips.items():
        assert_equal(opened.clip(name), clip)
    assert opened.check(age=0) == []
    states = [task.state for task in opened.plan([tmp_path / "sources"])]
    assert states == ["there"] * 3
    opened.remove("scene-1")
    assert len(Store(url)) == 2
    bucket, _, key = url.removeprefix("s3://").partition("/")
    names = boto3.client("s3").list_objects_v2(Bucket=bucket, Prefix=key)["Contents"]
    assert not [each["Key"] for each in names if re.search(r"/\.", each["Key"])]


def test_a_damaged_object_is_found_and_made_anew(url: str, tmp_path: Path) -> None:
    files(tmp_path / "sources", range(2))
    store = Store(url)
    store.add(tmp_path / "sources")
    store.refresh()
    bucket, _, key = url.removeprefix("s3://").partition("/")
    place = {"Bucket": bucket, "Key": f"{key}/{store.entry('scene-1').file}"}
    client = boto3.client("s3")
    content = bytearray(client.get_object(**place)["Body"].read())
    content[len(content) // 2] ^= 8
    client.put_object(**place, Body=bytes(content))
    assert [problem.kind for problem in Store(url).check()] == ["corrupt"]
    Store(url).add(tmp_path / "sources")
    assert Store(url).check() == []
    assert_equal(Store(url).clip("scene-1"), scene(1))


def test_search_answers_as_in_a_folder(url: str, tmp_path: Path) -> None:
    local, remote = made_up(tmp_path / "lib", range(4)), Library(url)
    for seed in range(4):
        remote.add(act(seed))
    remote.refresh()
    found, expected = (each.search(UP, 3, workers=1) for each in (remote, local))
    told = [[(m.video, m.start, m.end, m.score) for m in each] for each in (found, expected)]
    assert told[0] == told[1]
    assert len(found) > 0


def test_two_writers_and_a_kill_lose_nothing(url: str, tmp_path: Path) -> None:
    clips = {**files(tmp_path / "one", range(3)), **files(tmp_path / "two", range(2, 5))}
    pair = [indexer(url, 2, tmp_path / name) for name in ("one", "two")]
    for process in pair:
        assert said(process) == "ready"
    for process in pair:
        go(process)
    for process in pair:
        with process:
            assert process.wait() == 0
    names = {entry.name for entry in Store(url).entries()}
    assert names == {*clips, "scene-2-2"}
    killed = indexer(url, 1000, tmp_path / "one")
    assert said(killed) == "ready"
    go(killed)
    assert said(killed) == "done"
    killed.kill()
    with killed:
        pass
    store = Store(url)
    assert {entry.name for entry in store.entries()} == names
    assert all(store.sound(entry) for entry in store.entries())
    until(lambda: store.repair(age=0) == [])
    assert store.check(age=0) == []
