"""Sentences of the grammar whose words mean something else together than each on its own."""

from .errors import NotLiteralError
from .glossary import NO_THINGS, glossary, kind_of_class
from .places import REGIONS, has_sides, regions_in

#: Verbs after which "on" and "in" say where something ends, not where it is throughout.
_TO_AN_END = frozenset(
    ["throw", "toss", "drop", "jump", "hop", "leap", "put", "place", "set", "lay"]
)
_ENDS = frozenset({"on", "in", "inside", "on top of", "upon", "within"})
#: Verbs after which "with" says by what means.
_BY_MEANS = frozenset({"hit", "touch", "catch"})


def refuse_particle(verb: str, head: str, following: str) -> None:
    """Refuses "stood up" as standing, upwards, and "stood to the left" as going there.

    Args:
        verb: Name of the verb read.
        head: Its base form.
        following: The direction after it.
    """
    if says_place(verb, following):
        raise NotLiteralError(f"'{following}' says where after '{head}'")
    other = glossary().same["verbs"].get(f"{head} {following}", verb)
    if other != verb and verb != "move":
        raise NotLiteralError(f"'{head} {following}' is '{other}'")


def says_place(verb: str, direction: str) -> bool:
    """Whether a direction is a place in the picture: "stood to the left"."""
    return verb == "stand" and bool(regions_in(direction))


def refuse_goal(head: str, preposition: str) -> None:
    """Refuses "threw the cup on the table" as throwing a cup that is on the table throughout."""
    if head in _TO_AN_END and preposition in _ENDS:
        raise NotLiteralError(f"'{preposition}' says where it ends after '{head}'")


def refuse_posture(verb: str, adverb: str) -> None:
    """Refuses "stood straight" as going straight ahead."""
    if adverb == "straight" and verb not in glossary().sets["verbs.going"]:
        raise NotLiteralError(f"'{adverb}' says no direction after '{verb}'")


def can_be_said(verb: str, noun: str) -> bool:
    """Whether a verb can be said of what a noun names: things have no posture of their own."""
    living = kind_of_class(noun) in ("person", "animal")
    return living or verb not in glossary().sets["verbs.posture"]


def refuse_lifeless(verb: str, noun: str) -> None:
    """Refuses "the cup sat on the table" as sitting, which is to be there."""
    if not can_be_said(verb, noun):
        raise NotLiteralError(f"a {noun} has no posture: '{verb}' says that it is there")


def refuse_seat(preposition: str, noun: str) -> None:
    """Refuses "sat in the chair" as being inside it, which is to be on it."""
    if preposition in ("in", "inside") and noun.replace("-", " ") in glossary().sets["nouns.seats"]:
        raise NotLiteralError(f"'{preposition} the {noun}' is on it")


def refuse_picture(verb: str, noun: str) -> None:
    """Refuses "left the screen" as leaving a television, which is to leave the picture.

    Args:
        verb: Name of the verb read.
        noun: As said.
    """
    known = glossary().sets
    through = known["verbs.entering"] | known["verbs.leaving"] | {"appear", "disappear"}
    if verb in through and noun in known["places.pictures"]:
        raise NotLiteralError(f"the {noun} is the picture after '{verb}'")


def refuse_side(adjective: str, noun: str) -> None:
    """Refuses "the left hand" as a hand on the left of the picture."""
    if adjective in REGIONS and has_sides(noun):
        raise NotLiteralError(f"the {noun} has a side of its own")


def refuse_means(verb: str, preposition: str, noun: str) -> None:
    """Refuses "hit the cup with the bat" as hitting a cup that goes along with a bat."""
    if verb in _BY_MEANS and preposition == "with" and kind_of_class(noun) == "thing":
        raise NotLiteralError(f"'with' says by what means after '{verb}'")


def refuse_scenery(preposition: str, noun: str, of_object: bool) -> None:
    """Refuses scenery as a place of the object alone, and clothes as a container."""
    kind = kind_of_class(noun)
    around = of_object and kind in NO_THINGS and preposition in _ENDS
    if around or (kind == "clothes" and preposition in ("in", "with")):
        raise NotLiteralError(f"the {noun} is where all of it happens, or is worn")
