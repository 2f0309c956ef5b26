"""Windows of frames: bounds that add up, and answers that are those of the whole clip."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sentrack
from sentrack.inference import relaxation
from sentrack.inference.limits import Limits
from sentrack.inference.methods import auto, close_windows, window_search
from sentrack.inference.methods.component_search import ComponentSearch
from sentrack.inference.methods.mending import improved
from sentrack.inference.methods.viterbi import exact
from sentrack.inference.methods.window import Edge, Window
from sentrack.inference.methods.window_search import WindowSearch
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.structures import Terms
from sentrack.inference.terms import assignment_score, problem_labels, reduce, restrict
from sentrack.inference.windows import can_be_cut, cut
from tests.inference import oracle
from tests.inference.strategies import assemble, problems

UNLIMITED = Limits(1 << 34)


def windows_everywhere(patch: pytest.MonkeyPatch, width: int) -> None:
    """Have every problem of more than one frame cut into windows."""
    patch.setattr(auto, "LONG", 2)
    patch.setattr(auto, "COSTLY", 0.0)
    patch.setattr(auto, "LOOK", np.inf)
    patch.setattr(close_windows, "WIDTH", width)
    patch.setattr(close_windows, "SHIFT", width // 5)
    patch.setattr(window_search, "RADIUS", 2)
    patch.setattr(close_windows, "SWEEPS", 1)


def sticky(seed: int, T: int = 24) -> sentrack.Problem:
    """Three tracks and two words of three states that rarely change."""
    rng = np.random.default_rng(seed)

    def values(shape: tuple[int, ...], _: tuple[Any, ...]) -> Any:
        table = rng.normal(0.0, 2.0, shape)
        if shape == (3, 3):
            table = np.where(np.eye(3) > 0, 0.0, -6.0)
        return table

    return assemble(np.full((3, T), 4), [3, 3], [(0, 1), (1, 2)], values)


@settings(max_examples=150)
@given(problem=problems(feasible=True), data=st.data(), sweeps=st.integers(0, 2))
def test_windows_add_up_to_the_whole(
    problem: sentrack.Problem, data: st.DataObject, sweeps: int
) -> None:
    for terms in reduce(problem).components:
        T = terms.sizes.shape[1]
        relaxation = Relaxation(terms, UNLIMITED)
        for _ in range(sweeps):
            relaxation.sweep()
        if T < 3 or not can_be_cut(relaxation):
            continue
        seams = sorted(data.draw(st.sets(st.integers(1, T - 2), min_size=1)))
        parts = cut(relaxation, seams)
        scale = 1e-9 * (1 + terms.rounding * 1e12)
        assert sum(part.upper_bound for part in parts) == pytest.approx(
            relaxation.upper_bound, abs=scale
        )
        check_scores(terms, parts, seams, data.draw(st.integers(0, 99)), scale)
        best = sum(exact(part.terms, UNLIMITED).score for part in parts)
        whole = exact(terms, UNLIMITED).score
        assert whole - scale <= best <= relaxation.upper_bound + scale


def check_scores(
    terms: Terms, parts: list[Relaxation], seams: list[int], seed: int, scale: float
) -> None:
    """Some assignments score what their parts do together."""
    rng = np.random.default_rng(seed)
    ends = [0, *seams, terms.sizes.shape[1] - 1]
    for _ in range(5):
        labels = rng.integers(terms.sizes)
        own = [
            assignment_score(part.terms, labels[:, first : last + 1])
            for part, first, last in zip(parts, ends[:-1], ends[1:], strict=True)
        ]
        whole = assignment_score(terms, labels)
        assert sum(own) == whole == -np.inf or sum(own) == pytest.approx(whole, abs=scale)


@settings(max_examples=150)
@given(problem=problems())
def test_auto_in_windows_is_brute_force(problem: sentrack.Problem) -> None:
    assume(problem.L > 0)
    optimum = oracle.best(problem)[0]
    with pytest.MonkeyPatch.context() as patch:
        windows_everywhere(patch, 2)
        if optimum == -np.inf:
            with pytest.raises(sentrack.Infeasible):
                sentrack.solve(problem, sentrack.Auto(0, 0))
            return
        solution = sentrack.solve(problem, sentrack.Auto(0, 0))
    assert solution.certified
    assert solution.score == pytest.approx(optimum, rel=1e-9, abs=1e-9)


@settings(max_examples=60)
@given(problem=problems(feasible=True), data=st.data())
def test_improved_frames_lie_between_labels_that_stay(
    problem: sentrack.Problem, data: st.DataObject
) -> None:
    for terms in reduce(problem).components:
        T = terms.sizes.shape[1]
        if T < 3:
            continue
        relaxation = Relaxation(terms, UNLIMITED)
        ends = sorted(data.draw(st.sets(st.integers(0, T - 1), min_size=2)))
        spans = list(itertools.pairwise(ends))
        own = np.random.default_rng(data.draw(st.integers(0, 99))).integers(terms.sizes)
        better = improved(relaxation, close_exactly, problem_labels(terms, own), spans)
        # Every span is the best of all that begin and end with these labels.
        inside = set(range(ends[0] + 1, ends[-1])) - set(ends)
        free = inside | ({ends[0], ends[-1]} & {0, T - 1})
        keep = np.ones(terms.node.size, dtype=np.bool_)
        for t in set(range(T)) - free:
            for c in range(terms.chain.size):
                cell = slice(terms.node_at[c, t], terms.node_at[c, t] + terms.sizes[c, t])
                keep[cell] = np.arange(terms.sizes[c, t]) == own[c, t]
        try:
            best = exact(restrict(terms, keep)[0], UNLIMITED).score
        except sentrack.Infeasible:
            best = -np.inf
        search = ComponentSearch(terms, UNLIMITED)
        search.offer_known(better)
        assert search.score == best == -np.inf or search.score == pytest.approx(best, abs=1e-9)


def close_exactly(part: Relaxation, search: ComponentSearch, *_: float) -> float:
    """In place of a search."""
    best = exact(part.terms, UNLIMITED)
    search.offer(best.labels, best.score)
    return best.score


def check_is_viterbi(problem: sentrack.Problem) -> None:
    """The answer is certified, and that of exact inference."""
    found = sentrack.solve(problem, sentrack.Auto(0, 0))
    best = sentrack.solve(problem, "viterbi")
    assert found.certified
    assert found.score == pytest.approx(best.score, rel=1e-9)


@pytest.mark.parametrize(("longest", "joins"), [(160, 12), (0, 13)])
def test_auto_in_windows_is_viterbi_where_states_of_words_last_long(
    longest: int, joins: int
) -> None:
    told = []
    with pytest.MonkeyPatch.context() as patch:
        windows_everywhere(patch, 5)
        # Steps would leave nothing to be told apart.
        patch.setattr(relaxation, "STEPS", 0)
        patch.setattr(relaxation, "SWEEPS", 0)
        patch.setattr(window_search, "LONGEST", longest)
        join = window_search.WindowSearch.join

        def joined(search: Any) -> None:
            join(search)
            told.append(len(search.told))

        patch.setattr(window_search.WindowSearch, "join", joined)
        for seed in range(12):
            check_is_viterbi(sticky(seed))
    # All were cut, those whose windows are not made one more than once, and in some windows
    # disagreed on the state of a word.
    assert len(told) >= joins
    assert max(told) > 0


def test_more_states_than_there_is_room_for_are_not_told_apart() -> None:
    with pytest.MonkeyPatch.context() as patch:
        windows_everywhere(patch, 5)
        patch.setattr(window_search, "JOINT", 1)
        for seed in range(6):
            check_is_viterbi(sticky(seed))


@pytest.mark.parametrize("many", [0, 1000])
def test_what_windows_rule_out_is_no_part_of_the_best(many: int) -> None:
    gone = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(window_search, "MANY", many)
        for seed in range(8):
            (terms,) = reduce(sticky(seed)).components
            relaxation, search = Relaxation(terms, UNLIMITED), ComponentSearch(terms, UNLIMITED)
            for _ in range(4):
                relaxation.sweep()
                search.try_answer(relaxation, climb=False)
            words = np.flatnonzero(terms.chain >= terms.L).tolist()
            whole = WindowSearch(relaxation, search, close_exactly, [6, 12, 18], words)
            whole.refine()
            keep = whole.survivors()
            best = exact(terms, UNLIMITED)
            assert search.score <= best.score <= whole.bound + 1e-9 * abs(best.score)
            if best.score > search.score + 1e-6:
                again = ComponentSearch(terms, UNLIMITED)
                assert keep[terms.node_at + again._own(best.labels)].all()
            gone += int((~keep).sum())
    assert gone > 0


def test_a_look_goes_on_where_the_last_one_ended_unless_more_is_asked() -> None:
    parts = []

    def closes_nothing(part: Relaxation, *_: Any) -> float:
        parts.append(part)
        return part.upper_bound

    window = Window(Relaxation(reduce(sticky(0)).components[0], UNLIMITED), closes_nothing)
    bound = window.relaxation.upper_bound
    edge, other = window.edge(({}, {})), Edge(({}, {}), bound, looks=1)
    for each, floor in ((edge, -4.0), (edge, -3.0), (edge, -6.0), (other, -6.0)):
        window.look(each, bound + floor)
    first, second, third, fourth = parts
    # What is above a higher floor is above a lower one, but not the other way round.
    assert second is first
    assert third is not first
    assert fourth is not third
    assert edge.looks == 4
    assert window.known(({}, {})) is edge
    assert window.known(({0: 1}, {})) is None


def test_cores_that_are_left_look_at_the_next_best_states() -> None:
    """With two states told apart nowhere, nothing is left; with some, other windows are."""
    looked: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        windows_everywhere(patch, 5)
        patch.setattr(relaxation, "STEPS", 0)
        patch.setattr(relaxation, "SWEEPS", 0)
        besides = WindowSearch._best_besides

        def recorded(search: WindowSearch, ways: Any, threshold: float, busy: set[int]) -> Any:
            found = besides(search, ways, threshold, busy)
            windows = [w for w, _, _ in found]
            assert not busy & set(windows)
            assert len(set(windows)) == len(windows)
            through = [float(ways.rest(w)[i, j] + ways.tables[w][i, j]) for w, i, j in found]
            assert through == sorted(through, reverse=True)
            assert all(value > threshold for value in through)
            looked.append(len(found))
            return found

        patch.setattr(WindowSearch, "_best_besides", recorded)
        for seed in range(12):
            check_is_viterbi(sticky(seed))
    assert max(looked) > 0
