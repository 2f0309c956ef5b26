"""The command `serve`."""

import os
from pathlib import Path
from typing import Annotated

import typer

from sentrack.cli.options import DetectorThreads, Lexicon, Where
from sentrack.errors import SentrackError
from sentrack.extras import requires


def serve(
    library: Where,
    host: Annotated[str, typer.Option(help="Address to bind to.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 for any.", min=0, max=65535)] = 8765,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="A file with what requests must bring; for other hosts. $SENTRACK_TOKEN, too."
        ),
    ] = None,
    lexicon: Lexicon = "everyday",
    allow_upload: Annotated[
        bool, typer.Option("--allow-upload", help="Let people add videos.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes that search; one per core, 4 at most, by default.", min=1),
    ] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds per request.", min=1)] = 120.0,
    detector_threads: DetectorThreads = None,
    browse: Annotated[bool, typer.Option("--open", help="Open it in a browser.")] = False,
) -> None:
    """Show a library in the browser: search it, watch moments, read descriptions."""
    with requires("sentrack[serve]"):
        from sentrack.serve import ServerOptions, create_app, run
    token = _token(token_file)
    count = min(os.cpu_count() or 1, 4) if workers is None else workers
    options = ServerOptions(host, token, lexicon, allow_upload, count, time_limit, detector_threads)
    run(create_app(library, options), host, port, token, browse)


def _token(file: Path | None) -> str | None:
    """What requests must bring: never from the command line, which others on the machine see."""
    token, where = os.environ.get("SENTRACK_TOKEN"), "$SENTRACK_TOKEN"
    if file is not None:
        where = str(file)
        try:
            token = file.read_text("utf-8").removesuffix("\n")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise SentrackError(f"{file}: it cannot be read: {reason}") from None
    if token is not None and not token.strip():
        raise SentrackError(f"the token in {where} is empty; choose one that is hard to guess")
    return token
