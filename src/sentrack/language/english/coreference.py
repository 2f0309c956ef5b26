"""Whom pronouns stand for: the nearest thing mentioned that agrees with them."""

from collections.abc import Sequence
from functools import reduce

from sentrack.language.english.referent import Referent

_MALE = frozenset(["he", "him", "himself", "his"])
_FEMALE = frozenset(["she", "her", "herself"])
_NEUTER = frozenset(["it", "itself", "its"])
_PLURAL = frozenset(["they", "them", "themselves", "their", "both"])
_EACH_OTHER = frozenset(["each other", "one another"])
_SOMEBODY = frozenset(["someone", "somebody", "everyone", "everybody", "anyone", "one"])
_ANOTHER = frozenset(["another one", "the other", "the others", "others"])
#: The one who films or watches is no participant.
_VIEWER = frozenset(["i", "we", "you", "me", "us", "myself", "yourself", "ourselves"])
#: Kinds of nouns that "it" may stand for without being tracked.
_THINGS = frozenset(["thing", "animal", "vehicle", "clothes", "stuff"])


def pronoun_kind(said: str) -> str:
    """What a pronoun stands for if nothing that was mentioned agrees with it."""
    for kind, words in (
        ("viewer", _VIEWER),
        ("another", _ANOTHER),
        ("person", _MALE | _FEMALE | _SOMEBODY),
        ("persons", _PLURAL | _EACH_OTHER),
        ("thing", _NEUTER | {"something"}),
    ):
        if said in words:
            return kind
    return ""


def antecedent(
    said: str, mentioned: Sequence[Referent], subject: Referent | None
) -> Referent | None:
    """The nearest thing mentioned that a pronoun agrees with.

    Args:
        said: The pronoun.
        mentioned: All things mentioned so far.
        subject: Of the verb whose object the pronoun is; only "itself" and the like stand for it.
    """
    others = [thing for thing in mentioned if thing.kind not in ("colour", "viewer")]
    if subject is not None and not said.endswith(("self", "selves")) and said not in _EACH_OTHER:
        doing = set(subject.participants)
        others = [thing for thing in others if not doing & set(thing.participants)]
    agreeing: list[Referent] = []
    if said in _MALE | _FEMALE:
        wrong = "female" if said in _MALE else "male"
        agreeing = [thing for thing in others if thing.kind == "person" and thing.gender != wrong]
        agreeing = [thing for thing in agreeing if not thing.plural]
        pets = [thing for thing in others if thing.kind == "animal" and thing.participants]
        agreeing = agreeing or pets
    elif said in _NEUTER:
        single = [thing for thing in others if thing.kind != "person" and not thing.plural]
        things = [thing for thing in single if thing.participants or thing.kind in _THINGS]
        agreeing = things or single
    elif said in _PLURAL | _EACH_OTHER:
        agreeing = [thing for thing in others if thing.plural]
        persons = [t for t in others if t.kind == "person" and t.participants]
        if not agreeing and said in _PLURAL and persons:
            # All persons, or the one who was mentioned.
            agreeing = [reduce(lambda one, other: one.joined(other, said), persons)]
    return agreeing[-1] if agreeing else None
