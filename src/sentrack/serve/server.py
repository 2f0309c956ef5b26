"""The server: an address, an application, and a clean end."""

import socket
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack, suppress
from urllib.parse import quote

import uvicorn

from sentrack.errors import SentrackError
from sentrack.serve.app import Application
from sentrack.serve.connections import Connection

PATIENCE = 3  # seconds that open requests have to end when the server does
CONNECTIONS = 512


class Server(uvicorn.Server):
    """A server that says when it can be reached, and lets nobody wait when it ends."""

    def __init__(self, config: uvicorn.Config, app: Application, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._app, self._ready = app, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End what is worked on, and then the server."""
        await self._app.leave()
        await super().shutdown(sockets)


def run(app: Application, host: str, port: int, token: str | None, browse: bool) -> None:
    """Serve until interrupted.

    Raises:
        SentrackError: the address cannot be had.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=PATIENCE,
        ws="none",
        http=Connection,
    )
    with _bound(host, port) as listener:
        address = _address(host, listener.getsockname()[1])

        def ready() -> None:
            print(f"serving at {address} (Ctrl-C ends it)", flush=True)
            if browse:
                webbrowser.open(f"{address}?token={quote(token, safe='')}" if token else address)

        with suppress(KeyboardInterrupt):
            Server(config, app, ready).run(sockets=[listener])


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with ExitStack() as stack:
            listener = stack.enter_context(socket.socket(family, socket.SOCK_STREAM))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            stack.pop_all()
    except OSError as error:
        text = f"{host}:{port}: the server cannot listen there: {error.strerror or error}"
        raise SentrackError(f"{text}; choose another --port or --host") from None
    return listener


def _address(host: str, port: int) -> str:
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"
