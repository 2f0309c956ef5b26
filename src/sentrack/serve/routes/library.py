"""The library: as a whole, and its videos."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from sentrack.library import Entry
from sentrack.serve.jobs import Span
from sentrack.serve.routes.dependencies import (
    BUSY,
    EVER,
    NONE,
    PIECE,
    AppState,
    Current,
    Maybe,
    Name,
    State,
)
from sentrack.serve.schemas import Boxes, LibraryFacts, VideoFacts, Videos

MANY = 100  # classes that are told of

router = APIRouter(prefix="/api", responses=EVER)


@router.get("/library")
def library(state: State, snapshot: Current) -> LibraryFacts:
    """The library as a whole."""
    return LibraryFacts(
        name=state.snapshots.name,
        clips=len(snapshot.entries),
        seconds=snapshot.seconds,
        classes=snapshot.classes[:MANY],
        lexicon=snapshot.lexicon.name,
        uploads=state.uploads is not None,
    )


@router.get("/videos")
def videos(
    state: State,
    snapshot: Current,
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 60,
    contains: Annotated[str, Query(max_length=200)] = "",
) -> Videos:
    """Some videos, by name."""
    wanted = contains.casefold()
    names = [name for name in snapshot.entries if wanted in name.casefold()]
    chosen = [snapshot.entries[name] for name in names[offset : offset + limit]]
    return Videos(len(names), [_video(state, entry) for entry in chosen])


@router.get("/video", responses=NONE)
def video(state: State, snapshot: Current, name: Name) -> VideoFacts:
    """One video."""
    return _video(state, snapshot.entry(name))


@router.get("/boxes", response_model=Boxes, responses={**NONE, **BUSY})
async def boxes(
    request: Request,
    state: State,
    snapshot: Current,
    name: Name,
    start: Maybe = None,
    end: Maybe = None,
) -> Response:
    """All that was detected in a part of a video, two minutes of it at most."""
    entry, low = snapshot.entry(name), start or 0.0
    high = low + PIECE if end is None else min(end, low + PIECE)
    found = await state.search_pool.answer(request, "boxes", entry=entry, span=Span(low, high))
    return Response(found, media_type="application/json")


def _video(state: AppState, entry: Entry) -> VideoFacts:
    """What is told of a clip."""
    return VideoFacts(
        name=entry.name,
        seconds=entry.seconds,
        frames=entry.T,
        width=entry.size[0],
        height=entry.size[1],
        fps=entry.fps,
        classes=entry.seen,
        pixels=state.snapshots.shows(entry),
    )
