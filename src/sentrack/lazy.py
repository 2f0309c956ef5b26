"""Names of a package that are loaded when first used, so that importing the package is quick."""

import importlib
from collections.abc import Callable, Mapping


def lazy(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a package.

    Args:
        package: its name.
        homes: the full names of modules, each with the names it defines, separated by blanks. None
            may also be the name of a module of the package, which would hide it.
    """
    home = {name: module for module, names in homes.items() for name in names.split()}

    def load(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(home[name]), name)

    return load
