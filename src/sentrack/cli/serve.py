"""The command `serve`."""

import os
from typing import Annotated

import typer

from sentrack.cli.options import Lexicon, Where
from sentrack.errors import SentrackError
from sentrack.extras import requires


def serve(
    library: Where,
    host: Annotated[str, typer.Option(help="Address to bind to.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 for any.", min=0, max=65535)] = 8765,
    token: Annotated[
        str | None,
        typer.Option(envvar="SENTRACK_TOKEN", help="That requests must bring; for other hosts."),
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
    browse: Annotated[bool, typer.Option("--open", help="Open it in a browser.")] = False,
) -> None:
    """Show a library in the browser: search it, watch moments, read descriptions."""
    with requires("sentrack[serve]"):
        from sentrack.serve import Options, create_app, run
    if token is not None and not token.strip():
        raise SentrackError("--token is empty; leave it out, or choose one that is hard to guess")
    count = min(os.cpu_count() or 1, 4) if workers is None else workers
    options = Options(host, token, lexicon, allow_upload, count, time_limit)
    run(create_app(library, options), host, port, token, browse)
