"""Detection files against files written by hand."""

import gzip
import json
import logging
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentrack.colours import CELLS, HALVES
from sentrack.errors import SentrackError
from sentrack.vision import Clip, ClipError, clip_from_arrays, load_clip, save_clip, videos
from sentrack.vision.io import read_arrow

HEADER = "frame,class,x1,y1,x2,y2"
WIDE = HALVES * CELLS  # of looks
ROWS = ["4,cup,1,2,3,4", "0,Dining_Table,10,20,30,40", "8,trash can ,-5,0,700,9", "4,cup,5,6,8,9"]


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def load(path: Path, *lines: str) -> Clip:
    return load_clip(write(path, *lines), size=(640, 480), fps=20)


def names(clip: Clip) -> list[str]:
    return [clip.classes[k] for k in clip.label]


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


def test_a_small_file_by_hand(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    clip = load(tmp_path / "small.csv", HEADER, *ROWS)
    assert (clip.name, clip.size, clip.fps, clip.T) == ("small", (640, 480), 20.0, 3)
    np.testing.assert_array_equal(clip.frames, [0, 4, 8])
    np.testing.assert_allclose(clip.times, [0, 0.2, 0.4])
    np.testing.assert_array_equal(clip.start, [0, 1, 3, 4])
    assert names(clip) == ["dining-table", "cup", "cup", "trash-can"]
    expected = [[10, 20, 30, 40], [1, 2, 3, 4], [5, 6, 8, 9], [-5, 0, 700, 9]]
    np.testing.assert_array_equal(clip.boxes, expected)
    np.testing.assert_array_equal(clip.score, 1.0)
    np.testing.assert_array_equal(clip.id, -1)
    assert np.isnan(clip.colour).all()
    assert not clip.looks.any()
    assert not clip.projected.any()
    assert warnings_of(caplog) == []


def test_frames_without_a_detection_are_there(tmp_path: Path) -> None:
    clip = load(tmp_path / "a.csv", HEADER, *(f"{f},cup,1,2,3,4" for f in (3, 9, 15, 27)))
    np.testing.assert_array_equal(clip.frames, [3, 9, 15, 21, 27])
    np.testing.assert_array_equal(np.diff(clip.start), [1, 1, 1, 0, 1])


def test_columns_in_any_order_case_and_company(tmp_path: Path) -> None:
    header = "note,Y2, x2 ,y1,x1,CLASS,score,frame,id,object,vx,vy,hue,saturation,value"
    clip = load(
        tmp_path / "a.csv",
        header,
        "hi,4,3,2,1,cup,-0.5,0,cup_1,7,0.5,-0.25,120,0.5,0.75",
        "ho,4,3,2,1,cup,2.5,1,cup_2,7,,,,,",
        "he,4,3,2,1,cup,0,2,cup_1,7,0,0,1,1,1",
        "ha,4,3,2,1,cup,0,3,,7,0,0,1,1,1",
    )
    np.testing.assert_array_equal(clip.boxes, [[1, 2, 3, 4]] * 4)
    np.testing.assert_array_equal(clip.score, [-0.5, 2.5, 0, 0])
    np.testing.assert_array_equal(clip.id, [0, 1, 0, -1])
    np.testing.assert_array_equal(clip.velocity, [[0.5, -0.25], [0, 0], [0, 0], [0, 0]])
    np.testing.assert_array_equal(clip.colour[[0, 2]], [[120, 0.5, 0.75], [1, 1, 1]])
    assert np.isnan(clip.colour[1]).all()


def test_a_lone_value_is_not_a_colour(tmp_path: Path) -> None:
    clip = load(tmp_path / "a.csv", HEADER + ",value", ROWS[0] + ",red")
    assert np.isnan(clip.colour).all()


@pytest.mark.parametrize(
    ("ids", "expected"),
    [(["7", "-1", "", "3"], [7, -1, -1, 3]), (["b", "a", "-1", "b"], [0, 1, -1, 0])],
)
def test_identities(tmp_path: Path, ids: list[str], expected: list[int]) -> None:
    rows = [f"{k},cup,1,2,3,4,{word}" for k, word in enumerate(ids)]
    np.testing.assert_array_equal(load(tmp_path / "a.csv", HEADER + ",id", *rows).id, expected)


def test_degenerate_boxes_are_dropped_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bad = ["1,cup,3,2,3,4,1", "1,cup,1,5,3,4,1", "2,cup,nan,2,3,4,1", "3,cup,1,2,inf,4,1"]
    more = ["4,cup,1,2,3,4,", "5,cup,1,,3,4,1"]
    clip = load(tmp_path / "a.csv", HEADER + ",score", "0,cup,1,2,3,4,1", *bad, *more)
    assert clip.T == 6
    np.testing.assert_array_equal(np.diff(clip.start), [1, 0, 0, 0, 0, 0])
    (warning,) = warnings_of(caplog)
    assert "dropped 6 boxes" in warning


def test_size_and_rate_are_guessed_with_one_warning_each(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clip = load_clip(write(tmp_path / "a.csv", HEADER, "0,cup,1,2,30.2,4", "30,cup,1,2,3,44"))
    assert (clip.size, clip.fps) == ((31, 44), 30.0)
    size, rate = warnings_of(caplog)
    assert "31x44" in size
    assert "size=" in size
    assert "30 frames per second" in rate
    assert "fps=" in rate


def test_true_times_are_kept_and_give_the_rate(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = ["0,cup,1,2,3,4,1.0", "2,cup,1,2,3,4,", "4,cup,1,2,3,4,1.5", "10,cup,1,2,3,4,"]
    path = write(tmp_path / "a.csv", HEADER + ",time", *rows)
    clip = load_clip(path, size=(640, 480))
    assert clip.fps == 8.0
    np.testing.assert_array_equal(clip.frames, [0, 2, 4, 6, 8, 10])
    np.testing.assert_allclose(clip.times, [1.0, 1.25, 1.5, 1.75, 2.0, 2.25])
    assert warnings_of(caplog) == []


def test_start_and_end_cut_and_keep_the_motion_of_the_whole(tmp_path: Path) -> None:
    rows = [f"{k},cup,{10 * k},20,{10 * k + 100},60" for k in range(40)]
    path = write(tmp_path / "a.csv", HEADER, *rows)
    clip = load_clip(path, size=(640, 480), fps=10, start=0.5, end=2.0)
    np.testing.assert_array_equal(clip.frames, np.arange(5, 20))
    np.testing.assert_allclose(clip.velocity, [[100 / 480, 0]] * 15, atol=1e-12)
    halves = [
        load_clip(path, size=(640, 480), fps=10, start=a, end=b).T for a, b in ((0, 2), (2, 4))
    ]
    assert halves == [20, 20]


def test_one_of_many_videos(tmp_path: Path) -> None:
    rows = ["b,0,cup,1,2,3,4", "007,5,pen,1,2,3,4", "b,1,cup,1,2,3,4", "c,0,cup,1,2,3,4"]
    path = write(tmp_path / "a.csv", "video," + HEADER, *rows)
    assert videos(path) == ["b", "007", "c"]
    clip = load_clip(path, size=(9, 9), fps=1, video="007")
    assert (clip.name, clip.frames.tolist(), clip.classes) == ("007", [5], ("pen",))
    alone = load(tmp_path / "b.csv", "video," + HEADER, rows[0])
    assert alone.name == "b"
    assert videos(write(tmp_path / "c.csv", HEADER, *ROWS)) == []


def test_compressed_and_parquet_files_equal_the_plain_one(tmp_path: Path) -> None:
    plain = load(tmp_path / "a.csv", HEADER, *ROWS)
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress((tmp_path / "a.csv").read_bytes()))
    columns = zip(*(row.split(",") for row in ROWS), strict=True)
    table = pa.table(dict(zip(HEADER.split(","), columns, strict=True)))
    pq.write_table(table, tmp_path / "a.parquet")
    for path in (packed, tmp_path / "a.parquet"):
        same(plain, load_clip(path, size=(640, 480), fps=20))


def same(a: Clip, b: Clip) -> None:
    assert (a.size, a.fps) == (b.size, b.fps)
    assert names(a) == names(b)
    arrays = {key for key, value in vars(a).items() if isinstance(value, np.ndarray)}
    for key in arrays - {"label"}:  # `names` compares the classes, whatever their order
        np.testing.assert_array_equal(getattr(a, key), getattr(b, key), err_msg=key)


@st.composite
def clips(draw: st.DrawFn) -> Clip:
    frames = sorted(draw(st.sets(st.integers(-5, 10**6), min_size=1, max_size=6)))
    N = draw(st.integers(0, 8))
    real = st.floats(-1e9, 1e9, allow_nan=False)
    box = st.tuples(
        st.floats(-1e4, 1e4), st.floats(-1e4, 1e4), st.floats(0.1, 1e4), st.floats(0.1, 1e4)
    )

    def rows(element: st.SearchStrategy[object]) -> list[object]:
        return draw(st.lists(element, min_size=N, max_size=N))

    corners = np.array(rows(box), dtype=float).reshape(N, 4)
    corners[:, 2:] += corners[:, :2]
    steps = draw(st.lists(st.floats(0.001, 10), min_size=len(frames), max_size=len(frames)))
    words = st.text("ab-é,\"'0 9", min_size=1, max_size=5).filter(str.strip)
    hue = st.one_of(
        st.just((np.nan,) * 3), st.tuples(st.floats(0, 360), st.floats(0, 1), st.floats(0, 1))
    )
    looks = st.one_of(st.just((0,) * WIDE), st.binary(min_size=WIDE, max_size=WIDE).map(tuple))
    return clip_from_arrays(
        "made up",
        (draw(st.integers(1, 4000)), draw(st.integers(1, 4000))),
        draw(st.floats(0.1, 240)),
        np.array(rows(st.sampled_from(frames)), dtype=int),
        np.array(rows(words), dtype=str),
        corners,
        np.array(rows(real), dtype=float),
        np.array(rows(st.integers(-1, 2**40)), dtype=int),
        frames=frames,
        times=np.cumsum(steps),
        velocity=np.array(rows(st.tuples(real, real)), dtype=float).reshape(N, 2),
        colour=np.array(rows(hue), dtype=float).reshape(N, 3),
        looks=np.array(rows(looks), dtype=np.uint8).reshape(N, WIDE),
        projected=np.array(rows(st.booleans()), dtype=bool),
    )


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet"])
@settings(max_examples=40)
@given(clip=clips())
def test_what_is_saved_is_loaded(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, clip: Clip
) -> None:
    folder = tmp_path_factory.mktemp("saved")
    path = folder / f"clip{suffix}"
    save_clip(clip, path)
    back = load_clip(path)
    same(clip, back)
    assert back.name == "clip"
    if suffix == ".parquet":
        assert back.classes == clip.classes
    assert [file.name for file in folder.iterdir()] == [path.name]


def test_files_from_before_there_were_looks_are_what_they_were(tmp_path: Path) -> None:
    digits = "00" * 8 + "ff" + "00" * 5 + "7f80" + "00" * 12
    clip = load(tmp_path / "a.csv", HEADER + ",looks", *(f"{row},{digits}" for row in ROWS))
    np.testing.assert_array_equal(clip.looks, np.tile(bytes.fromhex(digits), (4, 1)).view(np.uint8))
    old = load(tmp_path / "b.csv", HEADER, *ROWS)
    unknown = load(tmp_path / "c.csv", HEADER + ",looks", *(f"{row}," for row in ROWS))
    assert not unknown.looks.any()
    assert old.sha256 == unknown.sha256 != clip.sha256
    for suffix in (".csv", ".parquet"):
        save_clip(old, tmp_path / f"d{suffix}")
        assert "looks" not in read_arrow(tmp_path / f"d{suffix}").column_names


def test_a_saved_file_is_plain_to_read(tmp_path: Path) -> None:
    clip = load(tmp_path / "a.csv", HEADER, *ROWS)
    save_clip(clip, tmp_path / "b.parquet")
    schema = pq.read_schema(tmp_path / "b.parquet")
    facts = json.loads(schema.metadata[b"sentrack"])
    assert (facts["width"], facts["height"], facts["fps"]) == (640, 480, 20)
    save_clip(clip, tmp_path / "b.csv")
    header = (tmp_path / "b.csv").read_text("utf-8").splitlines()[0].replace('"', "").split(",")
    assert {*HEADER.split(","), "width", "height", "fps", "time"} <= set(header)


@pytest.mark.parametrize(
    ("lines", "parts"),
    [
        ([HEADER.replace("x2", "x_2"), ROWS[0]], ["'x2'", "nearest column: 'x_2'"]),
        ([HEADER.replace("class", "clas"), ROWS[0]], ["'class'", "nearest column: 'clas'"]),
        (["class,x1,y1,x2,y2", "cup,1,2,3,4"], ["no column 'frame'"]),
        ([HEADER + ",vx,vz", ROWS[0] + ",1,2"], ["'vy'", "nearest column: 'vz'"]),
        ([HEADER, "0,cup,1,wide,3,4"], ["'y1'", "'wide'", "not a number"]),
        ([HEADER, "0.5,cup,1,2,3,4"], ["'frame'", "0.5", "whole number"]),
        ([HEADER, ",cup,1,2,3,4"], ["'frame'", "whole number"]),
        ([HEADER, "0,,1,2,3,4"], ["'class'", "empty"]),
        ([HEADER, "0,cup,1,2,3"], ["not a readable CSV file"]),
        ([HEADER], ["no row"]),
        ([HEADER, *ROWS, "1700000000001,cup,1,2,3,4"], ["'frame'", "spans"]),
        ([HEADER + ",time", "0,cup,1,2,3,4,2", "1,cup,1,2,3,4,1"], ["'time'", "'frame'"]),
        ([HEADER + ",looks", ROWS[0] + ",00ff"], ["'looks'", "28 bytes", "56 hexadecimal"]),
        ([HEADER + ",looks", ROWS[0] + "," + "xy" * 28], ["'looks'", "56 hexadecimal"]),
        ([HEADER + ",fps", ROWS[0] + ",-3"], ["fps must be above 0", "-3"]),
        ([HEADER + ",width,height", ROWS[0] + ",0,480"], ["size must be above 0", "0x480"]),
    ],
)
def test_a_file_at_fault(tmp_path: Path, lines: list[str], parts: list[str]) -> None:
    path = write(tmp_path / "wrong.csv", *lines)
    with pytest.raises(ClipError) as caught:
        load_clip(path)
    for part in [*parts, "wrong.csv"]:
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_arguments_at_fault(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", HEADER, *ROWS)
    many = write(tmp_path / "m.csv", "video," + HEADER, *(f"v{k}," + ROWS[0] for k in range(9)))
    with pytest.raises(ClipError, match="no such file"):
        load_clip(tmp_path / "none.csv")
    with pytest.raises(ClipError, match=r"holds 9 videos \(v0, v1, v2, \.\.\.\)"):
        load_clip(many)
    with pytest.raises(ClipError, match="no video 'v77'; nearest name: 'v7'"):
        load_clip(many, video="v77")
    with pytest.raises(ClipError, match="no column 'video'"):
        load_clip(path, video="v1")
    with pytest.raises(ClipError, match="fps must be above 0 and at most 1e\\+06, and it is 0"):
        load_clip(path, fps=0, size=(640, 480))
    with pytest.raises(ClipError, match="size must be above 0"):
        load_clip(path, fps=30, size=(640, -1))
    with pytest.raises(ClipError, match="must be before end"):
        load_clip(path, start=2, end=2)
    with pytest.raises(ClipError, match=r"the clip has 0\.00 to 0\.40 s"):
        load_clip(path, fps=20, size=(640, 480), start=5)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "empty"),
        ("a.parquet", b"", "empty"),
        ("a.parquet", b"frame,class\n", "not a readable Parquet file"),
        ("a.csv.gz", b"frame,class\n", "not a readable CSV file"),
        ("a.csv", b"\x00\xff\x00\xfe\x89PNG\r\n", "not a readable CSV file|no row|no column"),
    ],
)
def test_not_a_detections_file(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ClipError, match=message) as caught:
        load_clip(tmp_path / name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("told", ["[]", '{"width": "wide", "classes": 7}', '{"fps": null}'])
def test_metadata_that_makes_no_sense_is_not_believed(tmp_path: Path, told: str) -> None:
    columns = {"frame": [0], "class": ["cup"], "x1": [0], "y1": [0], "x2": [7], "y2": [5]}
    table = pa.table(columns).replace_schema_metadata({"sentrack": told})
    pq.write_table(table, tmp_path / "a.parquet")
    clip = load_clip(tmp_path / "a.parquet")
    assert (clip.size, clip.fps, clip.classes) == ((7, 5), 30, ("cup",))


def test_saving_where_it_cannot_be(tmp_path: Path) -> None:
    clip = load(tmp_path / "a.csv", HEADER, *ROWS)
    for name in ("a.csv", "a.csv.gz", "a.parquet"):
        with pytest.raises(SentrackError, match=r"none.a\..*cannot be written: No such file"):
            save_clip(clip, tmp_path / "none" / name)


def test_arrays_that_do_not_fit() -> None:
    box = [[0, 0, 1, 1]]
    with pytest.raises(ClipError, match="shape"):
        clip_from_arrays("a", (9, 9), 1, [0], ["cup"], box, score=[1, 2])
    with pytest.raises(ClipError, match="not among the frames"):
        clip_from_arrays("a", (9, 9), 1, [5], ["cup"], box, frames=[0, 1])
    with pytest.raises(ClipError, match="ascend"):
        clip_from_arrays("a", (9, 9), 1, [0], ["cup"], box, frames=[0, 0])
    with pytest.raises(ClipError, match="no frame"):
        clip_from_arrays("a", (9, 9), 1, [], [], [])


def test_labels_keep_the_whole_vocabulary() -> None:
    clip = clip_from_arrays("a", (9, 9), 1, [0], ["Pen", "tea cup"], [[0, 0, 1, 1]], label=[1])
    assert clip.classes == ("pen", "tea-cup")
    assert names(clip) == ["tea-cup"]
    empty = clip_from_arrays("a", (9, 9), 1, [], ["pen"], [], label=[], frames=[0, 1])
    assert (empty.T, len(empty.boxes)) == (2, 0)


def test_the_clip_of_the_papers_corpus(shared_data: Path) -> None:
    clip = load_clip(shared_data / "mvi_0820" / "detections.csv.gz", size=(1280, 960), fps=30)
    assert (clip.T, clip.frames[0], clip.frames[-1]) == (114, 1, 114)
    assert sorted(clip.classes) == ["backpack", "chair", "person", "trash-can"]
    np.testing.assert_array_equal(np.diff(clip.start), 80)
    np.testing.assert_array_equal(clip.boxes[0], [34, 530, 170, 702])
    assert clip.score[0] == -0.5674396753311157


def test_one_video_of_cad120_is_read_alone(shared_data: Path) -> None:
    path = shared_data / "cad120" / "tracks.csv.gz"
    first = videos(path)[0]
    clip = load_clip(path, size=(640, 480), fps=30, video=first)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [line.split(",") for line in file if line.startswith(first + ",")]
    assert len(clip.boxes) == len(rows)
    assert sorted(names(clip)) == sorted(row[3] for row in rows)
    assert max(int(row[1]) for row in rows) + 1 == clip.T
    # Hands reach for things, heads hardly move, and nobody's hand flies across a frame in 1/5 s.
    speed = np.hypot(*clip.velocity.T)
    hands, heads = (speed[clip.label == clip.classes.index(name)] for name in ("hand", "head"))
    assert 0.05 < np.median(hands) < 1.0
    assert np.median(heads) < np.median(hands)
    assert np.percentile(speed, 99) < 3.0


def test_times_that_do_not_tell_frames_apart(tmp_path: Path) -> None:
    path = tmp_path / "far.csv"
    rows = "0,person,0,0,9,9,\n1,person,0,0,9,9,1e30\n"
    path.write_text(f"frame,class,x1,y1,x2,y2,time\n{rows}")
    with pytest.raises(ClipError, match=r"far\.csv: column 'time' does not tell .* 1e\+30 s"):
        load_clip(path, size=(64, 48), fps=30)
