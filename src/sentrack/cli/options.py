"""What several commands take."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sentrack.errors import SentrackError

if TYPE_CHECKING:
    from sentrack.tasks import Moment


def local(text: str) -> Path:
    """A path on this machine; what leads elsewhere is refused, and not taken for a file."""
    if "://" in text:
        raise SentrackError(
            f"{text}: this is an address, not a file; fetch it first, or follow it as it comes by: "
            f'sentrack watch {text} "SENTENCE"'
        )
    return Path(text)


Source = Annotated[
    Path,
    typer.Argument(
        help="A video, or detections: CSV, Parquet, MOT, ...", parser=local, metavar="SOURCE"
    ),
]
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
DetectorThreads = Annotated[
    int | None,
    typer.Option(help="Threads that the detector computes with; one per core by default.", min=1),
]
Names = Annotated[Path | None, typer.Option(help="Class names, one per line, if not stored.")]
Best = Annotated[int | None, typer.Option(help="Boxes of a class in a frame; 10 by default.")]
Lexicon = Annotated[str, typer.Option(help="everyday, paper, paper9, or a TOML file.")]
Size = Annotated[str, typer.Option(help="Frame size of detections, if not stored: WxH.")]
Video = Annotated[str | None, typer.Option(help="Which video of a file with many.")]
Force = Annotated[bool, typer.Option(help="Overwrite files.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Where = Annotated[str, typer.Argument(help="A library: a folder, or any URL that fsspec knows.")]
Workers = Annotated[
    int | None,
    typer.Option(help="Processes of this machine; by default as many as cores, if it is worth it."),
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


def must_end(path: Path | None, *endings: str) -> None:
    """Refuse a file whose name promises another format than the one that is written."""
    if path is not None and path.suffix.lower() not in endings:
        better = path.with_suffix(endings[0])
        raise SentrackError(f"{path}: this is written as {endings[0]}; call it {better.name}")


def one_clip(source: Path) -> Path:
    """The same, unless it is a folder of something else than the boxes of one clip."""
    if not source.is_dir():
        return source
    from sentrack.library import Store, sources_in

    if any(source.iterdir()) and Store(source).exists():
        raise SentrackError(
            f"{source}: this is a library, not a clip; "
            f'sentrack search {source} "SENTENCE", or sentrack describe --library {source}'
        )
    name = next(sources_in(source), None)
    if name is not None:
        raise SentrackError(
            f"{source}: this is a folder; name one file, such as {name}, "
            f"or index all of it: sentrack index {source} --library LIBRARY"
        )
    return source


def moment_document(moment: "Moment") -> dict[str, Any]:
    """A moment as JSON has it."""
    told = moment.tracking.to_dict()
    return {
        "video": moment.video,
        "sentence": moment.sentence,
        "start": moment.start,
        "end": moment.end,
        "match": moment.match,
        "score": moment.score,
        "reason": told["reason"],
        "participants": told["participants"],
        "unchecked": told["unchecked"],
    }
