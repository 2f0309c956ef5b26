"""Packages that not every installation has."""

from collections.abc import Iterator
from contextlib import contextmanager

from sentrack.errors import SentrackError


class MissingError(SentrackError):
    """A package is not installed; the message says how it gets there."""


@contextmanager
def requires(package: str) -> Iterator[None]:
    """What is imported here may be missing.

    Args:
        package: what brings it, as pip knows it: "sentrack[video]".

    Raises:
        MissingError: something is missing, but no part of sentrack itself.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing == "sentrack":
            raise
        quoted = f'"{package}"' if "[" in package else package
        raise MissingError(f"{missing} is missing; run: pip install {quoted}") from None
