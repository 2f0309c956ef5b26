import numpy as np
import pytest

from benchmarks import cad, greedy, sentences
from benchmarks.matching import svo, timed
from sentrack.lexicon import Lexicon
from sentrack.vision import clip_from_arrays, load_clip
from sentrack.vision.clip import Clip


def moving(missing: tuple[int, ...] = ()) -> Clip:
    """A hand that goes to the right and one that rests, 12 frames; the first is lost in some."""
    frame = [t for t in range(12) if t not in missing]
    boxes = [[10 * t, 50, 10 * t + 60, 110] for t in frame]
    resting = [[300, 50, 360, 110]] * 12
    everything = np.array(boxes + resting, dtype=float)
    return clip_from_arrays(
        "moving", (640, 480), 30, frame + list(range(12)), ["hand"] * len(everything), everything
    )


def test_the_longest_track_comes_first_and_spans_gaps() -> None:
    tracks = greedy.greedy_tracks(moving(missing=(4, 5)), "hand")
    assert [len(track) for track in tracks] == [12, 10]
    assert 4 not in tracks[1]


def test_a_long_gap_ends_a_track() -> None:
    clip = moving(missing=tuple(range(3, 10)))
    assert [len(track) for track in greedy.greedy_tracks(clip, "hand")] == [12, 3, 2]


def test_missing_boxes_are_interpolated() -> None:
    clip = moving(missing=(4, 5, 11))
    shown = greedy.followed(clip, {"hand": greedy.greedy_tracks(clip, "hand")[1]})
    assert (np.diff(shown.start) == 1).all()
    assert shown.boxes[:, 0] == pytest.approx([10 * t for t in range(11)] + [100])
    assert shown.velocity[5] == pytest.approx([10 * 30 / 480, 0])


def test_every_so_many_frames_keep_their_boxes_and_motion() -> None:
    clip = sentences.crowd(T=10, J=3)
    some = sentences.every(clip, 4)
    assert some.frames.tolist() == [0, 4, 8]
    assert np.array_equal(some.boxes, clip.boxes[np.isin(clip.frame_of, [0, 4, 8])])
    assert np.array_equal(some.velocity[9:18], clip.velocity[36:45])


def test_all_pairs_are_certified_and_agree_with_the_peer() -> None:
    clip = sentences.crowd(T=8, J=3)
    runs = sentences.all_pairs(clip, Lexicon.load("paper"), ("person", "backpack"), peer=True)
    assert len(runs) == 2 * len(sentences.VERBS)
    assert all(run.certified and run.agrees and 0 <= run.match <= 1 for run in runs)
    assert all(min(run.build, run.solve, run.peer) > 0 for run in runs)


def test_what_happens_matches_better_than_its_opposite() -> None:
    clip, lexicon = sentences.crowd(T=45, J=2), Lexicon.load("everyday")
    vocabulary = lexicon.vocabulary().with_nouns(clip.classes)
    said = [svo("person", verb, "chair", vocabulary) for verb in ("approached", "left")]
    near, away = (timed(clip, meaning, lexicon).match for meaning in said)
    assert near > away


def test_building_is_timed() -> None:
    lines = list(sentences.building(("paper",), T=12, J=3))
    assert lines[-2].startswith("| paper | ")
    assert lines[-2].endswith(" | True |")


def test_a_worse_detector_misses_boxes_and_makes_others_up() -> None:
    clip = sentences.crowd(T=200, J=4)
    worse = cad.corrupted(clip, ["chair"], seed=1)
    assert {worse.classes[k] for k in worse.label} == {"chair"}
    true = {tuple(box) for box in clip.boxes}
    kept = sum(tuple(box) in true for box in worse.boxes)
    assert len(worse.boxes) - kept == 200 * cad.FALSE
    assert kept / 800 == pytest.approx(1 - cad.MISSED, abs=0.05)
    assert np.array_equal(worse.boxes, cad.corrupted(clip, ["chair"], seed=1).boxes)
    assert not np.array_equal(worse.boxes, cad.corrupted(clip, ["chair"], seed=2).boxes)


def test_answers_are_counted_by_subject_and_verb() -> None:
    found = [
        cad.Segment(f"subject{n}-x", 0, 9, verb, "cup") for n, verb in ((1, "pick"), (3, "place"))
    ]
    tally = cad.accuracy(found, [np.array([1.0, 0.0]), np.array([1.0, 0.0])])
    assert tally == {
        "all": (1, 2),
        "subject1": (1, 1),
        "subject3": (0, 1),
        "pick": (1, 1),
        "place": (0, 1),
    }


@pytest.mark.usefixtures("shared_data")
def test_cad_reports_every_way() -> None:
    lines = list(cad.cad(limit=2, seeds=(0,)))
    assert sum(line.startswith(("| joint", "| longest", "| 3 tracks")) for line in lines) == 6


@pytest.mark.usefixtures("shared_data")
def test_segments_are_cut_to_their_frames() -> None:
    found, videos = cad.segments(limit=1)
    clip = found[0].of(videos[found[0].video])
    assert (clip.frames[0], clip.frames[-1]) == (found[0].first, found[0].last)


@pytest.mark.usefixtures("shared_data")
def test_the_papers_clip_is_certified() -> None:
    path = sentences.DATA / "mvi_0820" / "detections.csv.gz"
    clip = sentences.every(load_clip(path, size=(1280, 960), fps=30), 8)
    assert clip.T == 15
    runs = sentences.all_pairs(clip, Lexicon.load("paper"), ("backpack", "trash-can"), peer=True)
    assert all(run.certified and run.agrees for run in runs)
    assert sentences.OWN in [run.sentence for run in runs]
