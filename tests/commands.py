"""The command line, in a process of its own or in this one."""

import os
import subprocess
import sys
from pathlib import Path
from subprocess import CompletedProcess
from typing import Protocol

from coverage import Coverage

ROOT = Path(__file__).parents[1]


class Run(Protocol):
    """Runs a command; see the fixture of that name."""

    def __call__(self, *arguments: str) -> CompletedProcess[str]: ...


def start(*arguments: str, **environment: str) -> CompletedProcess[str]:
    """Run a command as a person does."""
    return subprocess.run(
        [sys.executable, "-m", "sentrack", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200", **environment},
    )


def measured_python() -> list[str]:
    """What runs a module such that its coverage is measured, if that of this process is.

    Not for all processes: those that are traced take twice the time.
    """
    if Coverage.current() is None:
        return [sys.executable]
    data, settings = ROOT / ".coverage", ROOT / "pyproject.toml"
    options = ["--parallel-mode", f"--data-file={data}", f"--rcfile={settings}"]
    return [sys.executable, "-m", "coverage", "run", *options]
