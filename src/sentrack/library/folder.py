"""The folder of a library: on this machine, or wherever fsspec reaches."""

import os
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

from sentrack.errors import SentrackError
from sentrack.files import whole


class LibraryError(SentrackError, ValueError):
    """A library cannot do what is asked; the message says why and what to do."""


class DamagedError(LibraryError):
    """A clip cannot be read any more; the others can."""


class Folder:
    """Files of one folder, which appear whole or not at all.

    Args:
        url: a path or any fsspec URL; it need not be there yet.

    Attributes:
        url: the same in full, so that it means the same to other processes.
        path: of the folder, if it is on this machine.
    """

    def __init__(self, url: str | Path) -> None:
        if not str(url):
            raise LibraryError("the library has no name; give a folder or a URL")
        try:
            self._fs, self._root = url_to_fs(str(url))
        except (ValueError, ImportError) as error:
            raise LibraryError(f"{url}: {error}") from None
        local = isinstance(self._fs, LocalFileSystem)
        self.path = Path(self._root) if local else None
        self.url: str = self._root if local else self._fs.unstrip_protocol(self._root)

    def exists(self) -> bool:
        """Whether the folder is there."""
        return bool(self._fs.isdir(self._root))

    def files(self) -> list[str]:
        """The names in the folder; none if it is not there."""
        try:
            if self.path is not None:
                return os.listdir(self.path)
            self._fs.invalidate_cache()
            return [os.path.basename(each) for each in self._fs.ls(self._root, detail=False)]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._error("it cannot be listed", error) from None

    def size(self, name: str) -> int:
        """The size of a file."""
        return int(self._fs.size(self._at(name)))

    def age(self, name: str) -> float | None:
        """Seconds since a file was written; None if that is not known."""
        try:
            written = self._fs.modified(self._at(name))
        except (NotImplementedError, FileNotFoundError):
            return None
        written = written if written.tzinfo else written.replace(tzinfo=UTC)
        return float((datetime.now(UTC) - written).total_seconds())

    def open(self, name: str) -> Any:
        """A file to read; the caller closes it."""
        if self.path is None:
            return self._fs.open(self._at(name), "rb")
        return pa.OSFile(os.fsencode(self._at(name)))

    def read(self, name: str) -> bytes:
        """All of a file."""
        if self.path is None:
            return bytes(self._fs.cat_file(self._at(name)))
        return (self.path / name).read_bytes()

    def put(self, name: str, content: bytes) -> None:
        """Write a file by a temporary one beside it that takes its name; see `whole`."""
        try:
            self._fs.makedirs(self._root, exist_ok=True)
            if self.path is not None:
                with whole(self.path / name) as draft:
                    draft.write_bytes(content)
                return
            temporary = self._at(f".{uuid.uuid4().hex[:12]}.{name}")
            self._fs.pipe_file(temporary, content)
            self._fs.mv(temporary, self._at(name))
        except OSError as error:
            raise self._error(f"{name} cannot be written", error) from None

    def remove(self, name: str) -> None:
        """Remove a file; one that is gone already is no matter."""
        try:
            self._fs.rm_file(self._at(name))
        except FileNotFoundError:
            pass
        except OSError as error:
            raise self._error(f"{name} cannot be removed", error) from None

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _error(self, what: str, error: OSError) -> LibraryError:
        return LibraryError(f"{self.url}: {what}: {error.strerror or error}")
