"""The command `sentrack learn`."""

from pathlib import Path
from typing import Annotated

import typer

from sentrack.cli.options import Cluster, DetectorThreads, Workers
from sentrack.errors import SentrackError
from sentrack.text import visible


def learn(
    pairs: Annotated[
        Path,
        typer.Argument(help='Lines of {"clip": FILE, "sentence": ..., "video", "start", "end"}.'),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The lexicon to write: .toml.")],
    keep: Annotated[
        str | None, typer.Option(help="A lexicon whose words are held fixed: name or TOML file.")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--from", help="A lexicon with whose meanings words begin, and that holds them."
        ),
    ] = None,
    belief: Annotated[
        float,
        typer.Option(help="Frames for which words are held to the meaning that they begin with."),
    ] = 100.0,
    lexicon: Annotated[
        str, typer.Option(help="How words are said that it has; their meanings are learned anew.")
    ] = "everyday",
    nouns: Annotated[
        bool, typer.Option(help="Learn which classes nouns name, too; else their own names.")
    ] = True,
    states: Annotated[
        str, typer.Option(help="States per part of speech, as in verb=3,adverb=2.")
    ] = "",
    restarts: Annotated[int, typer.Option(help="Random starts; the best goes on.")] = 12,
    iterations: Annotated[int, typer.Option(help="Iterations, at most.")] = 50,
    tolerance: Annotated[
        float, typer.Option(help="Nats per frame; with less to gain it is over.")
    ] = 1e-4,
    smoothing: Annotated[
        float, typer.Option(help="Frames of usual bins that every state begins with.")
    ] = 10.0,
    contrast: Annotated[
        int, typer.Option(help="Iterations of the stage against other sentences; 0: none.")
    ] = 15,
    best: Annotated[
        int, typer.Option(help="Boxes of a class in a frame, for nouns that are learned.")
    ] = 2,
    strict: Annotated[
        bool, typer.Option(help="Refuse pairs that are no good instead of leaving them out.")
    ] = False,
    compare: Annotated[
        str | None,
        typer.Option(help="Show every learned word beside that of a lexicon, as in everyday."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the random starts.")] = 0,
    detector_threads: DetectorThreads = None,
    workers: Workers = None,
    cluster: Cluster = None,
    force: Annotated[bool, typer.Option(help="Overwrite the output.")] = False,
) -> None:
    """Learn what words mean from clips paired with sentences, and write a lexicon.

    An interrupted run goes on where it was when it is started again.
    """
    from sentrack.files import new
    from sentrack.lexicon import Lexicon
    from sentrack.show import Bars
    from sentrack.tasks import Settings, read_pairs
    from sentrack.tasks import learn as find
    from sentrack.workers import open_executor

    new(output, force)
    if not output.parent.is_dir():
        raise SentrackError(f"{output.parent}: there is no such folder to write to")
    # What is wrong with these is said before videos are looked at.
    other = None if compare is None else Lexicon.load(compare)
    kept = None if keep is None else Lexicon.load(keep)
    begun = None if start is None else Lexicon.load(start)
    forms = Lexicon.load(lexicon)
    if cluster is not None:
        with open_executor(cluster=cluster):
            pass  # it answers
    settings = Settings(
        states=Settings().states | _states(states),
        restarts=restarts,
        iterations=iterations,
        tolerance=tolerance,
        smoothing=smoothing,
        nouns=nouns,
        best=best,
        contrast=contrast,
        belief=belief,
    )
    with Bars() as bars:
        found = read_pairs(pairs, strict, bars, detector_threads)
    # The objective is told line by line; a bar would come in between.
    learned = find(
        found,
        kept,
        seed,
        start=begun,
        lexicon=forms,
        settings=settings,
        strict=strict,
        journal=output.with_name(f".{output.name}.learning"),
        workers=workers,
        cluster=cluster,
    )
    learned.save(output)
    if other is not None:
        from rich.console import Console

        from sentrack.show import show_beside

        show_beside(learned, other, Console())
    print(visible(output))


def _states(text: str) -> dict[str, int]:
    found = {}
    for item in filter(None, text.split(",")):
        part, _, number = item.partition("=")
        if not number.strip().isdigit():
            raise SentrackError(f"states {item!r} is not PART=NUMBER, as in verb=3")
        found[part.strip()] = int(number)
    return found
