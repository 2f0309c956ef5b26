"""Scripted scenes: every word of the default lexicon prefers what it says to what it does not."""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter

import numpy as np
import pytest

from sentrack import colours
from sentrack.language import Headword, Meaning, Participant, Word, distinct_pairs, parse
from sentrack.language.inflection import inflect
from sentrack.language.vocabulary import heads
from sentrack.lexicon import Lexicon, WordModel
from sentrack.objective import build
from sentrack.tasks.tracker import answer
from sentrack.vision import clip_from_arrays
from sentrack.vision.clip import Clip

LEXICON = Lexicon.load("everyday")
SECONDS = 3.0
JITTER = 0.002  # frame heights, of every side of a box
CLASSES = ("one", "two", "three")  # of the things of a scene, in order


@dataclass(frozen=True)
class Thing:
    """Width and height, and where its centre is at which second; all lengths in frame heights."""

    size: tuple[float, float]
    path: tuple[tuple[float, float, float], ...]  # (seconds, x, y)
    there: tuple[float, float] = (0, SECONDS)
    tall: tuple[tuple[float, float], ...] = ((0, 1),)  # (seconds, part of its height)


def person(*path: tuple[float, float, float]) -> Thing:
    return Thing((0.16, 0.44), path)


def ball(*path: tuple[float, float, float]) -> Thing:
    return Thing((0.08, 0.08), path)


def chest(*path: tuple[float, float, float]) -> Thing:
    return Thing((0.14, 0.2), path)


def table(*path: tuple[float, float, float]) -> Thing:
    return Thing((0.4, 0.3), path)


Scene = tuple[Thing, ...]

STILL = person((0, 0.4, 0.5))
# A hand that reaches for a cup and moves it away; backwards, one that brings it and lets go.
HAND = ball((0, 0.3, 0.3), (1, 0.6, 0.6), (1.4, 0.6, 0.6), (2.6, 0.6, 0.3))
CUP = ball((0, 0.62, 0.62), (1.4, 0.62, 0.62), (2.6, 0.62, 0.32))


def backwards(scene: Scene) -> Scene:
    """The same scene, played from its end."""
    return tuple(
        Thing(
            thing.size,
            tuple((SECONDS - t, x, y) for t, x, y in thing.path[::-1]),
            (SECONDS - thing.there[1], SECONDS - thing.there[0]),
            tuple((SECONDS - t, part) for t, part in thing.tall[::-1]),
        )
        for thing in scene
    )


def swapped(scene: Scene) -> Scene:
    """The same scene with the first two in each other's role."""
    return (scene[1], scene[0], *scene[2:])


