"""Why the participants of a sentence cannot be different things in a clip."""

from itertools import combinations

import numpy as np

from sentrack.inference import Infeasible, Problem, solve
from sentrack.language import plurals
from sentrack.objective.whole_problem import Objective
from sentrack.scene import Measurements, candidate_set, different


def shortage(objective: Objective) -> str | None:
    """One line that says which different things a clip lacks; None if it lacks none.

    Args:
        objective: for which there is no answer.
    """
    clip, meaning, problem = objective.clip, objective.meaning, objective.problem
    apart = problem.words[len(objective.models) :]
    try:
        solve(Problem(problem.tracks, apart))
    except Infeasible:
        pass
    else:
        return None
    nouns = [participant.noun.replace("-", " ") for participant in meaning.participants]
    every = np.arange(len(clip.label))
    for size in range(2, len(nouns) + 1):
        for group in combinations(range(len(nouns)), size):
            if not set(meaning.distinct).issuperset(combinations(group, 2)):
                continue
            rows = np.concatenate([objective.candidates[i].rows.ravel() for i in group])
            players = candidate_set(clip, np.isin(every, rows))
            one = Measurements(clip, 0.0).one(players, players)
            most = max(len(different(one[t], int(n))) for t, n in enumerate(players.counts))
            if most < size:
                said = _said([nouns[i] for i in group])
                return f"{clip.name}: the sentence needs {said}; no frame shows more than {most}"
    said = _said([nouns[i] for i in sorted({i for pair in meaning.distinct for i in pair})])
    return f"{clip.name}: the sentence needs {said}; not all of its frames show them"


def _said(nouns: list[str]) -> str:
    if len(set(nouns)) == 1:
        return f"{len(nouns)} different {plurals(nouns[0])[0]}"
    return f"{len(nouns)} different things, {', '.join(nouns[:-1])} and {nouns[-1]}"
