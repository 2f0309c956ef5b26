"""Which class each word of a sentence is of, decided by the word and its neighbours.

A word may be of several classes ("walks", "left"), and several words may be one ("in front of").
Of all ways to cut a sentence into words and to class them, the cheapest counts: a table says what
it costs that one class follows another. The table is written by hand, so nothing depends on chance.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sentrack.language.english.tokenizer import MARKS, Token
from sentrack.language.glossary import Form, Lexeme, glossary, kind_of_class, verb_lexemes
from sentrack.language.inflection import plurals
from sentrack.language.vocabulary import Headword, Vocabulary, heads
from sentrack.text import words_of

VERB_TAGS = frozenset({"base", "pres", "past", "part", "ing"})
NOUNS = frozenset({"noun", "nouns"})


@dataclass(frozen=True)
class Tagged:
    """A word, or several that are one, with its class.

    Attributes:
        tag: Class of word.
        text: As said, in lower case.
        number: Of its first word, as people count them.
        lemma: Base form.
        kind: Of a noun.
        entry: Of the vocabulary, if a noun of it was said.
    """

    tag: str
    text: str
    number: int
    lemma: str
    kind: str = ""
    entry: Headword | None = None


class UnknownWordError(Exception):
    """A word that neither the vocabulary nor the glossary has.

    Attributes:
        token: The word.
    """

    def __init__(self, token: Token) -> None:
        super().__init__(token.text)
        self.token = token


# What may follow a class, with its cost; what is not listed costs _OTHERWISE.
_TABLE = """
start: det 0, pron 0, exist 0, view 0, noun .5, nouns .3, adj .4, sub .3, rel .3, adv .3, ing .7
start: prep .8, base 1.4, aux 1, dir 1, part 2, conj 1.5
det: noun 0, nouns 0, adj 0, det .4, ing .9, part .7, adv 1.2, pron 2, end 4, conj 4, prep 3
adj: noun 0, nouns 0, adj .2, conj .5, mark .4, prep .6, end .8, ing .8, part 1, det 2, adv 1.2
adj: pron 1, dir 1, sub 1, rel 1.5, to 1, aux 2, pres 3, past 3, base 4
noun: pres 0, past .1, aux 0, ing .2, part .7, prep 0, conj 0, mark 0, end 0, rel 0, poss 0, sub 0
noun: noun .7, nouns .7, adv .4, dir .2, to .5, base 1.25, det 1.2, adj 2, pron 2, exist 2
nouns: base .2, past .1, aux 0, ing .2, part .7, prep 0, conj 0, mark 0, end 0, rel 0, poss .3
nouns: sub 0, pres 1.5, adv .4, dir .2, to .5, noun 2.2, nouns 2.2, det 1.2, adj 2, pron 2, exist 2
pron: pres 0, past 0, aux 0, base .2, ing .6, part 1, prep .2, conj .2, mark 0, end 0, adv .2
pron: dir .3, to .4, sub .2, rel .4, det 1, noun 3, nouns 3, adj 2, pron 1.5
poss: noun 0, nouns 0, adj 0, ing 1, det 2
aux: ing 0, part 0, base .3, adj .2, det .2, prep .2, adv 0, aux 0, dir .3, to .4, noun 1.2
aux: nouns 1.2, pron .7, past 4, pres 5, end 3, sub 2
base: *verb
pres: *verb
past: *verb
ing: *verb, noun .4, nouns .4, adj .4
part: prep 0, adv 0, dir 0, end 0, conj 0, mark 0, sub 0, to .3, det .8, noun .5, nouns .5, adj 1
part: ing .4, pron 1, rel 1
*verb: det 0, pron 0, noun .5, nouns .3, adj .4, prep 0, adv 0, dir 0, to 0, ing .5, end 0, conj 0
*verb: mark 0, sub 0, rel .7, part 1, base 3, aux 4, pres 5, past 5, exist 3
adv: pres .2, past .2, base .4, ing .1, part .2, adj .2, adv .2, prep 0, end 0, conj 0, mark 0
adv: det .2, noun .6, nouns .6, pron .3, sub .1, to .2, aux .2, dir .2, rel .3, exist .5, view .2
prep: det 0, noun .2, nouns .2, adj .3, pron 0, ing .4, prep .7, adv .9, end .5, conj .5, mark .4
prep: dir .6, sub .9, rel .8, to .5, base 3, aux 3
to: base 0, adv 1
dir: end 0, conj 0, mark 0, prep 0, adv .1, sub 0, det .6, noun .8, nouns .6, ing .3, to .3, aux .5
dir: pres .8, past 1, rel .5, pron .5, dir .5, part .2, base 1
conj: det 0, noun .3, nouns .35, adj .2, pron 0, pres .1, past .3, base .6, ing .1, part .5, aux .3
conj: adv 0, prep .3, sub .2, dir .5, exist 0, rel .4, to .3, conj 1, view .2, mark 1
mark: det 0, noun .3, nouns .2, adj .3, pron 0, pres .6, past .6, base .8, ing .1, part .4, aux .6
mark: adv 0, prep .1, sub 0, dir .4, exist 0, rel .1, to .4, conj 0, view .1, end 0
sub: det 0, noun .2, nouns .1, adj .3, pron 0, ing .1, part .5, prep .6, adv .3, pres 2, past 2
sub: base 2, exist 0, to .6, dir .8, rel 1, aux 1.5, view .3
rel: pres 0, past 0, aux 0, det .1, noun .6, nouns .3, pron .1, adv .2, base .5, ing 1, adj 1
rel: prep 1, exist 1, to 1
exist: det 0, noun .1, nouns .1, adj .1, adv .3, pron .3, part 1, ing 1, prep 2
view: det 0, noun 0, nouns 0, adj 0, pron 0, ing .5, adv .3, prep .5, sub .5, rel .5, mark .2
view: exist .2
"""
_OTHERWISE = 6.0


def _costs() -> Mapping[tuple[str, str], float]:
    rows: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for line in reversed(_TABLE.strip().splitlines()):
        left, _, rest = line.partition(": ")
        for item in rest.split(", "):
            if item == "*verb":
                rows[left] = rows["*verb"] | rows[left]
            else:
                right, cost = item.split()
                rows[left][right] = float(cost)
    return {(left, right): cost for left, row in rows.items() for right, cost in row.items()}


_COSTS = _costs()


@dataclass(frozen=True)
class Words:
    """What each form may be, with a vocabulary and the glossary, each with what it costs."""

    readings: Mapping[Form, tuple[tuple[Lexeme, Headword | None, float], ...]]
    longest: int


@lru_cache(maxsize=32)
def words_with(vocabulary: Vocabulary) -> Words:
    """All forms of a vocabulary; those of the glossary are looked up there."""
    known = glossary()
    found: defaultdict[Form, list[tuple[Lexeme, Headword | None, float]]] = defaultdict(list)
    for entry in vocabulary.entries:
        if entry.part == "noun":
            for form, lexeme in _noun_forms(entry):
                others = known.lexemes.get(form, ())
                # A class named by a word that is first of all a verb: "walk", "adult chase".
                verb = any(other.tag in VERB_TAGS for other in known.lexemes.get(form[-1:], ()))
                concrete = any(o.tag in NOUNS and o.kind != "abstract" for o in others)
                cost = 0.0 if concrete or not verb else 0.7
                if all(o[1] is None or o[0].tag != lexeme.tag for o in found[form]):
                    found[form].append((lexeme, entry, cost))
        elif entry.part == "verb":
            for number, head in enumerate(heads(entry)):
                for form, lexeme in verb_lexemes(head, {} if number else entry.irregular):
                    found[form].append((lexeme, None, 0.0))
        else:
            tag = _TAG_OF_PART[entry.part]
            for said in entry.forms:
                lexeme = Lexeme(tag, entry.name if tag == "dir" else said)
                found[words_of(said)].append((lexeme, None, 0.0))
    return Words(
        {form: tuple(readings) for form, readings in found.items()},
        max([known.longest, *map(len, found)]),
    )


_TAG_OF_PART = {
    "preposition": "prep",
    "motion": "prep",
    "direction": "dir",
    "adverb": "adv",
    "adjective": "adj",
}


def _noun_forms(entry: Headword) -> Iterator[tuple[Form, Lexeme]]:
    for said in entry.forms:
        form = words_of(said)
        name = " ".join(form)
        kind = glossary().kinds.get(name) or kind_of_class(entry.name)
        yield form, Lexeme("noun", name, kind)
        for plural in plurals(name):
            if plural != name:
                yield words_of(plural), Lexeme("nouns", name, kind)


def tag(tokens: Sequence[Token], vocabulary: Vocabulary) -> list[Tagged]:
    """The words of a sentence with their classes.

    Raises:
        UnknownWordError: One is neither in the vocabulary nor in the glossary.
    """
    words = words_with(vocabulary)
    # For every place and class of the word that ends there: cost, the word, and what came before.
    best: list[dict[str, tuple[float, Tagged | None, tuple[int, str]]]]
    best = [{} for _ in range(len(tokens) + 1)]
    best[0]["start"] = (0.0, None, (0, ""))
    for start in range(len(tokens)):
        for length, found, own in _options(tokens, start, words) if best[start] else ():
            for before, (cost, _, _) in best[start].items():
                total = cost + own + _COSTS.get((before, found.tag), _OTHERWISE)
                ends = best[start + length]
                if found.tag not in ends or total < ends[found.tag][0]:
                    ends[found.tag] = (total, found, (start, before))
    if not best[-1]:
        raise UnknownWordError(tokens[max(k for k, ends in enumerate(best[:-1]) if ends)])
    last = min(best[-1], key=lambda t: best[-1][t][0] + _COSTS.get((t, "end"), _OTHERWISE))
    found_words: list[Tagged] = []
    place, here = len(tokens), last
    while place:
        _, word, (place_before, here_before) = best[place][here]
        assert word is not None
        found_words.append(word)
        place, here = place_before, here_before
    return found_words[::-1]


# A form of several words is likelier than its words alone.
_PER_WORD = 0.9
_PER_WORD_OF_NOUN = 0.4


def _options(
    tokens: Sequence[Token], start: int, words: Words
) -> Iterator[tuple[int, Tagged, float]]:
    """What the words from a place on may be, with their number and what it costs."""
    first = tokens[start]
    if first.text in MARKS:
        yield 1, Tagged("mark", first.text, first.number, first.text), 0.0
        return
    known = glossary()
    for length in range(min(words.longest, len(tokens) - start), 0, -1):
        span = tokens[start : start + length]
        form = tuple(token.text for token in span)
        text = " ".join(form)
        own = words.readings.get(form, ())
        seen: set[str] = set()
        in_colour = start and tokens[start - 1].text == "in" and _is_colour(form)
        for lexeme, entry, cost in own:
            if lexeme.tag in NOUNS and in_colour:
                continue  # "in orange" is no orange
            if lexeme.tag == "nouns" and any(o.lemma == text for o in known.lexemes.get(form, ())):
                continue  # "glasses" are no wine glasses
            bonus = _PER_WORD_OF_NOUN if lexeme.tag in NOUNS else _PER_WORD
            bonus = 0.0 if cost else bonus
            seen.add(lexeme.tag)
            word = Tagged(lexeme.tag, text, first.number, lexeme.lemma, lexeme.kind, entry)
            yield length, word, cost - bonus * (length - 1)
        readings = known.lexemes.get(form, ())
        concrete = any(o.tag in NOUNS and o.kind != "abstract" for o in readings)
        person = any(o.kind == "person" for o in readings)
        for lexeme in readings:
            if lexeme.tag in seen and lexeme.tag not in VERB_TAGS:
                continue
            if lexeme.kind == "colour" and not (start and tokens[start - 1].text == "in"):
                continue
            noun = lexeme.tag in NOUNS
            cost = -(_PER_WORD_OF_NOUN if noun else _PER_WORD) * (length - 1)
            if noun and lexeme.kind in ("abstract", "colour") and len(readings) > 1:
                cost += 0.6
            to_act = person and start > 0 and tokens[start - 1].text == "to"  # "to cook"
            if lexeme.tag == "base" and concrete and not to_act:
                cost += 0.7
            if lexeme.tag in VERB_TAGS and any(other.tag == "aux" for other in readings):
                cost += 1.0
            yield length, Tagged(lexeme.tag, text, first.number, lexeme.lemma, lexeme.kind), cost
    yield from _by_shape(first, form in known.lexemes or form in words.readings)


def _is_colour(form: Form) -> bool:
    return any(lexeme.kind == "colour" for lexeme in glossary().lexemes.get(form, ()))


def _by_shape(token: Token, known: bool) -> Iterator[tuple[int, Tagged, float]]:
    """What a word may be by its letters alone."""
    word = token.text
    if word == "to":
        yield 1, Tagged("to", word, token.number, word), 0.0
    elif word == "'s":
        yield 1, Tagged("poss", word, token.number, word), 0.0
    elif known:
        return
    elif word.isdigit():
        yield 1, Tagged("det", word, token.number, word), 0.0
    elif word.endswith("ly") and len(word) > 4:
        yield 1, Tagged("adv", word, token.number, word), 0.2
    elif token.name and word.isalpha():
        yield 1, Tagged("noun", word, token.number, word, "name"), 0.5
        yield 1, Tagged("adj", word, token.number, word), 0.5
