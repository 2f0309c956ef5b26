"""The first answers to a large problem: among few labels, put together from what sweeps tell."""

import math
from collections.abc import Callable

import numpy as np

from sentrack.inference.limits import Limits
from sentrack.inference.methods.component_search import ComponentSearch, among_others
from sentrack.inference.methods.first_look import first_look, nearest
from sentrack.inference.methods.frontier import search_frontier
from sentrack.inference.relaxation import Relaxation, relaxation_bytes, relaxation_operations
from sentrack.inference.structures import Terms
from sentrack.inference.terms import problem_labels, restrict

# Labels of a track and frame, on average, among which answers are sought: where there was time for
# a first look at all, and how many are looked at where there was none.
FEW, MANY = 12, 20
# Sweeps that answers are read off. There must be time left for so many more.
SWEEPS = 12
LEFT = 4.0
# Joint states of a frame in a list, where nothing that sweeps told was possible.
LISTED = 100

# Puts an answer together from what was read off a relaxation before.
Mix = Callable[[Relaxation, ComponentSearch, Limits], None]


def seek_answers(apart: Relaxation, search: ComponentSearch, limits: Limits, mix: Mix) -> None:
    """Look for an answer among the labels that a first look finds near the best of their frame.

    That is among `FEW` of a track and frame, on average, or as many as there is time for.
    """
    terms, most = apart.terms, FEW
    while most > FEW // 2:
        few = terms._replace(sizes=np.minimum(terms.sizes, most))
        if limits.affords(SWEEPS * relaxation_operations(few)):
            break
        most -= 1
    near, _ = restrict(terms, nearest(terms, apart.bounds, most))
    if relaxation_bytes(near) > limits.memory:
        return
    with among_others():
        relaxation = Relaxation(near, limits)
        for _ in range(SWEEPS):
            if not limits.affords(LEFT * relaxation.cost):
                break
            relaxation.sweep()
            search.try_answer(relaxation, climb=False)
        mix(relaxation, search, limits)
        if search.score == -math.inf:
            reached = search_frontier(relaxation, -math.inf, LISTED, limits)
            if reached.labels is not None:
                search.offer(problem_labels(near, reached.labels), reached.score)


def seek_among_few(terms: Terms, search: ComponentSearch, limits: Limits, mix: Mix) -> None:
    """The same where there is no time for a first look at more than `MANY` labels of a track."""
    few, _ = restrict(terms, nearest(terms, terms.node, MANY))
    own = ComponentSearch(few, limits)
    with among_others():
        try:
            seek_answers(first_look(few, limits), own, limits, mix)
            own.climb_from(own.labels)
        finally:
            search.offer(own.labels, own.score)
