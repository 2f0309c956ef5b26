"""The command line."""

import logging
import sys
from typing import Annotated

import typer

from sentrack.errors import SentrackError

app = typer.Typer(
    help="Find the tracks in a video that best depict an English sentence.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


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
def demo(
    seed: Annotated[int, typer.Option(help="Which scene to make up.")] = 0,
) -> None:
    """Solve a small made-up scene and print the certificate of the answer."""
    from sentrack.show.demo import show_demo

    show_demo(seed)


def main() -> None:
    """Run the command line: exit 1 with one line if the input is at fault."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger("sentrack")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        app()
    except SentrackError as error:
        print(f"sentrack: {error}", file=sys.stderr)
        raise SystemExit(1) from None
