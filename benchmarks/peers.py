"""Other ways to maximise Eq. 4: toulbar2, the naive joint lattice, and growth by autograd."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import autograd
import autograd.numpy as anp
import numpy as np
import pytoulbar2

from sentrack.inference.problem import Array, Labels, Problem

DECIMALS = 7  # of a nat; toulbar2 rounds costs to these
FLOOR = math.log(1e-100)  # what growth takes for -inf, as it needs finite terms
EPSILON = 1e-6  # the least constant that growth adds to a term


@dataclass(frozen=True)
class PeerResult:
    """What an exact peer found.

    Attributes:
        score: Eq. 4 of its answer, -inf if it has none.
        bound: no answer scores more than this, if the peer says so.
        proved: whether the peer claims that no answer is better.
        build_seconds: time to hand the problem over.
        solve_seconds: time to solve it.
    """

    score: float
    bound: float | None
    proved: bool
    build_seconds: float
    solve_seconds: float


@dataclass(frozen=True)
class GrowthResult:
    """What the growth schedule found.

    Attributes:
        score: Eq. 4 of the most likely labels of the best start.
        relaxed: the relaxed objective at the end.
        start_seconds: time of one iteration of one start.
        final_seconds: time of one of the additional iterations on the best start.
        seconds: time of everything.
    """

    score: float
    relaxed: float
    start_seconds: float
    final_seconds: float
    seconds: float


def toulbar2(problem: Problem, time_limit: float, vac: bool = False) -> PeerResult:
    """Solve exactly as a cost function network.

    All options but those of `vac` are toulbar2's own: none tried was better on all scenes.

    Args:
        problem: the problem.
        time_limit: seconds of processor time, rounded up to whole ones.
        vac: preprocess by virtual arc consistency and look for a first answer there. Faster on
            large domains, slower on small ones and on long clips.
    """
    start = time.perf_counter()
    graph = _reduce(problem)
    if graph.impossible:
        return PeerResult(-math.inf, -math.inf, True, time.perf_counter() - start, 0.0)
    network = pytoulbar2.CFN(resolution=DECIMALS, vac=int(vac))
    network.Option.useRASPS = int(vac)
    variables = np.array(
        [
            [
                network.CFN.wcsp.makeEnumeratedVariable(f"{t}:{name}", 0, labels.size - 1)
                for name, labels in zip(graph.columns, frame, strict=True)
            ]
            for t, frame in enumerate(graph.labels)
        ]
    )
    try:
        for scope, values in graph.terms(variables):
            if scope.size > 3:
                network.AddFunction(scope.tolist(), (-values).ravel().tolist())
            else:  # the array interface, which wants the scopes of one variable as a vector
                network.AddFunctions(scope if scope.size == 1 else scope[None], -values[None])
    except network.Contradiction:
        return PeerResult(-math.inf, -math.inf, True, time.perf_counter() - start, 0.0)
    built = time.perf_counter()
    answer = network.Solve(timeLimit=math.ceil(time_limit))
    network.CFN.timerStop()
    solved = time.perf_counter()
    proved = not network.Option.limited
    if answer is None:
        score, bound = -math.inf, -math.inf if proved else -network.GetDDualBound()
    else:
        score = graph.score(problem, np.array(answer[0])[variables])
        bound = -answer[1] if proved else -network.GetDDualBound()
    return PeerResult(score, bound, proved, built - start, solved - built)


def naive_viterbi(problem: Problem, max_operations: int = 10**9) -> PeerResult | None:
    """Viterbi on the product of all tracks and words, with every transition between joint states.

    Args:
        problem: the problem.
        max_operations: the most comparisons, T times the square of the joint states.

    Returns:
        The optimum, or None if it takes more operations.
    """
    start = time.perf_counter()
    graph = _reduce(problem)
    if graph.impossible:
        return PeerResult(-math.inf, -math.inf, True, time.perf_counter() - start, 0.0)
    states = [math.prod(labels.size for labels in frame) for frame in graph.labels]
    if sum(a * b for a, b in zip([1, *states], states, strict=False)) > max_operations:
        return None
    built = time.perf_counter()
    digits = graph.joint(0)
    best = graph.joint_score(0, digits)
    history, back = [digits], []
    for t in range(1, problem.T):
        previous, digits = digits, graph.joint(t)
        arrived, came_from = graph.joint_step(t, best, previous, digits)
        best = arrived + graph.joint_score(t, digits)
        history.append(digits)
        back.append(came_from)
    last = int(best.argmax())
    bound = float(best[last])
    choice = np.empty((problem.T, len(graph.columns)), dtype=np.int64)
    for t in range(problem.T - 1, -1, -1):
        choice[t] = history[t][:, last]
        last = int(back[t - 1][last]) if t else last
    score = graph.score(problem, choice)
    return PeerResult(score, bound, True, built - start, time.perf_counter() - built)


def autograd_growth(
    problem: Problem,
    starts: int,
    iterations: int,
    final_iterations: int,
    seed: int,
    batched: bool = False,
) -> GrowthResult:
    """The paper's schedule, its gradient by autograd's reverse mode.

    Every random start grows for `iterations`, the best of them for `final_iterations` more. The
    paper's numbers are 150, 300 and 5000; with fewer, the seconds per iteration still tell.

    Args:
        problem: the problem; it must have an answer.
        starts: number of random label distributions.
        iterations: iterations of each.
        final_iterations: additional iterations on the best.
        seed: of the random starts.
        batched: run all starts at once, on one more axis, instead of one after another.
    """
    begin = time.perf_counter()
    graph = _reduce(problem)
    relaxation = _Relaxation.of(graph)
    rng = np.random.default_rng(seed)
    first = [rng.exponential(size=(problem.T, starts, m.shape[-1])) * m for m in relaxation.mask]
    first = [x / x.sum(axis=-1, keepdims=True) for x in first]
    batches = [slice(None)] if batched else [slice(b, b + 1) for b in range(starts)]
    started = time.perf_counter()
    ends = [relaxation.grow([x[:, batch] for x in first], iterations) for batch in batches]
    objectives = np.concatenate([relaxation.objective(end) for end in ends])
    grown = time.perf_counter()
    winner = int(objectives.argmax())
    end = [np.concatenate(xs, axis=1)[:, winner : winner + 1] for xs in zip(*ends, strict=True)]
    end = relaxation.grow(end, final_iterations)
    finished = time.perf_counter()
    choice = np.stack([x[:, 0].argmax(axis=-1) for x in end], axis=1)
    return GrowthResult(
        graph.score(problem, choice),
        float(relaxation.objective(end)[0]),
        (grown - started) / max(1, starts * iterations),
        (finished - grown) / max(1, final_iterations),
        time.perf_counter() - begin,
    )


@dataclass(frozen=True)
class _Graph:
    """A problem as variables and terms, without the labels that are impossible by themselves.

    Attributes:
        columns: what varies in every frame: the tracks by number, and the words of several states
            by L + number.
        labels: (T, columns) the labels that every variable keeps.
        unary: (T, columns) the value of every label kept.
        within: per frame, the terms of several variables: columns and values.
        between: per frame but the first, for every column, its term with the frame before.
    """

    columns: tuple[int, ...]
    labels: list[list[Labels]]
    unary: list[list[Array]]
    within: list[list[tuple[tuple[int, ...], Array]]]
    between: list[list[Array]]

    @property
    def impossible(self) -> bool:
        """Whether a variable has no label left."""
        return any(labels.size == 0 for frame in self.labels for labels in frame)

    def terms(self, variables: Labels) -> Iterator[tuple[Labels, Array]]:
        """Every term with its variables, whose numbers are given as (T, columns)."""
        for t, frame in enumerate(self.unary):
            for column, values in enumerate(frame):
                yield variables[t, column : column + 1], values
            for scope, values in self.within[t]:
                yield variables[t, list(scope)], values
        for t, steps in enumerate(self.between):
            for column, values in enumerate(steps):
                yield variables[t : t + 2, column], values

    def score(self, problem: Problem, choice: Labels) -> float:
        """Eq. 4 of a choice (T, columns) among the labels kept."""
        table = np.zeros((problem.L + problem.W, problem.T), dtype=np.int64)
        for t, labels in enumerate(self.labels):
            for column, name in enumerate(self.columns):
                table[name, t] = labels[column][choice[t, column]]
        return problem.score(table[: problem.L], table[problem.L :])

    def joint(self, t: int) -> Labels:
        """(columns, S): the labels of every joint state of a frame."""
        shape = [labels.size for labels in self.labels[t]]
        return np.indices(shape).reshape(len(shape), -1)

    def joint_score(self, t: int, digits: Labels) -> Array:
        """(S,): the value of every joint state of a frame."""
        total = np.zeros(digits.shape[1])
        for values, digit in zip(self.unary[t], digits, strict=True):
            total += values[digit]
        for scope, values in self.within[t]:
            total += values[tuple(digits[list(scope)])]
        return total

    def joint_step(
        self, t: int, best: Array, before: Labels, digits: Labels
    ) -> tuple[Array, Labels]:
        """(S,): the best value on arrival in every joint state of a frame, and where from."""
        arrived = np.empty(digits.shape[1])
        came_from = np.empty(digits.shape[1], dtype=np.int64)
        block = max(1, 2**20 // best.size)  # keeps the block of the transition matrix in cache
        for low in range(0, arrived.size, block):
            here = slice(low, low + block)
            values = np.repeat(best[:, None], digits[0, here].size, axis=1)
            for step, source, target in zip(self.between[t - 1], before, digits, strict=True):
                values += step[source[:, None], target[here]]
            came_from[here] = values.argmax(axis=0)
            arrived[here] = values.max(axis=0)
        return arrived, came_from


def _reduce(problem: Problem) -> _Graph:
    """Fold the words of one state and one participant into tracks, and drop impossible labels."""
    words = [w for w in range(problem.W) if problem.states(w) > 1]
    columns = (*range(problem.L), *(problem.L + w for w in words))
    graph = _Graph(columns, [], [], [], [])
    for t in range(problem.T):
        unary = [problem.unary(track, t) for track in range(problem.L)]
        unary += [np.zeros(problem.states(w)) if t else problem.initial(w) for w in words]
        within = []
        for w in range(problem.W):
            scope, values = _emission(problem, w, t)
            scope = tuple(columns.index(name) for name in scope)
            if len(scope) == 1:
                unary[scope[0]] = unary[scope[0]] + values
            else:
                within.append((scope, values))
        for scope, values in within:
            for axis, column in enumerate(scope):
                best = values.max(axis=tuple(a for a in range(values.ndim) if a != axis))
                unary[column] = np.where(best == -np.inf, -np.inf, unary[column])
        labels = [np.flatnonzero(values > -np.inf) for values in unary]
        graph.labels.append(labels)
        graph.unary.append([values[kept] for values, kept in zip(unary, labels, strict=True)])
        graph.within.append(
            [(scope, values[np.ix_(*(labels[c] for c in scope))]) for scope, values in within]
        )
        if t > 0:
            steps = [problem.pairwise(track, t) for track in range(problem.L)]
            steps += [problem.transition(w) for w in words]
            kept = zip(steps, graph.labels[-2], labels, strict=True)
            graph.between.append([step[np.ix_(a, b)] for step, a, b in kept])
    return graph


def _emission(problem: Problem, word: int, t: int) -> tuple[tuple[int, ...], Array]:
    """The emission of a word as a term of distinct variables, by their names in `_Graph.columns`.

    A word of one state is no variable; its initial and transition terms are added here.
    """
    names = (problem.L + word, *problem.link(word))
    distinct = tuple(dict.fromkeys(names))
    # A track that takes part twice is one variable: the diagonal of the two axes.
    axes = "".join(chr(ord("a") + distinct.index(name)) for name in names)
    values: Array = np.einsum(f"{axes}->{''.join(dict.fromkeys(axes))}", problem.emission(word, t))
    if problem.states(word) > 1:
        return distinct, values
    chain = problem.transition(word)[0, 0] if t else problem.initial(word)[0]
    return distinct[1:], values[0] + chain


@dataclass(frozen=True)
class _Relaxation:
    """The relaxed objective and its growth, over all frames and a batch of starts at once.

    Frames are stacked on the first axis, so the labels of a column are padded to the same number
    with labels of no weight and terms of no value: growth leaves both alone.

    Attributes:
        mask: per column, (T, 1, n): 1 for a label, 0 for padding.
        unary: per column, (T, n).
        within: columns and (T, n1, ..., nm) of every term of several variables of a frame.
        between: per column, (T-1, n, n).
        constants: per column, (T, 1, 1): what makes the gradient positive.
    """

    mask: list[Array]
    unary: list[Array]
    within: list[tuple[tuple[int, ...], Array]]
    between: list[Array]
    constants: list[Array]

    @classmethod
    def of(cls, graph: _Graph) -> "_Relaxation":
        """Stack the terms of a graph and add up the constants of the terms of every variable."""
        columns = range(len(graph.columns))
        n = [max(frame[c].size for frame in graph.labels) for c in columns]
        unary = [_stack([frame[c] for frame in graph.unary], (n[c],)) for c in columns]
        mask = [_stack([np.ones_like(frame[c]) for frame in graph.unary], (n[c],)) for c in columns]
        between = [_stack([steps[c] for steps in graph.between], (n[c], n[c])) for c in columns]
        within = [
            (scope, _stack([frame[i][1] for frame in graph.within], tuple(n[c] for c in scope)))
            for i, (scope, _) in enumerate(graph.within[0])
        ]
        constants = [_constant(values) for values in unary]
        for scope, values in within:
            for column in scope:
                constants[column] = constants[column] + _constant(values)
        for column, steps in enumerate(between):
            constants[column][:-1] += _constant(steps)
            constants[column][1:] += _constant(steps)
        return cls(
            [m[:, None] for m in mask],
            unary,
            within,
            between,
            [c[:, None, None] for c in constants],
        )

    def objective(self, x: list[Array]) -> Any:
        """(B,): the objective of every start of a batch x: per column, (T, B, n)."""
        total = 0.0
        for values, p in zip(self.unary, x, strict=True):
            total = total + anp.sum(p * values[:, None], axis=(0, 2))
        for steps, p in zip(self.between, x, strict=True):
            total = total + anp.sum(anp.matmul(p[:-1], steps) * p[1:], axis=(0, 2))
        for scope, values in self.within:
            total = total + self._expectation(scope, values, x)
        return total

    def grow(self, x: list[Array], iterations: int) -> list[Array]:
        """Apply the growth transform to all starts of a batch."""
        gradient: Callable[[list[Array]], list[Array]] = autograd.grad(
            lambda y: anp.sum(self.objective(y))
        )
        for _ in range(iterations):
            slopes = zip(x, gradient(x), self.constants, strict=True)
            x = [p * (slope + constant) for p, slope, constant in slopes]
            x = [p / p.sum(axis=-1, keepdims=True) for p in x]
        return x

    def _expectation(self, scope: tuple[int, ...], values: Array, x: list[Array]) -> Any:
        T, batch = x[0].shape[:2]
        *others, last = scope
        # The largest axes come last: summing them out first, by matrix products, leaves little.
        flat = values.reshape(T, -1, values.shape[-1])
        left = anp.matmul(x[last], np.swapaxes(flat, 1, 2))
        for column in reversed(others):
            p = x[column]
            left = anp.reshape(left, (T, batch, -1, p.shape[-1]))
            left = anp.matmul(left, p[..., None])[..., 0]
        return anp.sum(left, axis=(0, 2))


def _stack(arrays: list[Array], shape: tuple[int, ...]) -> Array:
    """Stack arrays of at most this shape, -inf floored and the rest padded with zeros."""
    stacked = np.zeros((len(arrays), *shape))
    for target, a in zip(stacked, arrays, strict=True):
        target[tuple(slice(n) for n in a.shape)] = np.maximum(a, FLOOR)
    return stacked


def _constant(values: Array) -> Array:
    """(T,): the constants of a stack of terms; padding, being zero, does not change them."""
    least: Array = values.min(axis=tuple(range(1, values.ndim)))
    return np.maximum(EPSILON, -least)
