"""Things come and go: what tracks may do, against the same by loops; and that somebody is seen."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sentrack
from benchmarks.things import doubtful
from sentrack.lexicon import Lexicon
from sentrack.objective import build
from sentrack.scene import is_away, measure, without_away
from sentrack.scene.identity import without_gaps
from sentrack.scene.presence import (
    AFTER,
    AT_BORDER,
    BEFORE,
    IN_THE_OPEN,
    NOT_SEEN,
    SUPPOSED,
    not_seen,
)
from sentrack.vision import ClipError
from tests.inference.oracle import LIMIT, assignments
from tests.scene.test_identity import straight, walkers

EVERYDAY = Lexicon.load("everyday")


@given(seed=st.integers(0, 10**6), T=st.integers(1, 8))
def test_a_track_keeps_to_its_thing_and_comes_and_goes_with_it(seed: int, T: int) -> None:
    clip = doubtful(seed, T, ("car",), 4, 1)
    found = measure(clip, frozenset(clip.classes), identity=True)
    players, seen = found.candidates(("car",)), found.clip
    assert players is not None
    g, frame = found.coherence(players), seen.frame_of
    for t in range(1, T):
        for i, a in enumerate(players.rows[t - 1, : players.counts[t - 1]]):
            for j, b in enumerate(players.rows[t, : players.counts[t]]):
                before, after = int(seen.id[a]), int(seen.id[b])
                comes = frame[seen.id == after].min() == t and before == BEFORE and after >= 0
                goes = frame[seen.id == before].max() == t - 1 and after == AFTER and before >= 0
                if before == after:
                    assert g[t - 1, i, j] == 0
                elif comes or goes:
                    assert -g[t - 1, i, j] in (AT_BORDER, IN_THE_OPEN)
                else:
                    assert g[t - 1, i, j] == -math.inf


@given(seed=st.integers(0, 10**6), T=st.integers(1, 3))
def test_the_best_tracks_are_those_of_brute_force(seed: int, T: int) -> None:
    clip = doubtful(seed, T, ("person", "cup"), 3, 1)
    for sentence in ("The person walked.", "The person entered the cup."):
        try:
            meaning = sentrack.parse(sentence, EVERYDAY, clip)
            objective = build(clip, meaning, EVERYDAY)
        except (ClipError, sentrack.SentenceError):
            continue
        size = math.prod(int(n) for c in objective.candidates for n in c.counts)
        if size * math.prod(len(chain.state) ** T for chain in objective.chains) > LIMIT:
            continue
        _, _, scores = assignments(objective.problem)
        if scores.max() == -math.inf:
            with pytest.raises(sentrack.Infeasible):
                sentrack.solve(objective.problem)
            continue
        found = sentrack.solve(objective.problem)
        assert found.certified
        assert found.score == pytest.approx(float(scores.max()))
        for candidates, track in zip(objective.candidates, found.tracks, strict=True):
            rows = candidates.rows[np.arange(T), track]
            things = set(objective.clip.id[rows].tolist()) - {BEFORE, AFTER}
            assert len(things) == 1


def test_who_is_away_is_not_seen_and_costs_something() -> None:
    late = walkers(straight(20, 20, range(5, 30)))
    found = sentrack.track(late, "The person walked to the right.", whole=True)
    (person,) = found.participants
    assert person.seen.tolist() == [False] * 5 + [True] * 25
    assert np.isnan(person.boxes[:5]).all()
    assert np.isfinite(person.boxes[5:]).all()
    away = next(term for term in found.ledger.terms if term.term == "detection").values
    np.testing.assert_allclose(away[:5], NOT_SEEN)
    assert found.ledger.total == pytest.approx(found.score)
    assert len(found.to_dict()["participants"][0]["boxes"]) == 25
    assert found.to_mot().count("\n") == 25


def test_who_is_missed_scores_there_as_where_it_is_seen() -> None:
    some = straight(20, 20, range(5)) | straight(20, 20, range(9, 20))
    clip = walkers(some, straight(200, 0, range(20)))
    clip = replace(clip, score=np.random.default_rng(0).uniform(0.2, 1.0, len(clip.score)))
    found = measure(clip, frozenset(["person"]), identity=True)
    hidden = found.clip.projected & ~is_away(found.clip)
    (thing,) = set(found.clip.id[hidden].tolist())
    seen = (found.clip.id == thing) & ~hidden
    scores = found.scores()
    assert hidden.sum() == 4
    np.testing.assert_allclose(scores[hidden], np.log(found.clip.score[seen]).mean())
    np.testing.assert_allclose(scores[seen], np.log(found.clip.score[seen]))


@pytest.mark.parametrize(("missed", "tells"), [(3, True), (6, False)])
def test_words_look_at_who_is_missed_for_a_moment_alone(missed: int, tells: bool) -> None:
    some = straight(20, 20, range(5)) | straight(20, 20, range(5 + missed, 20))
    clip = walkers(some, id=[0])
    found = measure(clip, frozenset(["person"]), identity=True)
    people = found.candidates(("person",))
    assert people is not None
    away = is_away(found.clip)[people.rows]
    hidden = found.clip.projected[people.rows] & ~away
    assert hidden.sum() == missed
    assert found.untold(people)[away].all()
    assert not found.untold(people)[~away & ~hidden].any()
    assert (found.untold(people)[hidden] != tells).all()


@given(gaps=st.lists(st.integers(1, 4), max_size=4), late=st.integers(0, 5))
def test_to_be_away_costs_what_the_gaps_of_others_tell(gaps: list[int], late: int) -> None:
    seen = late + np.cumsum([0, *(gap + 1 for gap in gaps)])
    clip = without_gaps(walkers({int(t): (100.0, 100.0) for t in seen}, id=[0]))
    again = sum(gaps) - len(gaps)  # missed frames that are followed by another
    expected = (again + SUPPOSED * np.exp(NOT_SEEN)) / (sum(gaps) + SUPPOSED)
    assert not_seen(clip) == pytest.approx(np.log(expected))
    assert (not_seen(clip) == pytest.approx(NOT_SEEN)) == (not gaps)


def test_to_come_in_the_open_costs_more_than_at_the_border_or_from_behind() -> None:
    def cost(x: float, *others: dict[int, tuple[float, float]]) -> float:
        clip = walkers(straight(x, 2, range(4, 9)), *others)
        found = measure(clip, frozenset(["person"]), identity=True)
        players = found.candidates(("person",))
        assert players is not None
        g = found.coherence(players)[3]
        ids = [found.clip.id[players.rows[t, : players.counts[t]]] for t in (3, 4)]
        (comes,) = (k for k in ids[1] if k >= 0 and k not in ids[0])
        return -float(g[list(ids[0]).index(BEFORE), list(ids[1]).index(comes)])

    assert cost(300) == IN_THE_OPEN
    assert cost(0) == AT_BORDER
    assert cost(300, straight(280, 0, range(9))) == AT_BORDER


def test_what_was_seen_comes_back() -> None:
    clip = walkers(straight(20, 20, range(5, 30)))
    more = measure(clip, frozenset(["person"]), identity=True).clip
    assert is_away(more).sum() == 2 * clip.T
    back = without_away(more)
    assert back.classes == clip.classes
    np.testing.assert_array_equal(back.boxes, clip.boxes)
