"""From tagged words to chunks: noun groups, verb groups, and the words between them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sentrack.language.english.tagger import NOUNS, VERB_TAGS, Tagged
from sentrack.language.glossary import glossary

#: Forms of "be", which make a participle passive.
BE = frozenset(
    {
        *("is", "are", "was", "were", "be", "been", "being", "am", "'s", "'re"),
        *("gets", "get", "got", "getting"),
    }
)
_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve"),
)


@dataclass
class NounGroup:
    """A noun with all that stands before it.

    Attributes:
        words: All of it.
        determiners: "the", "his", "two", "a group of".
        modifiers: Adjectives, participles and nouns before the head.
        head: The noun or pronoun; None in "in black" and "the other".
        possessor: Whose it is, where a noun says so.
    """

    words: list[Tagged]
    determiners: list[Tagged] = field(default_factory=list)
    modifiers: list[Tagged] = field(default_factory=list)
    head: Tagged | None = None
    possessor: "NounGroup | None" = None

    @property
    def text(self) -> str:
        """All of it as said."""
        return " ".join(word.text for word in self.words).replace(" 's", "'s")

    @property
    def number(self) -> int:
        """Of its first word."""
        return self.words[0].number

    @property
    def count(self) -> int | None:
        """How many are said to be there, if that is said."""
        counts = [
            count
            for word in self.determiners
            for part in word.text.split()
            if (count := _count(part))
        ]
        return counts[0] if counts else None


def _count(word: str) -> int | None:
    if word in _NUMBERS:
        return _NUMBERS.index(word)
    if word.isdigit() and len(word) < 3:
        return int(word)
    return {"couple": 2, "pair": 2, "both": 2}.get(word)


@dataclass
class VerbGroup:
    """A verb with its auxiliaries.

    Attributes:
        words: All of it.
        verb: The verb; None where a form of "be" stands alone.
        adverbs: Said before the verb.
        finite: Whether it makes a clause of its own.
        passive: Whether its subject is not the one who acts.
        infinitive: Whether "to" stands before it.
    """

    words: list[Tagged]
    verb: Tagged | None
    adverbs: list[Tagged]
    finite: bool
    passive: bool
    infinitive: bool = False

    @property
    def number(self) -> int:
        """Of its first word."""
        return self.words[0].number


Chunk = NounGroup | VerbGroup | Tagged


def chunk(words: Sequence[Tagged]) -> list[Chunk]:
    """The chunks of a sentence, from left to right."""
    chunks: list[Chunk] = []
    at = 0
    while at < len(words):
        length = 0
        if group := _noun_group(words, at):
            chunks.append(group)
            length = len(group.words)
        elif not _ends_verb(chunks, words, at) and (verbs := _verb_group(words, at)):
            chunks.append(verbs)
            length = len(verbs.words)
        else:
            chunks.append(words[at])
            length = 1
        at += length
    return chunks


def _ends_verb(chunks: Sequence[Chunk], words: Sequence[Tagged], at: int) -> bool:
    """Whether an adverb belongs to the verb before it: "goes straight followed by a car"."""
    after = bool(chunks) and isinstance(chunks[-1], VerbGroup) and chunks[-1].verb is not None
    if not after or words[at].tag != "adv" or at + 1 == len(words):
        return False
    by = at + 2 < len(words) and words[at + 2].text == "by"
    return words[at + 1].tag in ("part", "ing") or (words[at + 1].tag == "past" and by)


def _noun_group(words: Sequence[Tagged], at: int) -> NounGroup | None:
    """The noun group that starts at a word, if one does."""
    if words[at].tag == "pron":
        return NounGroup([words[at]], head=words[at])
    determiners, modifiers, here = _before_head(words, at)
    nouns = [k for k, word in enumerate(modifiers) if word.tag in NOUNS]
    adjectives = [k for k, word in enumerate(modifiers) if word.tag == "adj"]
    if not nouns and not determiners and not adjectives:
        return None
    # What follows the last noun, or the last adjective if there is none, is no part of the group.
    kept = (nouns or adjectives or [-1])[-1] + 1
    here -= len(modifiers) - kept
    head = modifiers[kept - 1] if nouns else None
    said = modifiers[: kept - 1] if nouns else modifiers[:kept]
    said = [word for word in said if word.tag not in ("conj", "mark")]
    group = NounGroup(list(words[at:here]), determiners, said, head)
    return _with_possession(words, here, group) or _with_measure(words, here, group) or group


def _before_head(words: Sequence[Tagged], here: int) -> tuple[list[Tagged], list[Tagged], int]:
    """Determiners, then adjectives, participles and nouns, from a place on; and where they end."""
    determiners: list[Tagged] = []
    modifiers: list[Tagged] = []
    while here < len(words):
        word = words[here]
        following = words[here + 1].tag if here + 1 < len(words) else "end"
        after_adjective = bool(modifiers) and modifiers[-1].tag == "adj"
        if word.tag == "det" and (not modifiers or after_adjective):
            determiners.append(word)  # also in "the first two men"
        elif (
            word.tag in NOUNS
            or word.tag == "adj"
            or (word.tag in ("ing", "part") and _modifies(word, following, determiners, modifiers))
            or (word.tag == "adv" and following == "adj")
            or (after_adjective and _joins_adjectives(words, here))
        ):
            modifiers.append(word)
        else:
            break
        here += 1
    return determiners, modifiers, here


def _with_possession(words: Sequence[Tagged], here: int, group: NounGroup) -> NounGroup | None:
    """What belongs to a noun group: "the man's hand"."""
    if group.head is None or here + 1 >= len(words) or words[here].tag != "poss":
        return None
    thing = _noun_group(words, here + 1)
    if thing is not None:
        thing.possessor = group
        thing.words = [*group.words, words[here], *thing.words]
    return thing


def _with_measure(words: Sequence[Tagged], here: int, group: NounGroup) -> NounGroup | None:
    """What a noun group says how much of: "a piece of paper", "a group of three men"."""
    head = group.head
    if head is None or here + 1 >= len(words) or words[here].text != "of" or not _is_measure(head):
        return None
    thing = _noun_group(words, here + 1)
    if thing is None or thing.head is None:
        return None
    quantity = Tagged("det", group.text, group.number, head.lemma)
    thing.determiners = [*group.determiners, quantity, *thing.determiners]
    thing.words = [*group.words, words[here], *thing.words]
    return thing


def _is_measure(noun: Tagged) -> bool:
    sets = glossary().sets
    return noun.lemma in sets["closed.measure"] or noun.lemma in sets["closed.quantity"]


#: Participles that stand before a plural noun even where nothing stands before them.
_STATES = frozenset(["move", "stand", "walk", "run", "park", "drive", "sit", "travel"])


def _modifies(
    word: Tagged, following: str, determiners: list[Tagged], modifiers: list[Tagged]
) -> bool:
    """Whether a participle belongs to the noun after it: "a moving car"."""
    if following not in ("noun", "nouns", "adj"):
        return False
    if determiners or modifiers:
        return not any(modifier.tag in NOUNS for modifier in modifiers)
    return word.lemma in _STATES and following == "nouns"


def _joins_adjectives(words: Sequence[Tagged], here: int) -> bool:
    """Whether a word stands between adjectives of one noun: "black and white"."""
    if words[here].tag not in ("conj", "mark") or here + 2 >= len(words):
        return False
    return words[here + 1].tag == "adj" and words[here + 2].tag in ("adj", "noun", "nouns")


def _verb_group(words: Sequence[Tagged], at: int) -> VerbGroup | None:
    """The verb group that starts at a word, if one does."""
    here, infinitive = at, words[at].tag == "to"
    here += infinitive
    auxiliaries: list[str] = []
    adverbs: list[Tagged] = []
    end = at
    while here < len(words):
        tag = words[here].tag
        if tag == "aux":
            auxiliaries.append(words[here].text)
            end = here + 1
        elif tag == "adv" and (auxiliaries or infinitive or _before_verb(words, here)):
            adverbs.append(words[here])
        else:
            break
        here += 1
    verb = words[here] if here < len(words) and words[here].tag in VERB_TAGS else None
    if verb is None:
        if not auxiliaries:
            return None
        kept = [word for word in words[at:end] if word.tag == "adv"]
        return VerbGroup(list(words[at:end]), None, kept, finite=True, passive=False)
    bare = verb.tag in ("ing", "part") and not [a for a in auxiliaries if a != "being"]
    if auxiliaries:
        # "was rode" is a slip that people make.
        passive = verb.tag in ("part", "past") and auxiliaries[-1] in BE
    else:
        passive = verb.tag == "part"
    return VerbGroup(
        list(words[at : here + 1]),
        verb,
        adverbs,
        finite=not bare and not infinitive and auxiliaries != ["having"],
        passive=passive,
        infinitive=infinitive,
    )


def _before_verb(words: Sequence[Tagged], here: int) -> bool:
    """Whether only adverbs stand between here and a verb: "slowly walks"."""
    while here < len(words) and words[here].tag == "adv":
        here += 1
    return here < len(words) and words[here].tag in VERB_TAGS
