from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.telling import publish, tell


def test_the_sections_asked_for_are_printed_and_returned(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sections = {name: lambda name=name: iter([name, ""]) for name in ("a", "b", "c")}
    assert tell(sections, "c,a") == ["c", "", "a", ""]
    assert capsys.readouterr().out == "c\n\na\n\n"


def test_a_section_that_there_is_not_is_named_before_any_is_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit, match="no section 'd'; there are a, b"):
        tell({"a": lambda: iter("x"), "b": lambda: iter("y")}, "a,d")
    assert capsys.readouterr().out == ""


def test_a_page_is_written_when_it_is_complete(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(iter(["# A", ""]), tmp_path / "a.md")
    assert (tmp_path / "a.md").read_text() == capsys.readouterr().out == "# A\n\n"

    def broken() -> Iterator[str]:
        yield "# B"
        raise ValueError

    with pytest.raises(ValueError):
        publish(broken(), tmp_path / "b.md")
    assert capsys.readouterr().out == "# B\n"
    assert not (tmp_path / "b.md").exists()
