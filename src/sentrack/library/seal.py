"""Parquet files that carry the SHA-256 of all their bytes, so that no damage goes unnoticed.

The digest is a value in the footer, which any reader of Parquet passes over. It is that of the file
with zeros in its place.
"""

import hashlib
import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet

KEY = "sentrack-sha256"
MARK = b"sha256:"  # what stands before the digest
ZEROS = b"0" * 64


class DamageError(ValueError):
    """A file is not what was written; the message says how that shows."""


def seal(table: Any) -> bytes:
    """An Arrow table as a file."""
    buffer = io.BytesIO()
    with pyarrow.parquet.ParquetWriter(buffer, table.schema, compression="zstd") as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({KEY: (MARK + ZEROS).decode()})
    content = bytearray(buffer.getvalue())
    at = _place(content)
    assert at is not None
    content[at : at + len(ZEROS)] = hashlib.sha256(content).hexdigest().encode()
    return bytes(content)


def is_sealed(content: bytes) -> bool:
    """Whether a file carries a digest; those of earlier releases do not."""
    return _place(content) is not None


def check(content: bytes) -> None:
    """Compare a file with the digest that it carries.

    Raises:
        DamageError: it differs, or there is none.
    """
    at = _place(content)
    if at is None:
        raise DamageError("it carries no digest")
    view = memoryview(content)
    total = hashlib.sha256(view[:at])
    total.update(ZEROS)
    total.update(view[at + len(ZEROS) :])
    if total.hexdigest().encode() != bytes(view[at : at + len(ZEROS)]):
        raise DamageError("its bytes are not those that were written")


def read(content: bytes) -> Any:
    """The Arrow table in a file, which is not compared with its digest.

    Raises:
        DamageError: it cannot be read.
    """
    try:
        with pyarrow.parquet.ParquetFile(
            pa.BufferReader(content), page_checksum_verification=True
        ) as file:
            return file.read()
    except (pa.ArrowException, OSError, ValueError, KeyError, MemoryError) as error:
        raise DamageError((str(error).splitlines() or ["unreadable"])[0]) from None


def _place(content: bytes | bytearray) -> int | None:
    """Where the digest is; None where there is none."""
    # Eight bytes come last: the length of the footer, and what every Parquet file ends with.
    footer = int.from_bytes(content[-8:-4], "little")
    at = content.rfind(MARK, max(0, len(content) - 8 - footer))
    found = at + len(MARK)
    return None if at < 0 or found + len(ZEROS) > len(content) else found
