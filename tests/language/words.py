"""A vocabulary for tests, with something of every kind."""

from sentrack.language import Headword, Vocabulary

ONE, TWO, THREE = ("thing",), ("agent", "patient"), ("agent", "patient", "goal")


def noun(name: str, *synonyms: str) -> Headword:
    return Headword(name, "noun", (name.replace("-", " "), *synonyms), ONE)


def verb(
    name: str,
    roles: tuple[str, ...] = TWO,
    moves: int = 0,
    particle: str = "",
    preposition: str = "",
    **irregular: str,
) -> Headword:
    head = name.split("-")[0]
    return Headword(name, "verb", (head,), roles, moves, irregular, particle, preposition)


def adverb(name: str, opposite: str = "") -> Headword:
    return Headword(name, "adverb", (name,), ONE, opposite=opposite)


def adjective(name: str, *forms: str, opposite: str = "") -> Headword:
    return Headword(name, "adjective", forms or (name,), ONE, opposite=opposite)


def two(part: str, name: str, *forms: str, opposite: str = "") -> Headword:
    return Headword(name, part, forms or (name.replace("-", " "),), TWO, opposite=opposite)


def direction(name: str, *forms: str, opposite: str = "") -> Headword:
    return Headword(name, "direction", forms, ONE, opposite=opposite)


ENTRIES = (
    noun("person", "man", "woman"),
    noun("backpack", "rucksack"),
    noun("trash-can", "bin"),
    noun("traffic-cone"),
    noun("stool"),
    noun("chair"),
    noun("cup", "mug"),
    noun("box"),
    noun("table"),
    noun("car"),
    noun("dog"),
    noun("umbrella"),
    noun("orange"),
    noun("knife"),
    noun("scissors"),
    verb("carry", moves=1),
    verb("push", moves=1),
    verb("hold", moves=1),
    verb("pick-up", moves=1, particle="up"),
    verb("put-down", moves=1, particle="down"),
    verb("approach"),
    verb("leave"),
    verb("follow"),
    verb("collide-with", preposition="with"),
    verb("catch-up-with", particle="up", preposition="with"),
    verb("walk", ONE),
    verb("stop", ONE),
    verb("stand", ONE, past="stood"),
    verb("sit-down", ONE, particle="down"),
    verb("give", THREE, moves=1, preposition="to", past="gave", participle="given"),
    verb("replace", THREE, moves=1, preposition="with"),
    verb("hand-over", THREE, moves=1, particle="over", preposition="to"),
    adverb("slowly", opposite="quickly"),
    adverb("quickly", opposite="slowly"),
    adjective("red", opposite="blue"),
    adjective("blue"),
    adjective("orange"),
    adjective("big", "big", "large", opposite="small"),
    adjective("small", "small", "little"),
    two("preposition", "left-of", "to the left of", "left of", opposite="right-of"),
    two("preposition", "right-of", "to the right of", "right of", opposite="left-of"),
    two("preposition", "above", opposite="below"),
    two("preposition", "below", opposite="above"),
    two("preposition", "near", opposite="far-from"),
    two("preposition", "far-from"),
    two("preposition", "next-to", "next to", "beside"),
    two("preposition", "on", "on", "on top of"),
    two("preposition", "under", "under", "underneath"),
    two("preposition", "in-front-of"),
    two("preposition", "behind"),
    two("preposition", "inside", "inside", "in"),
    two("motion", "towards", "towards", "toward", opposite="away-from"),
    two("motion", "away-from"),
    two("motion", "past"),
    two("motion", "around"),
    two("motion", "with"),
    direction("leftwards", "to the left", "leftwards", opposite="rightwards"),
    direction("rightwards", "to the right", "rightwards", opposite="leftwards"),
    direction("upwards", "upwards", opposite="downwards"),
    direction("downwards", "downwards", "down"),
)

VOCABULARY = Vocabulary(ENTRIES)

# Of many words, and of more readings than could be tried one after another.
LONG = (
    "The person to the left of the traffic cone carried the red stool near the table slowly "
    "away from the car and the dog walked."
)
ORANGE = "The orange put the orange orange down with the orange and " * 5 + "x"
