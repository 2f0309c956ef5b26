"""Street footage with people and cars, from Debian's package of OpenCV examples."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from sentrack.cache import cache_folder, checksum
from sentrack.files import whole

PACKAGE = "opencv-doc"
MEMBER = "usr/share/doc/opencv-doc/examples/data/vtest.avi"
DIGEST = "45cddc9490be69345cbdab64ca583be65987e864ca408038e648db99e10516cf"


def street() -> Path:
    """768x576, 10 frames per second, 79.5 s, fixed camera; fetched once and kept in the cache."""
    path = cache_folder() / "debian" / Path(MEMBER).name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder, whole(path) as temporary:
            _run(folder, "apt-get", "download", PACKAGE)
            (package,) = Path(folder).glob("*.deb")
            _run(folder, "dpkg-deb", "-x", package.name, "content")
            shutil.copy(Path(folder) / "content" / MEMBER, temporary)
    if checksum(path) != DIGEST:
        raise ValueError(f"{path} is not the file that is meant; delete it")
    return path


def _run(folder: str, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
