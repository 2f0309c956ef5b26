"""The layers of the package, kept true by reading every import under src/sentrack."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
ROOT = "sentrack"

SIDES = {"vision", "language", "lexicon"}  # video and English
BELOW = SIDES | {"scene", "objective", "inference", "library"}
ABOVE = {"tasks", "show", "serve", "demo", "cli"}
# What version 0.1.0 had elsewhere, and is still to be had there.
KEPT = {("sentrack/vision/__init__.py", "demo")}


def imports(module: str, is_package: bool, source: str) -> Iterator[str]:
    """The absolute dotted names that a module imports, at any depth of its code."""
    parts = module.split(".")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # One dot is the package that the module is in, or is.
            base = parts[: len(parts) + is_package - node.level] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{origin}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            constants = (arg.value for arg in node.args if isinstance(arg, ast.Constant))
            yield from (value for value in constants if isinstance(value, str))


def module_of(path: str) -> tuple[str, bool]:
    """The dotted name of a file below src, and whether it is the face of a package."""
    stem = Path(path).with_suffix("")
    is_package = stem.name == "__init__"
    return ".".join(stem.parent.parts if is_package else stem.parts), is_package


def layer_of(name: str) -> str | None:
    """The part of sentrack that a dotted name is in; "" is the package's own face."""
    parts = name.split(".")
    if parts[0] != ROOT:
        return None
    small = {"boxes", "cache", "colours", "errors", "extras", "files", "lazy", "progress"}
    small |= {"notebook", "read_only", "text", "workers"}
    known = BELOW | ABOVE | small | {"__main__"}
    return parts[1] if len(parts) > 1 and parts[1] in known else ""


def violations(modules: dict[str, str]) -> list[str]:
    """What in these sources, keyed by file path below src, breaks the layering."""
    found = []
    known = defaultdict[str, set[str]](set)
    for path, source in modules.items():
        module, is_package = module_of(path)
        layer = layer_of(module) or ""
        targets = {layer_of(name) for name in imports(module, is_package, source)}
        used = {target for target in targets if target is not None}
        known[layer] |= used
        if layer == "inference":
            forbidden = used - {"inference", "errors", "read_only", "text"}
        elif layer in BELOW:
            forbidden = used & (ABOVE | {""})
        elif layer in ("cli", "__main__"):
            forbidden = set()
        else:
            forbidden = used & {"cli"}
        forbidden = {name for name in forbidden if (path, name) not in KEPT}
        found += [f"{path} imports {ROOT}.{name}".rstrip(".") for name in sorted(forbidden)]
    for layer in BELOW - {"scene", "objective", "inference"}:
        sides = (known[layer] | {layer}) & SIDES
        if sides and "inference" in known[layer]:
            found.append(f"{layer} knows both inference and {', '.join(sorted(sides))}")
    return found


def round_the_door(modules: dict[str, str]) -> list[str]:
    """Imports of a module inside a package by one outside, in sources keyed by path below src.

    A package is entered by its front door, which is its own name: what others use, it exports.
    """
    found = []
    inner = {module for module, is_package in map(module_of, modules) if not is_package}
    for path, source in modules.items():
        module, is_package = module_of(path)
        for name in sorted(set(imports(module, is_package, source))):
            parts = name.split(".")
            places = (".".join(parts[:n]) for n in range(len(parts), 2, -1))
            inside = next((place for place in places if place in inner), None)
            if inside and not f"{module}.".startswith(inside.rpartition(".")[0] + "."):
                found.append(f"{path} imports {inside}")
    return found


def sources() -> dict[str, str]:
    paths = sorted((SOURCE / ROOT).rglob("*.py"))
    return {path.relative_to(SOURCE).as_posix(): path.read_text("utf-8") for path in paths}


def test_the_layers_hold() -> None:
    assert f"{ROOT}/inference/problem.py" in sources()
    assert violations(sources()) == []


def test_packages_are_entered_by_their_front_door() -> None:
    assert round_the_door(sources()) == []


def test_no_name_that_a_package_exports_is_that_of_a_module_in_it() -> None:
    inside = {module for module, is_package in map(module_of, sources()) if not is_package}
    for path, source in sources().items():
        module, is_package = module_of(path)
        # The files of commands are named for them, and nobody imports those.
        if is_package and module != f"{ROOT}.cli":
            names = set(imports(module, is_package, source)) - inside
            hidden = {f"{module}.{name.rpartition('.')[2]}" for name in names}
            assert not hidden & inside


