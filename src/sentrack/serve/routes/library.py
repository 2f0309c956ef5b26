"""The library: as a whole, and its videos."""

from typing import Annotated

from fastapi import APIRouter, Query

from sentrack.library import Entry
from sentrack.serve.routes.dependencies import EVER, NONE, AppState, Current, Name, State
from sentrack.serve.schemas import LibraryFacts, Video, Videos

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
def video(state: State, snapshot: Current, name: Name) -> Video:
    """One video."""
    return _video(state, snapshot.entry(name))


def _video(state: AppState, entry: Entry) -> Video:
    """What is told of a clip."""
    return Video(
        name=entry.name,
        seconds=entry.seconds,
        frames=entry.T,
        width=entry.size[0],
        height=entry.size[1],
        fps=entry.fps,
        classes=entry.seen,
        pixels=state.snapshots.shows(entry),
    )
