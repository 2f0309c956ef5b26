"""One HTML file that shows an answer anywhere: no server, no network, nothing beside it."""

import base64
import hashlib
import html
import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from sentrack.files import new, whole
from sentrack.progress import Report, silent
from sentrack.show.view import View
from sentrack.text import strict_json

if TYPE_CHECKING:
    from sentrack.vision.scan import Frame

INSIDE = 24_000_000  # bytes of a video that is put into the page; a larger one is put beside it
# In the order in which each needs those before it.
SCRIPTS = ("dom.js", "timeline.js", "stage.js", "viewer.js", "report.js")
PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="$policy">
<title>$title</title>
<link rel="icon" href="data:,">
<style>$style</style>
</head>
<body>
<main><div id="view"></div></main>
<script type="application/json" id="data">$data</script>
$film<script type="module">$script</script>
</body>
</html>
""")


def write_report(
    views: Sequence[View],
    path: Path,
    frames: "Iterable[Frame] | None" = None,
    *,
    force: bool = False,
    report: Report = silent,
) -> list[Path]:
    """Write a page that shows answers about one clip.

    Args:
        views: the answers.
        path: of the page.
        frames: of the video, in order of time; without them, boxes are shown on a plain ground.
        force: whether a video that is there already beside the page may be replaced.
        report: told of the frames that are put into it.

    Returns:
        The files written: the page and, if it is too large to be put into it, the video.

    Raises:
        SentrackError: a file cannot be written, or the video has no frame where the tracks are.
    """
    written, film = [path], b""
    media: dict[str, float | str] | None = None
    if frames is not None:
        from sentrack.show.excerpt import excerpt

        start, end = min(view.times[0] for view in views), max(view.times[-1] for view in views)
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "film.mp4"
            media = {"offset": excerpt(frames, start, end, made, report)}
            film = made.read_bytes()
        if len(film) > INSIDE:
            beside = path.with_suffix(".mp4")
            new(beside, force)
            with whole(beside) as temporary:
                temporary.write_bytes(film)
            written, film, media = [path, beside], b"", media | {"url": beside.name}
    data = {"views": [asdict(view) for view in views], "media": media}
    with whole(path) as temporary:
        temporary.write_text(page(views[0].sentence, data, film), encoding="utf-8")
    return written


def page(title: str, data: object, film: bytes = b"") -> str:
    """The text of a page that runs no script but its own and asks nobody for anything."""
    script, style = bundle(), asset("viewer.css")
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_fingerprint(script)}",
            f"style-src {_fingerprint(style)}",
            "img-src data:",
            "media-src blob: 'self' file:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    encoded = base64.b64encode(film).decode()
    return PAGE.substitute(
        policy=policy,
        title=html.escape(title),
        style=style,
        # Nothing in a text may end the element that it is in.
        data=strict_json(data, separators=(",", ":")).replace("<", "\\u003c"),
        film=f'<script type="text/plain" id="film">{encoded}</script>\n' if film else "",
        script=script,
    )


def asset(name: str) -> str:
    """A file of the page."""
    return (files("sentrack.show") / "page" / name).read_text(encoding="utf-8")


def bundle() -> str:
    """All modules in one: what one exports, those that follow it see."""
    parts = (asset(name) for name in SCRIPTS)
    imported = re.compile(r"^import .*?;\n", re.MULTILINE)
    return "\n".join(
        re.sub(r"^export ", "", imported.sub("", p), flags=re.MULTILINE) for p in parts
    )


def _fingerprint(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
