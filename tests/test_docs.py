"""The site builds strictly, its links lead somewhere, and its examples fit this version."""

import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tomllib
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from typer.testing import CliRunner

import sentrack
from sentrack.cli import app
from sentrack.vision import two_activities

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = {str(page.relative_to(ROOT)): page.read_text("utf-8") for page in DOCS.rglob("*.md")}
PAGES["README.md"] = (ROOT / "README.md").read_text("utf-8")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# Pages whose Python runs from top to bottom, and whose commands do, after it.
RUN = ("docs/index.md", "docs/guides/boxes.md", "docs/guides/library.md", "docs/guides/solver.md")
RUN_COMMANDS = ("docs/guides/boxes.md",)


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a page, those in tabs included."""
    found = re.findall(
        rf"^( *)```{language}\n(.*?)^\1```", PAGES[page], flags=re.MULTILINE | re.DOTALL
    )
    return [re.sub(rf"^{indent}", "", text, flags=re.MULTILINE) for indent, text in found]


def console(page: str) -> list[list[str]]:
    """The commands of a page, as lists of words."""
    lines = "".join(blocks(page, "console")).splitlines()
    return [shlex.split(line[2:], comments=True) for line in lines if line.startswith("$ ")]


def test_versions_with_known_holes_are_not_accepted() -> None:
    """What the list says is what is asked for when sentrack is installed."""
    text = PAGES["docs/reference/dependencies.md"].partition("## Least versions")[2]
    listed = re.findall(r"^\| `([\w-]+)`[^|]*\| ([\d.]+)", text, flags=re.MULTILINE)
    assert len(listed) >= 7
    extras = [each for group in SETTINGS["optional-dependencies"].values() for each in group]
    asked = dict(
        re.findall(r"^([\w-]+)>=([\d.]+)", "\n".join([*SETTINGS["dependencies"], *extras]), re.M)
    )
    for package, least in listed:
        assert asked[package] == least, package


@cache
def commands() -> dict[str, set[str]]:
    """For every command of sentrack, the options that the site's reference lists."""
    spec = importlib.util.spec_from_file_location("hooks", DOCS / "hooks.py")
    assert spec is not None
    assert spec.loader is not None
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    found = {}
    for section in re.split(r"^## `sentrack ", hooks.commands(), flags=re.MULTILINE)[1:]:
        told = re.findall(r"^\* `(-.*?)`:", section, flags=re.MULTILINE)
        found[section.split("`")[0]] = set(re.findall(r"(?<!\S)--?[\w-]+", " ".join(told)))
    return found


class Targets(HTMLParser):
    """What a page links to, what it loads, and what can be linked to in it."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors = {"", "__skip"}
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" or "src" in given:
            self.loads.append(given.get("src") or given.get("href", ""))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Targets]:
    """The pages of the site, built strictly: a link or a name that is not there is an error."""
    folder = tmp_path_factory.mktemp("site").resolve()
    result = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return {page: Targets(page) for page in folder.rglob("*.html")}


def test_links_within_the_site_lead_somewhere(site: dict[Path, Targets]) -> None:
    for page, targets in site.items():
        if page.name == "404.html":  # served for any address, so that its links are absolute
            continue
        for link in targets.links + targets.loads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert target.is_file(), f"{page.name} links to {link}"
            if target in site:
                assert unquote(parts.fragment) in site[target].anchors, f"{page.name}: {link}"


def test_the_site_loads_nothing_from_elsewhere(site: dict[Path, Targets]) -> None:
    for page, targets in site.items():
        assert not [each for each in targets.loads if urlsplit(each).netloc], page.name


def test_no_page_shows_raw_markdown(site: dict[Path, Targets]) -> None:
    for page in site:
        text = page.read_text("utf-8")
        assert not re.search(r"<p>\s*(```|\||--8&lt;--|:::)", text), page.name


@pytest.mark.parametrize("page", PAGES)
def test_lists_in_lists_are_indented_by_four(page: str) -> None:
    text = re.sub(r"^( *)```.*?^\1```", "", PAGES[page], flags=re.MULTILINE | re.DOTALL)
    assert not re.search(r"^ {1,3}([*-]|\d+\.) ", text, flags=re.MULTILINE)


def test_the_command_line_reference_has_every_command(site: dict[Path, Targets]) -> None:
    (page,) = [targets for path, targets in site.items() if path.name == "command-line.html"]
    assert {f"sentrack-{name}" for name in commands()} <= page.anchors
    assert len(commands()) == len(app.registered_commands)


def test_the_python_reference_has_every_public_name() -> None:
    page = PAGES["docs/reference/python.md"]
    named = re.findall(r"^::: sentrack\.(\w+)$", page, flags=re.MULTILINE)
    assert sorted(named) == sorted(sentrack.__all__)


def test_every_dependency_has_its_reason() -> None:
    extras = {"–": SETTINGS["dependencies"], **SETTINGS["optional-dependencies"]}
    wanted = {
        (extra, re.split(r"[\[<>=]", package)[0])
        for extra, packages in extras.items()
        if extra not in ("all", "dev")
        for package in packages
    }
    rows = re.findall(
        r"^\| `?(\w+|–)`? \| `(.*?)` \| (.+) \|$",
        PAGES["docs/reference/dependencies.md"],
        flags=re.MULTILINE,
    )
    assert {(extra, package) for extra, package, _ in rows} == wanted


def test_least_versions_are_those_that_are_asked_for() -> None:
    groups = [SETTINGS["dependencies"], *SETTINGS["optional-dependencies"].values()]
    asked = [package for packages in groups for package in packages]
    rows = re.findall(
        r"^\| `([\w-]+)`(?: \(tests\))? \| ([\d.]+)",
        PAGES["docs/reference/dependencies.md"],
        flags=re.MULTILINE,
    )
    assert len(rows) == 7
    for package, version in rows:
        assert [each for each in asked if each.startswith(f"{package}>={version}")], package


@pytest.mark.parametrize("page", PAGES)
def test_python_compiles(page: str) -> None:
    for code in blocks(page, "python"):
        if ">>>" not in code:  # those are run where formats are tested
            compile(code, page, "exec")


@pytest.mark.parametrize("page", RUN)
def test_python_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    clip, _ = two_activities()
    sentrack.save_clip(clip, "boxes.csv")
    Path("videos").mkdir()
    sentrack.save_clip(clip, "videos/yard.csv")
    known: dict[str, object] = {"clip": clip}
    code = blocks(page, "python")
    assert code
    for each in code:
        exec(compile(each, page, "exec"), known)
    if page in RUN_COMMANDS:
        for words in console(page):
            result = CliRunner().invoke(app, words[1:])
            assert result.exit_code == 0, f"{words}: {result.output} {result.exception}"


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_their_options_exist(page: str) -> None:
    options = commands() if console(page) else {}
    for program, *words in console(page):
        if program == "make":
            assert re.search(rf"^{words[0]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
        elif Path(program).name == "sentrack":
            name, *rest = words
            if name != "--help":
                given = {word.split("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
                assert given <= options[name], f"sentrack {name} has no {given - options[name]}"
        else:
            assert program in ("pip", "pipx", "uv", "curl"), program
            for extra in re.findall(r"sentrack\[(.*?)\]", " ".join(words)):
                assert set(extra.split(",")) <= set(SETTINGS["optional-dependencies"])


@pytest.mark.parametrize("page", [page for page in PAGES if "/guides/" in page])
def test_options_that_guides_speak_of_exist(page: str) -> None:
    known = set().union(*commands().values())
    assert set(re.findall(r"`(--[\w-]+)", PAGES[page])) <= known
