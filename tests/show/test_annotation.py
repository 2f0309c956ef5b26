from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest

from sentrack.errors import SentrackError
from sentrack.show.annotation import DARK, Caption, Overlay, annotate
from sentrack.show.drawing import REJECTED, movings, text_size
from sentrack.show.palette import PALETTE, Colour
from sentrack.tasks import Tracking, track
from sentrack.vision.scan.video import Frame, Image

from .conftest import Shown, hidden

SIZE = 640, 480


def dark(times: np.ndarray, size: tuple[int, int] = SIZE) -> Iterator[Frame]:
    for n, time in enumerate(times):
        yield Frame(n, float(time), np.full((size[1], size[0], 3), 40, np.uint8))


def decoded(path: Path) -> list[tuple[float, np.ndarray]]:
    with av.open(str(path)) as container:
        return [(f.time, f.to_ndarray(format="bgr24")) for f in container.decode(video=0)]


def count(image: Image, wanted: Colour) -> int:
    return int((image == wanted).all(axis=-1).sum())


def test_frames_between_tracked_ones_are_drawn_with_their_times(
    shown: Shown, tmp_path: Path
) -> None:
    path = tmp_path / "a.mp4"
    times = np.arange(-1, 8, 1 / 12.5)  # the tracks are from 0 s to 5.8 s, at 5 frames a second
    reports: list[tuple[str, float, float | None]] = []
    annotate(shown.trackings, dark(times), path, report=lambda *r: reports.append(r))
    inside = times[(times > -1e-6) & (times < 5.8 + 1e-6)]
    found = decoded(path)
    np.testing.assert_allclose([t for t, _ in found], inside - inside[0], atol=1e-3)
    assert [r[:2] for r in reports] == [("render", n + 1) for n in range(len(inside))]
    totals = [total for _, _, total in reports[2:]]
    assert totals == pytest.approx([len(inside)] * len(totals))
    drawn = 0
    for n in (20, 31, 52):  # edges in the middle of the sides, where no label is
        image = found[n][1]
        for i, p in enumerate(p for tracking in shown.trackings for p in tracking.participants):
            t = int(np.searchsorted(p.times, inside[n]))
            if not p.seen[t - 1 : t + 1].all():
                continue
            drawn += 1
            x1, y1, x2, y2 = (np.interp(inside[n], p.times, p.boxes[:, k]) for k in range(4))
            y = round((y1 + 3 * y2) / 4)
            for x in (round(x1), round(x2)):
                part = image[y - 3 : y + 4, x - 1 : x + 2].reshape(-1, 3).astype(int)
                assert np.abs(part - PALETTE[i]).sum(axis=1).min() < 90
    assert drawn > 4


