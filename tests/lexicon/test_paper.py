import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import word_models
from sentrack.language import parse
from sentrack.lexicon import Lexicon, LexiconError, WordModel
from sentrack.lexicon.features import FEATURES, Bins, Candidates
from sentrack.lexicon.lexicon import read, split
from sentrack.lexicon.model import Floats
from tests.lexicon.made import candidates

# What the corpus calls its words, where the lexicon has another name.
NAMES = {
    "approached": "approach",
    "left": "leave",
    "picked-up": "pick-up",
    "carried": "carry",
    "gave": "give",
    "replaced": "replace",
    "collided-with": "collide-with",
    "to-the-left-of": "left-of",
    "to-the-right-of": "right-of",
}
FEATURE_NAMES = {
    "velocity_magnitude": "paper-speed",
    "velocity_orientation": "paper-heading",
    "x_distance": "paper-x-distance",
    "y_distance": "paper-y-distance",
    "size_ratio": "paper-ratio",
    "overlap": "paper-overlap",
    "relative_x_position": "paper-side",
    "hue": "paper-hue",
}


@pytest.fixture(scope="module")
def hand_models(shared_data: Path) -> dict[str, Any]:
    text = (shared_data / "mvi_0820" / "hand_models.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def smoothed(probabilities: Any) -> Floats:
    given = np.array(probabilities, dtype=np.float64)
    given[given == 0] = 1e-100
    return np.asarray(np.log(given / given.sum(axis=-1, keepdims=True)))


def outputs(model: WordModel) -> dict[tuple[str, tuple[int, ...]], Floats]:
    with np.errstate(divide="ignore"):
        logs = [np.log(output) for output in model.outputs]
    about = [(observed.feature.name, observed.roles) for observed in model.observed]
    return dict(zip(about, logs, strict=True))


def corpus_feature(name: str) -> tuple[str, tuple[int, ...]]:
    """The feature and the roles of, say, arg1_arg2_x_distance."""
    roles = []
    while name.startswith("arg"):
        role, name = name.split("_", 1)
        roles.append(int(role[3:]) - 1)
    return FEATURE_NAMES[name], tuple(roles)


def test_every_number_is_that_of_the_corpus(hand_models: dict[str, Any]) -> None:
    lexicon = Lexicon.load("paper")
    unseen = set(lexicon.words)
    for given in hand_models["models_new4"]:
        part = {"motion_preposition": "motion"}.get(
            given["part_of_speech"], given["part_of_speech"]
        )
        name = NAMES.get(given["word"], given["word"])
        model = lexicon.model(name, part)
        unseen.discard((part, name))
        assert len(model.roles) == given["arity"]
        if part == "noun":
            continue
        assert given["n_states"] == model.K
        expected = {
            corpus_feature(f["feature"]): smoothed([state[i]["p"] for state in given["states"]])
            for i, f in enumerate(given["states"][0])
        }
        found = outputs(model)
        assert list(found) == list(expected)
        for key, table in expected.items():
            assert found[key] == pytest.approx(table, rel=1e-12, abs=1e-12), (name, key)
        assert model.log_initial() == pytest.approx(smoothed(given["initial"]), abs=1e-12)
        steps = smoothed(given["transition"])
        steps[np.tril_indices(model.K, -1)] = -np.inf
        assert model.log_transitions(1 / 30) == pytest.approx(steps, abs=1e-12)
        assert model.final.tolist() == [model.K == 1] + [True] * (model.K - 1)
        assert model.noise == 0
    assert not unseen


def test_nouns_are_those_of_the_corpus(hand_models: dict[str, Any]) -> None:
    lexicon = Lexicon.load("paper")
    bins = hand_models["feature_bins"]["detector_class"]["new4"]
    for given in hand_models["models_new4"]:
        if given["part_of_speech"] != "noun":
            continue
        p = given["states"][0][0]["p"]
        named = tuple(name for name, value in zip(bins, p, strict=True) if value > 0)
        classes = lexicon.model(given["word"], "noun").classes
        assert classes == (() if len(named) == len(bins) else named)


def test_bins_are_those_of_the_corpus(hand_models: dict[str, Any]) -> None:
    bins = hand_models["feature_bins"]
    for name, ours in FEATURE_NAMES.items():
        assert len(FEATURES[ours].bins) == len(bins[name]["labels"])
        if "upper_edges" in bins[name]:
            assert FEATURES[ours].edges == pytest.approx(bins[name]["upper_edges"]["new4"])


@pytest.mark.parametrize(("lexicon", "K"), [("paper", 3), ("paper9", 9)])
@pytest.mark.parametrize("word", word_models.WORDS)
def test_words_are_those_of_the_benchmark(lexicon: str, K: int, word: str) -> None:
    theirs = word_models.word_model(word, K)
    name = NAMES.get(word, word)
    (key,) = [key for key in Lexicon.load(lexicon).words if key[1] == name]
    ours = Lexicon.load(lexicon).words[key]
    assert ours.log_initial() == pytest.approx(theirs.initial, abs=1e-12)
    assert ours.log_transitions(1 / 30) == pytest.approx(theirs.transition, abs=1e-12)
    assert len(ours.observed) == len(theirs.outputs)
    for table, expected in zip(outputs(ours).values(), theirs.outputs.values(), strict=True):
        assert table == pytest.approx(expected, rel=1e-12, abs=1e-12)
    allowed = np.arange(ours.K) >= theirs.opening
    assert ours.final.tolist() == allowed.tolist()


def seen(boxes: Floats, flow: Floats, aspect: float = 4 / 3, fps: float = 30.0) -> Candidates:
    """Candidates in one frame, from centres and sizes, and flow, in pixels of 1280 per frame."""
    height = 1280 / aspect
    arrays = (boxes[:, :2] / height, boxes[:, 2:] / height, flow * fps / height)
    colour = np.full((1, len(boxes), 3), np.nan, dtype=np.float32)
    centre, extent, velocity = (a[None].astype(np.float32) for a in arrays)
    return candidates(centre, extent, velocity, colour, aspect, fps)


@pytest.mark.parametrize(("aspect", "fps"), [(4 / 3, 30.0), (16 / 9, 25.0)])
def test_features_are_those_of_the_benchmark(aspect: float, fps: float) -> None:
    rng = np.random.default_rng(0)
    boxes = np.hstack((rng.uniform(0, 720, (60, 2)), rng.uniform(30, 300, (60, 2))))
    flow = rng.normal(0, 5, (60, 2))
    flow[0] = 0
    a = seen(boxes, flow, aspect, fps)
    x, area = boxes[:, 0], np.floor((boxes[:, 2:] + 1).prod(axis=1))
    expected: dict[str, word_models.Bins] = {
        "paper-speed": word_models.magnitude_bins(flow),
        "paper-heading": word_models.orientation_bins(flow),
        "paper-x-distance": word_models.x_distance_bins(x, x),
        "paper-ratio": word_models.size_ratio_bins(area, area),
        "paper-side": word_models.side_bins(x, x),
    }
    for name, bins in expected.items():
        assert np.array_equal(binned(name, *[a] * FEATURES[name].arity), bins), name


def binned(name: str, *candidates: Candidates) -> Bins:
    return np.asarray(FEATURES[name].binned(*candidates)[0])


def test_vertical_distance_overlap_and_hue() -> None:
    boxes = np.array([[200, 200, 100, 100], [200, 260, 100, 100], [200, 420, 40, 40]], dtype=float)
    a = seen(boxes, np.zeros((3, 2)))
    assert binned("paper-y-distance", a, a)[0].tolist() == [0, 0, 2]
    assert binned("paper-overlap", a, a)[0].tolist() == [1, 1, 0]
    for hue, name in [(350, "red"), (16, "orange"), (60, "yellow"), (130, "green"), (230, "blue")]:
        a.colour[..., 0] = hue
        assert FEATURES["paper-hue"].bins[binned("paper-hue", a)[0]] == name
    a.colour[..., 0] = 15  # as near to red as to orange: the first of the two
    assert (binned("paper-hue", a) == 0).all()
    a.colour[:] = np.nan
    assert (binned("paper-hue", a) == 0).all()


def test_no_motion_counts_as_right() -> None:
    a = seen(np.ones((5, 4)), np.array([[0, 0], [-1, 0], [0, 1], [1, 1], [0, -1]], dtype=float))
    names = [FEATURES["paper-heading"].bins[b] for b in binned("paper-heading", a)]
    assert names == ["right", "left", "down", "down", "up"]


@pytest.mark.parametrize("lexicon", ["paper", "paper9"])
def test_the_papers_long_sentences_can_be_said(lexicon: str) -> None:
    vocabulary = Lexicon.load(lexicon).vocabulary()
    meaning = parse(
        "The person to the left of the trash-can picked up the traffic-cone to the right of the "
        "backpack quickly.",
        vocabulary,
    )
    said = {word.word: word.participants for word in meaning.words if word.part != "noun"}
    assert said == {"left-of": (0, 2), "pick-up": (0, 1), "right-of": (1, 3), "quickly": (1,)}
    meaning = parse("The person approached the chair slowly.", vocabulary)
    assert meaning.words[-1].participants == (0,)
    for sentence in (
        "The person gave the red backpack to the object.",
        "The person replaced the chair with the stool.",
        "The chair collided with the stool.",
        "The person left the blue chair.",
    ):
        assert parse(sentence, vocabulary).words


def test_nine_states_keep_rows_normalised_and_never_go_back() -> None:
    for model in Lexicon.load("paper9").words.values():
        assert model.K in (1, 9)
        assert model.initial.sum() == pytest.approx(1)
        if model.transitions is None:
            continue
        assert model.transitions.sum(axis=1) == pytest.approx(np.ones(9))
        assert (model.transitions[np.tril_indices(9, -1)] == 0).all()
        assert np.log(model.transitions[np.triu_indices(9, 2)]) == pytest.approx(-230.2585)
        assert model.final.tolist() == [False] * 3 + [True] * 6


def test_a_split_word_keeps_its_mean_times_and_its_jumps() -> None:
    text = """
    [words.walk]
    part = "verb"
    initial = [0.5, 0.5, 0]
    {}
    [[words.walk.states]]
    seconds = 3.0
    "paper-speed(it)" = {{ quickly = 1 }}
    [[words.walk.states]]
    seconds = 1.5
    [[words.walk.states]]
    """
    timed = split(read(text.format(""), "here").words["verb", "walk"], 3)
    assert timed.seconds is not None
    assert timed.seconds[:6] == pytest.approx([1.0] * 3 + [0.5] * 3)
    assert timed.initial.tolist() == [0.5, 0, 0, 0.5, 0, 0, 0, 0, 0]
    jumping = "transitions = [[0.7, 0.2, 0.1], [0, 0.9, 0.1], [0, 0, 1]]"
    model = split(read(text.format(jumping), "here").words["verb", "walk"], 2)
    assert model.transitions is not None
    assert model.transitions[1] == pytest.approx([0, 0.7, 0.2, 0, 0.1, 0])
    assert model.transitions[2] == pytest.approx([0, 0, 0.8, 0.2, 0, 0])
    assert split(model, 1) is model


@pytest.mark.parametrize("parts", ["0", "true", '"three"', "1.5"])
def test_a_split_that_is_no_number_is_refused(parts: str) -> None:
    with pytest.raises(LexiconError, match=r"split is .*whole number"):
        read(f"split = {parts}", "here.toml")
