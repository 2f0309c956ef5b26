"""The first answers to a large problem: among few labels, put together from what sweeps tell."""

import math
from collections.abc import Callable

import numpy as np

from sentrack.inference.limits import Limits
from sentrack.inference.methods.component_search import ComponentSearch, among_others
from sentrack.inference.methods.first_look import first_look, nearest
from sentrack.inference.methods.frontier import search_frontier
from sentrack.inference.relaxation import Relaxation, relaxation_bytes, relaxation_effort
from sentrack.inference.solution import closes
from sentrack.inference.structures import Terms
from sentrack.inference.terms import problem_labels, restrict

# Labels of a track and frame, on average, that the first few sweeps go over, and how many sweeps:
# they tell which labels matter much better than a first look does.
MANY, BROAD = 20, 3
# Labels among which answers are sought, and sweeps that these are read off.
FEW, SWEEPS = 8, 20
# Where a sweep takes so many operations, ascent is worth the milliseconds it takes at any size.
CLIMB = 1e6
# There must be time for so many times the broad sweeps before these, and for as many of the others;
# and for so many more after the last one.
PART, LEFT = 3.0, 12.0
# There must be time for so many sweeps before every round of steps.
LEFT_OF_STEPS = 50.0
# Joint states of a frame in a list, where nothing that sweeps told was possible.
LISTED = 100

# Puts an answer together from what was read off a relaxation before.
Mix = Callable[[Relaxation, ComponentSearch, Limits], None]


def seek_answers(apart: Relaxation, search: ComponentSearch, limits: Limits, mix: Mix) -> None:
    """Look for an answer among the labels that seem to matter, given a first look."""
    terms = apart.terms
    most = _affordable(terms, MANY, limits)
    near, _ = restrict(terms, nearest(terms, apart.bounds, most))
    if relaxation_bytes(near) > limits.memory:
        return
    with among_others():
        relaxation = Relaxation(near, limits)
        if most > FEW:
            for _ in range(BROAD):
                relaxation.sweep()
            few = _affordable(near, FEW, limits)
            relaxation.eliminate(nearest(near, relaxation.bounds, few))
        search.try_answer(relaxation, climb=False)
        for _ in range(SWEEPS):
            if not limits.affords(LEFT * relaxation.effort):
                break
            relaxation.sweep()
            search.try_answer(relaxation, climb=False)
            if closes(search.score, relaxation.upper_bound):
                return
        while limits.affords(LEFT_OF_STEPS * relaxation.effort):
            if not relaxation.descended(search.score):
                break
            search.try_answer(relaxation, climb=False)
            if closes(search.score, relaxation.upper_bound):
                return
        if search.score == -math.inf:
            search.climb(relaxation.terms, relaxation.decode())
        if search.score == -math.inf:
            reached = search_frontier(relaxation, -math.inf, LISTED, limits)
            if reached.labels is not None:
                search.offer(problem_labels(relaxation.terms, reached.labels), reached.score)
        mix(relaxation, search, limits)
        if relaxation.cost > CLIMB and not closes(search.score, relaxation.upper_bound):
            search.climb_from(search.labels)


def _affordable(terms: Terms, most: int, limits: Limits) -> int:
    """Of so many labels of a track, as many as there is time for in some sweeps."""
    while most > FEW // 2:
        fewer = terms._replace(sizes=np.minimum(terms.sizes, most))
        if limits.affords(PART * (BROAD + 1) * relaxation_effort(fewer)):
            break
        most -= 1
    return most


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
