"""The flat arrays that the compiled kernels work on."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Terms(NamedTuple):
    """A reduced problem: C chains (tracks and multi-state words) and F factors over T frames.

    All values of one kind lie in one flat array; an `..._at` array says where a block starts.

    Attributes:
        L: number of tracks of the problem it came from.
        chain: (C,) identity: l for track l, L + w for word w.
        sizes: (C, T) number of labels.
        node_at: (C, T) start of the labels of a chain in a frame, in `node` and `label`.
        node: term of every label alone.
        label: index of every label in the problem it came from.
        step_at: (C, T) start of the (n_{t-1}, n_t) transition block into frame t >= 1, in `step`.
        step: coherence of tracks and transitions of words.
        spans: (F, C) whether a factor depends on a chain; its block has these axes, in order.
        factor_at: (F, T) start of a factor's block, in `factor`.
        factor: terms that tie chains together within a frame.
        word: (F,) the word that a factor comes from.
        rounding: nats by which two sums of the same terms in different orders may differ.
    """

    L: int
    chain: Ints
    sizes: Ints
    node_at: Ints
    node: Floats
    label: Ints
    step_at: Ints
    step: Floats
    spans: Bools
    factor_at: Ints
    factor: Floats
    word: Ints
    rounding: float


class Lattices(NamedTuple):
    """A decomposition of Terms: every factor lies in one of N lattices, a chain in one or more.

    The axes of all lattices are listed one after another; a chain's copies share its node term
    (`node`, whose copies sum to the chain's own) and its transitions (`share`, summing to one).

    Attributes:
        first: (N+1,) lattice n has the axes first[n] to first[n+1].
        chain: (A,) the chain of an axis, by its row in Terms.
        share: (A,) the part of the chain's transitions that this copy carries. A lattice whose
            axes all carry none falls apart into frames.
        node_at: (A, T) start of an axis' node terms, in `node`.
        node: node terms of every copy.
        factor_first: (N+1,) lattice n has the factors factor_first[n] to factor_first[n+1].
        factor: (F,) the factors, by their row in Terms.
        states: (N, T) number of joint states.
        table_at: (N, T) start of a frame's table in a store of messages.
        owner_first: (C+1,) chain c is copied by the axes owner_first[c] to owner_first[c+1] ...
        owner: (A,) ... of this list.
        lattice: (A,) the lattice of an axis.
    """

    first: Ints
    chain: Ints
    share: Floats
    node_at: Ints
    node: Floats
    factor_first: Ints
    factor: Ints
    states: Ints
    table_at: Ints
    owner_first: Ints
    owner: Ints
    lattice: Ints
