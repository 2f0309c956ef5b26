"""From a meaning of one clause back to an English sentence."""

from sentrack.text import words_of

from .errors import SentenceError
from .forms import surface
from .generator import is_clear, spell
from .grammar import TERMINAL_OF_PART
from .idioms import refuse_lifeless, says_place
from .inflection import inflect
from .linking import check
from .meaning import Meaning, Word
from .vocabulary import Headword, Vocabulary, heads


def say(meaning: Meaning, vocabulary: Vocabulary) -> str:
    """A sentence in the past tense that has this meaning.

    The meaning must have one clause: a verb, or only spatial relations of the first participant.
    Parsing the sentence gives the meaning back if its participants are numbered as `parse` numbers
    them: the agent, its object, then the others as this sentence mentions them.

    Raises:
        SentenceError: It takes more than one clause to say it, or the words contradict each other.
    """
    speaker = _Speaker(meaning, vocabulary)
    return spell(speaker.sentence())


class _Speaker:
    """Says each word once, and each participant once."""

    def __init__(self, meaning: Meaning, vocabulary: Vocabulary) -> None:
        entries = [vocabulary.entry(word.word, word.part) for word in meaning.words]
        check(meaning.participants, meaning.words, entries)
        self.meaning = meaning
        self.vocabulary = vocabulary
        self.left = list(meaning.words)
        self.mentioned: set[int] = set()

    def sentence(self) -> list[str]:
        verbs = [word for word in self.meaning.words if word.part == "verb"]
        if len(verbs) > 1:
            raise SentenceError("a meaning with several verbs cannot be said in one clause")
        said = self._clause(verbs[0]) if verbs else self._state()
        if self.left or len(self.mentioned) < len(self.meaning.participants):
            rest = ", ".join(f"'{word.word}'" for word in self.left) or "a participant"
            raise SentenceError(f"{rest} cannot be said in the same clause as the other words")
        return said

    def _state(self) -> list[str]:
        """A sentence without a verb: "The cup was on the table."."""
        subject = self._noun(0)
        spatial = self._spatial(0)
        if not spatial:
            raise SentenceError("a sentence needs a verb or a spatial relation")
        return [*subject, "was", *spatial]

    def _clause(self, verb: Word) -> list[str]:
        entry = self._take(verb)
        subject, *objects = verb.participants
        refuse_lifeless(verb.word, self.meaning.participants[subject].noun)
        mover = verb.participants[entry.moves]
        # Adverbs, directions and motion phrases come last, in the order in which they are given.
        loose = [word for word in self.left if word.part in ("adverb", "direction", "motion")]
        if any(word.participants[0] != mover for word in loose):
            raise SentenceError(
                f"only the {self.meaning.participants[mover].noun} moves in '{verb.word}': "
                "no adverb, direction or motion phrase can speak of another participant"
            )
        said = [*self._phrase(subject), *inflect(heads(entry)[0], entry.irregular)["past"].split()]
        said += entry.particle.split()
        for number, participant in enumerate(objects, 1):
            said += entry.preposition.split() if number == len(entry.roles) - 1 else []
            said += self._phrase(participant)
        for word in loose:
            said += self._form(self._take(word), verb.word)
            for participant in word.participants[1:]:
                said += self._phrase(participant)
        return said

    def _phrase(self, participant: int) -> list[str]:
        """A noun with all that is said of it: "the red cup on the table"."""
        return [*self._noun(participant), *self._spatial(participant)]

    def _noun(self, participant: int) -> list[str]:
        if participant in self.mentioned:
            noun = self.meaning.participants[participant].noun
            raise SentenceError(f"the {noun} would have to be mentioned twice in one clause")
        self.mentioned.add(participant)
        own = [word for word in self.left if word.participants == (participant,)]
        nouns = [word for word in own if word.part == "noun"]
        if [word.word for word in nouns] != [self.meaning.participants[participant].noun]:
            raise SentenceError(f"participant {participant} needs its noun as a word, once")
        adjectives = [word for word in own if word.part == "adjective"]
        said = [self.meaning.participants[participant].article]
        for word in [*adjectives, *nouns]:
            said += self._form(self._take(word))
        return said

    def _spatial(self, participant: int) -> list[str]:
        """The spatial phrases of a noun; only the last of them may have one of its own."""
        said: list[str] = []
        words = [
            word
            for word in self.left
            if word.part == "preposition" and word.participants[0] == participant
        ]
        for number, word in enumerate(words, 1):
            said += ["and"] if number > 1 else []
            said += self._form(self._take(word))
            other = word.participants[1]
            said += self._phrase(other) if number == len(words) else self._noun(other)
        return said

    def _take(self, word: Word) -> Headword:
        self.left.remove(word)
        return self.vocabulary.entry(word.word, word.part)

    def _form(self, entry: Headword, verb: str = "") -> list[str]:
        """The first form that can mean nothing else, after a verb; failing that, the first."""
        table = surface(self.vocabulary)
        terminal = TERMINAL_OF_PART[entry.part]
        literal = [form for form in entry.forms if not says_place(verb, form)]
        forms = [words_of(form) for form in literal or entry.forms]
        clear = [form for form in forms if is_clear(terminal, form, entry, table)]
        return list((clear or forms)[0])
