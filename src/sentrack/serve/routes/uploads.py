"""Videos that are sent to the library."""

import asyncio
import logging
import re
import shutil
import uuid
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Message

from sentrack.cache import checksum
from sentrack.serve.errors import JobError
from sentrack.serve.routes.dependencies import BUSY, EVER, State, problems
from sentrack.serve.schemas import Added
from sentrack.serve.upload_folder import clear

UPLOAD_BYTES = 200_000_000  # bytes of a request
SPARE = 1_000_000_000  # bytes of the disk that are left alone
INDEXING = 1800.0  # seconds that it may take to look at a video

FORM = {
    "type": "object",
    "required": ["file"],
    "properties": {"file": {"type": "string", "format": "binary"}},
}
REFUSED = problems(
    _400="It is no form.",
    _408="It did not come in time.",
    _413="It is too large.",
    _415="It is no video.",
    _507="The disk is nearly full.",
)

# What is wrong with a form is told to whoever sent it.
logging.getLogger("python_multipart").setLevel(logging.ERROR)

router = APIRouter(prefix="/api", responses={**EVER, **BUSY})


@router.post(
    "/videos",
    status_code=201,
    responses=REFUSED,
    openapi_extra={
        "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": FORM}}}
    },
)
async def add(request: Request, state: State) -> Added:
    """Add a video, the field `file` of a form; the answer comes when it is indexed."""
    folder = state.uploads
    if folder is None:
        raise JobError("this server takes no videos; it would by --allow-upload", 403)
    if state.receiving.locked():
        raise JobError("another video is being added; try again soon", 429)
    async with state.receiving:
        folder.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(folder).free < UPLOAD_BYTES + SPARE:
            raise JobError("the disk is nearly full", 507)
        draft, sha256 = folder / f".{uuid.uuid4().hex}", ""
        try:
            name = await _receive(request, draft, state.seconds)
            sha256 = await asyncio.to_thread(checksum, draft)
            chosen = await state.search_pool.answer(
                request, "upload", INDEXING, draft=draft, name=name
            )
        except BaseException:
            # Its worker may have been killed when the file had its name already.
            await state.search_pool.settled()
            await asyncio.to_thread(clear, folder, sha256)
            raise
        finally:
            draft.unlink(missing_ok=True)
    await state.snapshots.latest(now=True)
    return Added(chosen)


async def _receive(request: Request, draft: Path, seconds: float) -> str:
    """Write the file of a form to a path; the name that it suggests for the clip."""
    counted = 0

    async def receive() -> Message:
        nonlocal counted
        message = await request.receive()
        counted += len(message.get("body", b""))
        if counted > UPLOAD_BYTES:
            # To the parser of forms, it is a client that breaks off.
            return {"type": "http.disconnect"}
        return message

    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > UPLOAD_BYTES:
        raise JobError(f"a video may have {UPLOAD_BYTES:,} bytes", 413)
    try:
        async with asyncio.timeout(seconds):
            async with Request(request.scope, receive).form(max_files=1, max_fields=0) as form:
                file = form.get("file")
                if not isinstance(file, UploadFile):
                    raise JobError("send a form with one field `file`", 400)
                await asyncio.to_thread(_copy, file, draft)
                return clean(file.filename or "")
    except TimeoutError:
        raise JobError(f"it did not come within {seconds:g} s", 408) from None
    except ClientDisconnect:
        raise JobError(f"a video may have {UPLOAD_BYTES:,} bytes", 413) from None
    except HTTPException:
        raise JobError("send a form with one field `file`", 400) from None


def _copy(file: UploadFile, draft: Path) -> None:
    with draft.open("xb") as target:
        shutil.copyfileobj(file.file, target)


def clean(name: str) -> str:
    """A name for a clip, of the letters, digits, blanks and hyphens in that of a file."""
    stem = re.split(r"[/\\]", name)[-1].partition(".")[0]
    return re.sub(r"[^\w -]+", "-", stem).strip(" -_")[:60].strip() or "upload"
