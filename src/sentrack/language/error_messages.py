"""What to tell people whose sentence cannot be read."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache

from sentrack.text import similar, words_of

from .errors import SentenceError
from .forms import Form, Surface, not_a_class
from .glossary import glossary
from .grammar import FUNCTION_WORDS, PREFERENCE, describe_terminals
from .vocabulary import Headword, Vocabulary


@dataclass(frozen=True)
class Stop:
    """Where the parser could not go on.

    Attributes:
        words: The words of the sentence.
        numbers: The number of each as people count them.
        at: Index of the word that did not fit; the number of words if the sentence ended.
        expected: Terminals that could have followed.
    """

    words: Form
    numbers: tuple[int, ...]
    at: int
    expected: set[str]

    @property
    def rest(self) -> Form:
        """The words not read."""
        return self.words[self.at :]

    @property
    def before(self) -> str:
        """The last words read, from an article if there is one near."""
        read = self.words[max(0, self.at - 4) : self.at]
        starts = [i for i, word in enumerate(read) if word in FUNCTION_WORDS["ARTICLE"]]
        return " ".join(read[starts[-1] :] if starts else read[-1:])


def complaint(stop: Stop, table: Surface, vocabulary: Vocabulary) -> SentenceError:
    """The error that says what is wrong, where, and what to do."""
    length, readings = next(table.matches(stop.rest), (1, ()))
    refused = _refused(stop, table, longer_than=length if readings else 0)
    if not stop.rest:
        message = f"the sentence ends too early: {_missing(stop, table)}"
    elif refused:
        message = refused
    elif not readings:
        message = _unknown(stop, table, vocabulary)
    else:
        word = " ".join(stop.rest[:length])
        found = {reading.terminal for reading in readings}
        where = f"'{word}' at word {stop.numbers[stop.at]}"
        if found & {"NOUN", "ADJECTIVE"} and "ARTICLE" in stop.expected:
            message = f"{where} has no article; say 'the {word}'"
        else:
            message = f"{where} does not fit: {_missing(stop, table)}"
    return SentenceError(message)


def unknown_word(word: str, number: int, table: Surface, vocabulary: Vocabulary) -> SentenceError:
    """The error for a word that nobody knows, wherever it stands."""
    stop = Stop((word,), (number,), 0, set(PREFERENCE))
    return SentenceError(_unknown(stop, table, vocabulary))


def _refused(stop: Stop, table: Surface, longer_than: int) -> str:
    """The reason for which the words to come are refused, if they are."""
    for length in range(min(table.longest, len(stop.rest)), longer_than, -1):
        why = table.refusal(stop.rest[:length])
        if why:
            return f"'{_shorten(' '.join(stop.rest[:length]))}' at word {_number(stop)}: {why}"
    return ""


def _unknown(stop: Stop, table: Surface, vocabulary: Vocabulary) -> str:
    word = _shorten(stop.rest[0])
    where = f"unknown word '{word}' at word {_number(stop)}"
    near = _near(word, stop, table)
    classes = [" ".join(words_of(entry.name)) for entry in vocabulary.of("noun")]
    of_class = vocabulary.of_detector and "NOUN" in stop.expected
    if of_class:
        where += f": {not_a_class(word, classes)}"
        near = [form for form in near if form not in classes]
    if near:
        return f"{where}; did you mean {_either([_with_meaning(form, table) for form in near])}?"
    if of_class:
        return where
    return f"{where}; {_could_follow(stop, table)}; 'sentrack words' lists all words"


# How much likelier a word is to be meant that is checked, or is read as one that is, than one that
# is only understood; in parts of letters in common.
_CHECKED, _READ_AS = 0.1, 0.05
_CLOSE = 0.1  # what is less similar than the best one by more is not worth telling


def _near(word: str, stop: Stop, table: Surface) -> list[str]:
    """Up to three words that may be meant: by letters, then by what they are here."""
    known = dict.fromkeys(table.nearest(word, stop.expected), _CHECKED)
    for form in similar(word, _everyday().get(word[:1], ()), 5, 0.8):
        known.setdefault(form, _READ_AS if _read_as(form) else 0.0)
    likely = {f: bonus + SequenceMatcher(None, f, word).ratio() for f, bonus in known.items()}
    best = sorted(likely, key=lambda form: (-likely[form], form))
    return [form for form in best[:3] if likely[form] >= likely[best[0]] - _CLOSE]


@cache
def _everyday() -> Mapping[str, list[str]]:
    """The words of the glossary by their first letter, less plurals of what is plural already."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for form, lexemes in glossary().lexemes.items():
        once = any(each.tag != "nouns" or not each.lemma.endswith("s") for each in lexemes)
        if len(form) == 1 and once:
            found[form[0][:1]].append(form[0])
    return found


