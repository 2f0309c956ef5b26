"""Where start and end are free: what every frame is worth, shared evenly among the lattices.

All tracks are inside in the same frames. What is moved from one lattice to another in a frame, as
long as they are inside, changes the score of no assignment; but it changes what each lattice holds
to be the best interval by itself, and bounds are tight only once all hold the same one. Message
passing gets there in small steps. So it begins where every lattice gains as much in a frame as the
others do, on its own best way through all frames.
"""

import numpy as np

from sentrack.inference.lattices import decompose, lattice_factors, word_groups
from sentrack.inference.limits import Limits
from sentrack.inference.message_passing import MessagePassing
from sentrack.inference.structures import Bools, Floats, Ints, Lattices, Terms
from sentrack.inference.terms import ROUNDING, chain_slice


def balanced(
    terms: Terms, lattices: Lattices | None, inside: Bools, limits: Limits
) -> tuple[Terms, Lattices]:
    """The same terms and lattices, for all assignments that are inside with all tracks or none.

    Args:
        terms: with labels for before and after.
        lattices: of them; by default one for every word.
        inside: which labels are neither, laid out like `terms.node`.
        limits: of time.

    Raises:
        OutOfTime: when time is over.
    """
    lattices = lattices or decompose(terms, word_groups(terms))
    axes = np.concatenate([inside[chain_slice(terms, c)] for c in lattices.chain.tolist()])
    within = lattices._replace(node=np.where(axes, lattices.node, -np.inf))
    gains = frame_gains(terms, lattices, MessagePassing(terms, within, limits).copies())
    if not np.isfinite(gains).all():  # not all frames can be inside
        return terms, lattices
    moved = gains.mean(axis=0) - gains
    node, copies = terms.node.copy(), lattices.node.copy()
    for n, more in enumerate(moved):
        # It is up to one chain of the lattice: all others are inside when it is.
        a = lattices.first[n]
        at = chain_slice(terms, lattices.chain[a])
        own = np.repeat(more, terms.sizes[lattices.chain[a]]) * inside[at]
        node[at] += own
        copies[lattices.node_at[a, 0] :][: own.size] += own
    rounding = terms.rounding + ROUNDING * float(np.abs(moved).sum())
    return terms._replace(node=node, rounding=rounding), lattices._replace(node=copies)


def frame_gains(terms: Terms, lattices: Lattices, labels: Ints) -> Floats:
    """(N, T): what every frame adds to each lattice; a transition counts half in either frame.

    Args:
        terms: the component.
        lattices: of it.
        labels: (A, T) of all axes.
    """
    gains = np.zeros(lattices.states.shape)
    for n, gain in enumerate(gains):
        own = np.zeros_like(terms.sizes)
        for a in range(lattices.first[n], lattices.first[n + 1]):
            c, here = lattices.chain[a], labels[a]
            own[c] = here
            gain += lattices.node[lattices.node_at[a] + here]
            if lattices.share[a] > 0.0:
                place = terms.step_at[c, 1:] + here[:-1] * terms.sizes[c, 1:] + here[1:]
                half = 0.5 * lattices.share[a] * terms.step[place]
                gain[1:] += half
                gain[:-1] += half
        for f in lattice_factors(lattices, n):
            place = np.zeros_like(gain, dtype=np.int64)
            for c in np.flatnonzero(terms.spans[f]):
                place = place * terms.sizes[c] + own[c]
            gain += terms.factor[terms.factor_at[f] + place]
    return gains
