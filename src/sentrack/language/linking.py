"""From a tree of the grammar to a meaning: who takes part, and which word speaks of whom."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from lark import Token, Tree

from .errors import NotLiteralError, SentenceError
from .glossary import glossary
from .grammar import VERB_TERMINALS, Said
from .idioms import (
    refuse_goal,
    refuse_lifeless,
    refuse_means,
    refuse_particle,
    refuse_posture,
    refuse_scenery,
    refuse_side,
)
from .inflection import inflect
from .meaning import Meaning, Participant, Word, distinct_pairs
from .vocabulary import Entry, heads

Node = Tree[Token]


def link(tree: Node, sentence: str) -> Meaning:
    """The meaning of a sentence, given its tree.

    Raises:
        SentenceError: The words contradict each other, or a verb is said with the wrong particle
            or preposition.
        NotLiteralError: They mean something else together.
    """
    linker = _Linker()
    first = linker.sentence(tree)
    order = [*first, *(i for i in range(len(linker.participants)) if i not in first)]
    index = {old: new for new, old in enumerate(order)}
    participants = tuple(linker.participants[old] for old in order)
    words = tuple(
        Word(said.entry.name, tuple(index[i] for i in said.about), said.entry.part, said.text)
        for said in linker.words
    )
    check(participants, words, [said.entry for said in linker.words])
    distinct = distinct_pairs(participants, words)
    notes = [*linker.notes, *_repeated(participants, distinct)]
    return Meaning(sentence, participants, words, distinct, tuple(notes), says_more(words))


def says_more(words: Sequence[Word]) -> tuple[str, ...]:
    """The nouns that say the age, the sex or the work of a person, which boxes do not show."""
    known = glossary()
    return tuple(
        dict.fromkeys(
            word.text
            for word in words
            if word.part == "noun"
            and word.text != word.word
            and known.kinds.get(word.text) == "person"
            and word.text not in known.sets["nouns.person.plain"]
        )
    )


def _repeated(
    participants: Sequence[Participant], distinct: Sequence[tuple[int, int]]
) -> Iterator[str]:
    """Notes on nouns said twice, of which only the sentence's author knows if they are one."""
    for i, j in combinations(range(len(participants)), 2):
        noun = participants[i].noun
        if noun == participants[j].noun and (i, j) not in distinct:
            yield f"{noun} {i} and {noun} {j} may be the same object; if not, say 'another {noun}'"


def check(
    participants: Sequence[Participant], words: Sequence[Word], entries: Sequence[Entry]
) -> None:
    """Refuses words that contradict or repeat each other, or speak of one participant twice."""
    for i, (word, entry) in enumerate(zip(words, entries, strict=True)):
        said = word.text or word.word
        nouns = " and ".join(f"the {participants[p].noun}" for p in word.participants)
        if len(set(word.participants)) < len(word.participants):
            raise SentenceError(f"'{said}' speaks twice of the same participant: {nouns}")
        for other, other_entry in zip(words[:i], entries, strict=False):
            if other.participants != word.participants:
                continue
            before = other.text or other.word
            if entry.name == other_entry.name and entry.part == other_entry.part:
                raise SentenceError(f"'{said}' is said twice of {nouns}; say it once")
            if entry.opposite == other.word or other_entry.opposite == word.word:
                raise SentenceError(
                    f"'{before}' and '{said}' contradict each other: both speak of {nouns}"
                )


@dataclass
class _SaidWord:
    """A word in the making: what it speaks of may only be known after words that follow it."""

    entry: Entry
    text: str
    about: tuple[int, ...] = ()


@dataclass
class _Predicate:
    """What a predicate was found to hold, by index of participant."""

    verb: _SaidWord | None = None
    token: Token | None = None
    particle: str = ""
    link: str = ""
    objects: list[int] = field(default_factory=list)
    linked: list[int] = field(default_factory=list)
    by: list[int] = field(default_factory=list)
    loose: list[tuple[_SaidWord, tuple[int, ...]]] = field(default_factory=list)
    spatial: list[tuple[_SaidWord, int, Node]] = field(default_factory=list)
    of_objects: list[tuple[str, str]] = field(default_factory=list)


