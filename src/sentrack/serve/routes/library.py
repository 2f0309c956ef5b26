"""The answers of the API that need no work."""

from typing import Annotated

from fastapi import APIRouter, Query

from sentrack.serve.routes import words
from sentrack.serve.routes.dependencies import EVER, NONE, At, Held, Name
from sentrack.serve.schemas import (
    Health,
    LexiconFacts,
    LibraryFacts,
    Video,
    Videos,
    WordFacts,
)
from sentrack.serve.snapshot import MANY

router = APIRouter(prefix="/api", responses=EVER)


@router.get("/health")
async def health(office: At) -> Health:
    """Whether the server lives, and how much it does."""
    busy = sum(pool.busy for pool in office.pools)
    waiting = sum(pool.waiting for pool in office.pools)
    return Health("ok", office.version, busy, waiting)


@router.get("/library")
def library(office: At, held: Held) -> LibraryFacts:
    """The library as a whole."""
    return LibraryFacts(
        name=office.shelf.name,
        clips=len(held.entries),
        seconds=held.seconds,
        classes=held.classes[:MANY],
        lexicon=held.lexicon.name,
        uploads=office.uploads is not None,
    )


@router.get("/videos")
def videos(
    office: At,
    held: Held,
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 60,
    contains: Annotated[str, Query(max_length=200)] = "",
) -> Videos:
    """Some videos, by name."""
    return office.shelf.videos(held, offset, limit, contains)


@router.get("/video", responses=NONE)
def video(office: At, held: Held, name: Name) -> Video:
    """One video."""
    return office.shelf.video(held.entry(name))


@router.get("/words")
def lexicon(held: Held) -> LexiconFacts:
    """All words, the classes of the library among them."""
    return words.listed(held)


@router.get("/word", responses=NONE)
def word(
    held: Held,
    word: Annotated[str, Query(min_length=1, max_length=100)],
    part: Annotated[str, Query(min_length=1, max_length=20)],
) -> WordFacts:
    """What a word means."""
    return words.drawn(held, word, part)
