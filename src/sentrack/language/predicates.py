"""What is said of a subject: a verb with all that goes with it, and whom each word tells of."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from lark import Token

from .errors import NotLiteralError, SentenceError
from .idioms import (
    refuse_goal,
    refuse_lifeless,
    refuse_means,
    refuse_particle,
    refuse_picture,
    refuse_posture,
    refuse_scenery,
    refuse_seat,
)
from .inflection import inflect
from .meaning import Participant
from .tree_nodes import Node, said_by, text_of
from .vocabulary import Headword, heads


@dataclass
class SaidWord:
    """A word in the making: what it speaks of may only be known after words that follow it."""

    entry: Headword
    text: str
    about: tuple[int, ...] = ()


@dataclass
class Predicate:
    """What a predicate was found to hold, by index of participant."""

    verb: SaidWord | None = None
    token: Token | None = None
    particle: str = ""
    link: str = ""
    objects: list[int] = field(default_factory=list)
    linked: list[int] = field(default_factory=list)
    by: list[int] = field(default_factory=list)
    loose: list[tuple[SaidWord, tuple[int, ...]]] = field(default_factory=list)
    spatial: list[tuple[SaidWord, int, Node]] = field(default_factory=list)
    of_objects: list[tuple[str, str]] = field(default_factory=list)


def complete(found: Predicate, subject: int) -> None:
    """Decides which verb was said, and gives it its participants in the order of its roles."""
    assert found.verb is not None
    assert found.token is not None
    kind = found.token.type.split("_")[0]
    candidates = said_by(found.token).entries
    if kind == "SPLIT":
        fitting = [entry for entry in candidates if entry.particle == found.particle]
        found.verb.text += f" {found.particle}"
    elif found.link:
        fitting = [entry for entry in candidates if entry.preposition == found.link]
        found.verb.text += f" {found.link}" if kind == "APART" else ""
    elif kind == "V3":
        fitting = [entry for entry in candidates if entry.preposition == "to"]
    else:
        fitting = list(candidates)
    if not fitting:
        own = sorted({e.particle if kind == "SPLIT" else e.preposition for e in candidates})
        wrong = found.particle or found.link
        raise SentenceError(
            f"'{said_by(found.token)}' at word {said_by(found.token).position} goes with "
            + " or ".join(f"'{word}'" for word in own)
            + (f", not with '{wrong}'" if wrong else "; say it")
        )
    found.verb.entry = fitting[0]
    if found.by:
        found.verb.about = (found.by[0], subject, *found.linked)
    elif len(found.objects) == 2:
        # "gave the person the cup" is "gave the cup to the person"
        found.verb.about = (subject, found.objects[1], found.objects[0])
    else:
        found.verb.about = (subject, *found.objects, *found.linked)


def head_of(verb: SaidWord) -> str:
    """The base form of a verb as said."""
    said = verb.text.split()[0]
    found = heads(verb.entry)
    irregular = verb.entry.irregular
    return next((head for head in found if said in inflect(head, irregular).values()), found[0])


def refuse_idioms(
    found: Predicate, participants: Sequence[Participant], words: Sequence[SaidWord]
) -> None:
    """Refuses words that mean something else together.

    Args:
        found: A predicate, with its participants.
        participants: All so far.
        words: All so far, nouns included.
    """
    verb = found.verb
    assert verb is not None
    head = head_of(verb)
    refuse_lifeless(verb.entry.name, participants[verb.about[0]].noun)
    told_of = [*found.objects, *found.linked, *(i for _, loose in found.loose for i in loose)]
    told_of += [other for _, other, _ in found.spatial]
    for word in words:
        if word.entry.part == "noun" and word.about[0] in told_of:
            refuse_picture(verb.entry.name, word.text)
    # "put down" says all of where it ends.
    goes = "" if verb.entry.particle else head
    for preposition, noun in found.of_objects:
        refuse_goal(goes, preposition)
        refuse_scenery(preposition, noun, of_object=True)
    for word, other, _ in found.spatial:
        refuse_goal(goes, word.text)
        refuse_seat(word.text, participants[other].noun)
    for (word, others), (following, _) in zip(
        found.loose, [*found.loose[1:], (verb, ())], strict=False
    ):
        if word.entry.part == "adverb":
            refuse_posture(verb.entry.name, word.entry.name)
        if word.entry.part == "direction":
            refuse_particle(verb.entry.name, head, word.text)
            if (word.text, following.text) == ("up", "to"):
                raise NotLiteralError("'up to' says where to, not upwards")
        for other in others:
            refuse_means(verb.entry.name, word.text, participants[other].noun)


def attach(found: Predicate, participants: Sequence[Participant]) -> list[str]:
    """Links adverbs, directions, motion and spatial phrases to what the verb moves.

    Returns:
        Notes on how they were read.
    """
    verb = found.verb
    assert verb is not None
    notes: list[str] = []
    mover = verb.about[verb.entry.moves]
    noun = participants[mover].noun
    for word, others in found.loose:
        word.about = (mover, *others)
        if len(verb.about) > 1:
            notes.append(f"'{word.text}' tells of the {noun}, which moves in '{verb.text}'")
    for word, other, node in found.spatial:
        word.about = (mover, other)
        notes.append(
            f"'{text_of(node)}' tells of the {noun}: it does not follow a noun, "
            f"and the {noun} is what moves in '{verb.text}'"
        )
    return notes
