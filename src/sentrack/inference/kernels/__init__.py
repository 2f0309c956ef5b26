"""The inner loops of inference, compiled by Numba."""

from sentrack.inference.kernels.coarsen import coarsen_factors, coarsen_nodes, coarsen_steps
from sentrack.inference.kernels.decoding import decode_all, decode_jointly
from sentrack.inference.kernels.frontier import advance
from sentrack.inference.kernels.gather import gather_factors, gather_steps, score_labels
from sentrack.inference.kernels.growth import LANES, TILE, Plan, Real, gradient, grow
from sentrack.inference.kernels.jit import (
    ONE,
    Flat,
    Int,
    announce,
    entry,
    internal,
    plain,
    worthwhile,
)
from sentrack.inference.kernels.large_messages import (
    INNER,
    OUTER,
    add_rows,
    frame_terms,
    outermost,
    send_large,
)
from sentrack.inference.kernels.local import (
    best_local_score,
    best_run_intervals,
    best_run_sums,
    best_state_paths,
)
from sentrack.inference.kernels.messages import load_step
from sentrack.inference.kernels.sums import sum_over
from sentrack.inference.kernels.sweeps import count_operations, sweep_frames
from sentrack.inference.kernels.tables import add_axis, axis_maxima, mixed_states

__all__ = [
    "INNER",
    "LANES",
    "ONE",
    "OUTER",
    "TILE",
    "Flat",
    "Int",
    "Plan",
    "Real",
    "add_axis",
    "add_rows",
    "advance",
    "announce",
    "axis_maxima",
    "best_local_score",
    "best_run_intervals",
    "best_run_sums",
    "best_state_paths",
    "coarsen_factors",
    "coarsen_nodes",
    "coarsen_steps",
    "count_operations",
    "decode_all",
    "decode_jointly",
    "entry",
    "frame_terms",
    "gather_factors",
    "gather_steps",
    "gradient",
    "grow",
    "internal",
    "load_step",
    "mixed_states",
    "outermost",
    "plain",
    "score_labels",
    "send_large",
    "sum_over",
    "sweep_frames",
    "worthwhile",
]
