"""The page itself: a fixed table of files, read once; no path is made of what is asked for."""

import hashlib
from dataclasses import dataclass
from importlib import resources

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

ADDRESSES = ("/", "/moment", "/video", "/words")
FOLDERS = ("sentrack.serve", "sentrack.show")
CONTENT_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/x-icon",
    "woff2": "font/woff2",
}
MISSING = b"<!doctype html><title>sentrack</title><p>The page is not part of this installation."


@dataclass(frozen=True)
class File:
    """A file of the page, with its MIME type and a tag of its content."""

    content: bytes
    type: str
    tag: str


def page_routes() -> list[Route]:
    """All addresses of the page; any other one that no file has is answered by the page, too."""
    files = _files()
    index = files.get("index.html") or _file(MISSING, "html")
    found = [_route(path, index) for path in ADDRESSES]
    found += [_route(f"/page/{name}", file) for name, file in files.items()]
    return [*found, _route("/{path:path}", index, 404)]


def _files() -> dict[str, File]:
    found = {}
    for package in FOLDERS:
        folder = resources.files(package).joinpath("page")
        for each in folder.iterdir() if folder.is_dir() else ():
            suffix = each.name.rpartition(".")[2]
            if each.is_file() and suffix in CONTENT_TYPES:
                found[each.name] = _file(each.read_bytes(), suffix)
    return found


def _file(content: bytes, suffix: str) -> File:
    return File(content, CONTENT_TYPES[suffix], f'"{hashlib.sha256(content).hexdigest()[:20]}"')


def _route(path: str, file: File, status: int = 200) -> Route:
    async def answer(request: Request) -> Response:
        if status == 404 and request.url.path.startswith(("/api/", "/page/")):
            raise HTTPException(404)
        # Asked for by version, it never changes; else browsers ask whether it has.
        age = "max-age=31536000, immutable" if "v" in request.query_params else "no-cache"
        headers = {"ETag": file.tag, "Cache-Control": f"private, {age}"}
        if status == 200 and file.tag in request.headers.get("if-none-match", ""):
            return Response(None, 304, headers)
        return Response(file.content, status, headers=headers, media_type=file.type)

    return Route(path, answer, include_in_schema=False)
