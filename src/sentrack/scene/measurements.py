"""All that is measured of a clip, once, when it is first asked for."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sentrack.lexicon import Bins, Feature, Observed, WordModel, aligned
from sentrack.scene.candidates import (
    Bools,
    CandidateSet,
    Floats,
    Ints,
    candidate_set,
    detection_scores,
    measured,
    usual_scores,
)
from sentrack.scene.clutter import genuine
from sentrack.scene.coherence import coherence, continuations
from sentrack.scene.distinctness import one_thing
from sentrack.scene.presence import (
    AWAY,
    hidden_scores,
    identity_coherence,
    not_seen,
    presence_scores,
    same_after,
)
from sentrack.scene.things import things
from sentrack.vision import Clip

Codes = npt.NDArray[np.int64]
Sets = Sequence[CandidateSet]

PRESENCE = "presence"
MEASURED_ALONE = ("velocity", "metres", "growth", "gain", "turn", "rise", "hands")


class Measurements:
    """Candidates, features, coherence and distinctness of a clip.

    Args:
        clip: what was seen, with gaps bridged.
        identity: whether tracks keep to one thing, which the clip then says of every detection,
            and may be away; else coherence is the paper's.
        whole: of a longer clip that this one is cut out of, and its first frame there. Nothing is
            measured again, and what comes before and after still tells which boxes show one thing.
    """

    def __init__(
        self, clip: Clip, identity: bool, whole: "tuple[Measurements, int] | None" = None
    ) -> None:
        self.clip, self.identity, self._whole = clip, identity, whole
        if whole is None:
            self._things = things(clip, identity)
        else:
            longer, first = whole
            rows = slice(*longer.clip.start[[first, first + clip.T]])
            self._things = longer._things.part(rows)
        self._sets: dict[tuple[tuple[str, ...], int | None], CandidateSet] = {}
        self._named: dict[CandidateSet, tuple[tuple[str, ...], int | None]] = {}
        self._known: dict[tuple[str, Sets], Any] = {}

    def cut(self, first: int, last: int) -> "Measurements":
        """The measurements of the frames first to last - 1."""
        return Measurements(self.clip.cut(first, last), self.identity, (self, first))

    def candidates(self, classes: tuple[str, ...], thing: int | None = None) -> CandidateSet | None:
        """The detections of some classes of the clip; None if there are none.

        Args:
            classes: their names.
            thing: the identity of the only one that is meant.
        """
        if (classes, thing) not in self._sets:
            known = [self.clip.classes.index(name) for name in classes]
            allowed = np.isin(self.clip.label, known)
            if thing is not None:
                allowed &= self.clip.id == thing
            if not allowed.any() and (self._whole is None or not self.identity):
                return None
            if self.identity:
                allowed |= self.clip.label == self.clip.classes.index(AWAY)
            found = candidate_set(self.clip, allowed, self._things)
            self._sets[classes, thing], self._named[found] = found, (classes, thing)
        return self._sets[classes, thing]

    def named(self, players: CandidateSet) -> tuple[tuple[str, ...], int | None]:
        """The arguments of `candidates` that a set of them was made by."""
        return self._named[players]

    def chosen(self, rows: Ints) -> CandidateSet:
        """Some detections, (P,) rows of the clip, as candidates without rivals in P frames."""
        counts = np.ones(len(rows), dtype=np.int64)
        return CandidateSet(rows[:, None], counts, measured(self.clip, rows[:, None], self._things))

    def classes(self, players: CandidateSet) -> tuple[str, ...]:
        """The classes of a set of candidates."""
        return self._named[players][0]

    def scores(self, against_background: bool = False, spoken_of: bool = False) -> Floats:
        """(N,): f of every detection, or how far it is below the usual one of its class.

        Where things are known, those that score as clutter does are probably clutter.

        Args:
            against_background: the latter; participants are then there all the time.
            spoken_of: a word looks at whether the participant is there, and says what that is
                worth, which is then nothing else.
        """
        if self._whole is not None:
            whole, first = self._whole
            rows = slice(*whole.clip.start[[first, first + self.clip.T]])
            return whole.scores(against_background, spoken_of)[rows]
        scores = detection_scores(self.clip)
        if self.identity:
            scores = hidden_scores(self.clip, scores) + genuine(self.clip)
        if against_background:
            # A box that is surer than usual says no more: it is the words that are to tell.
            scores = np.minimum(scores - usual_scores(self.clip, scores)[self.clip.label], 0.0)
        if not self.identity:
            return scores
        away = 0.0 if spoken_of else -np.inf if against_background else not_seen(self.clip)
        return presence_scores(self.clip, scores, away)

    def coherence(self, players: CandidateSet) -> Floats:
        """(T-1, J, J): g of every two candidates of adjacent frames."""
        found: Floats = self._once(
            "coherence",
            (players, players),
            lambda own, sets: (identity_coherence if own.identity else coherence)(
                own.clip, sets[0]
            ),
            steps=True,
        )
        return found

    def bins(self, feature: Feature, players: Sets) -> Bins:
        """(T, J) or (T, J1, J2): the bins of a feature."""
        found: Bins = self._once(
            feature.name,
            players,
            lambda _, sets: feature.binned(*(each.candidates for each in sets)),
        )
        return found

    def one(self, first: CandidateSet, second: CandidateSet) -> Bools:
        """(T, J1, J2): which candidates of two sets show one thing."""
        found: Bools = self._once(
            "one thing",
            (first, second),
            lambda own, sets: one_thing(
                own.clip, sets[0], sets[1], (own._continued(sets[0]), own._continued(sets[1]))
            ),
        )
        return found

    def code(self, members: Sequence[Observed], players: Sets) -> Codes:
        """(T, J1, ..., JI): the combination of bins of some features of a word's participants."""
        code = np.zeros((len(players[0].rows), *[1] * len(players)), dtype=np.int64)
        for observed in members:
            bins = self.bins(observed.feature, [players[role] for role in observed.roles])
            code = code * len(observed.feature.bins) + aligned(bins, observed.roles, len(players))
        return code

    def emission(self, model: WordModel, players: Sets) -> Floats:
        """(T, K, J1, ..., JI): log probability of what is seen of every tuple of candidates.

        What is not seen says nothing but that: where a thing is lost for longer than a moment, it
        is as good as any to every state, for all features but presence.
        """
        shape = (len(players[0].rows), model.K, *(each.rows.shape[1] for each in players))
        if not model.observed:
            # A noun: its candidates are of its class; one that names all classes says nothing.
            value = 0.0 if model.classes else -float(np.log(len(self.clip.classes)))
            return np.broadcast_to(np.float64(value), shape)
        tables = model.tables()
        h = np.zeros(shape)
        for members, table in tables:
            code = self.code(members, players)
            for k in range(model.K):
                h[:, k] += table[k].take(code)
        if len(tables) > 1:
            h = model.noisy(h)
        for axis, each in enumerate(players):
            untold = self.untold(each)
            if untold.any():
                unseen = aligned(untold, (axis,), len(players))[:, None]
                h = np.where(unseen, self._unseen(model, players), h)
        return h

    def untold(self, players: CandidateSet) -> Bools:
        """(T, J): which candidates were not detected and tell nothing."""
        return np.asarray(self._things.untold[players.rows])

    def columns(self, rows: Ints) -> dict[str, Any]:
        """What a `ThingTable` keeps of some detections (M,)."""
        clip, own = self.clip, self._things
        score = self.scores(against_background=True)[rows]
        found: dict[str, Any] = {name: getattr(own, name) for name in MEASURED_ALONE}
        found |= {"boxes": clip.boxes, "colour": clip.colour}
        with np.errstate(over="ignore"):  # a file may say anything
            single = score.astype(np.float32)
            found = {name: each[rows].astype(np.float32) for name, each in found.items()}
        # Rounded up: what is measured by it is a bound.
        single = np.where(single < score, np.nextafter(single, np.float32(np.inf)), single)
        kept = {"looks": clip.looks[rows], "untold": own.untold[rows]}
        return {**found, **kept, "score": single}

    def _unseen(self, model: WordModel, players: Sets) -> Floats | float:
        """What `emission` is where a participant is not seen: of all features, presence tells."""
        if not model.roles_of(PRESENCE):
            return model.background
        h = np.full((1, model.K, *[1] * len(players)), model.background)
        for observed, output in zip(model.observed, model.outputs, strict=True):
            if observed.feature.name == PRESENCE:
                told = np.log(output * output.shape[1])
                h = h + np.moveaxis(told[:, self.code((observed,), players)], 0, 1)
        return model.noisy(h)

    def _continued(self, players: CandidateSet) -> Any:
        return self._once(
            "continued",
            (players,),
            lambda own, sets: (same_after if own.identity else continuations)(own.clip, sets[0]),
        )

    def _once(
        self,
        name: str,
        players: Sets,
        measure: "Callable[[Measurements, Sets], Any]",
        steps: bool = False,
    ) -> Any:
        """Measure, or look up, or take the part of what was measured of a longer clip.

        Args:
            name: of what is measured.
            players: the candidates, one set for every axis but the first.
            measure: measures it of a clip that is not cut.
            steps: whether it is measured between frames.
        """
        key = name, tuple(players)
        if key not in self._known:
            if self._whole is None:
                self._known[key] = measure(self, players)
            else:
                whole, first = self._whole
                sets = [whole.candidates(*self._named[each]) for each in players]
                widths = [slice(each.rows.shape[1]) for each in players]
                frames = slice(first, first + self.clip.T - steps)
                known = whole._once(name, [s for s in sets if s is not None], measure, steps)
                self._known[key] = known[(frames, *widths)]
        return self._known[key]
