import numpy as np
import pytest

from benchmarks.peers import toulbar2
from benchmarks.scenes import EIGHT, ROWS, Row, detections, eight_participants, problem, scene
from benchmarks.word_models import (
    CLASSES,
    WORDS,
    WRONG_CLASS,
    magnitude_bins,
    noun_output,
    orientation_bins,
    side_bins,
    size_ratio_bins,
    word_model,
    x_distance_bins,
)

SIZES = [(12, 30, 3, 5, 10), (15, 30, 3, 5, 10), (15, 30, 9, 4, 8)]
SIZES += [(15, 120, 3, 4, 7), (15, 120, 3, 3, 5), (10, 90, 3, 4, 8)]


@pytest.mark.parametrize(("row", "sizes"), list(zip(ROWS, SIZES, strict=True)))
def test_a_scene_has_the_papers_sizes(row: Row, sizes: tuple[int, ...]) -> None:
    made = scene(row, seed=0)
    K = max(made.states(w) for w in range(made.W))
    assert (made.T, int(made.sizes.max()), K, made.L, made.W) == sizes
    assert (made.sizes == row.J).all()
    assert max(len(made.link(w)) for w in range(made.W)) == 2


def test_nouns_come_with_the_participants_they_name() -> None:
    for row in (*ROWS, EIGHT):
        named = [(link, word) for word, link in row.words if word in CLASSES]
        assert sorted(named) == [((p,), noun) for p, noun in enumerate(row.nouns)]


def test_eight_participants_do_two_things_at_once() -> None:
    made = eight_participants(seed=0)
    assert (made.L, made.W, made.T, int(made.sizes.max())) == (8, 17, 30, 60)
    assert [made.states(w) for w in range(made.W)].count(3) == 5
    joined = {0}
    for _ in range(made.W):
        for w in range(made.W):
            if joined & set(made.link(w)):
                joined |= set(made.link(w))
    assert joined == set(range(8))


def test_a_seed_gives_one_scene() -> None:
    first, again, other = (detections(ROWS[0], seed) for seed in (3, 3, 4))
    assert np.array_equal(first.strengths, again.strengths)
    assert np.array_equal(first.centres, again.centres)
    assert not np.array_equal(first.strengths, other.strengths)


def test_candidates_come_by_class_then_by_strength() -> None:
    seen = detections(ROWS[3], seed=0)
    assert (np.bincount(seen.classes) == 20).all()
    assert (np.diff(seen.classes) >= 0).all()
    falls = np.diff(seen.strengths.reshape(15, 6, 20), axis=-1) <= 0
    assert falls.all()


def test_coherence_is_finite_within_a_class_only() -> None:
    seen = detections(ROWS[0], seed=0)
    coherence = scene(ROWS[0], seed=0).pairwise(0, 3)
    same = seen.classes[:, None] == seen.classes
    assert np.array_equal(np.isfinite(coherence), same)
    assert (coherence[same] < 0).all()


def test_f_and_g_have_the_papers_values() -> None:
    seen = detections(ROWS[0], seed=0)
    made = problem(ROWS[0], seen)
    sigmoid = 1 / (1 + np.exp(-6 * seen.strengths[2]))
    assert np.exp(made.unary(0, 2)) == pytest.approx(sigmoid)
    distance = np.hypot(*(seen.centres[2, 1] + seen.flows[2, 1] - seen.centres[3, 4]))
    assert made.pairwise(0, 3)[1, 4] == pytest.approx(-np.log1p(np.exp((distance - 50) / 11)))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_hard_nouns_leave_one_class(row: Row) -> None:
    hard, smoothed, soft = (scene(row, 0, nouns) for nouns in ("hard", "smoothed", "soft"))
    nouns = [w for w, (word, _) in enumerate(row.words) if word in CLASSES]
    for w in nouns:
        assert np.isfinite(hard.emission(w, 1)).sum() == row.J // 6
        assert np.isfinite(smoothed.emission(w, 1)).all()
        assert np.unique(np.exp(soft.emission(w, 1)).round(9)).tolist() == [0.02, 0.9]