class _Linker:
    """Walks a tree once, in the order of the sentence."""

    def __init__(self) -> None:
        self.participants: list[Participant] = []
        self.words: list[_SaidWord] = []
        self.notes: list[str] = []

    def sentence(self, tree: Node) -> tuple[int, ...]:
        """Links everything; returns agent and object of the first clause, as far as it has them."""
        subject, first = self.clause(_nodes(tree)[0])
        for join in _nodes(tree)[1:]:
            (node,) = _nodes(join)
            if node.data == "clause":
                subject, _ = self.clause(node)
            else:
                noun = self.participants[subject].noun
                self.notes.append(f"'{_text(join)}' is said of the same {noun}")
                self.predicate(node, subject)
        return first

    def clause(self, tree: Node) -> tuple[int, tuple[int, ...]]:
        """Links a clause; returns its subject, and its agent and object."""
        subject_node, predicate = _nodes(tree)
        subject = self.noun_phrase(subject_node)
        verb = self.predicate(predicate, subject)
        return subject, verb.about[:2] if verb else (subject,)

    def noun_phrase(self, tree: Node, note: bool = False) -> int:
        """Links a noun phrase; returns its participant. `note` says how its end was read."""
        index = len(self.participants)
        tokens = _tokens(tree)
        noun = next(_said(token) for token in tokens if token.type == "NOUN")
        article = {"an": "a"}.get(_said(tokens[0]).text, _said(tokens[0]).text)
        self.participants.append(Participant(noun.entries[0].name, article, noun.position))
        for token in tokens:
            if token.type in ("ADJECTIVE", "NOUN"):
                word = self.say(token)
                word.about = (index,)
            if token.type == "ADJECTIVE":
                refuse_side(word.entry.name, noun.entries[0].name)
        for number, node in enumerate(_nodes(tree)):
            if note or number:
                rule = "spatial phrase" if node.data == "spatial" else "relative clause"
                self.notes.append(
                    f"'{_text(node)}' tells of '{noun}': a {rule} belongs to the nearest noun"
                )
            if node.data == "spatial":
                word, other = self.phrase(node)
                refuse_scenery(word.text, self.participants[other].noun, of_object=False)
                word.about = (index, other)
            else:
                self.predicate(_nodes(node)[0], index)
        return index

    def phrase(self, tree: Node) -> tuple[_SaidWord, int]:
        """Links a word and the noun phrase after it, as yet without what comes before it."""
        word = self.say(_tokens(tree)[0])
        return word, self.noun_phrase(_nodes(tree)[0], note=True)

    def predicate(self, tree: Node, subject: int) -> _SaidWord | None:
        """Links what is said of a subject; returns the verb, if there is one."""
        found = _Predicate()
        for child in tree.children:
            if isinstance(child, Token):
                self._take_token(found, child)
            elif child.data == "noun_phrase":
                found.objects.append(self.noun_phrase(child, note=True))
                found.of_objects += [
                    (_text(node.children[0]), self._noun_of(_nodes(node)[0]))
                    for node in _nodes(child)
                    if node.data == "spatial"
                ]
            elif child.data in ("by", "linked"):
                place = found.by if child.data == "by" else found.linked
                place.append(self.noun_phrase(_nodes(child)[0], note=True))
                found.link = found.link if child.data == "by" else _text(child.children[0])
            else:
                word, other = self.phrase(child)
                if child.data == "motion":
                    found.loose.append((word, (other,)))
                else:
                    found.spatial.append((word, other, child))
        if not found.verb:
            for word, other, _ in found.spatial:
                word.about = (subject, other)
            return None
        _complete(found, subject)
        self._refuse_idioms(found)
        self._attach(found)
        return found.verb

    @staticmethod
    def _noun_of(phrase: Node) -> str:
        noun = next(_said(token) for token in _tokens(phrase) if token.type == "NOUN")
        return noun.entries[0].name

    def _refuse_idioms(self, found: _Predicate) -> None:
        """Refuses words that mean something else together."""
        verb = found.verb
        assert verb is not None
        head = _head(verb)
        refuse_lifeless(verb.entry.name, self.participants[verb.about[0]].noun)
        # "put down" says all of where it ends.
        goes = "" if verb.entry.particle else head
        for preposition, noun in found.of_objects:
            refuse_goal(goes, preposition)
            refuse_scenery(preposition, noun, of_object=True)
        for word, _, _ in found.spatial:
            refuse_goal(goes, word.text)
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
                refuse_means(verb.entry.name, word.text, self.participants[other].noun)

    def _take_token(self, found: _Predicate, token: Token) -> None:
        if token.type in VERB_TERMINALS:
            found.verb, found.token = self.say(token), token
        elif token.type in ("ADVERB", "DIRECTION"):
            found.loose.append((self.say(token), ()))
        elif token.type == "PARTICLE":
            found.particle = _said(token).text

    def _attach(self, found: _Predicate) -> None:
        """Links adverbs, directions, motion and spatial phrases to what the verb moves."""
        verb = found.verb
        assert verb is not None
        mover = verb.about[verb.entry.moves]
        noun = self.participants[mover].noun
        for word, others in found.loose:
            word.about = (mover, *others)
            if len(verb.about) > 1:
                self.notes.append(
                    f"'{word.text}' tells of the {noun}, which moves in '{verb.text}'"
                )
        for word, other, node in found.spatial:
            word.about = (mover, other)
            self.notes.append(
                f"'{_text(node)}' tells of the {noun}: it does not follow a noun, "
                f"and the {noun} is what moves in '{verb.text}'"
            )

    def say(self, token: Token) -> _SaidWord:
        """Adds a word, as yet linked to nothing."""
        said = _said(token)
        word = _SaidWord(said.entries[0], said.text)
        self.words.append(word)
        return word


def _complete(found: _Predicate, subject: int) -> None:
    """Decides which verb was said, and gives it its participants in the order of its roles."""
    assert found.verb is not None
    assert found.token is not None
    kind = found.token.type.split("_")[0]
    candidates = _said(found.token).entries
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
            f"'{_said(found.token)}' at word {_said(found.token).position} goes with "
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


def _head(verb: _SaidWord) -> str:
    """The base form of a verb as said."""
    said = verb.text.split()[0]
    found = heads(verb.entry)
    irregular = verb.entry.irregular
    return next((head for head in found if said in inflect(head, irregular).values()), found[0])


def _said(token: Token) -> Said:
    said = token.value
    assert isinstance(said, Said)
    return said


def _tokens(tree: Node) -> list[Token]:
    return [child for child in tree.children if isinstance(child, Token)]


def _nodes(tree: Node) -> list[Node]:
    return [child for child in tree.children if isinstance(child, Tree)]


def _text(node: Node | Token) -> str:
    """What was said by a part of the sentence."""
    if isinstance(node, Token):
        return _said(node).text
    return " ".join(_text(child) for child in node.children)
