"""The headline figures are those of the pages."""

from pathlib import Path

import pytest

from benchmarks.headlines import FIGURES, PAGES, Headline, page


def test_the_page_is_what_the_other_pages_say() -> None:
    """Whoever measures anew runs `python -m benchmarks.headlines` afterwards."""
    written = (PAGES / "headlines.md").read_text(encoding="utf-8").splitlines()
    assert list(page()) == written
    assert len(FIGURES) == sum(line.startswith("| ") and "---" not in line for line in written) - 2


def test_what_is_short_comes_first(tmp_path: Path) -> None:
    (tmp_path / "some.md").write_text("## A\n| x | 40% |\n## B\n| x | 3.5 | 4.5 |\n")
    good = Headline("good", "some.md", r"^\| x \| ([\d.]+) \| ([\d.]+)", 4.0, after="## B")
    bad = Headline("bad", "some.md", r"^\| x \| ([\d.]+%)", 0.5)
    assert good.figure(tmp_path) == 4.0
    assert bad.figure(tmp_path) == 0.4
    with pytest.raises(LookupError, match=r"some\.md does not say: none"):
        Headline("none", "some.md", r"y (\d)", 1.0).figure(tmp_path)
    with pytest.raises(LookupError):
        Headline("none", "some.md", r"x", 1.0, after="## C").figure(tmp_path)
