"""Discriminative training by match: its statistic, its slopes, and what it does to words."""

from dataclasses import replace

import numpy as np
import pytest

from sentrack.language import parse
from sentrack.lexicon import Lexicon, WordModel
from sentrack.progress import silent
from sentrack.scene import scene_of
from sentrack.tasks import track
from sentrack.tasks.learning.choices import CERTAINTY, Choice, Held, log_choice
from sentrack.tasks.learning.contrast import Belief, Contrast, maximise_contrast
from sentrack.tasks.learning.e_step import Parameters
from sentrack.tasks.learning.examples import Key
from sentrack.tasks.learning.journal import Journal
from sentrack.tasks.learning.minimal_pairs import minimal_pairs
from sentrack.tasks.learning.questions import Question, Questions, answer
from sentrack.tasks.match import ROUNDING, relative, soft_least
from sentrack.tasks.tracker import understand
from sentrack.vision import Clip, clip_from_arrays
from sentrack.workers import Executor
from tests.tasks.stages import DOWN, UP, stage

EVERYDAY = Lexicon.load("everyday")
MODELS = {key: model for key, model in EVERYDAY.words.items() if model.observed}
UP_AND_DOWN: list[Key] = [("verb", "pick-up"), ("verb", "put-down")]


def question(clip: Clip, sentence: str) -> Question:
    return Question(scene_of(clip, understand(sentence, EVERYDAY, clip), EVERYDAY))


SENTENCES = (
    "The hand picked up the cup.",
    "The hand put down the cup.",
    "The cup moved upwards.",
    "The hand entered the cup.",
    "The hand was to the left of the cup.",
    "The red hand moved upwards.",
)


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("direction", [UP, DOWN])
def test_the_fit_is_the_one_that_match_depends_on(sentence: str, direction: int) -> None:
    clip = stage(direction, "cup", 3)
    fits = Held([answer(question(clip, sentence), {})]).fits(MODELS)
    found = track(clip, sentence, whole=True)
    assert fits == pytest.approx([found.shown.fit], abs=1e-9)


def test_the_fit_of_clauses_in_order_is_about_that_of_the_word_that_fits_least() -> None:
    clip = stage(UP, "cup", 3)
    sentence = "The hand approached the cup and then lifted the cup."
    fits = Held([answer(question(clip, sentence), {})]).fits(MODELS)
    found = track(clip, sentence, whole=True)
    pairs = zip(found.objective.models, found.words, strict=True)
    own = [relative(word.margin, model) for model, word in pairs if model.information > ROUNDING]
    assert fits == pytest.approx([float(soft_least(own))], abs=1e-9)


@pytest.mark.parametrize("people", [2, 5, 20])
def test_everybody_who_could_be_meant_counts(people: int) -> None:
    rng = np.random.default_rng(people)
    clip = crowd_of(people, rng)
    for sentence in ("The person walked.", "The person approached the person."):
        fits = Held([answer(question(clip, sentence), {})]).fits(MODELS)
        assert fits == pytest.approx([track(clip, sentence, whole=True).shown.fit], abs=1e-9)


def crowd_of(people: int, rng: np.random.Generator) -> Clip:
    """People who walk about, each in a row of the picture."""
    T = 20
    x = rng.uniform(50, 500, people) + rng.uniform(-4, 4, people) * np.arange(T)[:, None]
    y = np.broadcast_to(np.linspace(20, 400, people), x.shape)
    boxes = np.stack((x, y, x + 12, y + 15), axis=-1).reshape(-1, 4)
    frame = np.repeat(np.arange(T), people)
    return clip_from_arrays(
        "crowd",
        (640, 480),
        10,
        frame,
        ["person"] * len(boxes),
        boxes,
        id=np.tile(np.arange(people), T),
    )


