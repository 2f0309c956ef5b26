"""Front doors that open on demand: every name can be had, and no module stands in its way."""

import importlib
import pkgutil

import pytest


@pytest.mark.parametrize(
    "package",
    [
        "sentrack",
        "sentrack.demo",
        "sentrack.serve",
        "sentrack.show",
        "sentrack.tasks",
        "sentrack.vision",
    ],
)
def test_names_are_loaded_when_used(package: str) -> None:
    found = importlib.import_module(package)
    assert [name for name in found.__all__ if not hasattr(found, name)] == []
    with pytest.raises(AttributeError, match=f"{package}' has no attribute 'nothing'"):
        _ = found.nothing
    assert not set(found.__all__) & {module.name for module in pkgutil.iter_modules(found.__path__)}
