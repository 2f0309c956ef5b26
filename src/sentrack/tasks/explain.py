"""Why a sentence fits no better than it does, in plain English."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sentrack import colours
from sentrack.language import Word
from sentrack.lexicon import Observed, kinds
from sentrack.objective import SILENT, Objective
from sentrack.tasks.match import BORDER, SURE_SCORE, Depiction
from sentrack.text import canonical

if TYPE_CHECKING:
    from sentrack.tasks.result import TrackedWord

HALF = 0.5  # of what a word could tell, from which on it is said to fit
# What a bin of a feature looks like; {a} and {b} are participants.
SAYINGS: dict[str, dict[str, str]] = {
    "motion": {"rest": "{a} was still", "moving": "{a} moved"},
    "pace": {"rest": "{a} was still", "walk": "{a} moved slowly", "run": "{a} moved fast"},
    "bulk": {
        "small": "{a} was small",
        "medium": "{a} was neither large nor small",
        "large": "{a} was large",
    },
    "shape": {
        "wide": "{a} was wider than tall",
        "squat": "{a} was not tall",
        "tall": "{a} was tall",
    },
    "ratio": {
        "smaller": "{a} was smaller than {b}",
        "similar": "{a} and {b} were of one size",
        "larger": "{a} was larger than {b}",
    },
    "support": {
        "beside": "{a} was beside {b}",
        "above": "{a} was above {b}",
        "on": "{a} was on {b}",
        "into": "{a} reached into {b}",
        "beneath": "{a} was beneath {b}",
    },
    "speed": {
        "still": "{a} was still",
        "slow": "{a} moved slowly",
        "moderate": "{a} moved",
        "fast": "{a} moved fast",
    },
    "heading": {
        "none": "{a} was still",
        "right": "{a} moved to the right",
        "left": "{a} moved to the left",
        "up": "{a} moved up",
        "down": "{a} moved down",
    },
    "vertical": {
        "up": "{a} moved up",
        "level": "{a} moved neither up nor down",
        "down": "{a} moved down",
    },
    "distance": {
        "near": "{a} was near {b}",
        "medium": "{a} was some way from {b}",
        "far": "{a} was far from {b}",
    },
    "gap": {
        "touching": "{a} touched {b}",
        "near": "{a} was next to {b}",
        "apart": "{a} was apart from {b}",
        "far": "{a} was far from {b}",
    },
    "reach": {
        "touching": "{a} touched {b}",
        "near": "{a} reached nearly to {b}",
        "apart": "{a} did not reach {b}",
        "far": "{a} was far from reaching {b}",
    },
    "closing": {
        "closing": "{a} and {b} came closer",
        "steady": "{a} and {b} kept their distance",
        "parting": "{a} and {b} moved apart",
    },
    "advance": {
        "towards": "{a} moved towards {b}",
        "neither": "{a} moved neither towards nor away from {b}",
        "away": "{a} moved away from {b}",
    },
    "side": {
        "left": "{a} was to the left of {b}",
        "level": "{a} was neither left nor right of {b}",
        "right": "{a} was to the right of {b}",
    },
    "height": {
        "above": "{a} was above {b}",
        "level": "{a} was level with {b}",
        "below": "{a} was below {b}",
    },
    "together": {
        "still": "{a} and {b} were still",
        "together": "{a} and {b} moved together",
        "apart": "{a} and {b} moved differently",
    },
    "overlap": {
        "none": "{a} and {b} did not overlap",
        "some": "{a} and {b} overlapped a little",
        "much": "{a} and {b} overlapped",
    },
    "rise": {
        "rises": "{a} rose",
        "level": "{a} neither rose nor sank",
        "sinks": "{a} sank",
    },
    "change": {
        "slower": "{a} became slower",
        "same": "{a} kept its speed",
        "faster": "{a} became faster",
    },
    "growth": {
        "shrinks": "{a} became smaller",
        "steady": "{a} kept its size",
        "grows": "{a} became larger",
    },
    "turning": {
        "left": "{a} turned left",
        "ahead": "{a} went straight",
        "right": "{a} turned right",
    },
    "veering": {
        "ahead": "{a} went straight",
        "aside": "{a} turned",
        "back": "{a} turned back",
    },
    "presence": {
        "seen": "{a} was there all the time",
        "appears": "{a} appeared",
        "vanishes": "{a} vanished",
        "away": "{a} was away",
    },
    "containment": {
        "outside": "{a} was outside {b}",
        "partly": "{a} was partly inside {b}",
        "inside": "{a} was inside {b}",
    },
    **{
        f"{half}-colour": {
            name: f"the {half} half of {{a}} was mostly {name}" for name in colours.NAMES
        }
        for half in ("upper", "lower")
    },
}


def reason(
    objective: Objective,
    tracks: npt.NDArray[np.int64],
    words: "tuple[TrackedWord, ...]",
    shown: Depiction,
) -> str:
    """Name the weakest word, when it fits least, and what was seen instead.

    Args:
        objective: what was asked.
        tracks: (L, T) the candidates chosen.
        words: with the evidence for each.
        shown: what the match depends on.
    """
    missed = "" if shown.match >= BORDER else "not depicted; "
    spoken = [(w, word) for w, word in enumerate(words) if _tells(word)]
    if not spoken:
        return "the sentence says nothing that could be seen"
    w, weakest = min(spoken, key=lambda pair: pair[1].margin)
    start, end = _worst(weakest.evidence)
    times = objective.clip.times
    when = f"{times[start]:.1f}–{times[end - 1]:.1f} s"
    if shown.sureness < SURE_SCORE and missed:
        return f"{missed}something is hardly detected: {shown.sureness:.2f}"
    if missed and (unusual := unusual_words(objective)):
        agent = objective.meaning.participants[unusual[0].participants[0]].noun
        return f"{missed}the {agent} is of no kind that does what '{unusual[0].word}' says"
    if weakest.evidence[start:end].sum() >= 0:
        if missed:
            return f"{missed}it fits for no more than {shown.seconds:.1f} s"
        if weakest.margin < HALF * objective.models[w].most:
            told = [t for t, state in enumerate(weakest.states) if state != SILENT]
            seen = _seen(objective, tracks, w, told[0], told[-1] + 1)
            return f"little speaks for '{weakest.word}': {seen}"
        return (
            f"every word fits throughout; weakest: '{weakest.word}', "
            f"{weakest.margin:.1f} nats per frame"
        )
    seen = _seen(objective, tracks, w, start, end)
    return f"{missed}weakest: '{weakest.word}' at {when}: {seen}"


def unusual_words(objective: Objective) -> list[Word]:
    """The words that need legs or hands, and are said of what is not of a kind that acts.

    A noun that names several classes is of such a kind if one of them is.
    """
    scene, found = objective.scene, []
    for word in objective.meaning.words:
        agent = scene.clip.label[scene.candidates[word.participants[0]].rows]
        names = [canonical(scene.clip.classes[label]) for label in np.unique(agent)]
        if word.part == "verb" and not any(kinds().acts(word.word, n) for n in names if n):
            found.append(word)
    return found


def _tells(word: "TrackedWord") -> bool:
    return word.part != "noun" and not word.unknown


def _worst(evidence: npt.NDArray[np.float64]) -> tuple[int, int]:
    """The interval with the least total evidence."""
    lowest = int(evidence.argmin())
    best, best_span, total, first = 0.0, (lowest, lowest + 1), 0.0, 0
    for t, value in enumerate(evidence):
        if total >= 0:
            total, first = 0.0, t
        total += float(value)
        if total < best:
            best, best_span = total, (first, t + 1)
    return best_span


def _seen(objective: Objective, tracks: npt.NDArray[np.int64], w: int, start: int, end: int) -> str:
    """What the worst-fitting feature of a word showed in an interval."""
    word, model = objective.meaning.words[w], objective.models[w]
    nouns = [f"the {objective.meaning.participants[p].noun}" for p in word.participants]
    players = [objective.candidates[p].candidates.along(tracks[p]) for p in word.participants]
    findings = []
    for n, observed in enumerate(model.observed):
        bins = observed.bins(players).ravel()[start:end]
        likely = model.outputs[n].max(axis=0)[bins]
        findings.append((float(np.log(likely * len(observed.feature.bins)).mean()), n, bins))
    _, n, bins = min(findings, key=lambda finding: finding[:2])
    observed = model.observed[n]
    common = observed.feature.bins[int(np.bincount(bins).argmax())]
    return _say(observed, common, nouns)


def _say(observed: Observed, common: str, nouns: list[str]) -> str:
    about = [nouns[r] for r in observed.roles]
    saying = SAYINGS.get(observed.feature.name, {}).get(common)
    if saying is None:
        return f"{observed.feature.name} of {' and '.join(about)}: {common}"
    return saying.format(**dict(zip("ab", about, strict=False)))