APPROACH = (person((0, 0.2, 0.5), (2.2, 0.9, 0.5)), chest((0, 1.1, 0.6)))
PASS = (person((0, 0.1, 0.45), (3, 1.25, 0.45)), chest((0, 0.65, 0.7)))
FOLLOW = (person((0, 0.12, 0.5), (3, 0.57, 0.5)), person((0, 0.5, 0.5), (3, 0.95, 0.5)))
CHASE = (person((0, 0.1, 0.25), (3, 1.0, 0.65)), person((0, 0.35, 0.35), (3, 1.25, 0.75)))
OVERTAKE = (person((0, 0.1, 0.45), (3, 1.25, 0.45)), person((0, 0.35, 0.55), (3, 0.95, 0.55)))
MEET = (person((0, 0.15, 0.5), (2.4, 0.57, 0.5)), person((0, 1.2, 0.5), (2.4, 0.77, 0.5)))
ENTER = (Thing((0.12, 0.3), ((0, 0.2, 0.6), (2.2, 0.95, 0.6))), Thing((0.5, 0.6), ((0, 1, 0.6),)))
CARRY = (person((0, 0.2, 0.5), (3, 1.1, 0.5)), ball((0, 0.24, 0.45), (3, 1.14, 0.45)))
PUSH = (person((0, 0.2, 0.5), (3, 0.9, 0.5)), chest((0, 0.345, 0.62), (3, 1.045, 0.62)))
LIFT = (STILL, ball((0, 0.45, 0.66), (2.5, 0.45, 0.32)))
HOLD = (STILL, ball((0, 0.45, 0.45)))
TAKE = (HAND, CUP)
TOUCH = (ball((0, 0.3, 0.3), (1.4, 0.58, 0.58)), ball((0, 0.62, 0.62)))
DROP = (STILL, ball((1, 0.45, 0.45), (1.7, 0.45, 0.85)))
THROW = (STILL, ball((1, 0.45, 0.4), (1.5, 0.8, 0.35), (2, 1.15, 0.4)))
HIT = (
    ball((0, 0.2, 0.5), (1.2, 0.6, 0.5), (1.6, 0.6, 0.5)),
    ball((1.2, 0.67, 0.5), (2.2, 1.1, 0.5)),
)
KICK = (person((0, 0.2, 0.5), (1.2, 0.4, 0.5)), ball((1.2, 0.5, 0.68), (2.2, 1.1, 0.68)))
REACH = (KICK[0], ball((0, 0.5, 0.68)))
COLLIDE = (person((0, 0.1, 0.5), (1.5, 0.62, 0.5)), person((0, 1.2, 0.5), (1.5, 0.74, 0.5)))
DRINK = (
    ball((0, 0.6, 0.7), (1, 0.6, 0.4), (2, 0.6, 0.4), (3, 0.6, 0.7)),
    ball((0, 0.63, 0.7), (1, 0.63, 0.4), (2, 0.63, 0.4), (3, 0.63, 0.7)),
)
GIVE = (STILL, ball((0.8, 0.45, 0.45), (1.6, 0.68, 0.45)), person((0, 0.7, 0.5)))
BRING = (
    person((0, 0.2, 0.5), (2.4, 0.95, 0.5)),
    ball((0, 0.24, 0.45), (2.4, 0.99, 0.45)),
    chest((0, 1.12, 0.5)),
)
REPLACE = (
    ball((0, 0.6, 0.5), (1.3, 0.3, 0.5), (1.7, 0.6, 0.5), (3, 0.3, 0.5)),
    ball((0, 0.6, 0.54), (1.3, 0.3, 0.54)),
    ball((1.7, 0.6, 0.54), (3, 0.3, 0.54)),
)
# Somebody who walks up to a car and is gone.
GET_IN = (
    Thing((0.12, 0.3), ((0, 0.4, 0.6), (1.4, 0.78, 0.6)), there=(0, 1.8)),
    Thing((0.5, 0.35), ((0, 1, 0.6),)),
)
RIDE = (person((0, 0.2, 0.35), (3, 1.0, 0.35)), Thing((0.3, 0.3), ((0, 0.2, 0.6), (3, 1, 0.6))))
EMBRACE = (person((0, 0.5, 0.5)), person((0, 0.6, 0.5)))
# A face behind the windscreen of a car that goes along, and one who walks beside it.
DRIVE = (
    ball((0, 0.25, 0.6), (3, 0.95, 0.6)),
    Thing((0.5, 0.3), ((0, 0.3, 0.6), (3, 1.0, 0.6))),
)
ESCORT = (person((0, 0.05, 0.6), (3, 0.65, 0.6)), DRIVE[1])
# Over a rug, and onto it.
CROSS = (ball((0, 0.2, 0.6), (3, 1.2, 0.6)), Thing((0.4, 0.2), ((0, 0.7, 0.6),)))
ONTO_RUG = (ball((0, 0.2, 0.6), (1.6, 0.7, 0.6)), CROSS[1])
PARK = (Thing((0.5, 0.3), ((0, 0.3, 0.6), (0.9, 0.8, 0.6))),)
REVERSE = (Thing((0.3, 0.2), ((0, 0.3, 0.6), (1.5, 0.9, 0.6), (3, 0.3, 0.6))),)
# A corner: to the right, and then up, which is to the left of who turns there.
CORNER = (ball((0, 0.2, 0.8), (1.5, 0.8, 0.8), (3, 0.8, 0.2)),)
OTHER_CORNER = (ball((0, 0.2, 0.2), (1.5, 0.8, 0.2), (3, 0.8, 0.8)),)
APPEAR = (Thing((0.16, 0.44), ((0, 0.5, 0.5),), there=(1.5, SECONDS)),)
SIT = (
    Thing(
        (0.16, 0.44),
        ((0, 0.5, 0.5), (1, 0.5, 0.5), (2, 0.5, 0.6)),
        tall=((0, 1), (1, 1), (2, 0.55)),
    ),
)
SEATED = (Thing((0.2, 0.3), ((0, 0.5, 0.5),)),)
LYING = (Thing((0.44, 0.16), ((0, 0.5, 0.5),)),)
LEAN = (person((0, 0.4, 0.5)), chest((0, 0.53, 0.6)))
BY = (person((0, 0.2, 0.5)), chest((0, 0.9, 0.6)))
CLIMB = (ball((0, 0.62, 0.7), (3, 0.62, 0.3)), Thing((0.1, 0.8), ((0, 0.65, 0.5),)))
SLOW_DOWN = (person((0, 0.1, 0.5), (1.2, 0.8, 0.5), (3, 1.1, 0.5)),)
ONTO = (ball((0, 0.2, 0.2), (2, 0.6, 0.43)), table((0, 0.65, 0.6)))
STAND = (person((0, 0.5, 0.5)),)
WALK = (person((0, 0.2, 0.5), (3, 0.9, 0.5)),)
RUN = (person((0, 0.05, 0.4), (1, 1.25, 0.4), (2, 0.05, 0.4), (3, 1.25, 0.4)),)
STOP = (person((0, 0.2, 0.5), (1.5, 0.7, 0.5)),)
RISE = (ball((0.7, 0.5, 0.8), (2, 0.5, 0.3)),)
JUMP = (person((1, 0.5, 0.6), (1.5, 0.5, 0.28), (2, 0.5, 0.6)),)
CREEP = (person((0, 0.5, 0.5), (3, 0.8, 0.5)),)
BURST = (person((1.5, 0.1, 0.5), (2.6, 1.1, 0.5)),)
LEFT = backwards(WALK)
DOWN = backwards(RISE)
AROUND = (
    ball(
        *((0.15 * i, 0.65 + 0.2 * np.cos(0.3 * i), 0.5 + 0.2 * np.sin(0.3 * i)) for i in range(21))
    ),
    chest((0, 0.65, 0.5)),
)
WITH = (person((0, 0.2, 0.5), (3, 0.9, 0.5)), person((0, 0.42, 0.52), (3, 1.12, 0.52)))
ON = (ball((0, 0.6, 0.45)), table((0, 0.65, 0.6)))
UNDER = (ball((0, 0.6, 0.71)), table((0, 0.65, 0.6)))
OVER = (ball((0, 0.6, 0.15)), table((0, 0.65, 0.6)))
BESIDE = (chest((0, 0.42, 0.62)), table((0, 0.72, 0.6)))
FAR = (ball((0, 0.1, 0.5)), table((0, 1.0, 0.5)))
FRONT = (person((0, 0.5, 0.6)), table((0, 0.6, 0.45)))
INSIDE = (ball((0, 0.6, 0.6)), table((0, 0.65, 0.6)))
AT_LEFT = (ball((0, 0.2, 0.5)),)
AT_RIGHT = (ball((0, 1.15, 0.5)),)
AT_TOP = (ball((0, 0.66, 0.15)),)
AT_BOTTOM = (ball((0, 0.66, 0.85)),)

