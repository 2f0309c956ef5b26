"""The command `watch`."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from sentrack.cli.options import (
    Best,
    Detector,
    DetectorThreads,
    Device,
    Fps,
    Lexicon,
    Names,
    moment_document,
)
from sentrack.extras import requires
from sentrack.text import strict_json, visible


def watch(
    source: Annotated[
        str,
        typer.Argument(
            help="rtsp://..., http://..., the number of a camera, or a file that grows."
        ),
    ],
    sentences: Annotated[list[str], typer.Argument(help="One or more sentences, each in quotes.")],
    lexicon: Lexicon = "everyday",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document on each line.")
    ] = False,
    clips: Annotated[
        Path | None, typer.Option(help="A folder for annotated excerpts, one video per moment.")
    ] = None,
    hook: Annotated[
        str | None,
        typer.Option(help="Post each moment as JSON to this address, on this machine only."),
    ] = None,
    window: Annotated[float, typer.Option(help="Seconds that are looked at together.")] = 20.0,
    lag: Annotated[
        float, typer.Option(help="Seconds after its end at which a moment is told.")
    ] = 2.0,
    patience: Annotated[
        float, typer.Option(help="Seconds without more after which a file is complete.")
    ] = 10.0,
    fps: Fps = None,
    detector: Detector = None,
    device: Device = None,
    detector_threads: DetectorThreads = None,
    names: Names = None,
    best: Best = None,
) -> None:
    """Tell each moment of a live source that depicts a sentence, once, when it is sure.

    A source that breaks off is opened again. Ctrl-C ends it.
    """
    with requires("sentrack[video]"):
        from sentrack.show import Excerpts, Hook
    from sentrack.tasks import watch as find

    post = None if hook is None else Hook(hook).post
    film = None if clips is None else Excerpts(clips, window)
    found = find(
        source,
        sentences,
        lexicon=lexicon,
        detector=detector,
        device=device,
        detector_threads=detector_threads,
        names=names,
        best=best,
        fps=fps,
        window=window,
        lag=lag,
        patience=patience,
        looked_at=None if film is None else film.keep,
    )
    with suppress(KeyboardInterrupt):
        for moment in found:
            document = moment_document(moment)
            if film is not None:
                document["clip"] = str(film.write(moment))
            if post is not None:
                post(document)
            when = f"{moment.start:.1f} to {moment.end:.1f} s"
            told = f"{when}  match {moment.match:.2f}  {moment.sentence}"
            if film is not None:
                told += f"  {document['clip']}"
            print(strict_json(document) if as_json else visible(told), flush=True)
