"""Things that show themselves in a notebook."""

from importlib import import_module


class InNotebook:
    """Drawn by `sentrack.show`, which is loaded when a notebook asks for it and not before."""

    def _repr_html_(self) -> str:
        return str(import_module("sentrack.show").html_of(self))