@pytest.mark.parametrize(
    ("path", "source", "inside"),
    [
        ("sentrack/cli/a.py", "from sentrack.show.view import View", "sentrack.show.view"),
        ("sentrack/cli/a.py", "import sentrack.show.view", "sentrack.show.view"),
        ("sentrack/cli/a.py", "from sentrack.show import view", "sentrack.show.view"),
        ("sentrack/cli/a.py", "def f():\n    from ..show.view import View", "sentrack.show.view"),
        ("sentrack/cli/a.py", "from sentrack.vision.io.mot import read", "sentrack.vision.io.mot"),
        ("sentrack/vision/a.py", "from sentrack.vision.io import mot", "sentrack.vision.io.mot"),
        ("sentrack/cli/a.py", "from sentrack.show import View", None),
        ("sentrack/cli/a.py", "from sentrack.vision.io import read", None),
        ("sentrack/cli/a.py", "from sentrack.text import words_of", None),
        ("sentrack/show/a.py", "from sentrack.show.view import View", None),
        ("sentrack/show/__init__.py", "from .view import View", None),
        ("sentrack/vision/io/a.py", "from sentrack.vision.clip import Clip", None),
        ("sentrack/vision/__init__.py", "from sentrack.vision.io import read", None),
    ],
)
def test_the_check_sees_who_goes_round_the_front_door(
    path: str, source: str, inside: str | None
) -> None:
    others = ("text", "show/__init__", "show/view", "vision/clip", "vision/io/mot")
    modules = {f"sentrack/{name}.py": "" for name in others} | {path: source}
    expected = [] if inside is None else [f"{path} imports {inside}"]
    assert round_the_door(modules) == expected


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("sentrack/inference/dual.py", "from sentrack.vision import Clip"),
        ("sentrack/inference/dual.py", "from sentrack.objective.build import build"),
        ("sentrack/inference/dual.py", "import sentrack.lexicon as words"),
        ("sentrack/inference/dual.py", "import sentrack"),
        ("sentrack/inference/dual.py", "from sentrack import Problem"),
        ("sentrack/inference/dual.py", "from .. import language"),
        ("sentrack/inference/dual.py", "from ..language import parse"),
        ("sentrack/inference/__init__.py", "from ..language import parse"),
        ("sentrack/inference/deep/kernel.py", "from ...vision.clip import Clip"),
        ("sentrack/inference/dual.py", "def f():\n    from sentrack import tasks"),
        (
            "sentrack/inference/dual.py",
            "if TYPE_CHECKING:\n    from sentrack.vision import Clip",
        ),
        ("sentrack/inference/dual.py", "importlib.import_module('sentrack.objective')"),
        ("sentrack/vision/video.py", "from sentrack.inference import solve"),
        ("sentrack/lexicon/model.py", "from ..inference.problem import WordTerms"),
        ("sentrack/language/parser.py", "import sentrack.cli"),
        ("sentrack/objective/build.py", "from sentrack import show"),
        ("sentrack/objective.py", "from sentrack import show"),
        ("sentrack/vision/video.py", "from sentrack import track"),
        ("sentrack/library/store.py", "from sentrack.tasks.search import search"),
        ("sentrack/library/store.py", "import sentrack.vision, sentrack.inference"),
        ("sentrack/tasks/track.py", "from sentrack.cli import main"),
        ("sentrack/serve/app.py", "from .. import cli"),
        ("sentrack/__init__.py", "from .cli import main"),
        ("sentrack/errors.py", "from sentrack import cli"),
    ],
)
def test_the_check_sees_a_violation(path: str, source: str) -> None:
    assert violations({path: source})


def test_the_check_sees_a_package_that_knows_both_sides_in_two_modules() -> None:
    halves = {
        "sentrack/library/a.py": "from sentrack.language import parse",
        "sentrack/library/b.py": "from sentrack.inference import solve",
    }
    assert violations(halves) == ["library knows both inference and language"]
    for path, source in halves.items():
        assert violations({path: source}) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (
            "sentrack/inference/dual.py",
            "import numpy\nfrom sentrack.inference.problem import Array",
        ),
        (
            "sentrack/inference/dual.py",
            "from ..errors import SentrackError\nfrom . import problem",
        ),
        ("sentrack/inference/__init__.py", "from .problem import Problem\nfrom .. import errors"),
        ("sentrack/objective/build.py", "import sentrack.vision, sentrack.inference"),
        ("sentrack/lexicon/model.py", "from sentrack.errors import SentrackError"),
        ("sentrack/tasks/track.py", "from sentrack import inference, language, objective"),
        ("sentrack/cli.py", "from sentrack import serve, show, tasks"),
        ("sentrack/__main__.py", "from sentrack.cli import main"),
        ("sentrack/__init__.py", "from sentrack.tasks.tracker import track"),
        ("sentrack/vision/video.py", "import sentrackers.cli"),
    ],
)
def test_the_check_lets_the_rest_pass(path: str, source: str) -> None:
    assert violations({path: source}) == []
