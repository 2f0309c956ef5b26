"""All that answers need, and how requests and workers meet."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar
from weakref import WeakValueDictionary

from fastapi import Depends, Query, Request
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from sentrack.serve.schemas import Problem
from sentrack.serve.snapshot import Holding, Shelf
from sentrack.serve.worker_pool import JobError, Pool

LONGEST = 300  # characters of a sentence

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Office:
    """All that answers need.

    Attributes:
        shelf: the library.
        thinkers: workers for search, moments, descriptions and uploads.
        painters: a worker for pictures and media, which thus never wait for a search.
        readers: a worker that reads sentences, so that typing never waits for anything.
        version: of sentrack.
        cache: folder for media.
        seconds: that a request may take.
        uploads: folder for videos that are sent; None if none are taken.
        making: held while a file of media is made.
        receiving: held while a video is received.
    """

    shelf: Shelf
    thinkers: Pool
    painters: Pool
    readers: Pool
    version: str
    cache: Path
    seconds: float
    uploads: Path | None
    making: WeakValueDictionary[Path, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    receiving: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def pools(self) -> tuple[Pool, ...]:
        """All workers."""
        return self.thinkers, self.painters, self.readers


def _office(request: Request) -> Office:
    office: Office = request.app.state.office
    return office


async def _holding(request: Request) -> Holding:
    return await _office(request).shelf.holding()


At = Annotated[Office, Depends(_office)]
Held = Annotated[Holding, Depends(_holding)]
Said = Annotated[str, Query(min_length=1, max_length=LONGEST)]
Name = Annotated[str, Query(min_length=1, max_length=1000)]
Seconds = Annotated[float, Query(ge=0, le=1e6, allow_inf_nan=False)]
Maybe = Annotated[float | None, Query(ge=0, le=1e6, allow_inf_nan=False)]

Responses = dict[int | str, dict[str, Any]]


def problems(**told: str) -> Responses:
    """Statuses, as in _404, with what they mean."""
    return {int(name[1:]): {"model": Problem, "description": why} for name, why in told.items()}


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


class Lines(StreamingResponse):
    """Lines of JSON as they come; when the client leaves, whoever makes them is told."""

    media_type = "application/x-ndjson"
    body_iterator: AsyncGenerator[bytes, None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines."""
        async with aclosing(self.body_iterator):
            await super().__call__(scope, receive, send)


async def unless_gone(request: Request, work: Awaitable[T]) -> T:
    """What comes of some work, which is given up if the client leaves."""
    task = asyncio.ensure_future(work)
    gone = asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise JobError("nobody waits for this any more", 503)
        return task.result()
    finally:
        for each in (task, gone):
            each.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
