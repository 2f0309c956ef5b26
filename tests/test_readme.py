"""The README runs as written, and the pages name what exists."""

import importlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PAGES = sorted((ROOT / "docs").rglob("*.md"))


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    lines = "".join(blocks("sh")).splitlines()
    return [line.split("#")[0].strip() for line in lines if line.strip()]


def test_the_readme_names_the_two_commands_that_set_everything_up() -> None:
    assert commands() == ["make demo", "make test"]


def test_ci_runs_the_test_command_of_the_readme() -> None:
    assert (ROOT / ".ci" / "run").read_text().splitlines()[-1] == "make test"


def test_make_demo_works_in_a_fresh_checkout(tmp_path: Path) -> None:
    """With a virtual environment of its own, which finds what is installed here already."""
    here = Path(sysconfig.get_path("purelib"))
    there = tmp_path / ".venv" / here.relative_to(sys.prefix) / "installed.pth"
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh -e\n{sys.executable} "$@"\necho {here} > {there}\n')
    python.chmod(0o755)
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "PYTHONPATH")}
    environment["COLUMNS"] = "150"
    result = subprocess.run(
        ["make", "demo", f"PYTHON={python}"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert "picked up the cup" in result.stdout
    assert (tmp_path / ".venv").is_dir()
    # The first run compiles, and says so; the next one does not.
    assert "compiling" in result.stderr
    command = [str(tmp_path / ".venv/bin/sentrack"), "demo", "-o", str(tmp_path / "again.mp4")]
    again = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (again.returncode, again.stderr) == (0, "")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_functions_named_in_the_docs_exist(page: Path) -> None:
    for name in re.findall(r"`(sentrack(?:\.\w+)+)`", page.read_text()):
        parts = name.split(".")
        for split in range(len(parts), 0, -1):
            try:
                found: object = importlib.import_module(".".join(parts[:split]))
            except ModuleNotFoundError:
                continue
            break
        for attribute in parts[split:]:
            assert hasattr(found, attribute), f"{page.name} names {name}, which does not exist"
            found = getattr(found, attribute)


def test_the_picture_of_the_readme_is_small() -> None:
    (picture,) = re.findall(r"!\[.*?\]\((.*?)\)", README)
    assert (ROOT / picture).stat().st_size < 200_000


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CHANGELOG.md", *PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
