"""Who is let in: hosts, origins and tokens; and that no address leads out of the library."""

import asyncio
import http.client
import json
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from sentrack.serve.guard import COOKIE, HEADERS, Guard, is_loopback
from tests.serve.serving import UP, Server, served, stock
from tests.waiting import HANG

HERE = "http://127.0.0.1:8765"
TOKEN = "a token; with=odd \"signs\" & 'more' %20"


def say(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"inside {request.url.path}")


@dataclass(frozen=True)
class Client:
    """Asks an application without a server."""

    app: Guard

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
                return await client.request(method, path, **options)

        return asyncio.run(ask())

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.request("GET", path, **options)


def guarded(host: str = "127.0.0.1", token: str | None = None) -> Client:
    app = Starlette(routes=[Route("/{path:path}", say, methods=["GET", "POST"])])
    return Client(Guard(app, host, token))


@pytest.mark.parametrize(
    ("host", "let_in"),
    [
        ("127.0.0.1:8765", True),
        ("127.0.0.1", True),
        ("localhost:1", True),
        ("LOCALHOST", True),
        ("localhost.", True),
        ("[::1]:8765", True),
        ("[::1]", True),
        ("evil.example", False),
        ("evil.example:8765", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("evil.example@127.0.0.1", False),
        ("[::1].evil.example", False),
        ("", False),
    ],
)
def test_only_names_of_this_machine_are_answered(host: str, let_in: bool) -> None:
    answer = guarded().get("/api/x", headers={"Host": host})
    assert (answer.status_code == 200) is let_in
    if not let_in:
        assert answer.status_code == 421
        assert "error" in answer.json()


def test_the_bound_host_is_answered_and_where_there_are_many_the_token_decides() -> None:
    assert guarded("192.0.2.7", "t").get("/x", headers={"Host": "192.0.2.7:8"}).status_code == 401
    assert guarded("192.0.2.7", "t").get("/x", headers={"Host": "other"}).status_code == 421
    anywhere = guarded("0.0.0.0", "t")
    assert anywhere.get("/x", headers={"Host": "box.lan"}).status_code == 401
    sent = {"Host": "box.lan", "Authorization": "Bearer t"}
    assert anywhere.get("/x", headers=sent).status_code == 200


@pytest.mark.parametrize(
    ("headers", "let_in"),
    [
        ({}, True),
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1:8765"}, False),
        ({"Origin": "http://127.0.0.1:8765"}, True),
        ({"Origin": "http://127.0.0.1:9999"}, False),
        ({"Origin": "http://evil.example"}, False),
        ({"Origin": "null"}, False),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_other_sites_may_not_ask(method: str, headers: dict[str, str], let_in: bool) -> None:
    answer = guarded().request(method, "/api/videos", headers=headers)
    assert answer.status_code == (200 if let_in else 403)


def test_links_from_other_sites_open_pages() -> None:
    assert guarded().get("/video", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


def test_every_answer_has_the_headers() -> None:
    client = guarded(token=TOKEN)
    for answer in (client.get("/"), client.get("/api/x"), client.get("/", params={"token": TOKEN})):
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert "unsafe" not in HEADERS["Content-Security-Policy"]
    assert client.get("/api/x").headers["cache-control"] == "no-store"


def test_a_token_opens_by_header_and_by_cookie() -> None:
    client = guarded(token=TOKEN)
    assert client.get("/api/x").status_code == 401
    assert client.get("/api/x").headers["www-authenticate"] == "Bearer"
    page = client.get("/moment")
    assert page.status_code == 401
    assert '<form action="/" method="get">' in page.text
    assert "<script" not in page.text
    for wrong in ("Bearer wrong", "Bearer", "Bearer ", f"Basic {TOKEN}", "Bearer \xff"):
        sent = {"Authorization": wrong.encode("latin-1")}
        assert client.get("/api/x", headers=sent).status_code == 401
    for right in (f"Bearer {TOKEN}", f"bearer  {TOKEN}"):
        assert client.get("/api/x", headers={"Authorization": right}).status_code == 200
    opened = client.get("/moment", params={"q": "a b", "token": TOKEN, "t": "1"})
    assert opened.status_code == 303
    assert opened.headers["location"] == "/moment?q=a+b&t=1"
    cookie = opened.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert {"httponly", "samesite=strict", "path=/"} <= set(cookie.lower().split("; "))
    value = cookie.partition("=")[2].partition(";")[0]
    for path in ("/api/x", "/moment", "/page/app.js", "/openapi.json"):
        assert client.get(path, headers={"Cookie": f"{COOKIE}={value}"}).status_code == 200
    assert client.get("/api/x", headers={"Cookie": f"{COOKIE}=x{value}"}).status_code == 401
    assert client.get("/api/x", params={"token": TOKEN}).status_code == 401
    assert client.get("/", params={"token": "wrong"}).status_code == 401


@pytest.mark.parametrize("path", ["//evil.example/x", "/\\evil.example", "///evil.example"])
def test_the_way_in_does_not_lead_out(path: str) -> None:
    answer = guarded(token="t").get(f"{HERE}{path}?token=t")
    assert answer.status_code == 303
    target = urllib.parse.urljoin(HERE, answer.headers["location"])
    assert urllib.parse.urlsplit(target).netloc == "127.0.0.1:8765"


ASCII = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=30)


@settings(max_examples=40)
@given(ASCII, ASCII | st.text(max_size=40))
def test_no_other_token_opens(token: str, given_: str) -> None:
    client = guarded(token=token)
    for answer in (
        client.get("/", params={"token": given_}),
        client.get("/api/x", headers={"Cookie": f"{COOKIE}={urllib.parse.quote(given_)}"}),
    ):
        assert (answer.status_code == 401) is (given_ != token)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.2", False),
        ("example.com", False),
        ("", False),
    ],
)
def test_loopback(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


# What people try to get out of a folder, as sent.
OUT = [
    "../../../../etc/passwd",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "%252e%252e%252fetc%252fpasswd",
    "..%5c..%5cetc%5cpasswd",
    "..%c0%af..%c0%afetc/passwd",
    "%ef%bc%8e%ef%bc%8e%ef%bc%8fetc",
    "/etc/passwd",
    "//etc/passwd",
    "file:///etc/passwd",
    "film%00",
    "film%00.mp4",
    "film.mp4",
    "./film",
    "film/",
    "scene-00/../film",
    "%ff%fe",
    "%ed%a0%80",
    "%0d%0aSet-Cookie:x=1",
    "~root",
    "$HOME",
    "catalogue.parquet",
    "a" * 900,
    "a/" * 450,
    "../" * 300,
]


@pytest.fixture
def connection(server: Server) -> Iterator[http.client.HTTPConnection]:
    """To send addresses as they are: clients tidy them up."""
    url = server.client.base_url
    made = http.client.HTTPConnection(url.host, url.port, timeout=HANG)
    yield made
    made.close()


def asked(connection: http.client.HTTPConnection, path: str) -> tuple[int, bytes]:
    connection.putrequest("GET", path, skip_host=True)
    connection.putheader("Host", "localhost")
    connection.endheaders()
    answer = connection.getresponse()
    return answer.status, answer.read()


@pytest.mark.parametrize("out", OUT)
def test_names_lead_nowhere_else(connection: http.client.HTTPConnection, out: str) -> None:
    said = urllib.parse.quote(UP)
    for path in (
        f"/api/video?name={out}",
        f"/api/picture?video={out}",
        f"/api/media?video={out}&end=1",
        f"/api/description?name={out}",
        f"/api/moment?sentence={said}&video={out}",
        f"/page/{out}",
        f"/page/../{out}",
        f"/{out}",
    ):
        status, content = asked(connection, path)
        assert status in (400, 404), (path, content)
        assert b"root:" not in content
        if status == 404 and path.startswith("/api/"):
            assert list(json.loads(content)) == ["error"]


def test_addresses_that_are_too_long_are_refused(connection: http.client.HTTPConnection) -> None:
    assert asked(connection, f"/api/video?name={'a' * 10_000}")[0] == 414
    assert asked(connection, f"/page/{'a' * 10_000}")[0] == 414


def test_a_server_with_a_token(tmp_path: Path) -> None:
    folder, secret = stock(tmp_path / "lib", 1), tmp_path / "secret"
    secret.write_text("open sesame\n")
    with served(folder, "--token-file", str(secret)) as server:
        command = Path(f"/proc/{server.process.pid}/cmdline").read_bytes()
        assert b"sesame" not in command
        assert server.get("/api/health").status_code == 401
        assert server.get("/").status_code == 401
        assert server.get("/page/app.js").status_code == 401
        sent = {"Authorization": "Bearer open sesame"}
        assert server.client.get("/api/health", headers=sent).status_code == 200
        opened = server.client.get("/", params={"token": "open sesame"}, follow_redirects=True)
        assert opened.status_code == 200
        assert isinstance(opened, httpx.Response)
        assert "token" not in str(opened.url)
        assert server.get("/api/health").status_code == 200
