"""Clients that say nothing, say it slowly, or do not listen."""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn

from sentrack.serve import connections
from sentrack.serve.connections import Connection

ASK = b"GET / HTTP/1.1\r\nHost: x\r\n"
CHUNK = bytes(1 << 20)


async def app(scope: Any, _: Any, send: Any) -> None:
    """Answers with "here", or with more than any buffer holds."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(64 if scope["path"] == "/much" else 0):
        await send({"type": "http.response.body", "body": CHUNK, "more_body": True})
    await send({"type": "http.response.body", "body": b"here"})


@asynccontextmanager
async def serving() -> AsyncIterator[int]:
    """The port of a server that runs meanwhile."""
    config = uvicorn.Config(app, port=0, http=Connection, ws="none", lifespan="off", log_level=50)
    server = uvicorn.Server(config)
    config.load()
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await server.shutdown()


async def opened(port: int) -> tuple[StreamReader, StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", port)


async def closed(reader: StreamReader) -> bool:
    """Wait until the server ends a connection; whether nothing was said before."""
    try:
        return await reader.read() == b""
    except ConnectionResetError:
        return True


async def answered(port: int) -> bool:
    reader, writer = await opened(port)
    writer.write(ASK + b"Connection: close\r\n\r\n")
    found = await reader.read()
    writer.close()
    return b"here" in found


@pytest.mark.parametrize("said", [b"", b"G", ASK, ASK + b"\r\nGET / HTT"])
def test_who_does_not_finish_a_request_is_not_waited_for(
    said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD", 0.05)

    async def run() -> bytes:
        async with serving() as port:
            reader, writer = await opened(port)
            writer.write(said)
            try:
                found = await reader.read()
            except ConnectionResetError:
                found = b""
            writer.close()
            return found

    found = asyncio.run(run())
    assert (b"here" in found) is (b"\r\n\r\n" in said)


def test_silent_connections_keep_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SILENT", 5)

    async def run() -> list[bool]:
        async with serving() as port:
            silent = [await opened(port) for _ in range(20)]
            told = [await answered(port)]
            told += [await closed(reader) for reader, _ in silent[:15]]
            told += [not reader.at_eof() for reader, _ in silent[16:]]
            for _, writer in silent:
                writer.close()
            return told

    assert all(asyncio.run(run()))


def test_who_does_not_read_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "STALLED", 0.05)

    async def run() -> tuple[int, bool]:
        async with serving() as port:
            reader, writer = await opened(port)
            lost = asyncio.Event()
            plain = Connection.connection_lost

            def noticed(self: Connection, exc: Exception | None) -> None:
                plain(self, exc)
                lost.set()

            monkeypatch.setattr(Connection, "connection_lost", noticed)
            writer.write(ASK.replace(b"/ ", b"/much ", 1) + b"\r\n")
            await lost.wait()
            size = 0
            try:
                while piece := await reader.read(1 << 20):
                    size += len(piece)
            except ConnectionResetError:
                pass
            writer.close()
            monkeypatch.setattr(Connection, "connection_lost", plain)
            return size, await answered(port)

    size, other = asyncio.run(run())
    assert size < 64 * len(CHUNK)
    assert other


def test_several_requests_on_one_connection() -> None:
    async def run() -> list[bytes]:
        async with serving() as port:
            reader, writer = await opened(port)
            found = []
            for _ in range(3):
                writer.write(ASK + b"\r\n")
                found.append(await reader.readuntil(b"here\r\n0\r\n\r\n"))
            writer.close()
            return found

    assert all(each.startswith(b"HTTP/1.1 200") for each in asyncio.run(run()))
