"""Whether the server lives."""

from fastapi import APIRouter

from sentrack.serve.routes.dependencies import EVER, State
from sentrack.serve.schemas import Health

router = APIRouter(prefix="/api", responses=EVER)


@router.get("/health")
async def health(state: State) -> Health:
    """Whether the server lives, and how much it does."""
    busy = sum(pool.busy for pool in state.pools)
    waiting = sum(pool.waiting for pool in state.pools)
    return Health("ok", state.version, busy, waiting)
