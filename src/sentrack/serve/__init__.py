"""The web application: a library in the browser, and its JSON API."""

from typing import TYPE_CHECKING

from sentrack.lazy import on_demand

if TYPE_CHECKING:
    from sentrack.serve.app import ServerOptions, create_app
    from sentrack.serve.media import prepare
    from sentrack.serve.server import run
else:
    __getattr__ = on_demand(__name__)

__all__ = ["ServerOptions", "create_app", "prepare", "run"]
