"""The parts of learning, each against an oracle that shares no code with it."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.cad import Segment
from benchmarks.cad_verbs import NEVER, Example, loss, macro_f1
from benchmarks.learn import recovered
from benchmarks.sampled import sampled, sharp_word
from sentrack.language import SentenceError, parse
from sentrack.lexicon import Lexicon, WordModel
from sentrack.progress import silent
from sentrack.tasks.learning.contrast import even, rivals, sharpen
from sentrack.tasks.learning.e_step import Belief, Tally, backgrounds, expected
from sentrack.tasks.learning.em import Patience, begin, best_of, climb, related
from sentrack.tasks.learning.initial_models import LOOKED_AT, STATES, co_occurring, looked_at
from sentrack.tasks.learning.journal import Entry, Journal
from sentrack.tasks.learning.m_step import Prior, estimate, share_out
from sentrack.tasks.learning.parallel import Readers
from sentrack.tasks.learning.scenes import Scene, prepare
from sentrack.tasks.learning.unknown_words import understood
from sentrack.vision import clip_from_arrays
from tests.tasks.stages import UP, stage

NONE = Journal(None, "")


def known(models: list[WordModel], scenes: list[Scene]) -> tuple[Belief, Prior]:
    words = {(m.part, m.name): m for m in models}
    bins = backgrounds(scenes, words)
    belief = Belief(words, {}, bins, np.zeros(0), frozenset(words))
    return belief, Prior(5.0, bins, 1.0)


def small(seed: int) -> tuple[WordModel, Scene]:
    """Three frames, two candidates for each of two participants, two states."""
    rng = np.random.default_rng(seed)
    word = sharp_word("dax", rng)
    keep = [0, 2, 3]  # a feature of one participant and two of both
    word = replace(
        word,
        observed=tuple(word.observed[n] for n in keep),
        outputs=tuple(word.outputs[n][:2] for n in keep),
        states=word.states[:2],
        initial=np.array([0.7, 0.3]),
        seconds=np.array([0.3, 1.0]),
        final=np.array([False, True]),
    )
    return word, sampled(word, 3, 2, rng)


def by_enumeration(
    model: WordModel, scene: Scene, belief: Belief
) -> tuple[float, list[np.ndarray], np.ndarray, np.ndarray]:
    """The log-likelihood and counts, by looking at every assignment."""
    (word,) = scene.words
    T, J, K = scene.T, 2, model.K
    ((_, code),) = word.groups
    sizes = [len(o.feature.bins) for o in model.observed]
    bins = np.array(np.unravel_index(code, sizes)).reshape(len(sizes), T, J, J)
    stay = math.exp(-scene.seconds / float(model.seconds[0]))  # type: ignore[index]
    move = np.array([[stay, 1 - stay], [0, 1]])
    follow = np.exp(np.asarray(scene.tracks[0].pairwise[0]))
    uniform = math.prod(1 / size for size in sizes)
    total = alone = 0.0
    outputs = [np.zeros((K, size)) for size in sizes]
    initial, moves = np.zeros(K), np.zeros((2, 1))
    for a in itertools.product(range(J), repeat=T):
        for b in itertools.product(range(J), repeat=T):
            tracks = math.prod(follow[x, y] for t in (a, b) for x, y in itertools.pairwise(t))
            alone += tracks
            for states in itertools.product(range(K), repeat=T):
                if states[-1] == 0:
                    continue
                weight = tracks * model.initial[states[0]]
                weight *= math.prod(move[x, y] for x, y in itertools.pairwise(states))
                real = []
                for t, k in enumerate(states):
                    seen = [bins[n, t, a[t], b[t]] for n in range(len(sizes))]
                    own = math.prod(model.outputs[n][k, seen[n]] for n in range(len(sizes)))
                    usual = math.prod(
                        belief.bins[o.feature.name][seen[n]] for n, o in enumerate(model.observed)
                    )
                    mixed = (1 - model.noise) * own + model.noise * uniform
                    weight *= mixed / usual
                    real.append((1 - model.noise) * own / mixed)
                total += weight
                initial[states[0]] += weight
                for x, y in itertools.pairwise(states):
                    if x == 0:
                        moves[y, 0] += weight
                for t, k in enumerate(states):
                    for n in range(len(sizes)):
                        outputs[n][k, bins[n, t, a[t], b[t]]] += weight * real[t]
    found = [output / total for output in outputs]
    return math.log(total / alone), found, initial / total, moves / total


@pytest.mark.parametrize("seed", range(3))
def test_expected_counts_are_those_of_all_assignments(seed: int) -> None:
    model, scene = small(seed)
    belief, _ = known([model], [scene])
    log_likelihood, counts = expected(scene, belief)
    true, outputs, initial, moves = by_enumeration(model, scene, belief)
    tally = counts.words["verb", "dax"]
    assert log_likelihood == pytest.approx(true)
    for own, other in zip(tally.outputs, outputs, strict=True):
        assert own == pytest.approx(other)
    assert tally.initial == pytest.approx(initial)
    assert tally.moves[0.1] == pytest.approx(moves)


def test_a_word_that_rules_bins_out_counts_nothing_there() -> None:
    model, scene = small(1)
    only = [np.stack([np.eye(output.shape[1])[0], output[1]]) for output in model.outputs]
    model = replace(model, noise=0.0, outputs=tuple(only), initial=np.array([0.5, 0.5]))
    belief, _ = known([model], [scene])
    tally = expected(scene, belief)[1].words["verb", "dax"]
    for counts in tally.outputs:
        assert counts[0, 1:].sum() == 0
        assert counts.sum() == pytest.approx(scene.T)


def test_the_classes_of_a_noun_are_weighed_in_every_frame() -> None:
    model, scene = small(0)
    belief, _ = known([model], [scene])
    labels = np.array([0, 1])
    scene = replace(scene, nouns=(("agent", labels), scene.nouns[1]))
    share, classes = np.array([0.6, 0.4]), np.array([0.5, 0.5])
    plain, _ = expected(scene, belief)
    soft, counts = expected(scene, replace(belief, shares={"agent": share}, classes=classes))
    assert counts.shares["agent"].sum() == pytest.approx(scene.T)
    # Between what it would be if the first candidate were meant, and if the second were.
    assert plain + 3 * math.log(0.8) < soft < plain + 3 * math.log(1.2)


@settings(max_examples=5)
@given(st.integers(0, 10**6))
def test_the_objective_never_falls(seed: int) -> None:
    rng = np.random.default_rng(seed)
    words = [sharp_word(name, rng) for name in ("dax", "wug")]
    scenes = [sampled(word, 12, 2, rng) for word in words for _ in range(3)]
    belief, prior = known(words, scenes)
    told: list[float] = []

    class Told(Journal):
        def write(self, climb: str, entry: Entry) -> None:  # noqa: ARG002
            told.append(sum(entry.objective.values()))

    with Readers(scenes, 1) as readers:
        start = begin(belief, prior, rng)
        end = climb("start", start, readers, prior, Patience(12, -1.0), Told(None, ""), silent)
    assert end.iteration == 12
    assert len(told) == 13
    assert (np.diff(told) >= -1e-9).all()
    assert told[-1] > told[0] + 1


def test_lasting_times_are_the_most_probable_ones() -> None:
    word = sharp_word("dax", np.random.default_rng(0))
    moves = {0.1: np.array([[30.0, 4.0], [5.0, 2.0]]), 0.04: np.array([[80.0, 1.0], [3.0, 7.0]])}
    zero = [np.zeros_like(output) for output in word.outputs]
    bins = even([word])
    found = estimate(word, Tally(zero, np.ones(3), moves), Prior(1.0, bins, 0.5))
    assert found.seconds is not None

    def log_probability(rate: float, state: int) -> float:
        told = math.log(rate) - rate * 0.5
        for d, (stays, leaves) in moves.items():
            told += -stays[state] * d * rate + leaves[state] * math.log(1 - math.exp(-d * rate))
        return told

    for state in (0, 1):
        best = 1 / found.seconds[state]
        for other in (best * 0.99, best * 1.01):
            assert log_probability(best, state) > log_probability(other, state)
    assert all((output.sum(axis=1) == pytest.approx(1)) for output in found.outputs)


def test_known_words_are_recovered_from_random_starts() -> None:
    truth, learned = recovered(0, clips=25, restarts=3, frames=24)
    assert truth > 1
    assert learned > 0.98 * truth


def test_each_word_goes_on_from_the_start_that_was_best_for_it() -> None:
    rng = np.random.default_rng(3)
    words = [sharp_word(name, rng) for name in ("dax", "wug")]
    scenes = [sampled(word, 15, 2, rng) for word in words for _ in range(3)]
    belief, prior = known(words, scenes)
    assert set(related(scenes, belief).values()) == {"verb/dax", "verb/wug"}
    patience = Patience(5, 0.0)
    with Readers(scenes, 1) as readers:

        def on(start: Belief) -> Entry:
            return climb("x", start, readers, prior, patience, NONE, silent)

        found = best_of("words", belief, readers, prior, patience, 3, 0, NONE, silent)
        starts = [on(begin(belief, prior, np.random.default_rng([0, n]))) for n in range(3)]
        for key in belief.learned:
            best = on(max(starts, key=lambda entry: entry.objective["/".join(key)]).belief)
            for own, other in zip(
                found.models[key].outputs, best.belief.models[key].outputs, strict=True
            ):
                assert np.array_equal(own, other)


def test_words_that_share_a_sentence_are_related() -> None:
    rng = np.random.default_rng(0)
    words = [sharp_word(name, rng) for name in ("dax", "wug", "frib")]
    scenes = [sampled(word, 4, 2, rng) for word in words]
    belief, _ = known(words, scenes)
    both = replace(scenes[0], words=(scenes[0].words[0], scenes[1].words[0]))
    assert len(set(related([*scenes, both], belief).values())) == 2


def test_contrast_raises_the_margin_over_rivals() -> None:
    rng = np.random.default_rng(1)
    words = [sharp_word(name, rng) for name in ("dax", "wug")]
    # Nearly the same words, so that the first stage alone hardly tells them apart.
    words[1] = replace(
        words[1],
        outputs=tuple(
            0.9 * a + 0.1 * b for a, b in zip(words[0].outputs, words[1].outputs, strict=True)
        ),
    )
    scenes: list[Scene] = []
    groups = []
    for word in words:
        for _ in range(4):
            own = sampled(word, 15, 2, rng)
            other = next(w for w in words if w is not word)
            swapped = replace(own.words[0], key=("verb", other.name))
            groups.append((len(scenes), len(scenes) + 1))
            scenes += [own, replace(own, words=(swapped,))]
    belief, _ = known(words, scenes)
    belief = replace(belief, bins=even(words))

    def margin(each: Belief) -> float:
        values = [expected(scene, each)[0] for scene in scenes]
        return float(np.mean([values[a] - values[b] for a, b in groups]))

    with Readers(scenes, 1) as readers:
        after = sharpen(belief, readers, groups, 6, 0.0, NONE, silent)
    assert margin(after) > margin(belief) + 0.1


def test_rivals_are_minimal_pairs_that_can_be_said() -> None:
    lexicon = Lexicon.load("everyday")
    vocabulary = lexicon.vocabulary()
    meaning = parse("The hand picked up the cup.", vocabulary)
    words = [("verb", "put-down"), ("verb", "walk"), ("verb", "pick-up"), ("noun", "bowl")]
    said = {rival.sentence for rival in rivals(meaning, words, vocabulary)}
    assert said == {
        "The hand put down the cup.",
        "The bowl picked up the cup.",
        "The hand picked up the bowl.",
        "The cup picked up the hand.",
    }


def test_nouns_begin_as_what_is_there_when_they_are_said() -> None:
    _, scene = small(0)

    def began(*clips: list[int], classes: list[float]) -> np.ndarray:
        scenes = [replace(scene, nouns=(("zup", np.array(labels)),)) for labels in clips]
        return co_occurring(scenes, "zup", np.array(classes))

    # The first is there three times; each of the others twice, and once it is not.
    share = began([0, 1], [0, 2], [0, 1, 2], classes=[0.4, 0.3, 0.3])
    weight = np.array([(0.9 / 0.4) ** 3, *[(0.9 / 0.3) ** 2 * 0.1] * 2])
    assert share == pytest.approx(0.9 * weight / weight.sum() + 0.1 / 3)
    # One that is always there, though common, rather than two rare ones that take turns.
    assert began([0, 1], [0, 2], [0, 1], [0, 2], classes=[0.6, 0.2, 0.2]).argmax() == 0
    # Two that are always there are equally likely.
    assert began([0, 1], [1, 0, 2], classes=[0.4, 0.4, 0.2])[:2] == pytest.approx(0.46, abs=0.03)
    assert share_out(np.array([8.0, 1.0]), np.array([0.5, 0.5])) == pytest.approx([0.85, 0.15])


def test_boxes_of_two_classes_are_two_things_before_nouns_are_known() -> None:
    frame, label = np.repeat(np.arange(3), 3), np.tile([0, 1, 1], 3)
    boxes = np.tile([[100, 100, 150, 150], [108, 100, 158, 150], [112, 100, 162, 150]], (3, 1))
    clip = clip_from_arrays("x", (640, 480), 10, frame, ("cup", "hand"), boxes, label=label)
    vocabulary = Lexicon.load("everyday").vocabulary()
    meaning = parse("The hand picked up the cup.", vocabulary)
    free = [
        WordModel(n, "noun", (n,), ("it",), classes=("cup", "hand"), states=("state 0",))
        for n in ("hand", "cup")
    ]
    words = {("noun", noun.name): noun for noun in free}
    words["verb", "pick-up"] = Lexicon.load("everyday").words["verb", "pick-up"]
    learned = [("noun", "hand"), ("noun", "cup")]
    scene = prepare(clip, meaning, Lexicon("x", "", words), ["cup", "hand"], 2, learned)
    (apart,) = scene.apart
    never = -math.inf
    for emission in apart.emission:
        (h,) = np.asarray(emission)
        assert h.tolist() == [[never, 0, 0], [0, never, never], [0, never, never]]


@pytest.mark.parametrize(
    ("sentence", "expected_words"),
    [
        ("The robot glorped the gadget.", [("glorp", "verb", (0, 1))]),
        ("The robot stirred.", [("stir", "verb", (0,))]),
        ("The robot closed the cup.", [("close", "verb", (0, 1))]),
        ("The robot emptied the cup.", [("empty", "verb", (0, 1))]),
        ("The robot conked out.", [("conk-out", "verb", (0,))]),
        ("The robot wiped off the cup.", [("wipe-off", "verb", (0, 1))]),
        ("The robot sprang.", [("sprang", "verb", (0,))]),
        ("The robot walked wobbly.", [("walk", "verb", (0,)), ("wobbly", "adverb", (0,))]),
        ("The tall robot walked.", [("tall", "adjective", (0,)), ("walk", "verb", (0,))]),
        ("The robot is yonder the cup.", [("yonder", "preposition", (0, 1))]),
    ],
)
def test_unknown_words_are_what_the_grammar_has_room_for(
    sentence: str, expected_words: list[tuple[str, str, tuple[int, ...]]]
) -> None:
    meaning, vocabulary = understood(sentence, Lexicon.load("everyday").vocabulary())
    found = [(w.word, w.part, w.participants) for w in meaning.words if w.part != "noun"]
    assert found == expected_words
    assert parse(sentence, vocabulary) == meaning


def test_what_does_not_read_is_complained_about_as_before() -> None:
    vocabulary = Lexicon.load("everyday").vocabulary()
    for sentence in ("banana zoom the", "", "the the the", "Blah blah blah blah."):
        with pytest.raises(SentenceError):
            understood(sentence, vocabulary)


def test_every_part_of_speech_has_features_that_fit() -> None:
    assert {key.split()[0] for key in LOOKED_AT} == set(STATES)
    for key, features in LOOKED_AT.items():
        arity = key.split()[1]
        for observed in looked_at(features):
            assert len(observed.roles) == observed.feature.arity
            assert max(observed.roles) < int(arity)


def test_thinning_keeps_the_best_of_each_class() -> None:
    clip = stage(UP, "cup", 0)
    rows = np.repeat(np.arange(len(clip.label)), 3)
    names = ("boxes", "label", "velocity", "camera", "colour", "id", "projected")
    scores = np.random.default_rng(0).random(len(rows))
    many = replace(
        clip,
        start=clip.start * 3,
        score=scores,
        **{name: getattr(clip, name)[rows] for name in names},
    )
    thin = many.surest(2)
    for t in range(clip.T):
        for label in range(len(clip.classes)):
            here = (many.frame_of == t) & (many.label == label)
            kept = (thin.frame_of == t) & (thin.label == label)
            assert sorted(thin.score[kept]) == sorted(many.score[here])[-2:]


def test_macro_f1() -> None:
    truth, answer = np.array([0, 0, 1, 2]), np.array([0, 1, 1, 1])
    assert macro_f1(truth, answer) == pytest.approx(np.mean([2 / 3, 1 / 2, 0]))


def test_loss_is_that_of_the_verbs_that_were_learned() -> None:
    clip = stage(UP, "cup", 0)
    found = [Example(Segment("x", 0, 1, v, "cup"), clip) for v in ("pick", "place", "open")]
    verbs = np.array([[0.1, 0.3, NEVER], [0.2, 0.2, NEVER], [0.1, 0.1, NEVER]])
    first = -math.log(math.exp(1) / (math.exp(1) + math.exp(3)))
    assert loss(found, verbs) == pytest.approx((first + math.log(2)) / 2)
