"""Moments of a library that depict a sentence: the best ones, without solving every clip."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import overload

from sentrack.language import Meaning, alternatives
from sentrack.lexicon import Lexicon
from sentrack.library import Entry, Store
from sentrack.progress import Report, silent
from sentrack.tasks.moment import LEAST, Answer, Moment, moments, most
from sentrack.tasks.tracker import vocabulary_of
from sentrack.workers import Executor

AT_ONCE = 16  # clips that a worker is given to bound


@dataclass(frozen=True, eq=False)
class Moments(Sequence[Moment]):
    """Moments, best first, and what it took to find them.

    Attributes:
        found: the moments.
        clips: in the library.
        read: of these, with all nouns in them.
        solved: of these, not ruled out by a bound.
    """

    found: tuple[Moment, ...]
    clips: int
    read: int
    solved: int

    def __len__(self) -> int:
        return len(self.found)

    @overload
    def __getitem__(self, index: int) -> Moment: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Moment]: ...
    def __getitem__(self, index: int | slice) -> Moment | Sequence[Moment]:
        return self.found[index]


@dataclass(frozen=True, eq=False)
class Step:
    """How far a search is.

    Attributes:
        stage: "bound" while clips are bounded, then "search" while they are solved.
        done: clips of the stage.
        total: of how many.
        found: the best moments so far, all of them in the last step.
    """

    stage: str
    done: int
    total: int
    found: Moments


@dataclass(frozen=True, eq=False)
class _Job:
    """Some clips with the sentences to look for in each, for a worker that knows nothing else."""

    url: str
    work: Sequence[tuple[Entry, tuple[Meaning, ...]]]
    lexicon: Lexicon
    count: int = 0
    least: float = LEAST


def search(
    store: Store,
    sentences: str | Sequence[str],
    k: int,
    lexicon: Lexicon,
    executor: Executor,
    report: Report = silent,
) -> Moments:
    """The k best moments of a library, exactly as if every clip had been solved.

    Args:
        store: the library.
        sentences: one or several, each with alternatives joined by "or"; moments of any count.
        k: how many.
        lexicon: what words mean.
        executor: does the work.
        report: told how many clips are done.
    """
    for step in steps(store, sentences, k, lexicon, executor):
        report(step.stage, step.done, step.total)
    return step.found


def steps(
    store: Store, sentences: str | Sequence[str], k: int, lexicon: Lexicon, executor: Executor
) -> Iterator[Step]:
    """The same, step by step: at least one, and the last one has the answer.

    Clips without one of the nouns are not read, by what the library knows of its clips. The others
    are bounded, and solved from the highest bound down until no bound reaches the k-th best moment
    found so far.
    """
    entries = store.entries()
    known = sorted({name for entry in entries for name in entry.known})
    # An empty library knows no class, which is no fault of the sentence.
    vocabulary = vocabulary_of(lexicon, known) if entries else lexicon.vocabulary()
    asked = [sentences] if isinstance(sentences, str) else sentences
    meanings = [meaning for sentence in asked for meaning in alternatives(sentence, vocabulary)]
    work = [(entry, _fitting(entry, meanings, lexicon)) for entry in entries]
    work = [(entry, fitting) for entry, fitting in work if fitting]
    total, nothing = len(work), Moments((), len(entries), len(work), 0)
    bounded: list[list[float]] = []
    parts = [work[begin : begin + AT_ONCE] for begin in range(0, total, AT_ONCE)]
    results = iter(executor.map(_bound, [_Job(store.url, part, lexicon) for part in parts]))
    for _ in parts:
        yield Step("bound", len(bounded), total, nothing)
        bounded += next(results)
    order = sorted(range(total), key=lambda n: (-max(bounded[n]), work[n][0].name))
    found = nothing
    least, solved = LEAST, 0
    for begin in range(0, total, executor.size):
        yield Step("search", begin, total, found)
        batch = [n for n in order[begin : begin + executor.size] if max(bounded[n]) >= least]
        if not batch:
            break
        jobs = [_Job(store.url, [work[n]], lexicon, k, least) for n in batch]
        best = list(found)
        for answer in executor.map(_examine, jobs):
            solved += answer.solved
            best += answer.moments
        best = sorted(best, key=_rank)[:k]
        if len(best) == k:
            least = max(least, best[-1].score)
        found = replace(found, found=tuple(best), solved=solved)
    yield Step("search", total, total, found)


def _rank(moment: Moment) -> tuple[float, str, float, str]:
    return -moment.score, moment.video, moment.start, moment.sentence


def _bound(job: _Job) -> list[list[float]]:
    """Per clip and sentence, what a moment can score at most."""
    store, found = Store(job.url), []
    for entry, meanings in job.work:
        clip = store.clip(entry)
        found.append([most(clip, meaning, job.lexicon) for meaning in meanings])
    return found


def _examine(job: _Job) -> Answer:
    """The moments of one clip that may be among the best of the library."""
    ((entry, meanings),) = job.work
    clip = Store(job.url).clip(entry)
    answers = [moments(clip, meaning, job.lexicon, job.count, job.least) for meaning in meanings]
    found = [moment for answer in answers for moment in answer.moments]
    named = [replace(moment, video=entry.name) for moment in found]
    return Answer(tuple(named), any(answer.solved for answer in answers))


def _fitting(entry: Entry, meanings: Iterable[Meaning], lexicon: Lexicon) -> tuple[Meaning, ...]:
    """The sentences of which all nouns were seen in a clip."""
    return tuple(m for m in meanings if all(_classes(entry, m, lexicon)))


def _classes(entry: Entry, meaning: Meaning, lexicon: Lexicon) -> list[list[str]]:
    """Per participant, the classes that its noun names and that were seen."""
    named = [lexicon.named(p.noun, entry.known) for p in meaning.participants]
    return [[name for name in names if name in entry.classes] for names in named]
