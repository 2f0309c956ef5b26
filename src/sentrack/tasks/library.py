"""A library that answers: a store of clips, with search and description."""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from sentrack.errors import SentrackError
from sentrack.lexicon import Lexicon
from sentrack.library import (
    DamagedError,
    Entry,
    Store,
    Task,
    Work,
    index_one,
    keep_piece,
    scan_piece,
)
from sentrack.progress import Report, silent
from sentrack.tasks.description import Described, describe
from sentrack.tasks.search import Moments, Question, search, search_all
from sentrack.tasks.tracker import open_lexicon
from sentrack.workers import Executor, open_executor

HOURS_A_CALL = 3.0  # of video, that take as long to search as a short call; see `open_executor`

_log = logging.getLogger("sentrack")


class Library(Store):
    """A library of clips, in a folder or at any fsspec URL."""

    def search(
        self,
        sentence: str | Sequence[str],
        k: int = 10,
        *,
        lexicon: Lexicon | str | Path | None = None,
        workers: int | None = None,
        cluster: str | None = None,
        report: Report = silent,
    ) -> Moments:
        """The k moments that depict a sentence best, or any of several.

        Args:
            sentence: English, with alternatives joined by "or"; or several such sentences.
            k: how many at most.
            lexicon: or its name or file; `everyday` by default.
            workers: processes of this machine; as many as it is worth if left out.
            cluster: address of a Dask scheduler instead.
            report: told how many clips are done.

        Raises:
            SentenceError: when a sentence cannot be understood.
        """
        with open_executor(workers, cluster, self._calls(1)) as executor:
            return search(self, sentence, k, open_lexicon(lexicon), executor, report)

    def search_all(
        self,
        questions: Sequence[Question],
        k: int = 10,
        *,
        lexicon: Lexicon | str | Path | None = None,
        workers: int | None = None,
        cluster: str | None = None,
        report: Report = silent,
    ) -> tuple[Moments, ...]:
        """The k best moments of every question, in one pass over the library.

        Args:
            questions: each of them what `search` takes as `sentence`.
            k: how many moments of each at most.
            lexicon: as of `search`, like all that follow.
            workers: processes of this machine.
            cluster: address of a Dask scheduler.
            report: told how many clips are done.

        Raises:
            SentenceError: when a sentence cannot be understood; the message says which.
        """
        with open_executor(workers, cluster, self._calls(len(questions))) as executor:
            return search_all(self, questions, k, open_lexicon(lexicon), executor, report)

    def describe(
        self,
        n: int = 5,
        *,
        lexicon: Lexicon | str | Path | None = None,
        workers: int | None = None,
        cluster: str | None = None,
        report: Report = silent,
    ) -> Iterator[tuple[Entry, tuple[Described, ...]]]:
        """The n sentences that tell best of every clip, by name; damaged clips are left out."""
        entries, words = self.entries(), open_lexicon(lexicon)
        with open_executor(workers, cluster, len(entries)) as executor:
            jobs = [(self.url, entry, n, words) for entry in entries]
            told = executor.map(_describe, jobs)
            for done, (entry, said) in enumerate(zip(entries, told, strict=True), 1):
                report("describe", done, len(entries))
                if isinstance(said, DamagedError):
                    _log.warning("left out: %s", said)
                else:
                    yield entry, said

    def _calls(self, questions: int) -> int:
        """How many short calls take about as long as a search."""
        hours = sum(entry.seconds for entry in self.entries()) / 3600
        return int(questions * hours / HOURS_A_CALL)


def index(
    url: str, works: Sequence[Work], executor: Executor, report: Report = silent
) -> Iterator[Entry | SentrackError]:
    """Do what is left of the tasks of `Store.plan`; a source that is at fault stops no other."""
    if executor.size == 1:
        for done, work in enumerate(works):
            report("index", done, len(works))
            yield _index((url, work.task), report)
        return
    # A long video is several pieces of work; put together, they are as good as scanned before.
    jobs: list[tuple[str, Task, int | None]] = []
    for work in works:
        jobs += [(url, work.task, number) for number in work.pieces] or [(url, work.task, None)]
    results, looked, frames = executor.map(_work, jobs), 0.0, sum(work.frames for work in works)
    report("index", 0, len(works))
    report("looking", 0, frames)
    for done, work in enumerate(works, 1):
        failed: SentrackError | None = None
        for number in work.pieces:
            piece = next(results)
            if isinstance(piece, bytes):
                keep_piece(work.task, number, piece)
            elif isinstance(piece, SentrackError):
                failed = failed or piece
            looked += work.frames / len(work.pieces)
            report("looking", looked, frames)
        if work.pieces:
            result = failed or _index((url, work.task))
        else:
            whole = next(results)
            assert not isinstance(whole, bytes)
            result, looked = whole, looked + work.frames
            report("looking", looked, frames)
        report("index", done, len(works))
        yield result


def _work(job: tuple[str, Task, int | None]) -> Entry | bytes | SentrackError:
    url, task, number = job
    if number is None:
        return _index((url, task))
    try:
        return scan_piece(task, number)
    except SentrackError as error:
        return error


def _index(job: tuple[str, Task], report: Report = silent) -> Entry | SentrackError:
    try:
        return index_one(*job, report)
    except SentrackError as error:
        return error


def _describe(job: tuple[str, Entry, int, Lexicon]) -> tuple[Described, ...] | DamagedError:
    url, entry, n, lexicon = job
    try:
        return tuple(describe(Store(url).clip(entry), n, lexicon))
    except DamagedError as error:
        return error
    except SentrackError:  # nothing was detected in it
        return ()