WORDS = [model for model in LEXICON.words.values() if model.part != "noun"]
# Each word with a scene that shows it, and a word and a scene in minimal contrast with them.
PAIRS: list[tuple[str, Scene, str, Scene]] = [
    ("verb/approach", APPROACH, "verb/leave", backwards(APPROACH)),
    ("verb/pass", PASS, "verb/approach", APPROACH),
    ("verb/pass", PASS, "verb/leave", backwards(APPROACH)),
    ("verb/overtake", OVERTAKE, "verb/follow", FOLLOW),
    ("verb/overtake", OVERTAKE, "verb/pass", PASS),
    ("verb/meet", MEET, "verb/approach", APPROACH),
    ("verb/follow", FOLLOW, "verb/lead", swapped(FOLLOW)),
    ("verb/follow", FOLLOW, "verb/approach", APPROACH),
    ("verb/chase", CHASE, "verb/follow", FOLLOW),
    ("verb/chase", CHASE, "verb/flee", swapped(CHASE)),
    ("verb/flee", swapped(CHASE), "verb/lead", swapped(FOLLOW)),
    ("verb/enter", ENTER, "verb/exit", backwards(ENTER)),
    ("verb/carry", CARRY, "verb/pass", PASS),
    ("verb/carry", CARRY, "verb/hold", HOLD),
    ("verb/push", PUSH, "verb/pull", backwards(PUSH)),
    ("verb/pick-up", TAKE, "verb/put-down", backwards(TAKE)),
    ("verb/lift", LIFT, "verb/lower", backwards(LIFT)),
    ("verb/hold", HOLD, "verb/drop", DROP),
    ("verb/take", TAKE, "verb/touch", TOUCH),
    ("verb/take", TAKE, "verb/put-down", backwards(TAKE)),
    ("verb/put", backwards(TAKE), "verb/take", TAKE),
    ("verb/get-into", GET_IN, "verb/get-out-of", backwards(GET_IN)),
    ("verb/get-in", GET_IN, "verb/exit", backwards(GET_IN)),
    ("verb/ride", RIDE, "verb/push", PUSH),
    ("verb/drive", DRIVE, "verb/ride", RIDE),
    ("verb/drive", DRIVE, "motion/with", ESCORT),
    ("verb/cross", CROSS, "motion/into", ONTO_RUG),
    ("verb/cross", CROSS, "verb/approach", APPROACH),
    ("verb/park", PARK, "verb/move", WALK),
    ("verb/park", PARK, "verb/start", backwards(PARK)),
    ("verb/reverse", REVERSE, "verb/turn-left", CORNER),
    ("verb/reverse", REVERSE, "adverb/straight", WALK),
    ("verb/reverse", REVERSE, "verb/stand", STAND),
    ("verb/embrace", EMBRACE, "verb/meet", MEET),
    ("verb/turn-left", CORNER, "verb/turn-right", OTHER_CORNER),
    ("verb/turn-left", CORNER, "verb/stand", STAND),
    ("verb/appear", APPEAR, "verb/disappear", backwards(APPEAR)),
    ("verb/sit-down", SIT, "verb/stand-up", backwards(SIT)),
    ("verb/sit-down", SIT, "verb/stand", STAND),
    ("verb/sit", SEATED, "verb/lie", LYING),
    ("verb/sit", SEATED, "verb/stand", STAND),
    ("verb/crouch", SEATED, "verb/move", WALK),
    ("verb/lie", LYING, "verb/stand", STAND),
    ("verb/lean-on", LEAN, "verb/approach", APPROACH),
    ("verb/lean-against", LEAN, "verb/approach", APPROACH),
    ("verb/lean-on", LEAN, "preposition/far-from", BY),
    ("verb/climb", CLIMB, "verb/lower", backwards(CLIMB)),
    ("verb/climb-up", CLIMB, "verb/hold", HOLD),
    ("verb/slow-down", SLOW_DOWN, "verb/speed-up", backwards(SLOW_DOWN)),
    ("verb/slow-down", SLOW_DOWN, "verb/move", WALK),
    ("motion/onto", ONTO, "motion/off", backwards(ONTO)),
    ("verb/drop", DROP, "verb/throw", THROW),
    ("verb/throw", THROW, "verb/catch", backwards(THROW)),
    ("verb/hit", HIT, "verb/touch", TOUCH),
    ("verb/kick", KICK, "verb/hit", HIT),
    ("verb/kick", KICK, "verb/approach", REACH),
    ("verb/collide-with", COLLIDE, "verb/approach", APPROACH),
    ("verb/collide-with", COLLIDE, "verb/meet", MEET),
    ("verb/drink", DRINK, "verb/lift", LIFT),
    ("verb/give", GIVE, "verb/hold", (*HOLD, GIVE[2])),
    ("verb/bring", BRING, "verb/carry", backwards(BRING)),
    ("verb/replace", REPLACE, "verb/carry", (*CARRY, ball((0, 0.3, 0.9)))),
    ("verb/move", WALK, "verb/stand", STAND),
    ("verb/walk", WALK, "verb/stand", STAND),
    ("verb/walk", WALK, "verb/run", RUN),
    ("verb/stop", STOP, "verb/start", backwards(STOP)),
    ("verb/stop", STOP, "verb/move", WALK),
    ("verb/stop", STOP, "verb/stand", STAND),
    ("verb/rise", RISE, "verb/fall", DOWN),
    ("verb/jump", JUMP, "verb/stand", STAND),
    ("adverb/slowly", CREEP, "adverb/quickly", RUN),
    ("adverb/steadily", WALK, "adverb/suddenly", BURST),
    ("adverb/abruptly", backwards(BURST), "adverb/suddenly", BURST),
    ("adverb/straight", WALK, "verb/turn-left", CORNER),
    ("adverb/straight", WALK, "verb/stand", STAND),
    ("adjective/left", AT_LEFT, "adjective/right", AT_RIGHT),
    ("adjective/left", AT_LEFT, "adjective/middle", AT_TOP),
    ("adjective/right", AT_RIGHT, "adjective/middle", AT_BOTTOM),
    ("adjective/top", AT_TOP, "adjective/bottom", AT_BOTTOM),
    ("direction/leftwards", LEFT, "direction/rightwards", WALK),
    ("direction/upwards", RISE, "direction/downwards", DOWN),
    ("motion/towards", APPROACH, "motion/away-from", backwards(APPROACH)),
    ("motion/past", PASS, "motion/towards", APPROACH),
    ("motion/with", WITH, "motion/past", PASS),
    ("motion/around", AROUND, "motion/past", PASS),
    ("motion/into", ENTER, "motion/out-of", backwards(ENTER)),
    ("preposition/left-of", FAR, "preposition/right-of", swapped(FAR)),
    ("preposition/above", OVER, "preposition/below", swapped(OVER)),
    ("preposition/above", OVER, "preposition/on", ON),
    ("preposition/near", BESIDE, "preposition/far-from", FAR),
    ("preposition/next-to", BESIDE, "preposition/on", ON),
    ("preposition/next-to", BESIDE, "preposition/far-from", FAR),
    ("preposition/on", ON, "preposition/under", UNDER),
    ("preposition/on", ON, "preposition/under", swapped(ON)),
    ("preposition/in-front-of", FRONT, "preposition/behind", swapped(FRONT)),
    ("preposition/inside", INSIDE, "preposition/outside", BESIDE),
]
# Who does the one does the other too, which may fit even better.
IMPLIED = {
    ("verb/bring", "verb/carry"),
    ("verb/chase", "verb/follow"),
    ("verb/flee", "verb/lead"),
    ("verb/hit", "verb/touch"),
    ("verb/lie", "verb/stand"),
    ("verb/meet", "verb/approach"),
    ("verb/sit", "verb/stand"),
    ("verb/sit-down", "verb/stand"),  # who sits down stays where it is
    ("verb/slow-down", "verb/move"),
}
SHOWN = [pair for word, scene, other, its in PAIRS for pair in ((word, scene), (other, its))]
NAMES = [f"{word} {other}" for word, _, other, _ in PAIRS]


