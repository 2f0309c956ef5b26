"""Moments of the library: found by a sentence, shown in full, and described."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from sentrack.serve.errors import JobError
from sentrack.serve.jobs import Span
from sentrack.serve.routes.dependencies import (
    BUSY,
    EVER,
    NONE,
    Current,
    Maybe,
    Name,
    Said,
    State,
)
from sentrack.serve.schemas import Line, Sentences, Trouble, json_line
from sentrack.serve.worker_pool import unless_gone
from sentrack.show import View

MOMENTS = b'{"kind":"moments"'

router = APIRouter(prefix="/api", responses={**EVER, **BUSY})


class Lines(StreamingResponse):
    """Lines of JSON as they come; when the client leaves, whoever makes them is told."""

    media_type = "application/x-ndjson"
    body_iterator: AsyncGenerator[bytes, None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines."""
        async with aclosing(self.body_iterator):
            await super().__call__(scope, receive, send)


@router.get("/search", response_class=Lines, response_model=Line, responses=NONE)
async def search(
    request: Request,
    state: State,
    snapshot: Current,
    sentence: Said,
    k: Annotated[int, Query(ge=1, le=100)] = 24,
    video: Annotated[str | None, Query(min_length=1, max_length=1000)] = None,
) -> Response:
    """The best moments of the library, or of one video, line by line as they are found.

    Every line is one JSON object. Close the connection to stop the search.
    """
    only = None if video is None else snapshot.entry(video)
    lines = state.search_pool.run("search", sentence=sentence, k=k, only=only)
    trouble: JobError | None = None
    first = b""
    try:
        # As long as nobody is free to search, it may still be refused.
        first = await unless_gone(request, anext(lines))
    except JobError as error:
        if error.status in (429, 503):
            raise
        trouble = error
    return Lines(_told(lines, first, trouble))


async def _told(
    lines: AsyncGenerator[bytes, None], first: bytes, trouble: JobError | None
) -> AsyncGenerator[bytes, None]:
    """All lines of a search; one about trouble, if there is any, is the last."""
    found = False
    try:
        async with aclosing(lines):
            if trouble is not None:
                raise trouble
            yield first
            async for each in lines:
                found = found or each.startswith(MOMENTS)
                yield each
    except JobError as error:
        yield json_line(Trouble("error", str(error), found))


@router.get("/moment", response_model=View, responses=NONE)
async def moment(
    request: Request,
    state: State,
    snapshot: Current,
    sentence: Said,
    video: Name,
    start: Maybe = None,
    end: Maybe = None,
) -> Response:
    """All that there is to see of a sentence in a video, or in a part of it."""
    arguments = {"entry": snapshot.entry(video), "span": Span(start, end), "seconds": state.seconds}
    found = await state.search_pool.answer(request, "moment", sentence=sentence, **arguments)
    return Response(found, media_type="application/json")


@router.get("/description", response_model=Sentences, responses=NONE)
async def description(
    request: Request,
    state: State,
    snapshot: Current,
    name: Name,
    n: Annotated[int, Query(ge=1, le=20)] = 5,
    start: Maybe = None,
    end: Maybe = None,
) -> Response:
    """The sentences that tell best of a video, or of a part of it; of two minutes at most."""
    entry, span = snapshot.entry(name), Span(start, end)
    found = await state.search_pool.answer(request, "description", entry=entry, n=n, span=span)
    return Response(found, media_type="application/json")


class Download(Response):
    """A file."""

    media_type = "application/octet-stream"


ENDINGS = {"csv": ".csv", "mot": ".txt", "json": ".json", "report": ".html"}


@router.get("/download", response_class=Download, responses=NONE)
async def download(
    request: Request,
    state: State,
    snapshot: Current,
    sentence: Said,
    video: Name,
    kind: Literal["csv", "mot", "json", "report"],
    start: Maybe = None,
    end: Maybe = None,
) -> Response:
    """An answer as a file: its boxes as CSV or MOT lines, all of it as JSON, or a report."""
    arguments = {"entry": snapshot.entry(video), "span": Span(start, end), "seconds": state.seconds}
    found = await state.search_pool.answer(
        request, "download", sentence=sentence, kind=kind, **arguments
    )
    # Never shown by the browser itself, whatever is in it.
    name = f"sentrack{ENDINGS[kind]}"
    return Download(found, headers={"Content-Disposition": f'attachment; filename="{name}"'})
