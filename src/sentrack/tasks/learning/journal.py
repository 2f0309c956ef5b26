"""What a run has reached, on disk, so that an interrupted one goes on where it was."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sentrack.files import whole
from sentrack.tasks.learning.e_step import Parameters


@dataclass(frozen=True, eq=False)
class StageProgress:
    """How far a stage of learning is.

    Attributes:
        parameters: after the last iteration.
        iteration: how many were done.
        objective: of each group of words, as last computed.
        done: whether the stage is over.
    """

    parameters: Parameters
    iteration: int
    objective: dict[str, float]
    done: bool


class Journal:
    """One file with the progress of every stage of a run; without a path nothing is kept.

    Args:
        path: the file; one of another run is disregarded and overwritten.
        run: what tells this run from others.
    """

    def __init__(self, path: Path | None, run: str) -> None:
        self._path = path
        self._data: dict[str, Any] = {"run": run, "stages": {}}
        if path is not None and path.exists():
            try:
                found = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                found = None
            if isinstance(found, dict) and found.get("run") == run and "stages" in found:
                self._data = found

    def read(self, stage: str, parameters: Parameters) -> StageProgress | None:
        """The progress of a stage that was begun; what is fixed is that of the parameters given."""
        data = self._data["stages"].get(stage)
        if data is None:
            return None
        models = dict(parameters.models)
        for text, word in data["words"].items():
            part, _, name = text.partition("/")
            models[part, name] = replace(
                models[part, name],
                outputs=tuple(np.array(output) for output in word["outputs"]),
                initial=np.array(word["initial"]),
                seconds=None if word["seconds"] is None else np.array(word["seconds"]),
            )
        nouns = {noun: np.array(classes) for noun, classes in data["nouns"].items()}
        known = replace(parameters, models=models, nouns=nouns)
        return StageProgress(known, data["iteration"], data["objective"], data["done"])

    def write(self, stage: str, progress: StageProgress) -> None:
        """Keep the progress of a stage; the file is replaced whole."""
        if self._path is None:
            return
        words, parameters = {}, progress.parameters
        for part, name in sorted(parameters.learned):
            model = parameters.models[part, name]
            words[f"{part}/{name}"] = {
                "outputs": [output.tolist() for output in model.outputs],
                "initial": model.initial.tolist(),
                "seconds": None if model.seconds is None else model.seconds.tolist(),
            }
        self._data["stages"][stage] = {
            "words": words,
            "nouns": {noun: classes.tolist() for noun, classes in parameters.nouns.items()},
            "iteration": progress.iteration,
            "objective": progress.objective,
            "done": progress.done,
        }
        with whole(self._path) as temporary:
            temporary.write_text(json.dumps(self._data), encoding="utf-8")

    def close(self) -> None:
        """The run is over: nothing is left to be resumed."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
