"""Damage done to the files of a library, and that it is found."""

import json
from pathlib import Path

import pyarrow.parquet

from sentrack.cache import digest
from sentrack.library import Store


def assert_flip_is_found(folder: Path, file: str, content: bytes, bit: int) -> None:
    """Flip a bit of a file: the library says so, and puts it back afterwards."""
    flipped = bytearray(content)
    flipped[bit // 8] ^= 1 << bit % 8
    (folder / file).write_bytes(flipped)
    problems = [(problem.kind, problem.what) for problem in Store(folder).check()]
    kind = "catalogue" if file == "catalogue.parquet" else "corrupt"
    assert problems == [(kind, file)], f"bit {bit} of {file}"
    (folder / file).write_bytes(content)


def unsealed(path: Path) -> None:
    """Make a clip what it would have been in a release without digests."""
    with pyarrow.parquet.ParquetFile(path) as file:
        table = file.read()
    facts = json.loads(table.schema.metadata[b"sentrack"])
    del facts["sealed"], facts["digest"], facts["origin"]["raw"]
    facts["digest"] = digest(facts)
    table = table.replace_schema_metadata({b"sentrack": json.dumps(facts).encode()})
    pyarrow.parquet.write_table(table, path, compression="zstd", write_page_checksum=True)
