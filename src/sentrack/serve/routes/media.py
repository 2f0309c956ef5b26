"""Pictures and pieces of videos."""

import asyncio
import hashlib
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, Response

from sentrack.serve.errors import ChangedError, JobError
from sentrack.serve.jobs import Span
from sentrack.serve.media_cache import asked_for, picture_path
from sentrack.serve.routes.dependencies import (
    BUSY,
    EVER,
    NONE,
    PIECE,
    Current,
    Maybe,
    Name,
    Seconds,
    State,
)

router = APIRouter(prefix="/api", responses={**EVER, **BUSY})


class Jpeg(Response):
    """A picture."""

    media_type = "image/jpeg"


@router.get("/picture", response_class=Jpeg, responses=NONE)
async def picture(
    request: Request,
    state: State,
    snapshot: Current,
    video: Name,
    time: Seconds = 0.0,
    width: Annotated[int, Query(ge=16, le=1920)] = 320,
) -> Response:
    """The frame of a video that is shown at a time; its boxes alone if there are no pixels."""
    entry = snapshot.entry(video)
    headers = {"Cache-Control": "private, max-age=3600"}
    kept = picture_path(entry.origin.sha256, time, width)
    if state.snapshots.shows(entry) and kept.exists():  # no worker has to open the video
        asked_for(kept)
        return Jpeg(kept.read_bytes(), headers=headers)
    jpeg, pixels = await state.media_pool.answer(
        request, "picture", entry=entry, at=time, width=width
    )
    if not pixels:
        state.snapshots.changed(entry)
    return Jpeg(jpeg, headers=headers)


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
    request: Request,
    state: State,
    snapshot: Current,
    video: Name,
    start: Maybe = None,
    end: Maybe = None,
) -> Response:
    """A part of a video, 120 s at most, as MP4 that browsers play; its time 0 is `start`."""
    entry, low = snapshot.entry(video), start or 0.0
    high = max(entry.seconds, low + 1.0) if end is None else end
    Span(low, high)  # which refuses one that ends before it starts
    if high - low > PIECE:
        raise JobError(f"a piece may last {PIECE:g} s; name its start and its end", 422)
    if not state.snapshots.shows(entry):
        raise JobError("there are no pixels of this video", 404)
    key = f"{entry.origin.sha256} {low:.3f} {high:.3f}"
    path = state.cache / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.mp4"
    async with state.making.setdefault(path, asyncio.Lock()):
        if path.exists():
            asked_for(path)
        else:
            try:
                await state.media_pool.answer(
                    request, "media", entry=entry, start=low, end=high, path=path
                )
            except ChangedError:
                state.snapshots.changed(entry)
                raise
    return Mp4(path, headers={"Cache-Control": "private, max-age=3600"})
