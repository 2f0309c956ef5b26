"""Pairs of annotated events, and the sentences made of them."""

import json
from pathlib import Path

from benchmarks.order import Told, in_order, pairs, right, verb

EXITED = {
    "video": "v",
    "fps": 10.0,
    "sentence": "The person exited the car.",
    "participants": [{"noun": "person", "id": 1}, {"noun": "car", "id": 2}],
    "begin": 0,
    "end": 40,
}
ENTERED = EXITED | {"sentence": "The person entered the car.", "begin": 50, "end": 90}
WALKED = {
    **EXITED,
    "sentence": "The person walked.",
    "participants": [{"noun": "person", "id": 1}],
    "begin": 30,
    "end": 60,
}


def test_sentences_tell_both_events_in_either_order() -> None:
    assert (verb(EXITED), verb(WALKED)) == ("exited", "walked")
    assert in_order(EXITED, ENTERED) == "The person exited the car, then entered it."
    assert in_order(WALKED, ENTERED) == "The person walked, then entered the car."
    other = ENTERED | {"participants": [{"noun": "person", "id": 1}, {"noun": "car", "id": 3}]}
    assert in_order(EXITED, other) == "The person exited the car, then entered the car."


def test_pairs_are_of_one_thing_and_one_after_the_other(tmp_path: Path) -> None:
    stranger = WALKED | {"participants": [{"noun": "person", "id": 9}], "begin": 45, "end": 48}
    (tmp_path / "some").mkdir()
    lines = [json.dumps(truth) for truth in (EXITED, ENTERED, WALKED, stranger)]
    (tmp_path / "some" / "truth.jsonl").write_text("\n".join(lines), "utf-8")
    assert pairs("some", 10, tmp_path) == [(EXITED, ENTERED)]


def test_a_tie_is_one_half() -> None:
    found = [Told("", matches, (True, True)) for matches in ((0.7, 0.3), (0.3, 0.7), (0.5, 0.5))]
    assert [right(each) for each in found] == [1.0, 0.0, 0.5]
