"""Help while typing: how a text may go on, and what may be meant by one that is not understood."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lark import Token
from lark.exceptions import UnexpectedToken

from sentrack.language.either_or import alternatives
from sentrack.language.errors import SentenceError
from sentrack.language.forms import Form, Reading, Surface, forms_of, surface
from sentrack.language.grammar import FUNCTION_WORDS, VERB_TERMINALS, Said, grammar
from sentrack.language.vocabulary import Vocabulary, heads
from sentrack.text import similar, words_of

SUGGESTIONS = 3
REPAIRS = 3  # words that may be wrong
LEAST_SIMILARITY = 0.6  # similarity of what is said and what is meant, as difflib has it
# Terminals of verbs in several parts come with those of the same verbs in one.
APART = {terminal for terminal in VERB_TERMINALS if terminal.startswith(("APART", "SPLIT"))}
ORDER = ("verb", "noun", "preposition", "motion", "direction", "adverb", "adjective", "function")


@dataclass(frozen=True)
class Completion:
    """A longer text.

    Attributes:
        text: all of it.
        word: that is new in it.
        part: of speech; "function" for words such as "the", "end" for the full stop.
    """

    text: str
    word: str
    part: str


class Way(NamedTuple):
    """A way to read the beginning of a text: a parser that has read it."""

    parser: Any

    def after(self, terminal: str) -> "Way | None":
        """The same with one more terminal; None if that cannot follow."""
        if terminal not in self.parser.choices():
            return None
        ahead = self.parser.copy()
        try:
            ahead.feed_token(Token(terminal, Said("", 0)))
        except UnexpectedToken:
            return None
        return Way(ahead)


def ways(words: Form, table: Surface) -> list[list[Way]]:
    """Before every word, and after the last, all ways to read the words up to there."""
    found: list[dict[tuple[int, ...], Way]] = [{} for _ in range(len(words) + 1)]
    found[0][()] = Way(grammar().parse_interactive())
    for start, here in enumerate(found[:-1]):
        for length, readings in table.matches(words[start:]) if here else ():
            for reading in readings:
                for way in here.values():
                    if ahead := way.after(reading.terminal):
                        state = tuple(ahead.parser.parser_state.state_stack)
                        found[start + length].setdefault(state, ahead)
    return [list(each.values()) for each in found]


def expected(found: Iterable[Way]) -> set[str]:
    """The terminals that may follow."""
    return {terminal for way in found for terminal in way.parser.accepts()}


def complete(
    text: str, vocabulary: Vocabulary, limit: int, often: Mapping[str, int]
) -> list[Completion]:
    """What may complete the word being typed, or come next.

    Args:
        text: the beginning of a sentence.
        vocabulary: the words that it may use.
        limit: how many at most.
        often: how often nouns are seen, by name; the most frequent come first.
    """
    table = surface(vocabulary)
    typed = text.split()
    begun = typed.pop() if typed and not text[-1].isspace() else ""
    found = list(_next(" ".join(typed), begun, table, often))
    last = words_of(begun)
    if last and begun == begun.rstrip(".,!"):
        # It may be a whole word already.
        whole = " ".join([*typed, begun])
        longer = [each for each in found if each.text.casefold() != whole.casefold()]
        found = [*longer, *_next(whole, "", table, often)]
        if expected(ways(words_of(whole), table)[-1]) & {"$END"}:
            found.insert(len(longer), Completion(f"{whole}.", ".", "end"))
    return _chosen(found, limit)


def _chosen(found: Sequence[Completion], limit: int) -> list[Completion]:
    """The first ones, of which no more than half are of one part of speech if others follow."""
    different = list({each.text: each for each in found}.values())
    chosen: list[Completion] = []
    for each in different:
        if sum(other.part == each.part for other in chosen) < (limit + 1) // 2:
            chosen.append(each)
    chosen += [each for each in different if each not in chosen]
    return sorted(chosen[:limit], key=different.index)


def _next(
    before: str, begun: str, table: Surface, often: Mapping[str, int]
) -> Iterator[Completion]:
    """Forms that may follow a text and begin with some letters, verbs first."""
    words, letters = words_of(before), " ".join(words_of(begun))
    if begun and not letters:
        return
    found: list[tuple[tuple[int, ...], Form, str]] = []
    seen: set[tuple[str, str]] = set()
    read = ways(words, table)
    for start in range(max(0, len(words) - table.longest + 1), len(words) + 1):
        said = words[start:]
        for terminal in sorted(expected(read[start]) - APART - {"$END"}):
            forms: Iterable[tuple[Form, Any]] = table.forms.get(terminal, ())
            if terminal in FUNCTION_WORDS:
                forms = [((word,), None) for word in FUNCTION_WORDS[terminal] if word != "an"]
            for number, (form, entry) in enumerate(forms):
                rest = form[len(said) :]
                name = form[0] if entry is None else entry.name
                if form[: len(said)] != said or not rest or (terminal, name) in seen:
                    continue
                if not " ".join(rest).startswith(letters):
                    continue
                seen.add((terminal, name))
                part = "function" if entry is None else entry.part
                rare = -often.get(name, 0) if part == "noun" else 0
                passive = terminal.endswith("_DONE")
                found.append(((ORDER.index(part), rare, passive, number), rest, part))
    for _, rest, part in sorted(found):
        word = " ".join(rest)
        text = f"{before} {word}" if before else word.capitalize()
        yield Completion(text, word, part)


def suggestions(sentence: str, vocabulary: Vocabulary) -> list[str]:
    """Sentences that may be meant by one that cannot be understood."""
    table = surface(vocabulary)
    waiting, found = [sentence], list[str]()
    for _ in range(REPAIRS):
        following: list[str] = []
        for text in waiting:
            for repaired in _repaired(text, table, vocabulary):
                (found if _understood(repaired, vocabulary) else following).append(repaired)
        if found:
            break
        waiting = following[:SUGGESTIONS]
    return list(dict.fromkeys(found))[:SUGGESTIONS]


def _repaired(sentence: str, table: Surface, vocabulary: Vocabulary) -> Iterator[str]:
    """A sentence with the first word that does not fit replaced by what may be meant."""
    chunks = sentence.split()
    numbered = [(word, n) for n, chunk in enumerate(chunks) for word in words_of(chunk.strip("."))]
    words = tuple(word for word, _ in numbered)
    read = ways(words, table)
    at = max(start for start, found in enumerate(read) if found)
    if at == len(words):
        return
    word, number = numbered[at]
    fitting = expected(read[at])
    tail = chunks[number][len(chunks[number].rstrip(".,!…")) :]
    before, after = chunks[:number], chunks[number + 1 :]
    readings = table.readings.get((word,), ())
    if "ARTICLE" in fitting and any(r.terminal in ("NOUN", "ADJECTIVE") for r in readings):
        yield " ".join([*before, "the" if before else "The", word + tail, *after])

    def fits(readings: Iterable[Reading]) -> bool:
        return any(reading.terminal in fitting for reading in readings)

    bases = {head: entry for entry in vocabulary.of("verb") for head in heads(entry)}
    verbs = similar(word, bases, SUGGESTIONS, LEAST_SIMILARITY) if fitting & VERB_TERMINALS else []
    forms = [forms_of(bases[verb])[0] for verb in verbs]
    known = {" ".join(form): None for form, found in table.readings.items() if fits(found)}
    for form in dict.fromkeys([*forms, *similar(word, known, SUGGESTIONS, LEAST_SIMILARITY)]):
        said = form if before else form.capitalize()
        yield " ".join([*before, said + tail, *after])


def _understood(sentence: str, vocabulary: Vocabulary) -> bool:
    try:
        return bool(alternatives(sentence, vocabulary))
    except SentenceError:
        return False
