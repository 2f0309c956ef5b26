"""The answers of the API that are worked on."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, Response

from sentrack.serve.jobs import Span, line
from sentrack.serve.media_cache import asked_for
from sentrack.serve.routes.dependencies import (
    BUSY,
    EVER,
    LONGEST,
    NONE,
    At,
    Held,
    Lines,
    Maybe,
    Name,
    Said,
    Seconds,
    unless_gone,
)
from sentrack.serve.schemas import Completions, Line, Misunderstood, Sentences, Trouble, Understood
from sentrack.serve.worker_pool import ChangedError, JobError
from sentrack.show import View

PIECE = 120.0  # seconds of a piece of video
MOMENTS = b'{"kind":"moments"'

T = TypeVar("T")

router = APIRouter(prefix="/api", responses={**EVER, **BUSY})


@router.get("/parse", response_model=Understood | Misunderstood)
async def parse(request: Request, office: At, sentence: Said) -> Response:
    """What a sentence says; or why it cannot be understood, and what may be meant."""
    job = office.readers.one("parse", sentence=sentence)
    return Response(await unless_gone(request, job), media_type="application/json")


@router.get("/complete", response_model=Completions)
async def complete(
    request: Request,
    office: At,
    text: Annotated[str, Query(max_length=LONGEST)] = "",
    limit: Annotated[int, Query(ge=1, le=50)] = 8,
) -> Response:
    """How the beginning of a sentence may go on."""
    job = office.readers.one("complete", text=text, limit=limit)
    return Response(await unless_gone(request, job), media_type="application/json")


@router.get("/search", response_class=Lines, response_model=Line)
async def search(
    request: Request, office: At, sentence: Said, k: Annotated[int, Query(ge=1, le=100)] = 24
) -> Response:
    """The best moments of the library, line by line as they are found.

    Every line is one JSON object. Close the connection to stop the search.
    """
    lines = office.thinkers.run("search", sentence=sentence, k=k)
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
        yield line(Trouble("error", str(error), found))


@router.get("/moment", response_model=View, responses=NONE)
async def moment(
    request: Request,
    office: At,
    held: Held,
    sentence: Said,
    video: Name,
    start: Maybe = None,
    end: Maybe = None,
) -> Response:
    """All that there is to see of a sentence in a video, or in a part of it."""
    entry, span, seconds = held.entry(video), _span(start, end), office.seconds
    job = office.thinkers.one("moment", entry=entry, sentence=sentence, span=span, seconds=seconds)
    return Response(await unless_gone(request, job), media_type="application/json")


@router.get("/description", response_model=Sentences, responses=NONE)
async def description(
    request: Request,
    office: At,
    held: Held,
    name: Name,
    n: Annotated[int, Query(ge=1, le=20)] = 5,
    start: Maybe = None,
    end: Maybe = None,
) -> Response:
    """The sentences that tell best of a video, or of a part of it; of two minutes at most."""
    entry, span = held.entry(name), _span(start, end)
    job = office.thinkers.one("description", entry=entry, n=n, span=span)
    return Response(await unless_gone(request, job), media_type="application/json")


class Jpeg(Response):
    """A picture."""

    media_type = "image/jpeg"


@router.get("/picture", response_class=Jpeg, responses=NONE)
async def picture(
    request: Request,
    office: At,
    held: Held,
    video: Name,
    time: Seconds = 0.0,
    width: Annotated[int, Query(ge=16, le=1920)] = 320,
) -> Response:
    """The frame of a video that is shown at a time; its boxes alone if there are no pixels."""
    entry = held.entry(video)
    job = office.painters.one("picture", entry=entry, at=time, width=width)
    jpeg, pixels = await unless_gone(request, job)
    if not pixels:
        office.shelf.changed(entry)
    return Jpeg(jpeg, headers={"Cache-Control": "private, max-age=3600"})


class Mp4(FileResponse):
    """A video."""

    media_type = "video/mp4"


@router.get(
    "/media",
    response_class=Mp4,
    responses={
        **NONE,
        206: {"description": "A part of the file.", "content": {"video/mp4": {}}},
        400: {"description": "The range cannot be read.", "content": {"text/plain": {}}},
        416: {"description": "The file has no such part.", "content": {"text/plain": {}}},
    },
)
async def media(
    request: Request, office: At, held: Held, video: Name, start: Maybe = None, end: Maybe = None
) -> Response:
    """A part of a video, 120 s at most, as MP4 that browsers play; its time 0 is `start`."""
    entry, low = held.entry(video), start or 0.0
    high = max(entry.seconds, low + 1.0) if end is None else end
    _span(low, high)
    if high - low > PIECE:
        raise JobError(f"a piece may last {PIECE:g} s; name its start and its end", 422)
    if not office.shelf.shows(entry):
        raise JobError("there are no pixels of this video", 404)
    key = f"{entry.origin.sha256} {low:.3f} {high:.3f}"
    path = office.cache / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.mp4"
    async with office.making.setdefault(path, asyncio.Lock()):
        if path.exists():
            asked_for(path)
        else:
            job = office.painters.one("media", entry=entry, start=low, end=high, path=path)
            try:
                await unless_gone(request, job)
            except ChangedError:
                office.shelf.changed(entry)
                raise
    return Mp4(path, headers={"Cache-Control": "private, max-age=3600"})


def _span(start: float | None, end: float | None) -> Span:
    if start is not None and end is not None and start >= end:
        raise JobError(f"start ({start:g} s) must be before end ({end:g} s)", 422)
    return Span(start, end)
