"""Sentences as they are typed: how they are read, and how they may go on."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from sentrack.serve.routes.dependencies import BUSY, EVER, LONGEST_SENTENCE, Said, State
from sentrack.serve.schemas import Completions, Misunderstood, Understood

router = APIRouter(prefix="/api", responses={**EVER, **BUSY})


@router.get("/parse", response_model=Understood | Misunderstood)
async def parse(request: Request, state: State, sentence: Said) -> Response:
    """What a sentence says; or why it cannot be understood, and what may be meant."""
    found = await state.sentence_pool.answer(request, "parse", sentence=sentence)
    return Response(found, media_type="application/json")


@router.get("/complete", response_model=Completions)
async def complete(
    request: Request,
    state: State,
    text: Annotated[str, Query(max_length=LONGEST_SENTENCE)] = "",
    limit: Annotated[int, Query(ge=1, le=50)] = 8,
) -> Response:
    """How the beginning of a sentence may go on."""
    found = await state.sentence_pool.answer(request, "complete", text=text, limit=limit)
    return Response(found, media_type="application/json")
