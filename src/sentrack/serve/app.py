"""The application: pages, API and guard around a library."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from sentrack.cache import cache_folder
from sentrack.errors import SentrackError
from sentrack.lexicon import Lexicon
from sentrack.library import JUDGED, Store
from sentrack.serve.errors import JobError
from sentrack.serve.guard import Guard, is_loopback
from sentrack.serve.jobs import Jobs, SentenceJobs
from sentrack.serve.routes import ROUTERS, AppState, page_routes
from sentrack.serve.snapshot import SnapshotCache
from sentrack.serve.upload_folder import clear
from sentrack.serve.worker_pool import Pool

RETRY_AFTER = "5"  # seconds after which to try again


@dataclass(frozen=True)
class ServerOptions:
    """How a library is served.

    Attributes:
        host: to bind to.
        token: that requests must bring; needed where others than this machine reach the host.
        lexicon: or its name or file.
        uploads: whether videos may be added.
        workers: processes that search.
        seconds: that a request may take.
        detector_threads: with which videos that are added are looked at; one per core if None.
    """

    host: str = "127.0.0.1"
    token: str | None = None
    lexicon: str = "everyday"
    uploads: bool = False
    workers: int = 2
    seconds: float = 120.0
    detector_threads: int | None = None


class Application(Guard):
    """What an ASGI server runs: pages and API behind a guard."""

    def __init__(self, app: FastAPI, options: ServerOptions) -> None:
        super().__init__(app, options.host, options.token)
        self._state = app.state

    async def leave(self) -> None:
        """End all work, so that no request goes on for long."""
        state: AppState = self._state.sentrack
        await asyncio.gather(*(pool.stop() for pool in state.pools))


def create_app(library: str | Path, options: ServerOptions | None = None) -> Application:
    """The application, for any ASGI server.

    Raises:
        SentrackError: there is no such library or lexicon, or others could reach it unasked.
    """
    options = options or ServerOptions()
    if not (is_loopback(options.host) or options.token):
        raise SentrackError(
            f"others could reach {options.host}: say who may by --token-file, "
            f"or use --host 127.0.0.1"
        )
    if options.token is not None and not re.fullmatch("[ -~]+", options.token):
        raise SentrackError("a token is made of ASCII letters, digits and signs")
    store = Store(library)
    store.demand()
    folder = Path(store.url) if Path(store.url).is_dir() else None
    if options.uploads and folder is None:
        raise SentrackError(f"{library}: videos can only be added to a library on this machine")
    lexicon = Lexicon.load(options.lexicon)
    jobs = Jobs(store.url, lexicon, options.detector_threads)
    uploads = folder / "uploads" if folder is not None and options.uploads else None

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        state = app.state.sentrack = AppState(
            snapshots=SnapshotCache(store, lexicon),
            search_pool=Pool(jobs, options.workers, options.seconds),
            media_pool=Pool(jobs, 1, options.seconds),
            sentence_pool=Pool(SentenceJobs(store.url, lexicon), 1, options.seconds),
            version=version("sentrack"),
            cache=cache_folder() / "media",
            seconds=options.seconds,
            uploads=uploads,
            judged=folder / JUDGED if folder is not None else None,
        )
        if uploads is not None:
            await asyncio.to_thread(clear, uploads)
        try:
            await asyncio.gather(*(pool.start() for pool in state.pools))
            yield
        finally:
            await asyncio.gather(*(pool.stop() for pool in state.pools))

    app = FastAPI(
        title="sentrack",
        description="Moments of a library of videos that depict a sentence.",
        version=version("sentrack"),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    for router in ROUTERS:
        app.include_router(router)
    app.router.routes += page_routes()
    app.add_exception_handler(SentrackError, _failed)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _broken)
    _tell_truly(app.openapi())
    return Application(app, options)


def _tell_truly(schema: dict[str, Any]) -> None:
    """Say that problems are told in JSON, where answers are not."""
    for methods in schema["paths"].values():
        for operation in methods.values():
            for response in operation["responses"].values():
                for content in list(response.get("content", {}).values()):
                    if content.get("schema") == {"$ref": "#/components/schemas/ErrorMessage"}:
                        response["content"] = {"application/json": content}


def _problem(text: str, status: int, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": " ".join(text.split())}, status, headers)


async def _failed(_: Request, error: Exception) -> JSONResponse:
    status = error.status if isinstance(error, JobError) else 422
    return _problem(
        str(error), status, {"Retry-After": RETRY_AFTER} if status in (429, 503) else None
    )


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        # Each route knows its own methods alone.
        methods = request.app.openapi()["paths"].get(request.url.path, {"get": None})
        headers["Allow"] = ", ".join(sorted(method.upper() for method in methods))
    return _problem(error.detail, error.status_code, headers)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:]) or "the request"
    return _problem(f"{where}: {first['msg']}", 422)


async def _broken(_: Request, error: Exception) -> JSONResponse:  # noqa: ARG001
    return _problem("sentrack failed at this; its log says how", 500)
