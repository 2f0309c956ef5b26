"""Connections of clients that take their time: silent ones, and those that do not read."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD = 10.0  # seconds that the head of a request may take to come
STALLED = 60.0  # seconds for which a client may read nothing of what it asked for
SILENT = 100  # connections on which no request is being answered; the longest silent give way


class Connection(H11Protocol):
    """A connection that is closed if no request comes, or if nobody reads the answer.

    There may be no more than SILENT connections without a request, so that whoever opens them by
    the hundred keeps nobody else out.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, and close another connection if too many do."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._waiting: asyncio.TimerHandle | None = None
        self._blocked: asyncio.TimerHandle | None = None
        self._wait()
        others = [each for each in self.connections if isinstance(each, Connection)]
        silent = [each for each in others if each.silent]
        if len(silent) > SILENT:
            # Those that never asked anything go first.
            min(silent, key=lambda each: (each.cycle is not None, each._since)).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        _stop(self._waiting)
        _stop(self._blocked)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what comes; the head of a request must be complete soon after its first byte."""
        super().data_received(data)
        if self.silent:
            self._wait()
        else:
            _stop(self._waiting)
            self._waiting = None

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._since = self.loop.time()

    def pause_writing(self) -> None:
        """The client reads more slowly than the server writes."""
        super().pause_writing()
        self._blocked = self.loop.call_later(STALLED, self.transport.abort)

    def resume_writing(self) -> None:
        """It has read some of it."""
        _stop(self._blocked)
        super().resume_writing()

    @property
    def silent(self) -> bool:
        """Whether no request is being answered."""
        cycle: RequestResponseCycle | None = self.cycle  # none before the first request
        return cycle is None or cycle.response_complete

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(HEAD, self._give_up)

    def _give_up(self) -> None:
        self._waiting = None
        if self.silent:
            self.transport.abort()


def _stop(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
