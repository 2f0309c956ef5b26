"""A meaning in plain English, so that people see how they were understood."""

from .inflection import inflect
from .meaning import Meaning, Word


def paraphrase(meaning: Meaning) -> str:
    """What is looked for, and what is not checked.

    Every word is a statement of its own; a number in brackets tells which participant is meant.
    Clauses in order come last, in their order.
    """
    speaker = _Speaker(meaning)
    ordered = [w for clause in meaning.order for w in clause]
    first = {clause[0] for clause in meaning.order[1:]}
    others = [w for w in range(len(meaning.words)) if w not in ordered]
    said = [
        f"{'then ' if w in first else ''}{speaker.state(meaning.words[w])}"
        for w in [*others, *ordered]
        if meaning.words[w].part not in _OF_NOUNS
    ]
    said += [
        f"there is {speaker.name(i)}"
        for i in range(len(meaning.participants))
        if i not in speaker.mentioned
    ]
    if meaning.unchecked:
        said.append(f"not checked: {', '.join(meaning.unchecked)}")
    return "; ".join(said)


#: Parts of speech that are said with the noun itself.
_OF_NOUNS = frozenset({"noun", "adjective"})


class _Speaker:
    """Names each participant in full once, and by noun and number from then on."""

    def __init__(self, meaning: Meaning) -> None:
        self.meaning = meaning
        self.mentioned: set[int] = set()

    def name(self, index: int) -> str:
        noun = self.meaning.participants[index].noun.replace("-", " ")
        if index in self.mentioned:
            return f"{noun} ({index})"
        self.mentioned.add(index)
        adjectives = [
            word.word
            for word in self.meaning.words
            if word.part == "adjective" and word.participants == (index,)
        ]
        text = " ".join([*adjectives, noun])
        return f"{'an' if text[0] in 'aeiou' else 'a'} {text} ({index})"

    def state(self, word: Word) -> str:
        first, *others = [self.name(index) for index in word.participants]
        name = word.word.replace("-", " ")
        if word.part == "verb":
            return f"{first} {_present(name)} {', '.join(others)}".rstrip()
        if word.part == "preposition":
            return f"{first} is {name} {' '.join(others)}"
        return f"{first} goes {name} {' '.join(others)}".rstrip()


def _present(verb: str) -> str:
    head, *rest = verb.split()
    return " ".join([inflect(head)["present"], *rest])
