"""How long work says how far it is."""

from typing import Protocol


class Report(Protocol):
    """Called as work goes on."""

    def __call__(self, stage: str, done: float, total: float | None) -> None:
        """Say how much of a stage is done, of how much if that is known."""


def silent(stage: str, done: float, total: float | None) -> None:
    """Report to nobody."""
