"""The addresses that the server answers, a module for each group."""

from sentrack.serve.routes import (
    health,
    judgements,
    library,
    media,
    moments,
    sentences,
    uploads,
    words,
)
from sentrack.serve.routes.dependencies import AppState
from sentrack.serve.routes.pages import page_routes

MODULES = (health, library, words, sentences, moments, media, uploads, judgements)
ROUTERS = [module.router for module in MODULES]

__all__ = ["ROUTERS", "AppState", "page_routes"]
