"""What a long run has measured already, so that one that was broken off goes on."""

import hashlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import benchmarks
import sentrack


@cache
def version() -> str:
    """A digest of all code that figures come from."""
    digest = hashlib.sha256()
    for package in (sentrack, benchmarks):
        for path in sorted(Path(next(iter(package.__path__))).rglob("*.*")):
            if path.suffix in (".py", ".toml"):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


class Journal:
    """Figures by what was measured, a line each, as JSON; those of other code are forgotten.

    Args:
        path: of the file, which is made when there is something to keep.
        code: what figures are worth only as long as it is the same.
    """

    def __init__(self, path: Path, code: str | None = None) -> None:
        self.path, self.code = path, version() if code is None else code
        self._known: dict[str, Any] = {}
        if path.exists():
            text = path.read_text(encoding="utf-8")
            complete = text[: text.rfind("\n") + 1]
            if complete != text:  # the last line was cut off in the writing
                path.write_text(complete, encoding="utf-8")
            entries = [json.loads(line) for line in complete.splitlines()]
            self._known = {key: value for code, key, value in entries if code == self.code}

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def __getitem__(self, key: str) -> Any:
        return self._known[key]

    def keep(self, key: str, value: Any) -> None:
        """Remember a figure, of what JSON has, here and in the file."""
        line = json.dumps([self.code, key, value])
        self._known[key] = json.loads(line)[2]
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def once(self, key: str, measure: Callable[[], Any]) -> Any:
        """What was measured under a key; measured now if it is not known."""
        if key not in self:
            self.keep(key, measure())
        return self[key]

    def end(self) -> None:
        """All is measured: the next run begins anew."""
        self.path.unlink(missing_ok=True)
