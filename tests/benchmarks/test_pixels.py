"""Annotated people between the frames in which they are annotated."""

import numpy as np
import pytest

from benchmarks.annotated import span_of, truths
from benchmarks.pixels import annotated


@pytest.mark.usefixtures("shared_data")
def test_people_are_where_they_are_annotated_and_on_the_line_in_between() -> None:
    truth = next(each for each in truths("svag_mot", 10**6) if each["video"] == "MOT17-13")
    real = span_of("svag_mot", truth | {"begin": 1, "end": 12})
    found = annotated("MOT17-13", truth["size"][1] // 2)
    (id, box), *_ = [(id, box) for id, kind, box in real.boxes[0] if kind == "person"]
    later = {id: box for id, _, box in real.boxes[1]}[id]
    there = [dict(found[frame])[id] for frame in (2, 3, 4, 5)]
    np.testing.assert_allclose(there[0], box / 2)
    np.testing.assert_allclose(there[3], later / 2)
    np.testing.assert_allclose(there[1], (2 * box + later) / 6)
    assert len(found[2]) > 5
