"""The command line."""

import json
import logging
import sys
from pathlib import Path
from typing import Annotated

import typer

from sentrack.errors import SentrackError

app = typer.Typer(
    help="Find the tracks in a video that best depict an English sentence.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Start = Annotated[float | None, typer.Option(help="Cut: seconds from which on.")]
End = Annotated[float | None, typer.Option(help="Cut: seconds before which.")]
Fps = Annotated[
    float | None,
    typer.Option(
        help="Frames per second to look at in a video, 10 by default; of detections, if not stored."
    ),
]
Detector = Annotated[
    str | None, typer.Option(help="For a video: yolov4-tiny, yolo11n or an ONNX file.")
]
Names = Annotated[Path | None, typer.Option(help="Class names, one per line, if not stored.")]
Best = Annotated[int | None, typer.Option(help="Boxes of a class in a frame; 10 by default.")]
Lexicon = Annotated[str, typer.Option(help="everyday, paper, paper9, or a TOML file.")]


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"sentrack {version('sentrack')}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options of all commands."""


@app.command()
def track(
    source: Annotated[Path, typer.Argument(help="A video, or detections: CSV, Parquet, MOT, ...")],
    sentences: Annotated[list[str], typer.Argument(help="One or more sentences, each in quotes.")],
    lexicon: Lexicon = "everyday",
    method: Annotated[str, typer.Option(help="auto, viterbi, dual, ascent or growth.")] = "auto",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Annotated video: .mp4. Made for a video anyway."),
    ] = None,
    strip: Annotated[Path | None, typer.Option(help="Key frames in one picture: .png.")] = None,
    candidates: Annotated[
        bool, typer.Option(help="Draw the boxes that were not chosen, too.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    mot: Annotated[Path | None, typer.Option(help="Also write the tracks as MOT lines.")] = None,
    force: Annotated[bool, typer.Option(help="Overwrite files.")] = False,
    start: Start = None,
    end: End = None,
    fps: Fps = None,
    detector: Detector = None,
    names: Names = None,
    best: Best = None,
    size: Annotated[str, typer.Option(help="Frame size of detections, if not stored: WxH.")] = "",
    video: Annotated[str | None, typer.Option(help="Which video of a file with many.")] = None,
    seed: Annotated[int, typer.Option(help="Of methods that start at random.")] = 0,
    time_limit: Annotated[float | None, typer.Option(help="Seconds per sentence.")] = None,
) -> None:
    """Find the tracks that best depict each sentence; several sentences focus on several things."""
    from sentrack.files import free, new, whole
    from sentrack.show.progress import Bars
    from sentrack.tasks import Tracking
    from sentrack.tasks import track as find
    from sentrack.vision import is_video, load_clip

    if strip is not None and len(sentences) > 1:
        raise SentrackError("--strip shows one sentence; give one, or leave it out")
    for path in (output, strip, mot):
        new(path, force)
    with Bars() as bars:
        clip = load_clip(
            source,
            size=_size(size),
            fps=fps,
            start=start,
            end=end,
            video=video,
            detector=detector,
            names=names,
            best=best,
            report=bars,
        )
        answers: list[Tracking] = []
        for sentence in sentences:
            bars("solve", clip.T * len(answers), clip.T * len(sentences))
            answers.append(find(clip, sentence, lexicon, method, seed=seed, time_limit=time_limit))
        if output is None and not as_json and is_video(source):
            output = free(Path(f"{source.stem}-tracked.mp4"))
        if mot is not None:
            with whole(mot) as temporary:
                temporary.write_text("".join(answer.to_mot() for answer in answers))
        if output is not None or strip is not None:
            from sentrack.show.annotate import annotate
            from sentrack.show.pixels import pictures
            from sentrack.show.strip import strip as draw

            if output is not None:
                pixels = pictures(source, clip)
                annotate(answers, pixels, output, candidates=candidates, report=bars)
            if strip is not None:
                draw(answers[0], pictures(source, clip), strip, report=bars)
    if as_json:
        documents = [answer.to_dict() for answer in answers]
        print(json.dumps(documents[0] if len(documents) == 1 else documents))
        return
    from rich.console import Console

    from sentrack.show.tables import show_trackings

    show_trackings(answers, Console())
    for path in (output, strip, mot):
        if path is not None:
            print(path)


@app.command()
def detect(
    source: Annotated[Path, typer.Argument(help="A video.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Also write the detections to a file or folder."),
    ] = None,
    format: Annotated[
        str | None, typer.Option(help="Of that file: table, mot, kitti, coco or yolo.")
    ] = None,
    force: Annotated[bool, typer.Option(help="Overwrite files.")] = False,
    start: Start = None,
    end: End = None,
    fps: Fps = None,
    detector: Detector = None,
    names: Names = None,
    best: Best = None,
) -> None:
    """Look at a video, keep what is seen, and print the file that holds it."""
    from sentrack.files import new
    from sentrack.show.progress import Bars
    from sentrack.vision import kept, load_clip, save_clip

    new(output, force)
    with Bars() as bars:
        file = kept(
            source,
            start=start,
            end=end,
            fps=fps,
            detector=detector,
            names=names,
            best=best,
            report=bars,
        )
        if output is not None:
            save_clip(load_clip(file, start=start, end=end), output, format)
    print(file if output is None else output)


@app.command()
def parse(
    sentence: Annotated[str, typer.Argument(help="A sentence in quotes.")],
    lexicon: Lexicon = "everyday",
) -> None:
    """Show how a sentence is understood: participants, words and links."""
    from sentrack.language import tree
    from sentrack.tasks import understand

    print(tree(understand(sentence, lexicon)))


@app.command()
def words(
    word: Annotated[str, typer.Argument(help="A word to draw; without it all are listed.")] = "",
    lexicon: Lexicon = "everyday",
) -> None:
    """List the words of a lexicon, or draw one: states, transitions and features."""
    from rich.console import Console

    from sentrack.lexicon import Lexicon as Words
    from sentrack.show.words import show_word, show_words

    known = Words.load(lexicon)
    if not word:
        show_words(known, Console())
        return
    for model in known.find(word):
        show_word(model, Console())


@app.command()
def demo(
    seed: Annotated[int, typer.Option(help="Which scene to make up.")] = 0,
    real: Annotated[bool, typer.Option("--real", help="Real footage and a real detector.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Annotated video: .mp4.")
    ] = None,
) -> None:
    """Track sentences in a made-up clip or a real one, with proofs and an annotated video."""
    from sentrack.show.demo import show_demo, show_real

    if real:
        show_real(output)
    else:
        show_demo(seed, output)


def main() -> None:
    """Run the command line: exit 1 with one line if the input is at fault."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("sentrack: %(message)s"))
    logger = logging.getLogger("sentrack")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        app()
    except SentrackError as error:
        print(f"sentrack: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    except OSError as error:
        # Mostly a full disk, met by a library that keeps files of its own.
        where = f"{error.filename}: " if error.filename else ""
        print(f"sentrack: {where}{error.strerror or error}", file=sys.stderr)
        raise SystemExit(1) from None
    finally:
        logger.removeHandler(handler)


def _size(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit() and int(width) and int(height)):
        raise SentrackError(f"size {text!r} is not WIDTHxHEIGHT, as in 640x480")
    return int(width), int(height)
