"""Commands on one video: `track` and `detect`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sentrack.cli.options import (
    AsJson,
    Best,
    Detector,
    DetectorThreads,
    Device,
    End,
    Force,
    Fps,
    Lexicon,
    Names,
    Size,
    Source,
    Start,
    Video,
    frame_size,
    must_end,
    one_clip,
)
from sentrack.cli.sentences import Asked
from sentrack.errors import SentrackError
from sentrack.extras import requires
from sentrack.text import strict_json, visible

if TYPE_CHECKING:
    from sentrack.progress import Report
    from sentrack.tasks import Tracking
    from sentrack.vision import Clip


def track(
    source: Source,
    sentences: Annotated[list[str], typer.Argument(help="One or more sentences, each in quotes.")],
    lexicon: Lexicon = "everyday",
    method: Annotated[str, typer.Option(help="auto, viterbi, dual, ascent or growth.")] = "auto",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Annotated video: .mp4. Made for a video anyway; not with --json.",
        ),
    ] = None,
    no_video: Annotated[bool, typer.Option("--no-video", help="Write no annotated video.")] = False,
    strip: Annotated[Path | None, typer.Option(help="Key frames in one picture: .png.")] = None,
    page: Annotated[
        Path | None,
        typer.Option("--report", help="One page that shows tracks, words and why: .html."),
    ] = None,
    candidates: Annotated[
        bool, typer.Option(help="Draw the boxes that were not chosen, too.")
    ] = False,
    as_json: AsJson = False,
    mot: Annotated[Path | None, typer.Option(help="Also write the tracks as MOT lines.")] = None,
    force: Force = False,
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
    seed: Annotated[int, typer.Option(help="Of methods that start at random.")] = 0,
    time_limit: Annotated[float | None, typer.Option(help="Seconds per sentence.")] = None,
    whole_clip: Annotated[
        bool,
        typer.Option("--whole", help="The sentence is about all of the clip, not a part of it."),
    ] = False,
) -> None:
    """Find the tracks that best depict each sentence; several sentences focus on several things.

    All sentences are read before the video is looked at, and each gets its answer or its reason.
    """
    from sentrack.files import free, new, whole
    from sentrack.show import Bars
    from sentrack.tasks import track as find
    from sentrack.vision import detector_classes, is_video, load_clip

    must_end(output, ".mp4", ".m4v")
    must_end(strip, ".png")
    must_end(page, ".html", ".htm")
    if no_video and output is not None:
        raise SentrackError(f"--no-video and --output {output} contradict each other; choose one")
    for path in (output, strip, page, mot):
        new(path, force)
    one_clip(source)
    asked, written = Asked(sentences, lexicon), list[Path]()
    with Bars() as bars:
        if is_video(source):
            asked.read(detector_classes(source, detector, names, bars, detector_threads))
        clip = load_clip(
            source,
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
        asked.read(clip.classes)
        options = method, seed, time_limit, whole_clip
        answers = asked.solve(lambda sentence: find(clip, sentence, lexicon, *options), bars)
        wanted = not (no_video or as_json or page is not None)
        if output is None and wanted and is_video(source):
            output = free(Path(f"{source.stem}-tracked.mp4"))
        if mot is not None:
            with whole(mot) as temporary:
                temporary.write_text("".join(answer.to_mot() for answer in answers))
        if output is not None or strip is not None:
            with requires("sentrack[video]"):
                from sentrack.show import annotate, pictures
                from sentrack.show import strip as draw

            if output is not None:
                pixels = pictures(source, clip)
                annotate(answers, pixels, output, candidates=candidates, report=bars)
            if strip is not None:
                draw(answers, pictures(source, clip), strip, report=bars)
        if page is not None:
            written = _report(source, clip, answers, lexicon, page, force, time_limit, bars)
    if as_json:
        documents = asked.documents()
        print(strict_json(documents[0] if len(documents) == 1 else documents))
    else:
        from rich.console import Console

        from sentrack.show import show_trackings

        show_trackings(answers, Console())
        for path in (output, strip, mot, *written):
            if path is not None:
                print(visible(path))
    if len(answers) < len(sentences):
        raise typer.Exit(1)


def _report(
    source: Path,
    clip: "Clip",
    answers: "Sequence[Tracking]",
    lexicon: str,
    path: Path,
    force: bool,
    time_limit: float | None,
    report: "Report",
) -> list[Path]:
    """Write a page about all answers, with the video if there is one."""
    from sentrack.show import view_of, write_report
    from sentrack.tasks import open_lexicon, rivals
    from sentrack.vision import is_video

    words = open_lexicon(lexicon)
    views = [view_of(answer, rivals(answer, words, time_limit), words) for answer in answers]
    frames = None
    if source.is_file() and is_video(source):
        from sentrack.show import pictures

        frames = pictures(source, clip)
    return write_report(views, path, frames, force=force, report=report)


def detect(
    source: Annotated[Path, typer.Argument(help="A video.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Also write the detections to a file or folder."),
    ] = None,
    format: Annotated[
        str | None, typer.Option(help="Of that file: table, mot, kitti, coco or yolo.")
    ] = None,
    force: Force = False,
    start: Start = None,
    end: End = None,
    fps: Fps = None,
    detector: Detector = None,
    device: Device = None,
    detector_threads: DetectorThreads = None,
    names: Names = None,
    best: Best = None,
) -> None:
    """Look at a video, keep what is seen, and print the file that holds it."""
    from sentrack.files import new
    from sentrack.show import Bars
    from sentrack.vision import save_clip, scan_video

    new(output, force)
    with Bars() as bars:
        scan = scan_video(
            one_clip(source),
            start=start,
            end=end,
            fps=fps,
            detector=detector,
            device=device or "auto",
            detector_threads=detector_threads,
            names=names,
            best=best,
            report=bars,
            file_only=output is None,
        )
        if output is not None:
            save_clip(scan.clip(start, end), output, format)
    print(visible(scan.file if output is None else output))
