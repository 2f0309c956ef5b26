"""Learn what words mean from clips paired with sentences."""

import hashlib
import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from sentrack.inference import Infeasible
from sentrack.language import Meaning
from sentrack.lexicon import Lexicon, WordModel
from sentrack.progress import Report, silent
from sentrack.scene import scene_of
from sentrack.tasks.learning.choices import Choice
from sentrack.tasks.learning.contrast import Belief, Contrast, maximise_contrast
from sentrack.tasks.learning.corpus import (
    ClipAndSentence,
    Corpus,
    Pair,
    PairError,
    PathAndSentence,
    gather,
)
from sentrack.tasks.learning.corrections import Corrected, RightBox
from sentrack.tasks.learning.e_step import CHUNK, Parameters, TrainingSet, measure_background
from sentrack.tasks.learning.em import StoppingRule, run_em_with_restarts
from sentrack.tasks.learning.examples import Example, Floats, Key, classes_there, prepare
from sentrack.tasks.learning.initial_models import initial_noun, narrowed_model
from sentrack.tasks.learning.journal import Journal
from sentrack.tasks.learning.m_step import Prior
from sentrack.tasks.learning.minimal_pairs import minimal_pairs
from sentrack.tasks.learning.pairs import read_pairs
from sentrack.tasks.learning.questions import Question, Questions
from sentrack.tasks.learning.settings import Settings
from sentrack.tasks.tracker import open_lexicon
from sentrack.vision import Clip, ClipError
from sentrack.workers import Executor, open_executor

__all__ = ["PairError", "RightBox", "Settings", "learn", "read_pairs"]

# Frames for which words are held to what the first stage found, which is where they begin and no
# meaning that somebody wrote.
FOUND = 1.0
SHARE = 0.2  # probability from which on a class is among those that a noun names


