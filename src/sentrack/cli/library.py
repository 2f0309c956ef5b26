"""Commands on libraries: `index`, `library`, `search` and `describe`."""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sentrack.cli.options import (
    AsJson,
    Best,
    Cluster,
    Detector,
    DetectorThreads,
    Device,
    End,
    Force,
    Fps,
    Lexicon,
    Names,
    Size,
    Start,
    Video,
    Where,
    Workers,
    frame_size,
    local,
    moment_document,
    one_clip,
)
from sentrack.errors import SentrackError
from sentrack.text import counted, strict_json, visible

if TYPE_CHECKING:
    from sentrack.library import Entry, Task, Work
    from sentrack.tasks import Library


def index(
    sources: Annotated[
        list[Path],
        typer.Argument(
            help="Videos, files of detections, and folders of both.",
            parser=local,
            metavar="SOURCES...",
        ),
    ],
    library: Annotated[
        str, typer.Option("--library", "-l", help="A folder, or any URL that fsspec knows.")
    ],
    fps: Fps = None,
    detector: Detector = None,
    device: Device = None,
    detector_threads: DetectorThreads = None,
    names: Names = None,
    best: Best = None,
    size: Size = "",
    start: Start = None,
    end: End = None,
    every_frame: Annotated[
        bool | None,
        typer.Option(
            "--every-frame/--fewer-frames",
            help="Let the detector look at every frame of a video, which is the default, or only "
            "at every third where little happens.",
        ),
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    force: Annotated[bool, typer.Option(help="Index anew what is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Look at videos once and keep what is seen; what is in the library already is skipped."""
    from sentrack.library import work_left
    from sentrack.show import Bars, show_entries
    from sentrack.tasks import Library
    from sentrack.tasks import index as do
    from sentrack.workers import open_executor

    store = Library(library)
    with Bars() as bars:
        tasks = store.plan(
            sources,
            detector=detector,
            device=device,
            detector_threads=detector_threads,
            names=names,
            fps=fps,
            best=best,
            size=frame_size(size),
            start=start,
            end=end,
            every_frame=every_frame,
            report=bars,
            force=force,
        )
        todo = [task for task in tasks if task.state != "there"]
        works: list[Work] = []
        done: list[Entry | SentrackError] = []
        try:
            works.extend(map(work_left, todo))
            calls = sum(work.calls for work in works)
            with open_executor(workers, cluster, calls) as executor:
                done.extend(do(store.url, works, executor, bars))
        except KeyboardInterrupt:
            stopped = True
        else:
            stopped = False
        kept = [entry for entry in done if not isinstance(entry, SentrackError)]
        if not stopped and any(entry.detector for entry in kept):
            from sentrack.serve import prepare

            for number, entry in enumerate(kept, 1):
                bars("pictures", number, len(kept))
                prepare(entry)
    store.refresh()
    if stopped:
        text = f"stopped: {len(done)} of {len(todo)} clips are done and kept"
        looked = sum(work.frames - work_left(work.task).frames for work in works[len(done) :])
        if looked > 0:
            text += f", and so are {counted(looked, 'frame')} of the others"
        print(f"sentrack: {text}; the same command goes on from there", file=sys.stderr)
        raise typer.Exit(130)
    failed = [error for error in done if isinstance(error, SentrackError)]
    fell = [task for task, each in zip(todo, done, strict=True) if isinstance(each, SentrackError)]
    if as_json:
        _print_tasks(store.url, tasks, failed)
    else:
        for task in todo:
            if task.why:
                why = visible(f"{task.origin.name} changed: {task.why}")
                print(f"sentrack: {why}", file=sys.stderr)
        if kept:
            show_entries(sorted(kept, key=lambda entry: entry.name))
        states = Counter(task.state for task in tasks)
        states.subtract(task.state for task in fell)
        parts = [f"{states[state]} {state}" for state in ("new", "changed", "there")]
        print(f"{counted(len(tasks), 'clip')}: {', '.join(parts)}, {len(failed)} failed")
    for error in failed:
        print(f"sentrack: {visible(error)}", file=sys.stderr)
    if failed:
        raise typer.Exit(1)


def library(
    library: Where,
    check: Annotated[
        bool, typer.Option("--check", help="Read all of it, and the sources: is it in order?")
    ] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="Remove what is damaged or left over.")
    ] = False,
    at_once: Annotated[
        bool, typer.Option("--at-once", help="With both: temporary files of the last hour, too.")
    ] = False,
    remove: Annotated[list[str] | None, typer.Option(help="A clip to be removed.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the clips of a library, check it or repair it."""
    from sentrack.library import HOUR
    from sentrack.show import show_entries

    store, age = _library(library), 0.0 if at_once else HOUR
    for name in remove or []:
        store.remove(name)
    document: dict[str, Any] = {"library": store.url}
    problems = []
    if repair:
        problems = store.repair(age)
    elif check:
        problems = store.check(age)
    if check or repair:
        key = "repaired" if repair else "problems"
        document[key] = [{**vars(problem), "note": problem.note} for problem in problems]
        lines = [f"{problem.kind}: {problem.what}: {problem.text}" for problem in problems]
        told = f"{len(problems)} repaired" if repair else counted(len(problems), "problem")
        summary = told if problems else "in order"
    else:
        entries = store.entries()
        document["clips"] = [entry.to_dict() for entry in entries]
        lines = [f"removed {name}" for name in remove or []]
        minutes = sum(entry.seconds for entry in entries) / 60
        long = f"{minutes / 60:.1f} hours" if minutes >= 60 else f"{minutes:.1f} minutes"
        summary = f"{counted(len(entries), 'clip')}, {long}"
    if as_json:
        print(strict_json(document))
    else:
        if not (check or repair or remove):
            show_entries(entries)
        print("\n".join(map(visible, [*lines, summary])))
    if check and not repair and not all(problem.note for problem in problems):
        raise typer.Exit(1)


def search(
    library: Where,
    sentences: Annotated[
        list[str] | None, typer.Argument(help="One or more sentences, each in quotes.")
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option("--from", help="A file of sentences, one per line, each with its own answer."),
    ] = None,
    k: Annotated[int, typer.Option("-k", help="How many moments at most.", min=1)] = 10,
    lexicon: Lexicon = "everyday",
    clips: Annotated[
        Path | None, typer.Option(help="A folder for annotated excerpts, one video per moment.")
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Find the moments of a library that depict a sentence best, or any of several."""
    from sentrack.show import Bars, show_moments, write_excerpts

    store = _library(library)
    if (not sentences) == (questions is None):
        raise typer.BadParameter("give a sentence, or a file of them by --from")
    if questions is not None and clips is not None:
        raise SentrackError("--clips goes with sentences of the command line, not with --from")
    asked = _lines(questions) if questions is not None else [sentences or ""]
    with Bars() as bars:
        answers = store.search_all(
            asked, k, lexicon=lexicon, workers=workers, cluster=cluster, report=bars
        )
        paths = write_excerpts(store, answers[0], clips, force, bars) if clips else []
    if as_json:
        documents: list[dict[str, Any]] = [
            {"moments": [moment_document(moment) for moment in found]}
            | ({"damaged": list(found.damaged)} if found.damaged else {})
            for found in answers
        ]
        if questions is None:
            print(strict_json(documents[0]))
            return
        told = zip(asked, documents, strict=True)
        print(strict_json({"questions": [{"sentence": s, **found} for s, found in told]}))
        return
    for question, found in zip(asked, answers, strict=True):
        if questions is not None:
            print(visible(question))
        show_moments(found)
    for path in paths:
        print(visible(path))


def describe(
    source: Annotated[
        Path | None,
        typer.Argument(
            help="A video, or detections: CSV, Parquet, MOT, ...", parser=local, metavar="SOURCE"
        ),
    ] = None,
    n: Annotated[int, typer.Option("-n", help="How many sentences at most.", min=1)] = 5,
    lexicon: Lexicon = "everyday",
    library: Annotated[
        str | None, typer.Option("--library", "-l", help="Describe every clip of a library.")
    ] = None,
    start: Start = None,
    end: End = None,
    fps: Fps = None,
    detector: Detector = None,
    device: Device = None,
    detector_threads: DetectorThreads = None,
    names: Names = None,
    best: Best = None,
    size: Size = "",
    video: Video = None,
    workers: Workers = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Say what happens in a clip, or in every clip of a library."""
    from sentrack.show import Bars
    from sentrack.tasks import describe as find
    from sentrack.vision import load_clip

    if (source is None) == (library is None):
        raise SentrackError("name a clip, or a library by --library, to describe")
    with Bars() as bars:
        if library is not None:
            told = _library(library).describe(
                n, lexicon=lexicon, workers=workers, cluster=cluster, report=bars
            )
            said = {entry.name: list(sentences) for entry, sentences in told}
        else:
            assert source is not None
            clip = load_clip(
                one_clip(source),
                size=frame_size(size),
                fps=fps,
                start=start,
                end=end,
                video=video,
                detector=detector,
                device=device,
                detector_threads=detector_threads,
                names=names,
                best=best,
                report=bars,
            )
            said = {clip.name: list(find(clip, n, lexicon))}
    keys = ("sentence", "match", "start", "end")
    documents = [
        {"sentences": [{key: getattr(each, key) for key in keys} for each in sentences]}
        for sentences in said.values()
    ]
    if as_json and library is None:
        print(strict_json(documents[0]))
    elif as_json:
        clips = [{"clip": name, **told} for name, told in zip(said, documents, strict=True)]
        print(strict_json({"clips": clips}))
    else:
        for name, sentences in said.items():
            if library is not None:
                print(visible(name))
            for each in sentences:
                when = f"{each.start:.1f} to {each.end:.1f} s"
                print(visible(f"{each.match:.2f}  {when:>16}  {each.sentence}"))
            if not sentences:
                print("nothing in it is sure enough to be told")


def _library(url: str) -> "Library":
    """A library that is there."""
    from sentrack.tasks import Library

    store = Library(url)
    try:
        store.demand()
    except OSError as error:
        raise SentrackError(f"{url}: it cannot be reached: {error.strerror or error}") from None
    return store


def _lines(path: Path) -> list[str]:
    """The lines of a text file that are not empty."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise SentrackError(f"{path}: it cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SentrackError(f"{path}: it is not text; write a sentence on each line") from None
    if lines := [line.strip() for line in text.splitlines() if line.strip()]:
        return lines
    raise SentrackError(f"{path}: there is no sentence in it; write one on each line")


def _print_tasks(url: str, tasks: Sequence["Task"], failed: Sequence[SentrackError]) -> None:
    clips = [
        {
            "name": task.origin.name,
            "state": task.state,
            "why": task.why,
            "source": task.origin.source,
            "video": task.origin.video,
            "settings": task.origin.settings,
        }
        for task in tasks
    ]
    print(strict_json({"library": url, "clips": clips, "failed": [str(error) for error in failed]}))
