"""Why the participants of a sentence cannot be all there, and different things, in a clip."""

from itertools import combinations

from sentrack.inference import Infeasible, Problem, solve
from sentrack.language import plurals
from sentrack.objective.objective import Objective
from sentrack.scene import different, is_away


def shortage(objective: Objective) -> str | None:
    """One line that says which things a clip lacks, or for how long; None if it lacks none.

    Args:
        objective: for which there is no answer.
    """
    clip, meaning, problem = objective.clip, objective.meaning, objective.problem
    try:
        solve(Problem(problem.tracks, objective.constraints))
    except Infeasible:
        pass
    else:
        return None
    nouns = [participant.noun.replace("-", " ") for participant in meaning.participants]
    measured, away = objective.scene.measured, is_away(clip)
    for size in range(2, len(nouns) + 1):
        for group in combinations(range(len(nouns)), size):
            if not set(meaning.distinct).issuperset(combinations(group, 2)):
                continue
            named = {c for i in group for c in measured.classes(objective.candidates[i])}
            players = measured.candidates(tuple(c for c in clip.classes if c in named))
            assert players is not None
            one, there = measured.one(players, players), players.real & ~away[players.rows]
            most = max(len(different(one[t], there[t])) for t in range(clip.T))
            if most < size:
                said = _said([nouns[i] for i in group])
                return f"{clip.name}: the sentence needs {said}; no frame shows more than {most}"
    if len(nouns) == 1:
        return f"{clip.name}: the {nouns[0]} is not in view for long enough"
    needs = f"the sentence needs {_said(nouns)}"
    return f"{clip.name}: {needs}; they are not in view together for long enough"


def _said(nouns: list[str]) -> str:
    if len(set(nouns)) == 1:
        return f"{len(nouns)} different {plurals(nouns[0])[0]}"
    return f"{len(nouns)} different things, {', '.join(nouns[:-1])} and {nouns[-1]}"