def learn(
    pairs: Iterable[ClipAndSentence | PathAndSentence],
    keep: Lexicon | str | Path | None = None,
    seed: int = 0,
    *,
    start: Lexicon | str | Path | None = None,
    lexicon: Lexicon | str | Path | None = None,
    settings: Settings | None = None,
    strict: bool = False,
    journal: str | Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    report: Report = silent,
) -> Lexicon:
    """Find the word models under which clips are most probable, given their sentences.

    Args:
        pairs: clips, or their paths, with sentences; a pair may have a third part, boxes that
            somebody put right (`RightBox`), which say who the participants are.
        keep: a lexicon whose words are held fixed, or its name or file; by default none.
        seed: of random starts; the same seed gives the same lexicon.
        start: a lexicon, or its name or file, with whose meanings words begin that it has: they are
            held to them, and the clips move them only by what tells true sentences from others.
        lexicon: how words are said that it has, `everyday` by default; their meanings are learned
            anew. Words that it does not have are understood from the sentences.
        settings: how learning is done.
        strict: whether to refuse a pair that cannot be learned from instead of leaving it out.
        journal: a file that keeps what was reached after every iteration; a run that was
            interrupted goes on from there. It is removed at the end.
        workers: processes of this machine; by default one per core, if there are enough clips.
        cluster: address of a Dask scheduler instead.
        report: told the frames that were looked at.

    Returns:
        A lexicon of the words that were learned, the nouns of the sentences, and all of `keep`.

    Raises:
        PairError: there is nothing to learn from; or, when strict, a pair is no good.
    """
    settings = settings or Settings()
    kept = None if keep is None else open_lexicon(keep)
    begun = None if start is None else open_lexicon(start)
    corpus = gather(pairs, kept, open_lexicon(lexicon), settings, strict, begun)
    examples = [pair.example for pair in corpus.pairs]
    record = Journal(None if journal is None else Path(journal), _run(corpus, settings, seed))
    more = settings, seed, record, report
    with open_executor(workers, cluster, len(examples) // CHUNK * settings.iterations) as executor:
        title = "nouns" if any(part == "noun" for part, _ in corpus.learned) else "words"
        parameters = _first_stage(title, corpus, examples, executor, *more)
        if parameters.nouns:
            # What the nouns are is settled; the other words are learned anew with that.
            corpus = _with_nouns(corpus, parameters)
            again = [_example(corpus, pair, settings) for pair in corpus.pairs]
            examples = [example for example in again if example is not None]
            if corpus.learned:
                parameters = _first_stage("words", corpus, examples, executor, *more)
        if settings.contrast and corpus.learned:
            others = {} if begun is None else begun.words
            parameters = _second_stage(parameters, corpus, others, executor, *more)
    record.close()
    words = dict(corpus.lexicon.words)
    words |= {key: parameters.models[key] for key in corpus.learned}
    words |= {key: narrowed_model(words[key]) for key in corpus.begun}
    about = f"Learned from {len(corpus.pairs)} clips with sentences."
    if begun is not None:
        about = f"{begun.name}, fitted to {len(corpus.pairs)} clips with sentences."
        words = begun.words | words
    return Lexicon("learned", about, words | ({} if kept is None else kept.words))


def _first_stage(
    title: str,
    corpus: Corpus,
    examples: list[Example],
    executor: Executor,
    settings: Settings,
    seed: int,
    journal: Journal,
    report: Report,
) -> Parameters:
    """The most probable parameters, by EM; words that begin with a meaning keep it."""
    first, prior = _initial(corpus, examples, settings)
    if not first.learned and not first.nouns:
        return first
    data = TrainingSet(examples, executor)
    rule = StoppingRule(settings.iterations, settings.tolerance)
    return run_em_with_restarts(
        title, first, data, prior, rule, settings.restarts, seed, journal, report
    )


def _initial(
    corpus: Corpus, examples: list[Example], settings: Settings
) -> tuple[Parameters, Prior]:
    """Parameters to draw starts from, and the prior."""
    models = {key: model for key, model in corpus.lexicon.words.items() if key[0] != "noun"}
    background = measure_background(examples, models)
    C = len(corpus.classes)
    # Whether a class is there, not how many of it: two hands are no likelier to be meant than one.
    there = [classes_there(seen, C) for s in examples for _, seen in s.nouns]
    usual = np.sum([np.ones(C), *there], axis=0) / (C + np.sum(there))
    nouns = [name for part, name in corpus.learned if part == "noun"]
    K = max([model.K for model in models.values()], default=1)
    seconds = float(np.mean([example.T * example.seconds for example in examples])) / K
    parameters = Parameters(
        models,
        {noun: initial_noun(examples, noun, usual) for noun in sorted(nouns)},
        background,
        usual,
        frozenset(key for key in corpus.learned - corpus.begun if key[0] != "noun"),
    )
    return parameters, Prior(settings.smoothing, background, seconds)


def _with_nouns(corpus: Corpus, parameters: Parameters) -> Corpus:
    """The corpus with the classes that the nouns were found to name."""
    words = dict(corpus.lexicon.words)
    for noun, shares in parameters.nouns.items():
        chosen = _chosen(shares, corpus.classes)
        words["noun", noun] = replace(words["noun", noun], classes=chosen)
        logging.getLogger("sentrack").info("'%s' names %s", noun, ", ".join(chosen))
    learned = frozenset(key for key in corpus.learned if key[0] != "noun")
    return replace(corpus, lexicon=replace(corpus.lexicon, words=words), learned=learned)


def _chosen(shares: Floats, classes: tuple[str, ...]) -> tuple[str, ...]:
    order = np.argsort(-shares, kind="stable")
    return tuple(classes[i] for n, i in enumerate(order) if n == 0 or shares[i] >= SHARE)


def _example(corpus: Corpus, pair: Pair, settings: Settings) -> Example | None:
    """A sentence on a clip; None if the clip cannot show it."""
    known = corpus.lexicon, corpus.classes, settings.best, corpus.learned
    try:
        return prepare(pair.clip, pair.meaning, *known, pair.corrected)
    except (ClipError, Infeasible):
        return None


def _second_stage(
    parameters: Parameters,
    corpus: Corpus,
    others: Mapping[Key, WordModel],
    executor: Executor,
    settings: Settings,
    seed: int,
    journal: Journal,
    report: Report,
) -> Parameters:
    """Better parameters, by contrast with sentences that are not said of the same clip.

    These are the sentence with an opposite word, of the corpus or of `others`, and some of its
    minimal pairs.
    """
    rng = Random(seed)
    lexicon = replace(corpus.lexicon, words={**others, **corpus.lexicon.words, **parameters.models})
    words: list[Key] = sorted(corpus.lexicon.words)
    # A video that is given twice is one: what is said of it is true of both.
    videos = [pair.video for pair in corpus.pairs]
    true: dict[str, set[Meaning]] = {video: set() for video in videos}
    for pair, video in zip(corpus.pairs, videos, strict=True):
        true[video].add(pair.meaning)
    asked: list[Question] = []
    choices: list[Choice] = []
    for pair, video in zip(corpus.pairs, videos, strict=True):
        against = list(
            minimal_pairs(pair.meaning, _opposites(pair.meaning, lexicon), corpus.vocabulary)
        )
        pairs = list(minimal_pairs(pair.meaning, words, corpus.vocabulary))
        more = [other for other in pairs if other not in against]
        # Those that differ in a word come first: they are what it is told from.
        nouns = _nouns(pair.meaning)
        more = sorted(rng.sample(more, len(more)), key=lambda other: _nouns(other) != nouns)
        against += more[: settings.rivals]
        rivals = [m for m in against if m not in true[video]]
        # What was put right says who did it, and nothing of who did not do something else.
        found = [_question(pair.clip, pair.meaning, lexicon, pair.corrected)]
        found += [_question(pair.clip, meaning, lexicon) for meaning in rivals]
        here = [question for question in found if question is not None]
        if found[0] is None or len(here) == 1:
            continue
        own = len(asked)
        choices.append(Choice(own, tuple(range(own + 1, own + len(here)))))
        asked += here
    if not choices:
        return parameters
    said = {key for choice in choices for key in asked[choice.own].keys}
    models = {key: m for key, m in lexicon.words.items() if m.observed} | dict(parameters.models)
    learned = frozenset(key for key in corpus.learned & said if models[key].observed)
    beliefs = {
        key: Belief(models[key], settings.belief if key in corpus.begun else FOUND)
        for key in learned
    }
    after = maximise_contrast(
        replace(parameters, models=models, learned=learned),
        Questions(asked, executor),
        Contrast(choices, beliefs),
        settings.contrast,
        settings.tolerance,
        journal,
        report,
    )
    return replace(after, learned=parameters.learned)


def _nouns(meaning: Meaning) -> list[str]:
    """The nouns of a sentence."""
    return [participant.noun for participant in meaning.participants]


def _opposites(meaning: Meaning, lexicon: Lexicon) -> list[Key]:
    """The opposites of the words of a sentence."""
    named = [
        (word.part, str(lexicon.model(word.word, word.part).grammar.get("opposite")))
        for word in meaning.words
    ]
    return [key for key in named if key in lexicon.words]


def _question(
    clip: Clip, meaning: Meaning, lexicon: Lexicon, corrected: Corrected | None = None
) -> Question | None:
    """A sentence about a clip; None if the clip cannot show it."""
    try:
        scene = scene_of(clip, meaning, lexicon)
    except ClipError:
        return None
    if corrected is None:
        return Question(scene)
    return Question(scene, corrected.allowed(scene.clip, len(meaning.participants)))


def _run(corpus: Corpus, settings: Settings, seed: int) -> str:
    """What tells a run from another: all of its data, its words, its settings and its seed."""
    digest = hashlib.sha256()
    for pair in corpus.pairs:
        who = None if pair.corrected is None else sorted(pair.corrected.things.items())
        digest.update(repr((pair.meaning, pair.clip.sha256, who)).encode())
    for key in sorted(corpus.lexicon.words):
        digest.update(_print(corpus.lexicon.words[key]))
    digest.update(
        repr(
            (settings, seed, sorted(corpus.learned), sorted(corpus.begun), corpus.classes)
        ).encode()
    )
    return digest.hexdigest()


def _print(model: WordModel) -> bytes:
    facts = vars(model) | {"observed": [(o.feature.name, o.roles) for o in model.observed]}
    told = {
        name: fact.tolist() if isinstance(fact, np.ndarray) else fact
        for name, fact in facts.items()
    }
    told["outputs"] = [output.tolist() for output in model.outputs]
    return repr(sorted(told.items())).encode()
