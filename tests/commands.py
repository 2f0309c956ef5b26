"""The command line, in a process of its own or in this one."""

import os
import subprocess
import sys
from subprocess import CompletedProcess
from typing import Protocol


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


def unmeasured() -> dict[str, str]:
    """The environment of a process whose coverage is not measured: it could not keep it."""
    return {key: value for key, value in os.environ.items() if not key.startswith("COVERAGE_")}
