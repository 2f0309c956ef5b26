"""The command line."""

import atexit
import gc
import logging
import sys
from typing import Annotated, Any

import typer

from sentrack.cli.detectors import detectors
from sentrack.cli.learn import learn
from sentrack.cli.library import describe, index, library, search
from sentrack.cli.serve import serve
from sentrack.cli.track import detect, track
from sentrack.cli.watch import watch
from sentrack.cli.words import demo, parse, words
from sentrack.errors import SentrackError
from sentrack.text import visible

app = typer.Typer(
    help="Find the tracks in a video that best depict an English sentence.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
COMMANDS = (
    track,
    detect,
    detectors,
    parse,
    words,
    index,
    library,
    search,
    describe,
    watch,
    learn,
    serve,
    demo,
)
for command in COMMANDS:
    app.command()(command)


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


class _Stderr(logging.StreamHandler[Any]):
    """Messages go where stderr leads at the time: above the bars, while there are any."""

    @property
    def stream(self) -> Any:
        return sys.stderr

    @stream.setter
    def stream(self, _: Any) -> None:
        pass


class _Lines(logging.Formatter):
    """Messages of one line each, in which nothing commands the terminal."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        return visible(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802
        return "\n".join(map(visible, super().formatException(ei).split("\n")))


def main() -> None:
    """Run the command line: exit 1 with one line if the input is at fault."""
    # The memory of a process that ends need not be searched for what can be freed: 0.2 s.
    atexit.register(gc.freeze)
    handler = _Stderr()
    handler.setFormatter(_Lines("sentrack: %(message)s"))
    logger = logging.getLogger("sentrack")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        app()
    except SentrackError as error:
        print(f"sentrack: {visible(error)}", file=sys.stderr)
        raise SystemExit(1) from None
    except OSError as error:
        # Mostly a full disk, met by a library that keeps files of its own.
        where = f"{error.filename}: " if error.filename else ""
        print(f"sentrack: {visible(f'{where}{error.strerror or error}')}", file=sys.stderr)
        raise SystemExit(1) from None
    finally:
        logger.removeHandler(handler)
