import json
import math
from dataclasses import asdict

import numpy as np
import pytest

from sentrack.inference import Solution
from sentrack.lexicon import Lexicon
from sentrack.show.view import View, view_of
from sentrack.tasks import Tracking
from sentrack.tasks.runner_up import Rivals, rivals

from .conftest import Shown

LEXICON = Lexicon.load("everyday")


@pytest.fixture(scope="module")
def seen(shown: Shown) -> View:
    return view_of(shown.trackings[0], rivals(shown.trackings[0], LEXICON), LEXICON)


def test_it_says_what_the_answer_says(shown: Shown, seen: View) -> None:
    answer = shown.trackings[0]
    assert seen.sentence == answer.sentence
    assert "".join(piece.text for piece in seen.pieces) == answer.sentence
    assert (seen.score, seen.match, seen.certified) == (answer.score, answer.match, True)
    assert seen.frames == answer.participants[0].frames.tolist()
    for track, participant in zip(seen.tracks, answer.participants, strict=True):
        np.testing.assert_allclose(track.boxes, participant.boxes, atol=0.051)
        np.testing.assert_allclose(track.scores, participant.scores, atol=0.00051)
    for word, tracked in zip(seen.words, answer.words, strict=True):
        assert [word.states[k] for k in word.state] == list(tracked.states)
        np.testing.assert_allclose(word.evidence, tracked.evidence, atol=0.00051)


def test_its_ledger_sums_to_the_score(seen: View) -> None:
    assert math.fsum(term.total for term in seen.ledger) == pytest.approx(seen.score)
    for term in seen.ledger:
        assert len(term.values) == len(seen.times)
        assert math.fsum(term.values) == pytest.approx(term.total, abs=1e-4 * len(seen.times))
    owners = {(term.owner, term.term): term.participants for term in seen.ledger}
    assert owners["pick-up", "emission"] == [0, 1]
    assert owners["cup", "detection"] == [1]


def test_rivals_come_with_their_margins(seen: View) -> None:
    runner_up, other = seen.rivals
    assert (runner_up.kind, other.kind) == ("runner-up", "swapped")
    assert other.sentence == "The cup picked up the person."
    for rival in seen.rivals:
        assert rival.margin == pytest.approx(seen.match - rival.match)
        assert rival.nats == pytest.approx(seen.score - rival.score)
        assert len(rival.tracks) == 2


def test_it_is_json_even_where_nothing_is_proven(shown: Shown) -> None:
    answer = shown.trackings[0]
    own = answer.solution
    loose = Solution(own.tracks, own.states, own.score, math.inf, "growth", 0.1)
    told = view_of(Tracking.of(answer.objective, loose), Rivals(None, None), LEXICON)
    assert told.upper_bound is None
    assert not told.certified
    assert json.loads(json.dumps(asdict(told), allow_nan=False))["rivals"] == []