def _read_as(form: str) -> str:
    """The word of the lexicon that a word of the glossary is read as, if it is."""
    known = glossary()
    parts = {"noun": "nouns", "nouns": "nouns", "adj": "adjectives", "adv": "adverbs"}
    for lexeme in known.lexemes.get((form,), ()):
        found = known.same[parts.get(lexeme.tag, "verbs")].get(lexeme.lemma)
        if found:
            return found
    return ""


def _with_meaning(form: str, table: Surface) -> str:
    """A word, with what it is read as where that is another one."""
    known = words_of(form) in table.readings
    meant = "" if known else _read_as(form)
    return _quoted(form) + (f" (read as '{meant.replace('-', ' ')}')" if meant else "")


def _missing(stop: Stop, table: Surface) -> str:
    """What the sentence lacks where it stopped, as exactly as can be told."""
    expected = stop.expected
    finished = bool(expected & {"$END", "AND", "NOUN"})
    if "BY" in expected and not finished:
        return "a passive verb needs the one who does it; add 'by the ...'"
    if "PARTICLE" in expected and not finished:
        verb, entries = _last_verb(stop, table, "SPLIT")
        particles = sorted({entry.particle for entry in entries})
        return f"'{verb}' goes with {_either([_quoted(word) for word in particles])}; add it"
    if "LINK" in expected and not finished:
        verb, entries = _last_verb(stop, table, "V3", "APART")
        links = sorted({entry.preposition for entry in entries})
        wanted = _either([f"'{word} the ...'" for word in links])
        return f"'{verb}' needs one participant more; add {wanted}"
    before = stop.words[: stop.at]
    verb, entries = _last_verb(stop, table, "APART")
    if expected == {"ADVERB"} and verb:
        return (
            f"'{verb}' needs an object; say for example '{verb} {entries[0].preposition} the ...'"
        )
    verb, _ = _last_verb(stop, table, "V2", "V3", "SPLIT")
    if expected == {"ARTICLE"} and verb and before[-len(verb.split()) :] == tuple(verb.split()):
        return f"'{verb}' needs an object; say for example '{verb} the ...'"
    return _could_follow(stop, table) + _about_and(stop)


def _about_and(stop: Stop) -> str:
    """What to say of an "and" that joins what it cannot join."""
    before = stop.words[: stop.at]
    noun = len(stop.before.split())
    if "AND" in stop.expected or "and" not in stop.rest[:1] + before[-noun - 1 : -noun]:
        return ""
    if stop.rest[:1] == ("and",) and set(before) & set(FUNCTION_WORDS["WHO"]):
        return "; 'and' does not continue a relative clause: say that in a sentence of its own"
    return "; 'and' joins verbs, prepositions and sentences, but not nouns"


def _last_verb(stop: Stop, table: Surface, *kinds: str) -> tuple[str, tuple[Headword, ...]]:
    """The last verb of these kinds that was read, and what it may mean."""
    for end in range(stop.at, 0, -1):
        for start in range(max(0, end - table.longest), end):
            form = stop.words[start:end]
            for reading in table.readings.get(form, ()):
                if reading.terminal.split("_")[0] in kinds:
                    return " ".join(form), reading.entries
    return "", ()


def _could_follow(stop: Stop, table: Surface) -> str:
    known = {name for name in stop.expected if name in table.forms or name in FUNCTION_WORDS}
    described = _either(describe_terminals(known | (stop.expected & {"$END"})))
    if not stop.at:
        return f"a sentence starts with {described}"
    return f"after '{_shorten(stop.before)}' {described} could follow"


def _number(stop: Stop) -> int:
    return stop.numbers[stop.at]


def _shorten(text: str) -> str:
    """Text for a message: printable, on one line, and not too long."""
    clean = "".join(letter if letter.isprintable() else "?" for letter in text)
    return clean if len(clean) <= 40 else clean[:37] + "..."


def _quoted(word: str) -> str:
    return f"'{word}'"


def _either(items: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(items[:-1]), items[-1] if items else "nothing"]))
