"""Moments of a library that depict a sentence: the best ones, without solving every clip.

Any number of questions are answered in one pass: a clip is read once to be bounded for all of
them, and solved for those to whose best moments it may still add.
"""

import logging
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

from sentrack.language import Meaning, SentenceError, alternatives
from sentrack.lexicon import Lexicon
from sentrack.library import DamagedError, Entry, Store
from sentrack.objective import most_of_things
from sentrack.progress import Report, silent
from sentrack.scene import ThingTable
from sentrack.tasks.moment import LEAST_NATS, ClipMoments, Moment, moments, most
from sentrack.tasks.tracker import vocabulary_of
from sentrack.workers import Executor

# What a worker is given to bound: so many clips, or seconds of them, at most.
CLIPS_AT_ONCE, SECONDS_AT_ONCE = 128, 3600.0

Question = str | Sequence[str]

_log = logging.getLogger("sentrack")


@dataclass(frozen=True, eq=False)
class Moments(Sequence[Moment]):
    """Moments, best first, and what it took to find them.

    Attributes:
        found: the moments.
        clips: in the library.
        read: of these, with all nouns in them.
        solved: of these, not ruled out by a bound.
        damaged: names of clips that cannot be read, and were left out.
    """

    found: tuple[Moment, ...]
    clips: int
    read: int
    solved: int
    damaged: tuple[str, ...] = ()

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
        answers: per question, the best moments so far; all of them in the last step.
    """

    stage: str
    done: int
    total: int
    answers: tuple[Moments, ...]

    @property
    def found(self) -> Moments:
        """The answer to the first question."""
        return self.answers[0]


@dataclass(frozen=True, eq=False)
class _Bounding:
    """Some clips with the sentences to bound in each, for a worker that knows nothing else."""

    url: str
    work: Sequence[tuple[Entry, tuple[Meaning, ...]]]
    lexicon: Lexicon


@dataclass(frozen=True, eq=False)
class _Solving:
    """One clip, and the sentences to look for with the nats that each must reach."""

    url: str
    entry: Entry
    work: Sequence[tuple[Meaning, float]]
    lexicon: Lexicon
    count: int


@dataclass(eq=False)
class _Asked:
    """A question on its way to an answer.

    Attributes:
        meanings: what is looked for: all of its alternatives.
        k: how many moments are wanted.
        read: number of clips that have all nouns of an alternative.
        bounds: per such clip, as far as they are bounded, what each alternative can score there.
        order: the clips, the highest bound first.
        at: of these, how many are done.
        least: nats that a moment must reach to be among the k best.
    """

    meanings: tuple[Meaning, ...]
    k: int
    read: int = 0
    bounds: dict[int, list[tuple[Meaning, float]]] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)
    at: int = 0
    least: float = LEAST_NATS
    found: tuple[Moment, ...] = ()
    solved: int = 0

    def most(self, clip: int) -> float:
        """What a moment of a clip can score at most."""
        return max(bound for _, bound in self.bounds[clip])

    def begin(self, names: Sequence[str]) -> None:
        """When all clips are bounded: put them in order, equal ones by name."""
        self.order = sorted(self.bounds, key=lambda n: (-self.most(n), names[n]))

    def next(self, size: int) -> list[int]:
        """The next clips that may add to what was found; none, and it is answered."""
        batch = [n for n in self.order[self.at : self.at + size] if self.most(n) >= self.least]
        self.at = self.at + size if batch else len(self.order)
        return batch

    def learn(self, answers: Sequence[ClipMoments]) -> None:
        """Take the moments of a clip among the best."""
        best = [*self.found, *(moment for answer in answers for moment in answer.moments)]
        self.found = tuple(sorted(best, key=_rank)[: self.k])
        self.solved += any(answer.solved for answer in answers)


def search(
    store: Store,
    question: Question,
    k: int,
    lexicon: Lexicon,
    executor: Executor,
    report: Report = silent,
) -> Moments:
    """The k best moments of a library, exactly as if every clip had been solved.

    Args:
        store: the library.
        question: one or several sentences, each with alternatives joined by "or"; moments of any
            count.
        k: how many.
        lexicon: what words mean.
        executor: does the work.
        report: told how many clips are done.
    """
    return search_all(store, [question], k, lexicon, executor, report)[0]


def search_all(
    store: Store,
    questions: Sequence[Question],
    k: int,
    lexicon: Lexicon,
    executor: Executor,
    report: Report = silent,
) -> tuple[Moments, ...]:
    """The same for many questions in one pass: per question, its k best moments."""
    answers: tuple[Moments, ...] = ()
    for step in steps(store, questions, k, lexicon, executor):
        report(step.stage, step.done, step.total)
        answers = step.answers
    return answers


def steps(
    store: Store, questions: Sequence[Question], k: int, lexicon: Lexicon, executor: Executor
) -> Iterator[Step]:
    """The same, step by step: at least one, and the last one has the answers.

    Clips without one of the nouns are not read, by what the library knows of its clips. The others
    are bounded, and solved from the highest bound down until no bound reaches the k-th best moment
    found so far.
    """
    entries = store.entries()
    asked = [_Asked(meanings, k) for meanings in understood(questions, entries, lexicon)]
    damaged: dict[str, None] = {}

    def step(stage: str, done: int, total: int) -> Step:
        told = tuple(
            Moments(each.found, len(entries), each.read, each.solved, tuple(damaged))
            for each in asked
        )
        return Step(stage, done, total, told)

    work = _work(entries, asked, lexicon)
    for each in asked:
        each.read = sum(not set(each.meanings).isdisjoint(wanted) for _, wanted in work)
    parts = _parts(work, entries, executor.size)
    jobs = [
        _Bounding(store.url, [(entries[n], tuple(wanted)) for n, wanted in part], lexicon)
        for part in parts
    ]
    results, done = iter(executor.map(_bound, jobs)), 0
    for part in parts:
        yield step("bound", done, len(work))
        for (n, wanted), bounds in zip(part, next(results), strict=True):
            if isinstance(bounds, DamagedError):
                _set_aside(entries[n], bounds, damaged)
                bounds = [-math.inf] * len(wanted)
            told = dict(zip(wanted, bounds, strict=True))
            for each in asked:
                if fitting := [(m, told[m]) for m in each.meanings if m in told]:
                    each.bounds[n] = fitting
        done += len(part)
    for each in asked:
        each.begin([entry.name for entry in entries])
    total = sum(len(each.order) for each in asked)
    while any(each.at < len(each.order) for each in asked):
        yield step("search", sum(each.at for each in asked), total)
        batch: dict[int, list[_Asked]] = {}
        for each in asked:
            for n in each.next(executor.size):
                batch.setdefault(n, []).append(each)
        solving = [
            _Solving(
                store.url,
                entries[n],
                [(m, each.least) for each in askers for m, _ in each.bounds[n]],
                lexicon,
                k,
            )
            for n, askers in batch.items()
        ]
        solved = executor.map(_examine, solving)
        for (n, askers), answers in zip(batch.items(), solved, strict=True):
            if isinstance(answers, DamagedError):
                _set_aside(entries[n], answers, damaged)
                continue
            rest = iter(answers)
            for each in askers:
                each.learn([next(rest) for _ in each.bounds[n]])
        for each in asked:
            if len(each.found) == k:
                each.least = max(each.least, each.found[-1].score)
    yield step("search", total, total)


def understood(
    questions: Sequence[Question], entries: Sequence[Entry], lexicon: Lexicon
) -> list[tuple[Meaning, ...]]:
    """Per question, what is looked for.

    Raises:
        SentenceError: a sentence cannot be understood; the message says which of several.
    """
    known = sorted({name for entry in entries for name in entry.known})
    # An empty library knows no class, which is no fault of the sentence.
    vocabulary = vocabulary_of(lexicon, known) if entries else lexicon.vocabulary()
    found = []
    for number, question in enumerate(questions, 1):
        asked = [question] if isinstance(question, str) else question
        try:
            meanings = [each for sentence in asked for each in alternatives(sentence, vocabulary)]
        except SentenceError as error:
            where = f"question {number}: " if len(questions) > 1 else ""
            raise SentenceError(f"{where}{error}") from None
        found.append(tuple(meanings))
    return found


def _work(
    entries: Sequence[Entry], asked: Sequence[_Asked], lexicon: Lexicon
) -> list[tuple[int, list[Meaning]]]:
    """The clips in which all nouns of a sentence were seen, and which sentences these are."""
    wanted = list(dict.fromkeys(meaning for each in asked for meaning in each.meanings))
    # Most clips were looked at by the same detector: per classes that it knows, those of each noun.
    named: dict[tuple[str, ...], list[tuple[Meaning, list[frozenset[str]]]]] = {}
    found = []
    for n, entry in enumerate(entries):
        if entry.known not in named:
            named[entry.known] = [
                (m, [frozenset(lexicon.named(p.noun, entry.known)) for p in m.participants])
                for m in wanted
            ]
        seen = entry.classes.keys()
        fitting = [m for m, nouns in named[entry.known] if all(each & seen for each in nouns)]
        if fitting:
            found.append((n, fitting))
    return found


def _parts(
    work: Sequence[tuple[int, list[Meaning]]], entries: Sequence[Entry], workers: int
) -> list[list[tuple[int, list[Meaning]]]]:
    """Clips that are bounded at a time; every worker has some."""
    most = min(CLIPS_AT_ONCE, -(-len(work) // workers))
    found, seconds = list[list[tuple[int, list[Meaning]]]](), math.inf
    for n, wanted in work:
        if seconds + entries[n].seconds > SECONDS_AT_ONCE or len(found[-1]) == most:
            found.append([])
            seconds = 0.0
        found[-1].append((n, wanted))
        seconds += entries[n].seconds
    return found


def _set_aside(entry: Entry, error: DamagedError, damaged: dict[str, None]) -> None:
    if entry.name not in damaged:
        damaged[entry.name] = None
        _log.warning("left out: %s", error)


def _rank(moment: Moment) -> tuple[float, str, float, str]:
    return -moment.score, moment.video, moment.start, moment.sentence


def _bound(job: _Bounding) -> list[list[float] | DamagedError]:
    """Per clip and sentence, what a moment can score at most."""
    store, lexicon = Store(job.url), job.lexicon
    found: list[dict[Meaning, float] | DamagedError] = []
    tables = dict[int, ThingTable]()
    for n, (entry, meanings) in enumerate(job.work):
        nouns = {p.noun for meaning in meanings for p in meaning.participants}
        classes = frozenset(name for noun in nouns for name in lexicon.named(noun, entry.known))
        found.append({})
        try:
            table = store.things(entry, classes) if lexicon.identity else None
        except DamagedError as error:
            found[-1] = error
            continue
        if table is not None:
            tables[n] = table
    for meaning in dict.fromkeys(meaning for _, meanings in job.work for meaning in meanings):
        asked = [n for n, (_, meanings) in enumerate(job.work) if meaning in meanings]
        known = [n for n in asked if n in tables]
        bounds = most_of_things([tables[n] for n in known], meaning, lexicon, LEAST_NATS).tolist()
        decided = {n: bound for n, bound in zip(known, bounds, strict=True) if bound == bound}
        for n in asked:
            told = found[n]
            if isinstance(told, DamagedError):
                continue
            try:
                told[meaning] = (
                    decided[n]
                    if n in decided
                    else most(store.clip(job.work[n][0]), meaning, lexicon)
                )
            except DamagedError as error:
                found[n] = error
    return [
        told if isinstance(told, DamagedError) else [told[meaning] for meaning in meanings]
        for told, (_, meanings) in zip(found, job.work, strict=True)
    ]


def _examine(job: _Solving) -> list[ClipMoments] | DamagedError:
    """Per sentence, the moments of a clip that may be among the best of the library."""
    try:
        clip = Store(job.url).clip(job.entry)
    except DamagedError as error:
        return error
    answers = [moments(clip, m, job.lexicon, job.count, least) for m, least in job.work]
    return [
        replace(each, moments=tuple(replace(m, video=job.entry.name) for m in each.moments))
        for each in answers
    ]
