"""What several commands take."""

from pathlib import Path
from typing import Annotated

import typer

from sentrack.errors import SentrackError

Start = Annotated[float | None, typer.Option(help="Cut: seconds from which on.")]
End = Annotated[float | None, typer.Option(help="Cut: seconds before which.")]
Fps = Annotated[
    float | None,
    typer.Option(
        help="Frames per second to look at in a video, 10 by default; of detections, if not stored."
    ),
]
Detector = Annotated[
    str | None,
    typer.Option(
        help="For a video: a name (sentrack detectors) or an ONNX file; several with commas."
    ),
]
Device = Annotated[
    str | None,
    typer.Option(help="Where it runs: cpu, cuda, coreml, openvino, ...; auto by default."),
]
Names = Annotated[Path | None, typer.Option(help="Class names, one per line, if not stored.")]
Best = Annotated[int | None, typer.Option(help="Boxes of a class in a frame; 10 by default.")]
Lexicon = Annotated[str, typer.Option(help="everyday, paper, paper9, or a TOML file.")]
Size = Annotated[str, typer.Option(help="Frame size of detections, if not stored: WxH.")]
Video = Annotated[str | None, typer.Option(help="Which video of a file with many.")]
Force = Annotated[bool, typer.Option(help="Overwrite files.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Source = Annotated[Path, typer.Argument(help="A video, or detections: CSV, Parquet, MOT, ...")]
Where = Annotated[str, typer.Argument(help="A library: a folder, or any URL that fsspec knows.")]
Workers = Annotated[
    int | None, typer.Option(help="Processes of this machine; one per core by default.")
]
Cluster = Annotated[
    str | None, typer.Option(help="A Dask scheduler instead: HOST:PORT, or tls://HOST:PORT.")
]


def frame_size(text: str) -> tuple[int, int] | None:
    """Width and height from text, None from none."""
    if not text:
        return None
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit() and int(width) and int(height)):
        raise SentrackError(f"size {text!r} is not WIDTHxHEIGHT, as in 640x480")
    return int(width), int(height)