def blurred(keys: list[Key], seed: int) -> dict[Key, WordModel]:
    """Words without two outputs that are equally large, where the best bin would be undecided."""
    rng = np.random.default_rng(seed)
    found = dict(MODELS)
    for key in keys:
        outputs = [o * rng.uniform(0.8, 1.2, o.shape) for o in found[key].outputs]
        normal = tuple(o / o.sum(axis=1, keepdims=True) for o in outputs)
        found[key] = replace(found[key], outputs=normal)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_slopes_are_those_of_finite_differences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    asked = [
        question(stage(direction, "cup", seed), sentence)
        for direction in (UP, DOWN)
        for sentence in SENTENCES[:4]
    ]
    keys = [*UP_AND_DOWN, ("verb", "enter"), ("verb", "move")]
    models = blurred(keys, seed)
    held = Held([answer(each, models) for each in asked])
    weights = rng.normal(size=len(asked))
    slopes = held.slopes(models, keys, weights)
    for key in keys:
        for f, output in enumerate(models[key].outputs):
            way = rng.normal(size=output.shape)

            def along(by: float, key: Key = key, f: int = f, way: np.ndarray = way) -> float:
                outputs = list(models[key].outputs)
                outputs[f] = outputs[f] * np.exp(by * way)
                moved = models | {key: replace(models[key], outputs=tuple(outputs))}
                return float(held.fits(moved) @ weights)

            expected = (along(1e-6) - along(-1e-6)) / 2e-6
            assert float((slopes[key][f] * way).sum()) == pytest.approx(expected, abs=1e-5)


def test_the_log_probability_of_a_choice() -> None:
    fits = np.array([0.3, 0.1, -np.inf, 0.2])
    log, slope = log_choice(fits, [Choice(0, (1, 2)), Choice(3, (1,), 2.0)])
    shares = [1 / (1 + np.exp(-CERTAINTY * 0.2)), 1 / (1 + np.exp(-CERTAINTY * 0.1))]
    assert np.exp(log) == pytest.approx(shares)
    first, second = CERTAINTY * (1 - shares[0]), 2 * CERTAINTY * (1 - shares[1])
    assert slope == pytest.approx([first, -first - second, 0, second])


def test_a_participant_is_what_it_may_be() -> None:
    clip = stage(UP, "cup", 0)
    free = question(clip, "The hand picked up the cup.")
    hand, nowhere = free.scene.candidates[0], np.zeros(len(free.scene.clip.label), np.bool_)
    only = nowhere.copy()
    only[hand.rows] = True
    every, same = answer(free, {}), answer(replace(free, allowed=(only,)), {})
    assert every is not None
    assert same is not None
    assert np.array_equal(every.words[0].bins, same.words[0].bins)
    assert every.casts == same.casts
    assert answer(replace(free, allowed=(nowhere,)), {}) is None


@pytest.mark.parametrize("frames", [1.0, 1e9])
def test_contrast_raises_its_objective_and_holds_words_as_firmly_as_it_is_told(
    frames: float,
) -> None:
    # Clips that say the opposite of what words mean, so that these have to change.
    asked: list[Question] = []
    choices: list[Choice] = []
    for n in range(6):
        verbs = ["picked up", "put down"][:: 1 if n % 2 else -1]
        clip = stage(DOWN if n % 2 else UP, "cup", n)
        choices.append(Choice(len(asked), (len(asked) + 1,)))
        asked += [question(clip, f"The hand {verb} the cup.") for verb in verbs]
    beliefs = {key: Belief(MODELS[key], frames) for key in UP_AND_DOWN}
    contrast, questions = Contrast(choices, beliefs), Questions(asked, Executor())
    before = Parameters(MODELS, {}, {}, np.zeros(0), frozenset(UP_AND_DOWN))
    after = maximise_contrast(before, questions, contrast, 3, 0.0, Journal(None, ""), silent)
    values = [
        contrast.value(each.models, Held(questions.answers(each.models)))
        for each in (before, after)
    ]
    moved = max(
        float(np.abs(a - b).max())
        for key in UP_AND_DOWN
        for a, b in zip(MODELS[key].outputs, after.models[key].outputs, strict=True)
    )
    for key in UP_AND_DOWN:
        for output in after.models[key].outputs:
            assert output.sum(axis=1) == pytest.approx(1)
    if frames == 1.0:
        assert values[1] > values[0] + 0.1
        assert moved > 0.05
    else:
        assert values[1] >= values[0]
        assert moved < 1e-3


def test_minimal_pairs_can_be_said() -> None:
    vocabulary = EVERYDAY.vocabulary()
    meaning = parse("The hand picked up the cup.", vocabulary)
    words = [("verb", "put-down"), ("verb", "walk"), ("verb", "pick-up"), ("noun", "bowl")]
    said = {pair.sentence for pair in minimal_pairs(meaning, words, vocabulary)}
    assert said == {
        "The hand put down the cup.",
        "The bowl picked up the cup.",
        "The hand picked up the bowl.",
        "The cup picked up the hand.",
    }
