"""The layers of the package, kept true by reading every import under src/sentrack."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
ROOT = "sentrack"

SIDES = {"vision", "language", "lexicon"}  # video and English
BELOW = SIDES | {"objective", "inference", "library"}
ABOVE = {"tasks", "show", "serve", "cli"}


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


def layer_of(name: str) -> str | None:
    """The part of sentrack that a dotted name is in; "" is the package's own face."""
    parts = name.split(".")
    if parts[0] != ROOT:
        return None
    known = (
        BELOW
        | ABOVE
        | {"boxes", "cache", "errors", "extras", "files", "progress", "text", "__main__"}
    )
    return parts[1] if len(parts) > 1 and parts[1] in known else ""


def violations(modules: dict[str, str]) -> list[str]:
    """What in these sources, keyed by file path below src, breaks the layering."""
    found = []
    known = defaultdict[str, set[str]](set)
    for path, source in modules.items():
        stem = Path(path).with_suffix("")
        is_package = stem.name == "__init__"
        module = ".".join(stem.parent.parts if is_package else stem.parts)
        layer = layer_of(module) or ""
        targets = {layer_of(name) for name in imports(module, is_package, source)}
        used = {target for target in targets if target is not None}
        known[layer] |= used
        if layer == "inference":
            forbidden = used - {"inference", "errors", "text"}
        elif layer in BELOW:
            forbidden = used & (ABOVE | {""})
        elif layer in ("cli", "__main__"):
            forbidden = set()
        else:
            forbidden = used & {"cli"}
        found += [f"{path} imports {ROOT}.{name}".rstrip(".") for name in sorted(forbidden)]
    for layer in BELOW - {"objective", "inference"}:
        sides = (known[layer] | {layer}) & SIDES
        if sides and "inference" in known[layer]:
            found.append(f"{layer} knows both inference and {', '.join(sorted(sides))}")
    return found


def test_the_layers_hold() -> None:
    paths = sorted((SOURCE / ROOT).rglob("*.py"))
    modules = {path.relative_to(SOURCE).as_posix(): path.read_text("utf-8") for path in paths}
    assert f"{ROOT}/inference/problem.py" in modules
    assert violations(modules) == []


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
        ("sentrack/inference/dual.py", "if TYPE_CHECKING:\n    from sentrack.vision import Clip"),
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
        ("sentrack/inference/dual.py", "from ..errors import SentrackError\nfrom . import problem"),
        ("sentrack/inference/__init__.py", "from .problem import Problem\nfrom .. import errors"),
        ("sentrack/objective/build.py", "import sentrack.vision, sentrack.inference"),
        ("sentrack/lexicon/model.py", "from sentrack.errors import SentrackError"),
        ("sentrack/tasks/track.py", "from sentrack import inference, language, objective"),
        ("sentrack/cli.py", "from sentrack import serve, show, tasks"),
        ("sentrack/__main__.py", "from sentrack.cli import main"),
        ("sentrack/__init__.py", "from sentrack.tasks.track import track"),
        ("sentrack/vision/video.py", "import sentrackers.cli"),
    ],
)
def test_the_check_lets_the_rest_pass(path: str, source: str) -> None:
    assert violations({path: source}) == []
