"""Why a problem has no answer: the first frame, and the track or word, that rule everything out."""

import numpy as np

from sentrack.inference.lattices import frame_operations, group_chains, joint_states, word_groups
from sentrack.inference.limits import Limits, OutOfTime
from sentrack.inference.structures import Bools, Ints, Terms
from sentrack.inference.terms import Reduction

# Joint states of a frame up to which chains are examined together; a state takes so many bytes.
LARGEST = 1e6
BYTES = 16


def explain(reduction: Reduction, limits: Limits) -> str:
    """One line that names the frame and the track or word at fault, where it is found in time.

    Words are examined one at a time first, then all together where that is affordable.
    """
    nothing = "no assignment of tracks and states has a finite score"
    try:
        for terms in reduction.components:
            faults = [fault for g in word_groups(terms) if (fault := _fault(terms, g, limits))]
            if not faults:
                everything = list(range(terms.spans.shape[0]))
                faults = [fault for fault in [_fault(terms, everything, limits)] if fault]
            if faults:
                t, culprit = min(faults)
                return f"frame {t}: {culprit} leaves no assignment with a finite score"
    except OutOfTime:
        return f"{nothing}; there was no time to find out why"
    return nothing


def _fault(terms: Terms, group: list[int], limits: Limits) -> tuple[int, str] | None:
    """Follow the reachable joint states of some factors' chains through the frames."""
    chains = group_chains(terms, group)
    largest = joint_states(terms.sizes, chains).max()
    if largest > LARGEST or BYTES * largest > limits.memory:
        return None
    alive: Bools = np.ones([int(terms.sizes[c, 0]) for c in chains], dtype=np.bool_)
    for t, cost in enumerate(frame_operations(terms.sizes, chains)):
        if not limits.affords(float(cost)):
            raise OutOfTime
        for axis, c in enumerate(chains):
            name = _name(terms, int(terms.chain[c]))
            if t > 0:
                alive = _advance(terms, int(c), t, axis, alive)
                if not alive.any():
                    return t, f"the transition of {name}"
            at, size = terms.node_at[c, t], terms.sizes[c, t]
            alive = alive & _along(terms.node[at : at + size] > -np.inf, axis, alive.ndim)
            if not alive.any():
                return t, name
        for f in group:
            alive = alive & _factor(terms, f, t, chains)
            if not alive.any():
                return t, f"word {terms.word[f]}"
    return None


def _advance(terms: Terms, c: int, t: int, axis: int, alive: Bools) -> Bools:
    shape = (int(terms.sizes[c, t - 1]), int(terms.sizes[c, t]))
    at = terms.step_at[c, t]
    allowed = terms.step[at : at + shape[0] * shape[1]].reshape(shape) > -np.inf
    moved = np.tensordot(alive.astype(np.float32), allowed.astype(np.float32), axes=([axis], [0]))
    return np.asarray(np.moveaxis(moved, -1, axis) > 0)


def _along(vector: Bools, axis: int, axes: int) -> Bools:
    return vector.reshape([-1 if i == axis else 1 for i in range(axes)])


def _factor(terms: Terms, f: int, t: int, chains: Ints) -> Bools:
    shape = [int(terms.sizes[c, t]) if terms.spans[f, c] else 1 for c in chains]
    at = terms.factor_at[f, t]
    return terms.factor[at : at + int(np.prod(shape))].reshape(shape) > -np.inf


def _name(terms: Terms, chain: int) -> str:
    return f"track {chain}" if chain < terms.L else f"word {chain - terms.L}"
