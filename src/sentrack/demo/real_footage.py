"""Real footage that wheels on the package index carry, for demonstrations and tests."""

from pathlib import Path

from sentrack.progress import Report, silent
from sentrack.vision import fetch_files

# The wheel, the file in it and its SHA-256.
FOOTAGE = {
    # 61 s: a car crosses a driveway, stops and leaves; a hand-held camera.
    "driveway": (
        "pyvision3==0.1.8",
        "pyvision3/data/prius_movie.mov",
        "fdd63482f3316afac3d093d12f5373c28f8ea5bc66624d261f7612bbb3f9ede8",
    ),
    # 8 s: two people walk past each other.
    "walkers": (
        "sports2d==0.8.34",
        "Sports2D/Demo/demo.mp4",
        "d9a66417185647b112304b57093f0c180f37a768e6a14daca75ca541f3b78039",
    ),
}


def footage(name: str, report: Report = silent) -> Path:
    """A video file, fetched once and kept in the cache."""
    requirement, member, digest = FOOTAGE[name]
    return fetch_files(requirement, {member: digest}, report) / member
