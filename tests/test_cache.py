"""The folder of what can be made again, and how files are told apart."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from platformdirs import macos, unix, windows

from sentrack import SentrackError
from sentrack.cache import cache_folder, checksum, digest, make

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(), each, max_size=3),
)


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        (unix.Unix, {"XDG_CACHE_HOME": "/x"}, "/x/sentrack"),
        (unix.Unix, {"XDG_CACHE_HOME": "not/absolute"}, "/home/me/.cache/sentrack"),
        (unix.Unix, {"XDG_CACHE_HOME": ""}, "/home/me/.cache/sentrack"),
        (unix.Unix, {"SENTRACK_CACHE": ""}, "/home/me/.cache/sentrack"),
        (unix.Unix, {"SENTRACK_CACHE": "~/mine", "XDG_CACHE_HOME": "/x"}, "/home/me/mine"),
        (macos.MacOS, {}, "/home/me/Library/Caches/sentrack"),
        (macos.MacOS, {"SENTRACK_CACHE": "/mine"}, "/mine"),
    ],
)
def test_where_the_cache_is(
    platform: type, variables: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SENTRACK_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in (variables | {"HOME": "/home/me"}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("platformdirs.PlatformDirs", platform)
    assert cache_folder() == Path(expected)


def test_on_windows_it_is_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SENTRACK_CACHE", raising=False)
    monkeypatch.setattr("platformdirs.PlatformDirs", windows.Windows)
    monkeypatch.setattr("platformdirs.windows.get_win_folder", {"CSIDL_LOCAL_APPDATA": "/l"}.get)
    assert cache_folder() == Path("/l/sentrack/Cache")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    make(tmp_path / "a" / "b")
    make(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(SentrackError, match=r"^\S*c: the cache cannot be made: .*SENTRACK_CACHE"):
        make(tmp_path / "file" / "c")


def test_the_checksum_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"alpha" * 100_000)
    assert checksum(tmp_path / "a") == hashlib.sha256(b"alpha" * 100_000).hexdigest()
    with pytest.raises(SentrackError, match="none: it cannot be read: No such file"):
        checksum(tmp_path / "none")


@given(VALUES, VALUES)
def test_a_digest_tells_values_apart_and_goes_through_json(a: object, b: object) -> None:
    assert digest(a) == digest(json.loads(json.dumps(a)))
    same = json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)
    assert (digest(a) == digest(b)) == same


def test_the_order_of_keys_does_not_matter() -> None:
    assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1})
