"""What can be added to a core: which way the thing that moves went, and how."""

import numpy as np

from sentrack.inference import Infeasible, Problem, WordTerms, solve
from sentrack.language import Word
from sentrack.lexicon import WordModel
from sentrack.tasks.description.cores import Told, among, verb
from sentrack.tasks.description.evidence import Evidence
from sentrack.vision import Floats, Ints

LEAST = 1.0  # how well an added word must fit: as in a typical depiction
# A verb that looks at one of these says which way by itself.
WAYS = frozenset({"heading", "vertical", "paper-heading"})


def additions(scene: Evidence, told: Told) -> tuple[tuple[str, ...], tuple[Word, ...]]:
    """The nouns and words of the best sentence with this core.

    Who takes part is settled by the core. Given the tracks, words that are added say nothing about
    each other, so that the best way and the best manner make the best sentence.
    """
    verb_model, nouns = told.core.model, told.core.nouns
    words: tuple[Word, ...] = (verb(told.core),)
    known = {observed.feature.name for observed in verb_model.observed}
    way = ("motion",) if known & WAYS else ("direction", "motion")
    for parts in (way, ("adverb",)):
        best, least = None, LEAST
        for model in scene.lexicon.words.values():
            # A word of several phases is an event of its own.
            if model.part not in parts or model.K > 1 or not model.observed:
                continue
            for landmark in scene.nouns if len(model.roles) == 2 else ("",):
                fits = _fits(scene, told, model, landmark, least)
                if fits > least:
                    best, least = (model, landmark), fits
        if best is None:
            continue
        model, landmark = best
        about = (verb_model.moves, len(nouns)) if landmark else (verb_model.moves,)
        nouns = (*nouns, landmark) if landmark else nouns
        words = (*words, Word(model.name, about, model.part))
    return nouns, words


def _fits(scene: Evidence, told: Told, model: WordModel, landmark: str, least: float) -> float:
    """How well a word fits the thing that moves; -inf where that is `least` at most.

    A landmark is tracked only if its best candidates in every frame would fit better than that.
    """
    mover = told.core.model.moves
    nouns = (told.core.nouns[mover], landmark) if landmark else (told.core.nouns[mover],)
    frames, size = np.arange(scene.clip.T), scene.clip.T * model.information
    evidence = scene.told(model, nouns)[frames, :, told.tracks[mover]]
    lack = 0.0
    if landmark:
        kind = scene.kind(landmark)
        hoped = np.where(kind.candidates.real[:, None], evidence, -np.inf).max(axis=-1)
        if _total(scene, model, hoped) <= least * size:
            return -np.inf
        one = scene.one(nouns[0], landmark)[frames, told.tracks[mover]][:, None]
        track = _track(scene, model, landmark, np.where(one, -np.inf, evidence))
        if track is None or among(kind.follow(track), told.boxes):
            return -np.inf
        evidence, lack = evidence[frames, :, track], kind.lack(track)
    return (_total(scene, model, evidence) + lack) / size


def _track(scene: Evidence, model: WordModel, noun: str, evidence: Floats) -> Ints | None:
    """(T,) the best track of a landmark, given (T, K, J) the evidence for the word, if any."""
    chain = scene.chain(model)
    told = chain.spread(evidence, 0.0)
    told[-1, ~chain.final] = -np.inf
    word = WordTerms(chain.initial, chain.transition, list(told), (0,))
    try:
        return np.asarray(solve(Problem([scene.kind(noun).terms], [word])).tracks[0])
    except Infeasible:  # nothing else is there
        return None


def _total(scene: Evidence, model: WordModel, told: Floats) -> float:
    """The best total of a word over its states, given (T, K) what they tell."""
    return float(scene.best_totals(model, told[None])[0])
