"""The folder of what can be made again, and how files are told apart."""

import hashlib
import json
from pathlib import Path

import platformdirs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentrack import SentrackError
from sentrack.cache import cache_folder, checksum, digest, make

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(), each, max_size=3),
)


def test_one_may_choose_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("SENTRACK_CACHE", "~/mine")
    assert cache_folder() == Path("/home/me/mine")


@pytest.mark.parametrize("empty", [False, True])
def test_else_it_is_where_the_system_has_caches(
    empty: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SENTRACK_CACHE", raising=False)
    if empty:
        monkeypatch.setenv("SENTRACK_CACHE", "")
    found = cache_folder()
    assert found == platformdirs.user_cache_path("sentrack", appauthor=False)
    assert "sentrack" in found.parts


def test_on_linux_the_desktops_variable_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SENTRACK_CACHE", raising=False)
    monkeypatch.setattr("platformdirs.PlatformDirs", platformdirs.unix.Unix)
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert cache_folder() == Path("/x/sentrack")


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