def film(
    scene: Scene, fps: float = 15.0, height: int = 480, clutter: int = 0, seed: int = 7
) -> Clip:
    """What a detector sees of a scene; with some more boxes of each class in every frame."""
    rng = np.random.default_rng(seed)
    T = round(SECONDS * fps)
    times = np.arange(T) / fps
    rows = []
    for name, thing in zip(CLASSES, scene, strict=False):
        seconds, x, y = np.array(thing.path).T
        centre = np.stack([np.interp(times, seconds, x), np.interp(times, seconds, y)], axis=-1)
        part = np.interp(times, *np.array(thing.tall).T)
        half = np.array(thing.size) / 2 * np.stack([np.ones(T), part], axis=-1)
        boxes = np.concatenate([centre - half, centre + half], axis=-1)
        boxes += rng.normal(0, JITTER, boxes.shape)
        first, last = thing.there
        there = [first <= time <= last for time in times]
        rows += [(t, name, 0.9, *box) for t, box in enumerate(boxes) if there[t]]
        for t in range(clutter * T):
            stray, side = rng.uniform([0.1, 0.1], [1.2, 0.9]), np.array(thing.size) / 2
            rows.append((t % T, name, rng.uniform(0.05, 0.3), *(stray - side), *(stray + side)))
    frame, names, score, *corners = zip(*rows, strict=True)
    size = (round(height * 4 / 3), height)
    boxes = np.array(corners).T * height
    return clip_from_arrays("scene", size, fps, frame, names, boxes, score, frames=np.arange(T))


