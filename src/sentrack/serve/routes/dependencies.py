"""What routes depend on: the state of the application, checked arguments, and refusals."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any
from weakref import WeakValueDictionary

from fastapi import Depends, Query, Request

from sentrack.serve.schemas import ErrorMessage
from sentrack.serve.snapshot import Snapshot, SnapshotCache
from sentrack.serve.worker_pool import Pool

PIECE = 120.0  # seconds of a video that are told of or shown at a time
LONGEST_SENTENCE = 300  # characters of a sentence


@dataclass(frozen=True, eq=False)
class AppState:
    """All that answers need.

    Attributes:
        snapshots: of the library.
        search_pool: workers for search, moments, descriptions and uploads.
        media_pool: a worker for pictures and media, which thus never wait for a search.
        sentence_pool: a worker that reads sentences, so that typing never waits for anything.
        version: of sentrack.
        cache: folder for media.
        seconds: that a request may take.
        uploads: folder for videos that are sent; None if none are taken.
        judged: file of judgements; None if the library is not on this machine.
        making: held while a file of media is made.
        receiving: held while a video is received.
        judging: held while a judgement is written.
    """

    snapshots: SnapshotCache
    search_pool: Pool
    media_pool: Pool
    sentence_pool: Pool
    version: str
    cache: Path
    seconds: float
    uploads: Path | None
    judged: Path | None
    making: WeakValueDictionary[Path, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    receiving: asyncio.Lock = field(default_factory=asyncio.Lock)
    judging: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def pools(self) -> tuple[Pool, ...]:
        """All workers."""
        return self.search_pool, self.media_pool, self.sentence_pool


def _state(request: Request) -> AppState:
    state: AppState = request.app.state.sentrack
    return state


async def _snapshot(request: Request) -> Snapshot:
    return await _state(request).snapshots.latest()


State = Annotated[AppState, Depends(_state)]
Current = Annotated[Snapshot, Depends(_snapshot)]
Said = Annotated[str, Query(min_length=1, max_length=LONGEST_SENTENCE)]
Name = Annotated[str, Query(min_length=1, max_length=1000)]
Seconds = Annotated[float, Query(ge=0, le=1e6, allow_inf_nan=False)]
Maybe = Annotated[float | None, Query(ge=0, le=1e6, allow_inf_nan=False)]

Responses = dict[int | str, dict[str, Any]]


def problems(**told: str) -> Responses:
    """Statuses, as in _404, with what they mean."""
    return {
        int(name[1:]): {"model": ErrorMessage, "description": why} for name, why in told.items()
    }


EVER = problems(
    _401="The token is missing or wrong.",
    _403="Another site asks, or it is not allowed here.",
    _414="The address is too long.",
    _421="The server does not go by that name.",
    _422="What is asked makes no sense.",
)
NONE = problems(_404="There is no such thing.")
BUSY = problems(
    _429="Too much is asked at once.", _503="It takes too long, too much memory, or broke off."
)
