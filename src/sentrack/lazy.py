"""Names of a package that are loaded when first used, so that importing the package is quick."""

import ast
import importlib
import sys
from collections.abc import Callable
from typing import Any


def on_demand(package: str) -> Callable[[str], object]:
    """The `__getattr__` of a package, for what its source imports `if TYPE_CHECKING:`.

    None of these names may be that of a module of the package, which would hide it.
    """
    loader: Any = sys.modules[package].__spec__.loader  # type: ignore[union-attr]
    homes = {
        alias.asname or alias.name: (node.module, alias.name)
        for block in ast.parse(loader.get_source(package)).body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, original = homes[name]
        return getattr(importlib.import_module(module), original)

    return load
