"""Scaling, joint tracking and applications at a tiny size, and what must hold at any size."""

import csv
import itertools
import math
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

import sentrack
from benchmarks.cad import DATA
from benchmarks.paper import applications, crowd, first, joint, scaling
from benchmarks.paper.noise import LEVELS, NONE, Level, Shown, detected, iou, of_cad, of_film
from benchmarks.paper.readings import sampled
from benchmarks.paper.sized import BASE, along, problem
from benchmarks.paper.sizes import FULL, QUICK, TINY
from benchmarks.paper.stories import films
from benchmarks.paper.truths import VERBS, doubled, sentences, true_of
from benchmarks.peers import naive_viterbi
from sentrack.lexicon import Lexicon
from sentrack.progress import silent
from sentrack.tasks import understand


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def is_small_picture(path: Path) -> bool:
    return cv2.imread(str(path)) is not None and path.stat().st_size < 200_000


@pytest.mark.parametrize(("axis", "value"), [("J", 20), ("K", 6), ("L", 3), ("W", 4), ("T", 30)])
def test_random_problems_have_their_sizes(axis: str, value: int) -> None:
    sizes = along(axis, value)
    made = problem(sizes, 0)
    assert (made.T, made.L, made.W) == (sizes.T, sizes.L, sizes.W)
    assert (made.sizes == sizes.J).all()
    assert {made.states(w) for w in range(made.W)} == {sizes.K}
    assert getattr(sizes, axis) == value
    assert sentrack.solve(made).score > -math.inf


def test_the_optimum_is_that_of_the_naive_lattice() -> None:
    made = problem(replace(BASE, J=5, T=6), 1)
    naive = naive_viterbi(made)
    assert naive is not None
    for method in ("auto", "viterbi"):
        assert sentrack.solve(made, method).score == pytest.approx(naive.score)


def test_exponents_of_known_curves() -> None:
    power = {n: 0.3 * n**2.5 for n in (1, 2, 5, 10)}
    assert scaling.exponent(power) == pytest.approx(2.5)
    assert scaling.factor({n: 7.0 * 3.0**n for n in (1, 2, 4)}) == pytest.approx(3.0)
    assert math.isnan(scaling.exponent({3: 1.0}))
    assert list(scaling.upper(dict.fromkeys(range(8), 1.0))) == [4, 5, 6, 7]
    assert list(scaling.upper(dict.fromkeys(range(4), 1.0))) == [1, 2, 3]


def test_formulas_are_the_papers() -> None:
    T, J, K, L, W = 15, 10, 3, 2, 2
    naive, growth = (scaling.FORMULAS[name][1](BASE) for name in ("naive Viterbi", "growth"))
    assert naive == T * (J**L * K**W) ** 2
    assert growth == T * (L * J**2 + W * (J**2 * K + K**2))


def test_scaling_is_certified_and_methods_agree(tmp_path: Path) -> None:
    lines = list(scaling.section(TINY, tmp_path, silent))
    assert is_small_picture(tmp_path / "scaling.png")
    text = (tmp_path / "scaling.csv").read_text(encoding="utf-8")
    assert text.startswith("axis,value,method,seconds,certified,seed,T,J,K,L,W,score,upper_bound,")
    rows = rows_of(tmp_path / "scaling.csv")
    assert {r["axis"] for r in rows} == set(scaling.AXES)
    assert {r["method"] for r in rows} == set(scaling.METHODS)
    key = ("axis", "value", "seed")
    for r in rows:
        assert r["ended"] in ("", "limit", "too large")
        assert r["ended"] or float(r["seconds"]) > 0
    optimum = {tuple(r[k] for k in key): r for r in rows if r["method"] == "exact"}
    for r in rows:
        best = optimum[tuple(r[k] for k in key)]
        score, most = float(r["score"]), float(best["score"])
        if math.isnan(score):
            continue
        assert best["certified"] == "True"
        assert score <= most + 1e-6 * abs(most)
        assert float(r["upper_bound"]) >= most - 1e-6 * abs(most)
        if r["certified"] == "True":
            assert score == pytest.approx(most, abs=1e-4)
    assert sum(line.startswith("| naive Viterbi ") for line in lines) == 3


def shown_film() -> Shown:
    return of_film(next(films(1, 0)))


def test_a_detector_without_noise_sees_the_truth() -> None:
    shown = shown_film()
    clip = detected(shown, NONE, 0)
    assert len(clip.boxes) == shown.boxes.shape[0] * shown.boxes.shape[1]
    for noun, path in zip(shown.nouns, shown.boxes, strict=True):
        assert clip.boxes[clip.label == clip.classes.index(noun)] == pytest.approx(path)


