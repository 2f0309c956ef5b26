"""What is told of moments as they come: excerpts with their pixels, and posts to a web hook."""

import ipaddress
import logging
import re
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from urllib.parse import urlsplit

import cv2
import numpy as np

from sentrack.errors import SentrackError
from sentrack.files import free
from sentrack.show.annotation import annotate
from sentrack.show.excerpt import EXCERPT_WIDTH, smaller
from sentrack.tasks import Moment
from sentrack.text import strict_json
from sentrack.vision.scan import Frame

QUALITY = 85  # of the pictures that are kept, in per cent
PATIENCE = 5.0  # seconds in which a web hook must answer

_log = logging.getLogger("sentrack")


class Excerpts:
    """Keeps the pictures of the last seconds, and writes those of a moment as a video.

    Args:
        folder: of the videos.
        window: seconds of pictures that are kept, compressed: memory does not grow beyond that.

    Raises:
        SentrackError: the folder cannot be made.
    """

    def __init__(self, folder: Path, window: float) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SentrackError(f"{folder}: it cannot be made: {error.strerror}") from None
        self._folder, self._window = folder, window
        self._kept: deque[tuple[int, float, bytes]] = deque()
        self._lock = Lock()

    def keep(self, frame: Frame) -> None:
        """Keep a picture, and let go of those that are too old."""
        options = [cv2.IMWRITE_JPEG_QUALITY, QUALITY]
        jpeg = cv2.imencode(".jpg", smaller(frame.image, EXCERPT_WIDTH), options)[1].tobytes()
        with self._lock:
            self._kept.append((frame.number, frame.time, jpeg))
            while frame.time - self._kept[0][1] > self._window + 2:
                self._kept.popleft()

    def write(self, moment: Moment) -> Path:
        """Write a moment, with its tracks, as a video of its own."""
        name = re.sub(r"[^\w-]+", "-", moment.sentence).strip("-").lower()[:60]
        path = free(self._folder / f"{moment.start:08.1f}s-{name}.mp4")
        annotate([moment.tracking], self._frames(), path)
        return path

    def _frames(self) -> Iterator[Frame]:
        with self._lock:
            kept = list(self._kept)
        for number, time, jpeg in kept:
            image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
            yield Frame(number, time, np.asarray(image, np.uint8))


class Hook:
    """Posts moments to an address on this machine.

    Args:
        address: http://127.0.0.1:PORT/PATH or alike.

    Raises:
        SentrackError: it is no address, or one of another machine.
    """

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        if parts.scheme != "http" or not parts.hostname:
            raise SentrackError(f"{address}: a hook is an address such as http://127.0.0.1:8000/")
        try:
            here = ipaddress.ip_address(parts.hostname).is_loopback
        except ValueError:
            here = parts.hostname == "localhost"
        if not here:
            raise SentrackError(
                f"{address}: a hook must be on this machine: 127.0.0.1 or localhost"
            )
        self._address = address
        # No proxy of the environment: it stays on this machine.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def post(self, document: dict[str, object]) -> None:
        """Post a moment; if nobody takes it, that is said, and nothing else is held up."""
        request = urllib.request.Request(
            self._address,
            strict_json(document).encode(),
            {"Content-Type": "application/json"},
            method="POST",
        )
        try:
            self._opener.open(request, timeout=PATIENCE).close()
        except (urllib.error.URLError, OSError) as error:
            _log.warning("%s: the moment was not taken: %s", self._address, error)