@pytest.mark.parametrize("K", [3, 9])
@pytest.mark.parametrize("word", WORDS)
def test_word_tables_are_normalised_and_left_to_right(word: str, K: int) -> None:
    model = word_model(word, K)
    assert np.exp(model.initial).sum() == pytest.approx(1)
    assert np.exp(model.transition).sum(axis=1) == pytest.approx(1)
    states = model.initial.size
    assert states in (1, K)
    assert model.opening == (K // 3 if states > 1 else 0)
    assert np.array_equal(np.isfinite(model.transition), np.triu(np.ones((states, states))) == 1)
    for output in model.outputs.values():
        assert output.shape[0] == states
        assert np.isfinite(output).all()
        assert np.exp(output).sum(axis=1) == pytest.approx(1)


def test_noun_tables_are_normalised() -> None:
    for strictness in WRONG_CLASS:
        assert np.exp(noun_output("stool", strictness)).sum() == pytest.approx(1)


def test_a_word_must_leave_its_first_phase() -> None:
    for row, opening in ((ROWS[0], 1), (ROWS[2], 3)):
        made = scene(row, seed=0)
        for w in range(made.W):
            if made.states(w) > 1:
                last = made.emission(w, made.T - 1)
                assert (last[:opening] == -np.inf).all()
                assert np.isfinite(last[opening:]).all()
                assert np.isfinite(made.emission(w, made.T - 2)).all()


def test_features_fall_into_the_published_bins() -> None:
    flow = np.array([[0.0, 0.0], [-3.0, 1.0], [1.0, 6.0], [8.0, 0.1], [0.0, -12.0]])
    assert magnitude_bins(flow).tolist() == [0, 2, 3, 3, 4]
    assert orientation_bins(flow).tolist() == [2, 0, 1, 2, 3]
    x = np.array([0.0, 60.0, 300.0, 500.0])
    assert x_distance_bins(x[:1], x).tolist() == [[0, 0, 1, 2]]
    assert side_bins(x[:2], x).tolist() == [[2, 0, 0, 0], [1, 2, 0, 0]]
    assert size_ratio_bins(np.array([13.0, 14.0]), np.array([10.0])).tolist() == [[1], [0]]


def best_states_score(row: Row, seed: int, T: int | None = None) -> float:
    """The score of the planted tracks: with the tracks fixed, words are chains of their own."""
    seen = detections(row, seed, T)
    made = problem(row, seen)
    total = 0.0
    for track, path in enumerate(seen.planted):
        total += sum(made.unary(track, t)[path[t]] for t in range(made.T))
        total += sum(made.pairwise(track, t)[path[t - 1], path[t]] for t in range(1, made.T))
    for w in range(made.W):
        link = list(made.link(w))
        best = made.initial(w)
        for t in range(made.T):
            if t > 0:
                best = (best[:, None] + made.transition(w)).max(axis=0)
            best = best + made.emission(w, t)[(slice(None), *seen.planted[link, t])]
        total += float(best.max())
    return float(total)


@pytest.mark.parametrize("row", [*ROWS, EIGHT], ids=lambda row: row.name)
def test_the_planted_tracks_are_near_the_optimum(row: Row) -> None:
    gaps = []
    for seed in range(3):
        peer = toulbar2(scene(row, seed), 5)
        assert peer.proved
        gaps.append(peer.score - best_states_score(row, seed))
    assert min(gaps) > -1e-6
    assert np.median(gaps) < 5


@pytest.mark.parametrize("row", ROWS[:3], ids=lambda row: row.name)
def test_the_words_still_fit_a_long_clip(row: Row) -> None:
    # Any word that did not fit would cost 69 or 230 nats a frame; a fit costs about 8.
    assert best_states_score(row, 0, T=115) > -12 * 115