def test_worse_detectors_miss_and_make_up_as_much_as_they_should() -> None:
    shown = shown_film()
    F = shown.boxes.shape[1]
    kept = []
    for seed in range(40):
        clip = detected(shown, Level(0.3, 0), seed)
        kept.append(len(clip.boxes) / (2 * F))
        assert set(clip.label) == {0, 1}
    assert np.mean(kept) == pytest.approx(0.7, abs=0.05)
    clip = detected(shown, Level(0.0, 5), 0)
    assert len(clip.boxes) == 2 * 6 * F
    assert ((clip.score > 0) & (clip.score < 1)).all()
    again = detected(shown, Level(0.0, 5), 0)
    assert np.array_equal(clip.boxes, again.boxes)


def test_levels_grow_from_light_to_heavy() -> None:
    for levels in LEVELS.values():
        for a, b in itertools.pairwise((NONE, *levels)):
            assert (a.missed, a.false) < (b.missed, b.false)


def test_films_have_a_rival_that_differs_by_the_verb_or_the_way() -> None:
    for film in films(12, 0):
        shown = of_film(film)
        own, rival = shown.sentence.split(), shown.rival.split()
        differs = [(a, b) for a, b in zip(own, rival, strict=True) if a != b]
        assert set(map(frozenset, differs)) <= {
            frozenset(pair) for pair in (("approached", "left"), ("picked", "put"), ("up", "down"))
        } | {frozenset(("left.", "right."))}
        assert differs
        if "carried" in shown.sentence:
            going_right = shown.boxes[1, -1, 0] > shown.boxes[1, 0, 0]
            assert (own[-1] == "right.") == going_right


@pytest.mark.usefixtures("shared_data")
def test_segments_of_cad_are_true_to_the_annotation() -> None:
    (shown,) = of_cad(1)
    assert shown.sentence == "The hand picked up the medicine-box."
    assert shown.rival == "The hand put down the medicine-box."
    assert shown.nouns[:2] == ("hand", "medicine-box")
    assert shown.boxes.shape[1:] == (51, 4)
    assert (shown.boxes[..., 2:] > shown.boxes[..., :2]).all()


def test_iou_of_known_boxes() -> None:
    a = np.array([[0.0, 0, 2, 2], [0, 0, 1, 1]])
    b = np.array([[1.0, 0, 3, 2], [5, 5, 6, 6]])
    assert iou(a, b) == pytest.approx([1 / 3, 0])


def test_trackers_follow_what_is_there() -> None:
    pytest.importorskip("trackers")
    shown = shown_film()
    clip = detected(shown, Level(0.1, 1), 0)
    for setting in first.SETTINGS[::2]:
        found = first.tracks(clip, setting)
        for label, noun in enumerate(clip.classes):
            truth = shown.boxes[shown.nouns.index(noun)]
            several = [track for track in found if track.label == label]
            assert 1 <= len(several) <= first.RIVALS
            assert max(float(iou(track.boxes, truth).mean()) for track in several) > 0.3
        for track in found:
            assert not (track.detected & track.held).any()


def test_the_best_pair_of_tracks_is_that_of_brute_force() -> None:
    pytest.importorskip("trackers")
    shown = shown_film()
    clip = detected(shown, Level(0.1, 2), 1)
    tracked = first.only(clip, first.tracks(clip, first.SETTINGS[0]))
    assert tracked is not None
    lexicon = Lexicon.load("everyday")
    meaning = understand(shown.sentence, lexicon, tracked)
    made = first.on_tracks(tracked, meaning, lexicon, weighed=True)
    found = sentrack.solve(made.problem)
    assert (found.tracks == found.tracks[:, :1]).all()
    best = -math.inf
    for pair in itertools.product(*(range(int(n)) for n in made.problem.sizes[:, 0])):
        ids = [made.candidates[i].rows[0, j] for i, j in enumerate(pair)]
        kept = np.isin(tracked.id, tracked.id[ids])
        alone = first.on_tracks(tracked.only(kept), meaning, lexicon, weighed=True)
        best = max(best, sentrack.solve(alone.problem).score)
    assert found.score == pytest.approx(best)


def test_joint_tracking_is_as_good_without_noise(tmp_path: Path) -> None:
    pytest.importorskip("trackers")
    lines = list(joint.section(TINY, tmp_path, silent))
    assert lines[0] == "## Does joint tracking pay?"
    assert is_small_picture(tmp_path / "joint.png")
    text = (tmp_path / "joint.csv").read_text(encoding="utf-8")
    assert text.startswith("source,series,missed,false,way,clips,accuracy,iou,setting\n")
    rows = rows_of(tmp_path / "joint.csv")
    sources = 2 if DATA.exists() else 1
    assert len(rows) == sources * 4 * len(joint.WAYS)
    for r in rows:
        assert 0 <= float(r["accuracy"]) <= 1
        assert 0 <= float(r["iou"]) <= 1
        assert (r["setting"] == "") == (r["way"] == joint.JOINT)
    clean = {(r["source"], r["way"]): float(r["accuracy"]) for r in rows if r["series"] == "none"}
    for source in {r["source"] for r in rows}:
        assert clean[source, joint.JOINT] >= clean[source, joint.FIRST]


