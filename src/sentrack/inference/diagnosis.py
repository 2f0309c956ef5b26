"""Why a problem has no answer: the first frame, and the track or word, that rule everything out."""

import numpy as np

from sentrack.inference.lattices import joint_states, word_groups
from sentrack.inference.structures import Bools, Ints, Terms
from sentrack.inference.terms import Reduction

# Joint states of a frame up to which the whole component is examined together.
LARGEST = 1e6


def explain(reduction: Reduction) -> str:
    """One line that names the frame and the track or word at fault.

    Words are examined one at a time first, then all together where that is affordable.
    """
    for terms in reduction.components:
        groups = word_groups(terms)
        everything = list(range(terms.spans.shape[0]))
        faults = [fault for group in groups if (fault := _fault(terms, group))]
        if not faults and joint_states(terms.sizes, np.arange(terms.chain.size)).max() <= LARGEST:
            faults = [fault for fault in [_fault(terms, everything)] if fault]
        if faults:
            t, culprit = min(faults)
            return f"frame {t}: {culprit} leaves no assignment with a finite score"
    return "no assignment of tracks and states has a finite score"


def _fault(terms: Terms, group: list[int]) -> tuple[int, str] | None:
    """Follow the reachable joint states of some factors' chains through the frames."""
    T = terms.sizes.shape[1]
    spanned = terms.spans[group].any(axis=0)
    chains = np.flatnonzero(spanned) if group else np.arange(terms.chain.size)
    alive: Bools = np.ones([int(terms.sizes[c, 0]) for c in chains], dtype=np.bool_)
    for t in range(T):
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
