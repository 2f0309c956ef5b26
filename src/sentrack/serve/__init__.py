"""The web application: a library in the browser, and its JSON API."""

from typing import TYPE_CHECKING

from sentrack.lazy import lazy

if TYPE_CHECKING:
    from sentrack.serve.app import Options, create_app
    from sentrack.serve.server import run
else:
    __getattr__ = lazy(__name__)

__all__ = ["Options", "create_app", "run"]
