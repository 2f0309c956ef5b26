"""From a tree of the grammar to a meaning: who takes part, and which word speaks of whom."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from lark import Token

from .errors import NotLiteralError, SentenceError
from .glossary import glossary
from .grammar import VERB_TERMINALS
from .idioms import refuse_scenery, refuse_side
from .meaning import Meaning, Participant, Word, distinct_pairs
from .predicates import Predicate, SaidWord, attach, complete, refuse_idioms
from .tree_nodes import Node, nodes, said_by, text_of, tokens
from .vocabulary import Headword


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
    participants: Sequence[Participant], words: Sequence[Word], entries: Sequence[Headword]
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
                # What is done may come one after the other, which the grammar does not say.
                kind = NotLiteralError if entry.part == "verb" else SentenceError
                raise kind(f"'{before}' and '{said}' contradict each other: both speak of {nouns}")


class _Linker:
    """Walks a tree once, in the order of the sentence."""

    def __init__(self) -> None:
        self.participants: list[Participant] = []
        self.words: list[SaidWord] = []
        self.notes: list[str] = []

    def sentence(self, tree: Node) -> tuple[int, ...]:
        """Links everything; returns agent and object of the first clause, as far as it has them."""
        subject, first = self.clause(nodes(tree)[0])
        for join in nodes(tree)[1:]:
            (node,) = nodes(join)
            if node.data == "clause":
                subject, _ = self.clause(node)
            else:
                noun = self.participants[subject].noun
                self.notes.append(f"'{text_of(join)}' is said of the same {noun}")
                self.predicate(node, subject)
        return first

    def clause(self, tree: Node) -> tuple[int, tuple[int, ...]]:
        """Links a clause; returns its subject, and its agent and object."""
        subject_node, predicate = nodes(tree)
        subject = self.noun_phrase(subject_node)
        verb = self.predicate(predicate, subject)
        return subject, verb.about[:2] if verb else (subject,)

    def noun_phrase(self, tree: Node, note: bool = False) -> int:
        """Links a noun phrase; returns its participant. `note` says how its end was read."""
        index = len(self.participants)
        said = tokens(tree)
        noun = next(said_by(token) for token in said if token.type == "NOUN")
        article = {"an": "a"}.get(said_by(said[0]).text, said_by(said[0]).text)
        self.participants.append(Participant(noun.entries[0].name, article, noun.position))
        for token in said:
            if token.type in ("ADJECTIVE", "NOUN"):
                word = self.say(token)
                word.about = (index,)
            if token.type == "ADJECTIVE":
                refuse_side(word.entry.name, noun.entries[0].name)
        for number, node in enumerate(nodes(tree)):
            if note or number:
                rule = "spatial phrase" if node.data == "spatial" else "relative clause"
                self.notes.append(
                    f"'{text_of(node)}' tells of '{noun}': a {rule} belongs to the nearest noun"
                )
            if node.data == "spatial":
                word, other = self.phrase(node)
                refuse_scenery(word.text, self.participants[other].noun, of_object=False)
                word.about = (index, other)
            else:
                self.predicate(nodes(node)[0], index)
        return index

    def phrase(self, tree: Node) -> tuple[SaidWord, int]:
        """Links a word and the noun phrase after it, as yet without what comes before it."""
        word = self.say(tokens(tree)[0])
        return word, self.noun_phrase(nodes(tree)[0], note=True)

    def predicate(self, tree: Node, subject: int) -> SaidWord | None:
        """Links what is said of a subject; returns the verb, if there is one."""
        found = Predicate()
        for child in tree.children:
            if isinstance(child, Token):
                self._take_token(found, child)
            elif child.data == "noun_phrase":
                found.objects.append(self.noun_phrase(child, note=True))
                found.of_objects += [
                    (text_of(node.children[0]), self._noun_of(nodes(node)[0]))
                    for node in nodes(child)
                    if node.data == "spatial"
                ]
            elif child.data in ("by", "linked"):
                place = found.by if child.data == "by" else found.linked
                place.append(self.noun_phrase(nodes(child)[0], note=True))
                found.link = found.link if child.data == "by" else text_of(child.children[0])
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
        complete(found, subject)
        refuse_idioms(found, self.participants, self.words)
        self.notes += attach(found, self.participants)
        return found.verb

    @staticmethod
    def _noun_of(phrase: Node) -> str:
        noun = next(said_by(token) for token in tokens(phrase) if token.type == "NOUN")
        return noun.entries[0].name

    def _take_token(self, found: Predicate, token: Token) -> None:
        if token.type in VERB_TERMINALS:
            found.verb, found.token = self.say(token), token
        elif token.type in ("ADVERB", "DIRECTION"):
            found.loose.append((self.say(token), ()))
        elif token.type == "PARTICLE":
            found.particle = said_by(token).text

    def say(self, token: Token) -> SaidWord:
        """Adds a word, as yet linked to nothing."""
        said = said_by(token)
        word = SaidWord(said.entries[0], said.text)
        self.words.append(word)
        return word
