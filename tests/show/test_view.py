import json
import math
from dataclasses import asdict, replace

import numpy as np
import pytest

from sentrack.inference import Solution
from sentrack.lexicon import Lexicon
from sentrack.show.view import View, view_of
from sentrack.tasks import Tracking, track
from sentrack.tasks.runner_up import Rivals, rivals

from .conftest import Shown, hidden

LEXICON = Lexicon.load("everyday")


@pytest.fixture(scope="module")
def answer(shown: Shown) -> Tracking:
    return hidden(shown.trackings[0], 1, [0, 1, 20])


@pytest.fixture(scope="module")
def seen(answer: Tracking) -> View:
    return view_of(answer, rivals(answer, LEXICON), LEXICON)


def test_it_says_what_the_answer_says(answer: Tracking, seen: View) -> None:
    assert seen.sentence == answer.sentence
    assert "".join(piece.text for piece in seen.pieces) == answer.sentence
    assert (seen.score, seen.match, seen.certified) == (answer.score, answer.match, True)
    assert seen.frames == answer.participants[0].frames.tolist()
    assert [t for t, box in enumerate(seen.tracks[1].boxes) if box is None] == [0, 1, 20]
    for told, participant in zip(seen.tracks, answer.participants, strict=True):
        there = participant.seen
        assert [box is not None for box in told.boxes] == there.tolist()
        boxes = [box for box in told.boxes if box is not None]
        np.testing.assert_allclose(boxes, participant.boxes[there], atol=0.051)
        scores = np.array(told.scores)
        np.testing.assert_allclose(scores[there], participant.scores[there], atol=0.00051)
    for word, tracked in zip(seen.words, answer.words, strict=True):
        assert [word.states[k] for k in word.state] == list(tracked.states)
        np.testing.assert_allclose(word.evidence, tracked.evidence, atol=0.00051)


@pytest.fixture(scope="module")
def part(shown: Shown) -> View:
    """Of an interval."""
    answer = shown.parts[0]
    return view_of(answer, rivals(answer, LEXICON), LEXICON)


def test_its_ledger_sums_to_the_score(seen: View) -> None:
    assert math.fsum(term.total for term in seen.ledger) == pytest.approx(seen.score)
    for term in seen.ledger:
        assert len(term.values) == len(seen.times)
        assert math.fsum(term.values) == pytest.approx(term.total, abs=1e-4 * len(seen.times))
    owners = {(term.owner, term.term): term.participants for term in seen.ledger}
    assert owners["pick-up", "emission"] == [0, 1]
    assert owners["cup", "detection"] == [1]


def test_the_ledger_of_an_interval_has_the_cost_of_its_frames(shown: Shown, part: View) -> None:
    assert math.fsum(term.total for term in part.ledger) == pytest.approx(part.score)
    first, *others = part.ledger
    assert (first.owner, first.term, first.participants) == ("time", "cost", [])
    assert set(first.values) == {-shown.parts[0].objective.frame_cost}
    owners = {(term.owner, term.term): term.participants for term in others}
    assert owners["carry", "emission"] == [0, 1]
    assert owners["rightwards", "emission"] == [1]
    assert not {"time", "apart"} & {owner for owner, _ in owners}


def test_rivals_are_shown_in_the_frames_of_the_answer(shown: Shown, part: View) -> None:
    answer = shown.parts[0]
    late = track(shown.clip.within(1.6, 2.4), answer.sentence)
    assert part.times[0] < late.start < part.times[-1]
    (told,) = view_of(answer, Rivals(None, late), LEXICON).rivals
    for each, participant in zip(told.tracks, late.participants, strict=True):
        there = [f for f, box in zip(part.frames, each.boxes, strict=True) if box]
        assert there == participant.frames[participant.seen].tolist()
        boxes = [box for box in each.boxes if box]
        np.testing.assert_allclose(boxes, participant.boxes[participant.seen], atol=0.051)
    for rival in part.rivals:
        assert {len(each.boxes) for each in rival.tracks} == {len(part.times)}


def test_rivals_come_with_their_margins(seen: View) -> None:
    runner_up, other = seen.rivals
    assert (runner_up.kind, other.kind) == ("runner-up", "swapped")
    assert other.sentence == "The cup picked up the person."
    for rival in seen.rivals:
        assert rival.margin == pytest.approx(seen.match - rival.match)
        assert rival.nats == pytest.approx(seen.score - rival.score)
        assert len(rival.tracks) == 2


def test_it_is_json_even_where_nothing_is_proven_or_seen(answer: Tracking) -> None:
    own = answer.solution
    loose = Solution(own.tracks, own.states, own.score, math.inf, "growth", 0.1)
    doubtful = replace(Tracking.of(answer.objective, loose), participants=answer.participants)
    told = view_of(doubtful, Rivals(None, None), LEXICON)
    assert told.upper_bound is None
    assert not told.certified
    assert json.loads(json.dumps(asdict(told), allow_nan=False))["rivals"] == []
