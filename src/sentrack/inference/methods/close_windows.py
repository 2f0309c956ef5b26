"""Long clips: windows of some dozen frames are closed and joined, and anew with fewer labels.

What windows and the best way through them rule out is dropped, and what is left is swept and cut
anew. Seams in which windows disagree go, so that in the end there are none.
"""

import itertools
import math

import numpy as np

from sentrack.inference.limits import OutOfTime
from sentrack.inference.methods.component_search import ComponentSearch
from sentrack.inference.methods.window import SHRUNK, Close
from sentrack.inference.methods.window_search import WindowSearch
from sentrack.inference.relaxation import Relaxation
from sentrack.inference.solution import closes
from sentrack.inference.terms import kept_sizes

# Frames of a window, about, and how many frames a seam may be away from where it should be.
WIDTH, SHIFT = 40, 12
# Sweeps over all frames before they are cut; so many more each time that they are cut anew.
SWEEPS = 12


def close_windows(relaxation: Relaxation, search: ComponentSearch, close: Close) -> float:
    """Look for assignments of a relaxation that are better than what is known.

    Returns:
        An upper bound of them, or the score of the best known one if that is proven to be the best.

    Raises:
        OutOfTime: with the bound reached by then.
    """
    bound, told = relaxation.upper_bound, list[int]()
    cuts: list[int] = []
    try:
        for times in itertools.count(1):
            if not _swept(relaxation, search, SWEEPS * times):
                return search.score
            bound = min(bound, relaxation.upper_bound)
            cuts = seams(relaxation) if times == 1 else cuts
            if not cuts or closes(search.score, bound):
                break
            whole = WindowSearch(relaxation, search, close, cuts, told)
            try:
                whole.join()
                if not closes(search.score, min(bound, whole.bound)):
                    whole.improve()
                    whole.refine()
            finally:
                bound = min(bound, whole.bound)
            if closes(search.score, bound):
                break
            keep = whole.survivors()
            if not kept_sizes(relaxation.terms, keep).all():
                return search.score
            relaxation.eliminate(keep)
            cuts, told = whole.better_seams(), whole.told
        if not closes(search.score, bound):
            bound = min(bound, close(relaxation, search, -math.inf, math.inf))
        return bound
    except OutOfTime as stop:
        stop.upper_bound = min(stop.upper_bound, bound)
        raise


def _swept(relaxation: Relaxation, search: ComponentSearch, most: int) -> bool:
    """Sweep so often, and go on while steps are worth it; false if a frame has no label left."""
    for times in itertools.count(1):
        if times <= most:
            relaxation.sweep()
        elif not relaxation.descended(search.score):
            break
        search.try_answer(relaxation, climb=False)
        if closes(search.score, relaxation.upper_bound):
            break
        keep = relaxation.survivors(search.score)
        sizes = kept_sizes(relaxation.terms, keep)
        if not sizes.all():
            return False
        if relaxation.cost_of(sizes) <= SHRUNK * relaxation.cost:
            relaxation.eliminate(keep)
    return True


def seams(relaxation: Relaxation) -> list[int]:
    """Frames, one in about `WIDTH`, in which the copies of chains agree, or most of them do."""
    lattices, labels = relaxation.lattices, relaxation.copies()
    first = np.zeros_like(relaxation.terms.sizes)
    first[lattices.chain] = labels
    disagree = (labels != first[lattices.chain]).sum(axis=0)
    T = labels.shape[1]
    windows = max(1, round(T / WIDTH))
    found = []
    for ideal in (k * T // windows for k in range(1, windows)):
        near = np.arange(ideal - SHIFT, ideal + SHIFT + 1)
        found.append(int(near[np.lexsort((np.abs(near - ideal), disagree[near]))[0]]))
    return found
