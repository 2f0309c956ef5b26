"""Files of others, read in pieces: a small one may unpack to more than there is memory for."""

import gzip
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from sentrack.vision.clip import ClipError

MOST_ROWS = 20_000_000
MOST_BYTES = 2 << 30  # of a file that is unpacked, and of the columns read from it
PIECE = 1 << 20  # bytes that are unpacked at a time
BATCH = 1 << 16  # rows that are decoded at a time
LONGEST = 1 << 10  # bytes of a text in a cell


def read_content(path: Path) -> bytes:
    """All bytes of a file, unpacked if its name ends in .gz.

    Raises:
        ClipError: it unpacks to more than MOST_BYTES, or more lines than MOST_ROWS.
        OSError: it cannot be read.
    """
    packed = path.suffix.lower() == ".gz"
    pieces, size, lines = [], 0, 0
    with cast(BinaryIO, gzip.open(path)) if packed else path.open("rb") as stream:
        try:
            while piece := stream.read(PIECE):
                size, lines = size + len(piece), lines + piece.count(b"\n")
                _limit(path, size, lines)
                pieces.append(piece)
        except (EOFError, zlib.error) as error:
            raise OSError(f"it is packed, and damaged: {error}") from None
    return b"".join(pieces)


def read_parquet(path: Path, known: Iterable[str]) -> Any:
    """Some columns of a Parquet file as an Arrow table; of the others, names without content.

    Args:
        path: the file.
        known: names of columns, in lower case.

    Raises:
        ClipError: there is more in it than the limits allow, or a column holds no plain values.
        OSError, ArrowException: it cannot be read.
    """
    wanted = set(known)
    # A file, not a dataset, which would read folders named k=v.
    with path.open("rb") as stream, pyarrow.parquet.ParquetFile(stream) as file:
        schema, rows = file.schema_arrow, file.metadata.num_rows
        _limit(path, 0, rows)
        taken = [each for each in schema if each.name.strip().lower() in wanted]
        for each in taken:
            if pa.types.is_nested(each.type):
                text = f"column {each.name!r} holds {each.type}, not a value in each row"
                raise ClipError(f"{path}: {text}")
        names = list(dict.fromkeys(each.name for each in taken))
        texts = [each.name for each in taken if _is_text(each.type)]
    with (
        path.open("rb") as stream,
        # Text by its number: a row of it takes no more, however long it is.
        pyarrow.parquet.ParquetFile(stream, read_dictionary=texts) as file,
    ):
        batches, size, read = [], 0, 0
        for batch in file.iter_batches(BATCH, columns=names):
            size += batch.nbytes + sum(_text_size(path, name, batch[name]) for name in texts)
            read += batch.num_rows
            _limit(path, size, read)
            columns = [batch[name] for name in names]
            plain = [
                c.dictionary_decode() if pa.types.is_dictionary(c.type) else c for c in columns
            ]
            batches.append(pa.record_batch(plain, names))
        empty = [schema.field(name) for name in names]
        table = pa.Table.from_batches(batches, None if batches else pa.schema(empty))
    for name in schema.names:
        if name not in names:
            table = table.append_column(name, pa.nulls(read))
    return table.replace_schema_metadata(schema.metadata)


def _text_size(path: Path, name: str, column: Any) -> int:
    """Bytes that a column of text takes when it is no longer dictionary-encoded.

    Raises:
        ClipError: a text in it is too long to be a name or a number.
    """
    lengths = pc.binary_length(column.dictionary)
    longest = pc.max(lengths).as_py() or 0
    if longest > LONGEST:
        raise ClipError(f"{path}: column {name!r} holds a text of {longest:,} bytes")
    return int(pc.sum(pc.cast(lengths, pa.int64()).take(column.indices)).as_py() or 0)


def _is_text(kind: Any) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _limit(path: Path, size: int, rows: int) -> None:
    if rows <= MOST_ROWS and size <= MOST_BYTES:
        return
    much = f"has more than {MOST_ROWS:,} rows"
    if rows <= MOST_ROWS:
        much = f"unpacks to more than {MOST_BYTES:,} bytes"
    raise ClipError(f"{path}: it {much}; divide it into several files")
