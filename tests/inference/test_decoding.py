"""Assignments that are read off messages: by the kernel, and chain by chain in NumPy."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sentrack
from sentrack.inference import message_passing
from sentrack.inference.lattices import lattice_chains, lattice_factors, one_lattice
from sentrack.inference.limits import Limits
from sentrack.inference.methods.component_search import ComponentSearch
from sentrack.inference.methods.first_look import first_look
from sentrack.inference.methods.viterbi import exact
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.terms import assignment_score, problem_labels, reduce
from tests.inference import oracle
from tests.inference.strategies import Array, Labels, assemble, problems

UNLIMITED = Limits(1 << 40)


def in_numpy(relaxation: Relaxation) -> Labels:
    """(C, T): frame by frame, every chain given those before it; see `decode_jointly`."""
    terms, lattices = relaxation.terms, relaxation.lattices
    C, T = terms.sizes.shape
    messages = relaxation._messages
    start = messages._seam if messages.whole and messages._seam else 0
    if not messages._seam and not messages._ended_at_seam:
        start = T - 1  # the messages from before are the newest
    past, future = (store.copy() for store in messages.both_ways())
    chosen = np.zeros((C, T), dtype=np.int64)
    order = [*range(start, T), *range(start - 1, -1, -1)]
    for t in order:
        forward, before = t > start, None if t == start else (t - 1 if t > start else t + 1)
        store = past + future if before is None else (future if forward else past)
        tables = []
        for n in range(lattices.first.size - 1):
            chains = lattice_chains(lattices, n)
            sizes = terms.sizes[chains, t]
            at, moves = lattices.table_at[n, t], lattices.share[lattices.lattice == n].any()
            stored = store[at : at + sizes.prod()] if moves else np.full(sizes.prod(), store[at])
            table = stored.reshape(sizes)
            for axis, c in enumerate(chains):
                a = lattices.first[n] + axis
                own = lattices.node[lattices.node_at[a, t] :][: sizes[axis]].copy()
                if before is not None:
                    later = max(t, before)
                    m, k = terms.sizes[c, later - 1], terms.sizes[c, later]
                    step = terms.step[terms.step_at[c, later] :][: m * k].reshape(m, k)
                    own += lattices.share[a] * (
                        step[chosen[c, before]] if forward else step[:, chosen[c, before]]
                    )
                table = table + own.reshape([-1 if i == axis else 1 for i in range(len(chains))])
            for f in lattice_factors(lattices, n):
                shape = np.where(terms.spans[f, chains], sizes, 1)
                block = terms.factor[terms.factor_at[f, t] :][: shape.prod()]
                table = table + block.reshape(shape)
            tables.append((chains.tolist(), table))
        for c in np.argsort(terms.chain):
            total = np.zeros(terms.sizes[c, t])
            for chains, table in tables:
                if c in chains:
                    others = tuple(i for i, other in enumerate(chains) if other != c)
                    total = total + table.max(axis=others)
            chosen[c, t] = total.argmax()
            tables = [
                (chains, table.take([chosen[c, t]], axis=chains.index(c)) if c in chains else table)
                for chains, table in tables
            ]
    return chosen


@settings(max_examples=60)
@given(seed=st.integers(0, 10_000), sweeps=st.integers(0, 3), apart=st.booleans())
@pytest.mark.parametrize("halved", [0.0, np.inf])
def test_labels_are_those_of_numpy(halved: float, seed: int, sweeps: int, apart: bool) -> None:
    rng = np.random.default_rng(seed)

    def values(shape: tuple[int, ...], _: object) -> Array:
        return rng.normal(size=shape)

    sizes = rng.integers(1, 4, size=(4, 5))
    links = [(0, 1), (1, 2), (2, 3), (3, 0)]
    problem = assemble(sizes, rng.integers(1, 4, size=4).tolist(), links, values)
    with patch.object(message_passing, "HALVED", halved):
        for terms in reduce(problem).components:
            relaxation = first_look(terms, UNLIMITED) if apart else Relaxation(terms, UNLIMITED)
            for _ in range(sweeps):
                relaxation.sweep()
            np.testing.assert_array_equal(relaxation.decode(), in_numpy(relaxation))


@settings(max_examples=60)
@given(problem=problems(feasible=True))
def test_of_one_lattice_it_is_the_best_of_all(problem: sentrack.Problem) -> None:
    optimum, *_ = oracle.best(problem)
    total = 0.0
    for terms in reduce(problem).components:
        exact = Relaxation(terms, UNLIMITED, one_lattice(terms))
        total += assignment_score(terms, exact.decode())
    assert total == pytest.approx(optimum, rel=1e-9, abs=1e-9)


@settings(max_examples=60)
@given(problem=problems(feasible=True), sweeps=st.integers(0, 3))
def test_what_is_put_together_holds_all_that_was_read_off(
    problem: sentrack.Problem, sweeps: int
) -> None:
    for terms in reduce(problem).components:
        relaxation, search = Relaxation(terms, UNLIMITED), ComponentSearch(terms, UNLIMITED)
        found = []
        for _ in range(sweeps):
            relaxation.sweep()
            found.append(problem_labels(terms, relaxation.decode()))
            search.try_answer(relaxation, climb=False)
        copies = relaxation.copies()
        mixture = search.mixture(relaxation)
        assert mixture is not None
        for c in range(mixture.chain.size):
            for t in range(problem.T):
                at = mixture.node_at[c, t]
                held = set(mixture.label[at : at + mixture.sizes[c, t]].tolist())
                own = copies[relaxation.lattices.chain == c, t] + terms.node_at[c, t]
                used = {int(labels[c, t]) for labels in found} | set(terms.label[own].tolist())
                assert used <= held
        if search.score > -np.inf:
            assert exact(mixture, UNLIMITED).score >= search.score - terms.rounding
        # There is nothing new until the next sweep.
        assert search.mixture(relaxation) is None
