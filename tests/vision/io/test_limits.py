"""Small files that unpack to a great deal."""

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from sentrack.vision import ClipError, load_clip
from sentrack.vision.io import limits

BOX = {"x1": 1.0, "y1": 1.0, "x2": 9.0, "y2": 9.0}


def table(rows: int, **more: object) -> pa.Table:
    columns = {"frame": 0, "class": "cup", **BOX, **more}
    return pa.table({name: pa.repeat(pa.scalar(value), rows) for name, value in columns.items()})


def test_rows_are_counted_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the run-length encoding of Parquet, any number of rows takes some hundred bytes."""
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(table(100_001), path, compression="zstd")
    assert path.stat().st_size < 10_000
    monkeypatch.setattr(limits, "MOST_ROWS", 100_000)
    with pytest.raises(ClipError, match=r"a\.parquet: it has more than 100,000 rows"):
        load_clip(path)


@pytest.mark.parametrize("kind", ["parquet", "csv.gz"])
def test_bytes_are_counted_as_they_are_read(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_BYTES", 3_000_000)
    path = tmp_path / f"a.{kind}"
    if kind == "parquet":
        numbers = np.random.default_rng(0).random(200_000)
        pyarrow.parquet.write_table(table(200_000).set_column(2, "x1", pa.array(numbers)), path)
    else:
        with gzip.open(path, "wt") as file:
            file.write("frame,class,x1,y1,x2,y2\n" + "0,cup,1,1,9,9\n" * 300_000)
    with pytest.raises(ClipError, match=r"it unpacks to more than 3,000,000 bytes; divide it"):
        load_clip(path)


def test_lines_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_ROWS", 1000)
    for name, line in (("a.csv", "0,cup,1,1,9,9"), ("b.txt", "1,1,1,1,9,9")):
        path = tmp_path / name
        head = "frame,class,x1,y1,x2,y2\n" if name == "a.csv" else ""
        path.write_text(head + f"{line}\n" * 1001)
        with pytest.raises(ClipError, match="it has more than 1,000 rows"):
            load_clip(path, size=(64, 48), fps=30)


@pytest.mark.parametrize("column", ["class", "video", "frame", "id"])
def test_a_long_text_in_every_row_takes_no_room(tmp_path: Path, column: str) -> None:
    """A megabyte in each of a hundred thousand rows would take a hundred gigabytes."""
    path = tmp_path / "a.parquet"
    long = pa.DictionaryArray.from_arrays(pa.array(np.zeros(100_000, np.int32)), ["x" * 1_000_000])
    made = table(100_000)
    if column in made.column_names:
        made = made.drop_columns([column])
    pyarrow.parquet.write_table(made.append_column(column, long), path)
    assert path.stat().st_size < 3_000_000
    with pytest.raises(ClipError, match=f"column '{column}' holds a text of 1,000,000 bytes"):
        load_clip(path, size=(64, 48), fps=30)


def test_text_counts_as_it_will_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_BYTES", 50_000_000)
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(
        table(100_000, remark="x")
        .drop_columns(["class"])
        .append_column("class", pa.repeat(pa.scalar("y" * 1000), 100_000)),
        path,
    )
    with pytest.raises(ClipError, match="it unpacks to more than 50,000,000 bytes"):
        load_clip(path, size=(64, 48), fps=30)


def test_files_in_pieces_with_other_names_in_each(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parts = [table(3, **{"class": name, "frame": n}) for n, name in enumerate("abcab")]
    with pyarrow.parquet.ParquetWriter(path, parts[0].schema) as writer:
        for part in parts:
            writer.write_table(part)
    clip = load_clip(path, size=(64, 48), fps=30)
    assert [clip.classes[k] for k in clip.label[::3]] == list("abcab")


def test_columns_of_no_use_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    long = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1000, np.int32)), ["x" * 1_000_000])
    lists = pa.array([[1, 2]] * 1000)
    made = table(1000).append_column("remarks", long).append_column("shape", lists)
    pyarrow.parquet.write_table(made, path)
    assert len(load_clip(path, size=(64, 48), fps=30).boxes) == 1000
    pyarrow.parquet.write_table(made.rename_columns(["frame_no", *made.column_names[1:]]), path)
    with pytest.raises(ClipError, match="no column 'frame'; nearest column: 'frame_no'"):
        load_clip(path, size=(64, 48), fps=30)


def test_lists_are_no_values(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    made = table(10).drop_columns(["frame"]).append_column("frame", pa.array([[0] * 9] * 10))
    pyarrow.parquet.write_table(made, path)
    with pytest.raises(ClipError, match="column 'frame' holds list<"):
        load_clip(path)


def test_a_packed_file_that_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    packed = gzip.compress(b"frame,class,x1,y1,x2,y2\n" + b"0,cup,1,1,9,9\n" * 1000)
    for content in (packed[:-9], packed[:20] + b"??" + packed[22:], b"no gzip"):
        path.write_bytes(content)
        with pytest.raises(ClipError, match=r"a\.csv\.gz: not a readable CSV file"):
            load_clip(path)