def test_a_scene_is_drawn_exactly(shown: Shown) -> None:
    scene = Overlay(shown.trackings, *SIZE, candidates=False)
    p = shown.trackings[1].participants[0]
    t = int(np.flatnonzero(p.seen)[5])
    image = scene.draw(next(dark(p.times[t : t + 1])))
    x1, y1, x2, y2 = np.round(p.boxes[t]).astype(int)
    for x in (x1, x2):
        assert tuple(image[(y1 + 3 * y2) // 4, x]) == PALETTE[2]
    assert tuple(image[y2, (x1 + x2) // 2]) == PALETTE[2]
    assert image.shape[0] > SIZE[1]


def test_what_is_not_seen_is_not_drawn(shown: Shown) -> None:
    time = shown.clip.times[9:10]
    for where, drawn in (([], True), ([9], False)):
        tracking = hidden(shown.trackings[0], 0, where)
        scene = Overlay([tracking], *SIZE, candidates=False)
        image = scene.draw(next(dark(time)))
        assert (count(image[: SIZE[1]], PALETTE[0]) > 100) is drawn
        assert drawn or not count(image[: SIZE[1]], PALETTE[0])


def test_each_sentence_is_drawn_while_it_lasts(shown: Shown, tmp_path: Path) -> None:
    early, late = shown.parts
    assert early.end < late.start
    parts = [hidden(hidden(early, 0, []), 1, []), hidden(late, 0, [])]
    scene = Overlay(parts, *SIZE, candidates=True)
    colours = [PALETTE[: len(early.participants)], PALETTE[len(early.participants) :][:1]]
    for time, own, other in ((early.start, 0, 1), (late.start, 1, 0)):
        picture = scene.draw(next(dark(np.array([time]))))[: SIZE[1]]
        assert all(count(picture, tint) > 50 for tint in colours[own])
        assert not any(count(picture, tint) for tint in colours[other])
    between = scene.draw(next(dark(np.array([(early.end + late.start) / 2]))))[: SIZE[1]]
    assert (between == 40).all()  # no track, and no candidate that was not chosen
    annotate(shown.parts, dark(shown.clip.times), tmp_path / "a.mp4")
    seconds = late.objective.clip.times[-1] - early.start
    assert decoded(tmp_path / "a.mp4")[-1][0] == pytest.approx(seconds, abs=1e-3)


def test_a_state_is_current_only_while_its_sentence_lasts(shown: Shown) -> None:
    tracking = track(shown.clip.within(1, 5), shown.truth.sentences[0])
    rest = shown.trackings[1]
    caption = Caption(movings([tracking, rest], SIZE), SIZE[0], text_size(*SIZE), DARK)
    ((_, _, y),) = (each for each in caption.current if each[0] == 0)
    written = []
    for time in (tracking.start, 0.0, 5.8):
        image = np.empty((caption.height, SIZE[0], 3), np.uint8)
        caption.draw(image, time, [0, 0])
        name = image[y : y + caption.row, caption.right + caption.pad :]
        written.append(bool((name != DARK.ground).any()))
    assert written == [True, False, False]


def test_rejected_candidates_are_drawn_only_on_request(shown: Shown) -> None:
    frame = next(dark(shown.clip.times[10:11]))
    found = [
        count(Overlay(shown.trackings, *SIZE, candidates=wanted).draw(frame)[: SIZE[1]], REJECTED)
        for wanted in (False, True)
    ]
    assert found[0] == 0
    assert found[1] > 200


def test_what_is_rejected_is_all_candidates_but_the_chosen(shown: Shown) -> None:
    (moving,) = movings(shown.trackings[:1], SIZE)
    clip, nouns = moving.tracking.objective.clip, ("person", "cup")
    for t in range(clip.T):
        rows = np.arange(clip.start[t], clip.start[t + 1])
        seen = rows[~clip.projected[rows]]
        of_class = {tuple(clip.boxes[r]) for r in seen if clip.classes[clip.label[r]] in nouns}
        chosen = {tuple(p.boxes[t]) for p in moving.tracking.participants if p.seen[t]}
        assert {tuple(box) for box in moving.rejected(t)} == of_class - chosen


def test_the_caption_writes_out_the_current_state(shown: Shown) -> None:
    tracking = shown.trackings[0]
    states = tracking.words[1].states
    assert set(states) == {"reaching", "holding", ""}
    caption = Caption(movings([tracking], SIZE), SIZE[0], text_size(*SIZE), DARK)
    written: dict[str, bytes] = {}
    for t, time in enumerate(tracking.objective.clip.times):
        image = np.empty((caption.height, SIZE[0], 3), np.uint8)
        caption.draw(image, float(time), [t])
        name = image[caption.tops[0][2] : caption.tops[0][2] + caption.row, caption.right + 4 :]
        assert (name != DARK.ground).any() == bool(states[t])
        written.setdefault(states[t], name.tobytes())
        assert written[states[t]] == name.tobytes()
    assert len(set(written.values())) == 3


def test_the_cursor_moves_evenly_and_the_band_changes_with_the_state(shown: Shown) -> None:
    tracking = shown.trackings[0]
    caption = Caption(movings([tracking], SIZE), SIZE[0], text_size(*SIZE), DARK)
    times = tracking.objective.clip.times
    y = caption.tops[0][2] + 1
    places = []
    for time in times[1:-1]:
        image = np.empty((caption.height, SIZE[0], 3), np.uint8)
        caption.draw(image, float(time), [0])
        bright = (image[y, caption.left : caption.right] == DARK.ink).all(axis=-1)
        places.append(np.flatnonzero(bright).mean())
    assert np.polyfit(times[1:-1], places, 1)[0] > 10
    np.testing.assert_allclose(np.diff(places), np.diff(places).mean(), atol=1.01)
    states = np.array(tracking.words[1].states)
    change = int(np.flatnonzero(states == "holding")[0])
    at = caption.x(float(times[change - 1 : change + 1].mean()))
    first, second = caption.told[y, at - 3].astype(float), caption.told[y, at + 3].astype(float)
    # blue over red is the hue of a state, whatever its brightness
    assert first[0] / first[2] - second[0] / second[2] > 0.2


def test_captions_fit_narrow_pictures_and_long_sentences(shown: Shown) -> None:
    sentence = "The person to the left of the table slowly carried the backpack towards the chair."
    tracking = track(shown.clip, sentence, whole=True)
    wide = Caption(movings([tracking], SIZE), SIZE[0], 15, DARK)
    narrow = Caption(movings([tracking], (270, 480)), 270, 15, DARK)
    assert narrow.height > wide.height
    assert narrow.left < narrow.right
    for caption in (wide, narrow):
        assert caption.told.shape[0] == caption.height
        assert caption.height % 2 == 0
        for i in range(len(tracking.participants)):  # every noun in its colour
            assert count(caption.told, PALETTE[i]) > 100
        assert (caption.told[:, -2:] == DARK.ground).all()  # nothing runs out of the picture


def test_only_what_is_proven_is_called_so(shown: Shown) -> None:
    proven = shown.trackings[0]
    doubtful = replace(proven, certified=False)
    greens = [
        count(Caption(movings([answer], SIZE), SIZE[0], 15, DARK).told, DARK.proof)
        for answer in (proven, doubtful)
    ]
    assert greens[0] > 20
    assert greens[1] == 0
    # Whether it is depicted is another matter than whether the tracks are the best.
    false = replace(proven, shown=replace(proven.shown, fit=-1.0))
    assert not false.depicted
    assert count(Caption(movings([false], SIZE), SIZE[0], 15, DARK).told, DARK.proof) == greens[0]


@pytest.mark.parametrize(
    ("size", "factor"), [((160, 120), 4), ((320, 240), 2), ((640, 480), 1), ((60, 480), 4)]
)
def test_small_pictures_are_enlarged(
    shown: Shown, tmp_path: Path, size: tuple[int, int], factor: int
) -> None:
    annotate(shown.trackings, dark(shown.clip.times[:3], size), tmp_path / "a.mp4")
    _, image = decoded(tmp_path / "a.mp4")[0]
    assert image.shape[1] == factor * size[0]
    assert image.shape[0] > factor * size[1]


def test_nothing_is_left_when_it_is_interrupted(shown: Shown, tmp_path: Path) -> None:
    def frames() -> Iterator[Frame]:
        yield from dark(shown.clip.times[:20])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        annotate(shown.trackings, frames(), tmp_path / "a.mp4")
    assert list(tmp_path.iterdir()) == []


def test_a_video_without_the_tracked_span_is_an_error(shown: Shown, tmp_path: Path) -> None:
    with pytest.raises(SentrackError, match=r"no frame between 0.00 s and 5.80 s"):
        annotate(shown.trackings, dark(np.arange(10, 12, 0.1)), tmp_path / "a.mp4")
    assert list(tmp_path.iterdir()) == []


def test_frames_are_not_read_beyond_the_span(shown: Shown, tmp_path: Path) -> None:
    def endless() -> Iterator[Frame]:
        yield from dark(np.arange(0, 1000, 0.5))
        raise AssertionError("all was read")

    trackings: list[Tracking] = [shown.trackings[0]]
    annotate(trackings, endless(), tmp_path / "a.mp4")
    assert len(decoded(tmp_path / "a.mp4")) == 12


def test_an_interval_of_one_frame_is_drawn(shown: Shown, tmp_path: Path) -> None:
    tracking = hidden(track(shown.clip.cut(9, 10), "The person moved."), 0, [])
    assert len(tracking.participants[0].times) == 1
    annotate([tracking], dark(shown.clip.times), tmp_path / "a.mp4", candidates=True)
    ((_, image),) = decoded(tmp_path / "a.mp4")
    scene = Overlay([tracking], *SIZE, candidates=False)
    picture = scene.draw(next(dark(shown.clip.times[9:10])))
    assert count(picture[: SIZE[1]], PALETTE[0]) > 100
    assert image.shape[0] == picture.shape[0] > SIZE[1]
