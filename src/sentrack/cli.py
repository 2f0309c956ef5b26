"""The command line."""

import json
import logging
import os
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
    source: Annotated[str, typer.Argument(help="Detections: a .csv, .csv.gz or .parquet file.")],
    sentences: Annotated[list[str], typer.Argument(help="One or more sentences, each in quotes.")],
    lexicon: Lexicon = "everyday",
    method: Annotated[str, typer.Option(help="auto, viterbi, dual, ascent or growth.")] = "auto",
    size: Annotated[str, typer.Option(help="Frame size if it is not stored: 640x480.")] = "",
    fps: Annotated[float | None, typer.Option(help="Frames per second if not stored.")] = None,
    start: Annotated[float | None, typer.Option(help="Cut: first second.")] = None,
    end: Annotated[float | None, typer.Option(help="Cut: last second.")] = None,
    video: Annotated[str | None, typer.Option(help="Which video of a file with many.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    mot: Annotated[Path | None, typer.Option(help="Also write the tracks as MOT lines.")] = None,
    force: Annotated[bool, typer.Option(help="Overwrite files.")] = False,
    seed: Annotated[int, typer.Option(help="Of methods that start at random.")] = 0,
    time_limit: Annotated[float | None, typer.Option(help="Seconds per sentence.")] = None,
) -> None:
    """Find the tracks that best depict each sentence; several sentences focus on several things."""
    from sentrack.tasks import track as find
    from sentrack.vision import load_clip

    if mot is not None and mot.exists() and not force:
        raise SentrackError(f"{mot} exists; use --force to overwrite it")
    clip = load_clip(source, size=_size(size), fps=fps, start=start, end=end, video=video)
    answers = [
        find(clip, sentence, lexicon, method, seed=seed, time_limit=time_limit)
        for sentence in sentences
    ]
    if mot is not None:
        _write(mot, "".join(answer.to_mot() for answer in answers))
    if as_json:
        documents = [answer.to_dict() for answer in answers]
        print(json.dumps(documents[0] if len(documents) == 1 else documents))
        return
    from rich.console import Console

    from sentrack.show.tables import show_trackings

    show_trackings(answers, Console())


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
) -> None:
    """Track several sentences in a made-up clip, with proofs, and compare them with opposites."""
    from sentrack.show.demo import show_demo

    show_demo(seed)


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


def _size(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit() and int(width) and int(height)):
        raise SentrackError(f"size {text!r} is not WIDTHxHEIGHT, as in 640x480")
    return int(width), int(height)


def _write(path: Path, text: str) -> None:
    """Write a whole file or none."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise SentrackError(f"{path}: it cannot be written: {error.strerror}") from None
