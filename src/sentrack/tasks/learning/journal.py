"""What a run has reached, on disk, so that an interrupted one goes on where it was."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sentrack.files import whole
from sentrack.tasks.learning.e_step import Belief


@dataclass(frozen=True, eq=False)
class Entry:
    """Where a climb is: the belief, the iterations done, the objective and whether it is over."""

    belief: Belief
    iteration: int
    objective: dict[str, float]
    done: bool


class Journal:
    """One file with the latest entry of every climb of a run; without a path nothing is kept.

    Args:
        path: the file; one of another run is disregarded and overwritten.
        run: what tells this run from others.
    """

    def __init__(self, path: Path | None, run: str) -> None:
        self._path = path
        self._data: dict[str, Any] = {"run": run, "climbs": {}}
        if path is not None and path.exists():
            try:
                found = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                found = None
            if isinstance(found, dict) and found.get("run") == run:
                self._data = found

    def read(self, climb: str, belief: Belief) -> Entry | None:
        """The latest entry of a climb; what is fixed comes from the belief given."""
        data = self._data["climbs"].get(climb)
        if data is None:
            return None
        models = dict(belief.models)
        for text, word in data["words"].items():
            part, _, name = text.partition("/")
            models[part, name] = replace(
                models[part, name],
                outputs=tuple(np.array(output) for output in word["outputs"]),
                initial=np.array(word["initial"]),
                seconds=None if word["seconds"] is None else np.array(word["seconds"]),
            )
        shares = {noun: np.array(share) for noun, share in data["shares"].items()}
        known = replace(belief, models=models, shares=shares)
        return Entry(known, data["iteration"], data["objective"], data["done"])

    def write(self, climb: str, entry: Entry) -> None:
        """Keep an entry; the file is replaced whole."""
        if self._path is None:
            return
        words = {}
        for part, name in sorted(entry.belief.learned):
            model = entry.belief.models[part, name]
            words[f"{part}/{name}"] = {
                "outputs": [output.tolist() for output in model.outputs],
                "initial": model.initial.tolist(),
                "seconds": None if model.seconds is None else model.seconds.tolist(),
            }
        self._data["climbs"][climb] = {
            "words": words,
            "shares": {noun: share.tolist() for noun, share in entry.belief.shares.items()},
            "iteration": entry.iteration,
            "objective": entry.objective,
            "done": entry.done,
        }
        with whole(self._path) as temporary:
            temporary.write_text(json.dumps(self._data), encoding="utf-8")

    def close(self) -> None:
        """The run is over: nothing is left to be resumed."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