def said(model: WordModel) -> Meaning:
    """A word of its participants, as many as it needs."""
    participants = tuple(Participant(name) for name in CLASSES[: len(model.roles)])
    nouns = [Word(p.noun, (i,), "noun") for i, p in enumerate(participants)]
    word = Word(model.name, tuple(range(len(participants))), model.part)
    return Meaning("", participants, (word, *nouns), distinct_pairs(participants, [word]))


def model_of(word: str) -> WordModel:
    part, name = word.split("/")
    return LEXICON.model(name, part)


def evidence(word: str, clip: Clip) -> float:
    """How well a word fits the best tracks, of what it fits at best; 0 if it means nothing."""
    model = model_of(word)
    found = answer(build(clip, said(model), LEXICON))
    return found.words[0].margin / model.most


@cache
def match(word: str, scene: Scene, fps: float = 15.0, height: int = 480, clutter: int = 0) -> float:
    return evidence(word, film(scene, fps, height, clutter))


@pytest.mark.parametrize("clutter", [0, 3])
@pytest.mark.parametrize(("word", "scene", "other", "its"), PAIRS, ids=NAMES)
def test_each_word_prefers_its_scene_and_each_scene_its_word(
    word: str, scene: Scene, other: str, its: Scene, clutter: int
) -> None:
    if clutter and word == "verb/replace":
        clutter = 1  # three things that move, and nine that do not exist, are too many to follow
    right, wrong = match(word, scene, clutter=clutter), match(word, its, clutter=clutter)
    assert right > max(0.0, wrong)
    if (word, other) not in IMPLIED:
        assert right > match(other, scene, clutter=clutter)
    assert match(other, its, clutter=clutter) > max(0.0, wrong)


