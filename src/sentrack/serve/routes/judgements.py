"""What people say of answers: right or wrong, and where a box should have been."""

import asyncio
import math
from pathlib import Path

from fastapi import APIRouter

from sentrack.serve.errors import JobError
from sentrack.serve.routes.dependencies import (
    EVER,
    LONGEST_SENTENCE,
    NONE,
    Current,
    State,
    problems,
)
from sentrack.serve.schemas import Judged, Judgement
from sentrack.tasks import RightBox
from sentrack.text import strict_json

MOST = 100_000  # judgements in a library, and bytes of one

router = APIRouter(prefix="/api", responses=EVER)


@router.post(
    "/judgements",
    status_code=201,
    responses={
        **NONE,
        **problems(_400="It is no JSON.", _413="There are too many already, or it is too long."),
    },
)
async def judge(state: State, snapshot: Current, judgement: Judgement) -> Judged:
    """Keep a judgement in the library, as a line that `sentrack learn` reads."""
    if state.judged is None:
        raise JobError("judgements are kept in libraries on the server's own machine only", 403)
    entry = snapshot.entry(judgement.video)
    if len(judgement.sentence) > LONGEST_SENTENCE or len(judgement.boxes) > LONGEST_SENTENCE:
        raise JobError("this is too long to be kept", 413)
    if not 0 <= judgement.start < judgement.end:
        raise JobError("a moment starts before it ends", 422)
    if not all(map(_is_sound, judgement.boxes)):
        raise JobError("a box has x1 < x2 and y1 < y2, and is of a participant in a frame", 422)
    line = {
        "clip": entry.file,
        "sentence": judgement.sentence,
        "start": judgement.start,
        "end": judgement.end,
        "right": judgement.right,
    }
    if judgement.boxes:
        line["boxes"] = [vars(box) for box in judgement.boxes]
    async with state.judging:
        return Judged(await asyncio.to_thread(_append, state.judged, strict_json(line)))


def _is_sound(each: RightBox) -> bool:
    x1, y1, x2, y2 = each.box
    finite = all(map(math.isfinite, each.box))
    return finite and x1 < x2 and y1 < y2 and min(each.participant, each.frame) >= 0


def _append(path: Path, line: str) -> int:
    """Add a line to a file; how many it has now."""
    count = len(path.read_bytes().splitlines()) if path.exists() else 0
    if count >= MOST:
        raise JobError("there are too many judgements already", 413)
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    return count + 1
