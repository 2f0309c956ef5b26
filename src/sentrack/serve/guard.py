"""Who may ask for what: checks on every request, and headers on every response."""

import hmac
import ipaddress
import re
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, quote, unquote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "sentrack-token"
HERE = frozenset({"localhost", "127.0.0.1", "::1"})
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; media-src 'self' blob:; connect-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
LONGEST_PATH = 8192  # bytes of a path with its query
ASK = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>sentrack</title>
<h1>sentrack</h1>
<p>This library is shown to those who know its token.</p>
<form action="/" method="get">
<label>Token <input name="token" type="password" autocomplete="current-password" autofocus></label>
<button>Open</button>
</form>
</html>
"""


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server that is bound to a host."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Lets a request through to an application, or answers it by itself.

    Args:
        app: what is guarded.
        host: that the server is bound to; requests must be to it or to this machine by name, lest
            another site's name be made to lead here. A server for all addresses of a machine has
            too many names; there it is the token that keeps others out.
        token: that requests must bring, if any.
    """

    def __init__(self, app: ASGIApp, host: str, token: str | None = None) -> None:
        self._app = app
        self._hosts = None if host in ("0.0.0.0", "::") else HERE | {host.lower()}
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if scope["path"].startswith("/api/"):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        answer = self._refusal(scope, Headers(scope=scope))
        await (answer or self._app)(scope, receive, safely)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """What to answer instead of doing as asked."""
        api = scope["path"].startswith("/api/") or scope["path"] == "/openapi.json"
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_PATH:
            return _refuse(414, "the address is too long")
        if self._hosts is not None and _name(headers.get("host", "")) not in self._hosts:
            return _refuse(421, "this server does not go by that name")
        if api and not _same_origin(headers):
            return _refuse(403, "other sites may not ask this server")
        if self._token is None:
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if not api and any(map(self._right, given)):
            return self._let_in(scope["path"], [each for each in query if each[0] != "token"])
        if self._right(_brought(headers)):
            return None
        if api:
            answer = _refuse(401, "this needs the token of the server")
            answer.headers["WWW-Authenticate"] = "Bearer"
            return answer
        return HTMLResponse(ASK, 401)

    def _right(self, given: str) -> bool:
        return self._token is not None and hmac.compare_digest(
            given.encode("utf-8", "replace"), self._token.encode()
        )

    def _let_in(self, path: str, query: list[tuple[str, str]]) -> Response:
        """Back to the same address without the token, which is a cookie from now on."""
        assert self._token is not None
        target = "/" + quote(path.lstrip("/\\")) + ("?" + urlencode(query) if query else "")
        answer = RedirectResponse(target, 303)
        value = quote(self._token, safe="")
        answer.set_cookie(COOKIE, value, httponly=True, samesite="strict", path="/")
        return answer


def _name(host: str) -> str:
    """The host of a Host header, without its port; nothing if it makes no sense."""
    found = re.fullmatch(r"(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::\d+)?", host.lower(), re.ASCII)
    return (found[1] or found[2]).rstrip(".") if found else ""


def _same_origin(headers: Headers) -> bool:
    """Whether a request comes from a page of this server, or from no page."""
    if (site := headers.get("sec-fetch-site")) is not None:
        return site in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2] == headers.get("host")


def _brought(headers: Headers) -> str:
    """The token that a request brings, or nothing."""
    scheme, _, given = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return given.strip()
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    return unquote(cookies[COOKIE].value) if COOKIE in cookies else ""


def _refuse(status: int, text: str) -> Response:
    return JSONResponse({"error": text}, status)