@pytest.mark.parametrize(("word", "scene"), dict(SHOWN).items())
def test_a_word_means_the_same_at_any_resolution_and_frame_rate(word: str, scene: Scene) -> None:
    usual = match(word, scene)
    assert match(word, scene, height=960) == pytest.approx(usual, abs=1e-6)
    # What a word expects of time is counted in seconds, what it sees in frames: hence the slack.
    assert match(word, scene, fps=30.0) == pytest.approx(usual, abs=0.25)
    assert match(word, scene, fps=10.0) == pytest.approx(usual, abs=0.25)


@pytest.mark.parametrize(("word", "scene"), dict(SHOWN).items())
def test_a_single_bad_frame_costs_little(word: str, scene: Scene) -> None:
    clip = film(scene)
    rng = np.random.default_rng(3)
    for t in (2, clip.T // 2):
        rows = slice(clip.start[t], clip.start[t + 1])
        count = int(clip.start[t + 1] - clip.start[t])
        corner = rng.uniform(0, 0.5, (count, 2))
        boxes, velocity = clip.boxes.copy(), clip.velocity.copy()
        boxes[rows] = 480 * np.concatenate([corner, corner + rng.uniform(0.1, 0.5)], axis=-1)
        velocity[rows] = rng.normal(0, 1, (count, 2))
        spoilt = evidence(word, replace(clip, boxes=boxes, velocity=velocity))
        # Where things move fast it may break a track in two, of which the better part is left.
        assert spoilt > 0.35 * match(word, scene)


@pytest.mark.parametrize("model", WORDS, ids=attrgetter("name"))
def test_no_frame_costs_more_than_noise_allows(model: WordModel) -> None:
    ((_, table),) = model.tables()
    assert table.min() - model.background > np.log(model.noise) - 1e-9
    assert len(model.observed) <= 6


@pytest.mark.parametrize("model", [m for m in WORDS if m.initial.all()], ids=attrgetter("name"))
def test_a_word_can_be_said_of_a_single_frame(model: WordModel) -> None:
    thing = [ball((0, 0.5, 0.5)), table((0, 0.6, 0.6)), person((0, 0.7, 0.5))]
    clip = film(tuple(thing)).cut(0, 1)
    assert np.isfinite(evidence(f"{model.part}/{model.name}", clip))


# The hue, saturation and value of what people call by these names.
SWATCHES = {
    "red": (0, 0.9, 0.8),
    "orange": (28, 0.9, 0.95),
    "yellow": (55, 0.9, 0.95),
    "green": (120, 0.8, 0.5),
    "blue": (225, 0.8, 0.7),
    "purple": (280, 0.6, 0.6),
    "pink": (330, 0.5, 0.95),
    "brown": (25, 0.7, 0.4),
    "black": (0, 0.2, 0.05),
    "white": (0, 0.02, 0.97),
    "grey": (0, 0.05, 0.5),
}


WORN = [f"{name}-{worn}" for name in SWATCHES for worn in ("shirted", "trousered")]


def painted(colour: tuple[float, float, float]) -> Clip:
    clip = film(STAND)
    return replace(clip, colour=np.tile(colour, (len(clip.label), 1)).astype(np.float64))


@pytest.mark.parametrize("name", colours.NAMES)
def test_each_colour_is_told_from_all_others(name: str) -> None:
    scores = {other: evidence(f"adjective/{other}", painted(SWATCHES[name])) for other in SWATCHES}
    assert max(scores, key=lambda other: scores[other]) == name
    assert scores.pop(name) > 0 > max(scores.values())


@pytest.mark.parametrize(("half", "worn"), [(0, "shirted"), (1, "trousered")])
def test_the_colours_of_clothes_are_told_by_halves(half: int, worn: str) -> None:
    clip = film(STAND)
    for name in SWATCHES:
        looks = np.zeros((colours.HALVES, colours.CELLS), dtype=np.uint8)
        # Of greys, one in the middle.
        looks[half, colours.NAMES.index(name) + (name == "grey")] = 255
        looks[1 - half, colours.NAMES.index("green")] = 255
        seen = replace(clip, looks=np.tile(looks.ravel(), (len(clip.label), 1)))
        scores = {other: evidence(f"adjective/{other}-{worn}", seen) for other in SWATCHES}
        assert max(scores, key=lambda other: scores[other]) == name
        assert scores.pop(name) > 0 > max(scores.values())


def test_what_is_dark_is_told_from_what_is_light() -> None:
    dark, light = painted((220, 0.8, 0.2)), painted((220, 0.2, 0.9))
    assert evidence("adjective/dark", dark) > 0 > evidence("adjective/dark", light)
    assert evidence("adjective/light-coloured", light) > 0
    assert evidence("adjective/light-coloured", dark) < 0


def test_an_unknown_colour_says_nothing() -> None:
    for name in (*SWATCHES, *WORN, "dark", "light-coloured"):
        assert match(f"adjective/{name}", STAND) == pytest.approx(0, abs=0.01)


def test_size_is_told() -> None:
    large, small = (Thing((0.5, 0.6), STAND[0].path),), (ball((0, 0.5, 0.5)),)
    assert match("adjective/big", large) > 0 > match("adjective/big", small)
    assert match("adjective/small", small) > 0 > match("adjective/small", large)


def test_every_word_that_is_no_noun_was_shown() -> None:
    shown = {word for word, _ in SHOWN} | {
        f"adjective/{name}" for name in (*SWATCHES, *WORN, "big", "small", "dark", "light-coloured")
    }
    assert shown == {f"{model.part}/{model.name}" for model in WORDS}


def test_there_are_words_enough() -> None:
    count = Counter(model.part for model in LEXICON.words.values())
    assert count["verb"] >= 25
    assert count["preposition"] >= 12
    assert count["adverb"] >= 4
    assert {model.name for model in WORDS if model.part == "adjective"} >= set(SWATCHES)


def test_opposites_are_mutual() -> None:
    for model in WORDS:
        opposite = model.grammar.get("opposite")
        if opposite is not None:
            other = LEXICON.model(str(opposite), model.part)
            assert other.grammar["opposite"] == model.name
            assert len(other.roles) == len(model.roles)


# Sentences in which a word of some part of speech, or a verb of so many participants, can be said.
FRAMES = {
    "noun": "The {} moved.",
    "adjective": "The {} car moved.",
    "adverb": "The dog moved {}.",
    "direction": "The dog moved {}.",
    "preposition": "The dog is {} the car.",
    "motion": "The dog moved {} the car.",
}
VERB_FRAMES = ("The dog {} {}", "The dog {} {} {} the car", "The dog {} {} the car {} the chair")


def sentences(entry: Headword) -> list[str]:
    """One for every form of a word; of verbs, for past and present."""
    if entry.part != "verb":
        return [FRAMES[entry.part].format(form) for form in entry.forms]
    frame = VERB_FRAMES[len(entry.roles) - 1]
    verbs = [
        inflect(head, {} if i else entry.irregular)[tense]
        for i, head in enumerate(heads(entry))
        for tense in ("past", "present")
    ]
    return [frame.format(verb, entry.particle, entry.preposition) for verb in verbs]


@pytest.mark.parametrize("part", [*FRAMES, "verb"])
def test_every_form_of_every_word_can_be_said(part: str) -> None:
    vocabulary = LEXICON.vocabulary()
    for entry in vocabulary.of(part):
        for sentence in sentences(entry):
            words = {(word.word, word.part) for word in parse(sentence, vocabulary).words}
            assert (entry.name, part) in words, sentence
