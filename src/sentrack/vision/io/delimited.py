"""Text files of boxes: a line is a row of numbers and words between blanks or commas."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from sentrack.vision.clip import ClipError, Floats, Ints
from sentrack.vision.io.columns import not_whole
from sentrack.vision.io.limits import read_content


@dataclass(frozen=True, eq=False)
class Text:
    """R rows of C columns, and the cleaned bytes that they were read from."""

    path: Path
    data: bytes
    comma: bytes
    columns: list[Any]

    @classmethod
    def read(
        cls, path: Path, comma: str, widths: Collection[int], words: Collection[int]
    ) -> "Text":
        """Read a file whole.

        Args:
            path: the file.
            comma: what stands between columns: a comma or a blank.
            widths: numbers of columns that are right.
            words: columns that hold words; all others hold numbers.
        """
        try:
            data = read_content(path).removeprefix(b"\xef\xbb\xbf")
        except OSError as error:
            raise ClipError(f"{path}: it cannot be read: {error.strerror or error}") from error
        if comma == " ":
            data = data.translate(bytes.maketrans(b"\t", b" "), b"\r")
            while b"  " in data:
                data = data.replace(b"  ", b" ")
            data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")
        else:
            data = data.translate(None, b" \t\r")
        text = cls(path, data, comma.encode(), [])
        if not data.strip(b"\n"):
            raise ClipError(f"{path}: there is no row in it")
        width = data.lstrip(b"\n").split(b"\n", 1)[0].count(text.comma) + 1
        if width not in widths:
            right = ", ".join(map(str, sorted(widths)))
            raise ClipError(f"{path}: line {text.line(0)} has {width} columns, not {right}")
        kinds = {f"f{k}": pa.string() if k in words else pa.float64() for k in range(width)}
        try:
            table = pyarrow.csv.read_csv(
                pa.BufferReader(data),
                read_options=pyarrow.csv.ReadOptions(autogenerate_column_names=True),
                parse_options=pyarrow.csv.ParseOptions(delimiter=comma, quote_char=False),
                convert_options=pyarrow.csv.ConvertOptions(column_types=kinds),
            )
        except pa.ArrowException as error:
            raise ClipError(f"{path}: {text._fault(width, words)}") from error
        text.columns.extend(table.columns)
        return text

    def numbers(self, *columns: int) -> Floats:
        """(R, C) some columns of numbers, NaN where there is none."""
        values = [self.columns[k].fill_null(np.nan).to_numpy() for k in columns]
        return np.stack(values, axis=1)

    def whole(self, column: int, what: str) -> Ints:
        """(R,) a column of whole numbers."""
        values = self.numbers(column)[:, 0]
        wrong = not_whole(values)
        if wrong.any():
            row = int(np.argmax(wrong))
            where = f"{self.path}: line {self.line(row)}"
            raise ClipError(f"{where}: {what} is {values[row]:g}, not a whole number")
        return values.astype(np.int64)

    def words(self, column: int) -> tuple[list[str], Ints]:
        """The different words of a column, in the order of the file, and (R,) which a row has."""
        coded = self.columns[column].combine_chunks().dictionary_encode()
        return coded.dictionary.to_pylist(), coded.indices.to_numpy().astype(np.int64)

    def line(self, row: int) -> int:
        """The number of the line that a row stands on: empty lines are no rows."""
        full = (k for k, line in enumerate(self.data.split(b"\n"), 1) if line)
        return next(k for r, k in enumerate(full) if r == row)

    def _fault(self, width: int, words: Collection[int]) -> str:
        """What keeps the lines from being read as rows."""
        for number, line in enumerate(self.data.split(b"\n"), 1):
            cells = line.decode("utf-8", "replace").split(self.comma.decode())
            if line and len(cells) != width:
                return f"line {number} has {len(cells)} columns, and the lines before it {width}"
            for k, cell in enumerate(cells):
                if line and k not in words and not is_number(cell):
                    return f"line {number} holds {cell[:40]!r}, which is not a number"
        return "it is not text that can be read"


def is_number(word: str) -> bool:
    """Whether a word reads as a number; nothing reads as an unknown one."""
    try:
        float(word or "nan")
    except ValueError:
        return False
    return True


def lines(comma: str, *columns: npt.NDArray[Any] | list[str]) -> list[str]:
    """One line for every row, with all the digits of its numbers."""
    text = [pc.cast(pa.array(column), pa.string()) for column in columns]
    found: list[str] = pc.binary_join_element_wise(*text, comma).to_pylist()
    return found