@pytest.mark.usefixtures("shared_data")
def test_who_is_meant_in_a_crowd_is_asked_with_the_identities_of_all(tmp_path: Path) -> None:
    pytest.importorskip("trackers")
    lines = list(crowd.section(TINY, tmp_path, silent))
    assert [line.split(" | ")[0] for line in lines if line.startswith("| ")] == [
        "| identities by",
        *(f"| {way}" for way in (crowd.OWN, "SORT", "ByteTrack", "OC-SORT")),
    ]
    rows = rows_of(tmp_path / "crowd.csv")
    assert len(rows) == 4 * TINY.joint.questions
    assert {r["right"] for r in rows} <= {"0.0000", "1.0000"}
    truth = crowd.questions(1)[0]
    clip = crowd.seen(truth)
    assert clip.frames[0] >= 0
    assert clip.frames[-1] <= truth["end"] - truth["begin"]


def test_an_interval_is_around_the_mean_and_narrow_where_all_are_alike() -> None:
    rng = np.random.default_rng(0)
    gains = np.stack([rng.normal(0.5, 1.0, 400), np.full(400, 0.25)], axis=1)
    (low, high), same = joint.drawn(gains)
    assert low < gains[:, 0].mean() < high
    assert high - low == pytest.approx(2 * 1.96 / np.sqrt(400), rel=0.2)
    assert same == pytest.approx([0.25, 0.25])


def test_what_is_true_of_a_film_is_what_it_was_made_to_show() -> None:
    every = sentences()
    assert len(every) == len(set(every)) == 6 * 5 * len(VERBS)
    opposite = {"approached": "left", "left": "approached"}
    opposite |= {"picked up": "put down", "put down": "picked up", "carried": "approached"}
    for film in films(24, 3):
        true = true_of(film.nouns, film.boxes)
        assert film.sentence in true
        assert true <= set(every)
        verb = next(verb for verb in VERBS if f" {verb} " in film.sentence)
        assert film.sentence.replace(verb, opposite[verb]) not in true


def test_two_films_share_a_clip_and_speak_of_different_persons() -> None:
    for one, two in doubled(3, 0):
        assert one.clip is two.clip
        assert one.sentence != two.sentence
        assert not set(one.participants) & set(two.participants)
        assert one.nouns.count("person") == 2
        for film in (one, two):
            spoken = sentrack.parse(film.sentence, "paper").participants
            assert [p.noun for p in spoken] == [film.nouns[o] for o in film.participants]
        assert len(range(0, one.boxes.shape[1], 8)) == sampled(one.clip, 5).T


def test_generation_and_retrieval_of_known_scores() -> None:
    every = sentences()
    own = [every[3], every[7]]
    films_ = []
    for n, sentence in enumerate(own):
        right = np.zeros(len(every))
        right[every.index(sentence)] = 1.0
        wrong = -right
        values = {"right": right, "wrong": wrong, "chance": np.zeros(len(every))}
        films_.append(applications.Scored(own[n], frozenset({sentence}), values))
    figures = {(f.measure, f.way): f.value for f in applications.generation(films_)}
    assert figures[applications.OWN, "right"] == 1.0
    assert figures[applications.OWN, "wrong"] == 0.0
    assert figures[applications.TRUE, "chance"] == pytest.approx(1 / len(every))
    found = {f.way: f.value for f in applications.retrieval(films_, 0)}
    assert (found["right"], found["wrong"]) == (1.0, 0.5)
    assert found["chance"] == pytest.approx(0.75, abs=0.05)


def test_applications_have_chance_and_a_baseline(tmp_path: Path) -> None:
    lines = list(applications.section(TINY, tmp_path, silent))
    assert lines[0] == "## Applications"
    assert is_small_picture(tmp_path / "applications.png")
    text = (tmp_path / "applications.csv").read_text(encoding="utf-8")
    assert text.startswith("task,measure,way,number,value\n")
    rows = rows_of(tmp_path / "applications.csv")
    tasks = {r["task"] for r in rows}
    assert tasks >= {"focus, made-up films", "generation", "retrieval"}
    for task in tasks:
        ways = {r["way"] for r in rows if r["task"] == task}
        assert ways >= {applications.EVERYDAY, applications.PRESENCE, applications.CHANCE}
    assert all(0 <= float(r["value"]) <= 1 for r in rows)
    value = {(r["task"], r["measure"], r["way"]): float(r["value"]) for r in rows}
    demonstration = ("focus, the demonstration", applications.WHO)
    ours = value[(*demonstration, applications.EVERYDAY)]
    assert ours > value[(*demonstration, applications.PRESENCE)]


def test_full_and_quick_runs_reach_the_sizes_asked_for() -> None:
    assert {axis: values[-1] for axis, values in scaling.AXES.items()} == {
        "J": 480,
        "K": 27,
        "L": 10,
        "W": 20,
        "T": 10_000,
    }
    for size in (QUICK, FULL):
        assert size.scaling.points >= max(map(len, scaling.AXES.values()))
        assert size.joint.settings == len(first.SETTINGS)
    growth = FULL.scaling.growth
    assert (growth.starts, growth.iterations, growth.final_iterations) == (150, 300, 5000)
