"""What verbs may be read as, with their particles and prepositions."""

from collections.abc import Iterator

from sentrack.language.glossary import glossary
from sentrack.language.vocabulary import Headword, Vocabulary, heads


class VerbSenses:
    """The verbs of a vocabulary, and those that the glossary reads as one of them."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._own: dict[str, list[Headword]] = {}
        for entry in vocabulary.of("verb"):
            for head in heads(entry):
                name = f"{head} {entry.particle}" if entry.particle else head
                self._own.setdefault(name, []).append(entry)

    def entries(self, lemma: str) -> Iterator[tuple[Headword, bool]]:
        """What a verb may be read as; whether it is that verb itself."""
        for entry in self._own.get(lemma, ()):
            yield entry, True
        name = glossary().same["verbs"].get(lemma, "")
        entry_of_name = self._vocabulary.named(name, "verb")
        if entry_of_name:
            yield entry_of_name, False

    def knows(self, lemma: str) -> bool:
        """Whether the vocabulary has a verb of that head and particle."""
        return lemma in self._own

    def is_phrasal(self, lemma: str) -> bool:
        """Whether a verb with a particle or preposition is one verb."""
        known = glossary()
        sets = (known.same["verbs"], known.sets["verbs.plain"], known.sets["verbs.bound"])
        return self.knows(lemma) or any(lemma in words for words in sets)

    def moves_itself(self, lemma: str) -> bool:
        """Whether a verb is one of motion that needs no object."""
        return any(len(entry.roles) == 1 for entry, _ in self.entries(lemma))

    def takes_object(self, lemma: str) -> bool:
        """Whether a verb is read as one of two participants or more."""
        return any(len(entry.roles) > 1 for entry, _ in self.entries(lemma))
