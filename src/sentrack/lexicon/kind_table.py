"""Kinds of nouns, and which of them can play the roles of words: one table, kinds.toml."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from sentrack.language import kind_of_class

# Groups and kinds of agents of words that need legs or hands.
BODILY = frozenset({"legs", "hands", "person", "hand"})
ANYBODY = ("anything",)


@dataclass(frozen=True, eq=False)
class Kinds:
    """The table.

    Attributes:
        nouns: by kind, the nouns that are of it.
        groups: by name, the kinds of a group.
        roles: by word, the kinds or groups that can play each of its roles, in order.
        instead: by word that boxes tell less of than of another, that other word.
        rather: by word, another that is said of the same event if it can be.
        apart: by word of two who keep apart, by how much, as a part of their size.
        lifeless: words of legs or hands that are said of what has neither, too.
    """

    nouns: Mapping[str, frozenset[str]]
    groups: Mapping[str, tuple[str, ...]]
    roles: Mapping[str, tuple[tuple[str, ...], ...]]
    instead: Mapping[str, str]
    rather: Mapping[str, str]
    apart: Mapping[str, float]
    lifeless: frozenset[str]

    def of(self, noun: str) -> frozenset[str]:
        """All kinds and groups that a noun is of; one of several words is as its last one is."""
        english = kind_of_class(noun)
        found = {kind for kind, nouns in self.nouns.items() if noun in nouns}
        if not found and "-" in noun:
            last = noun.split("-")[-1]
            found = {kind for kind, nouns in self.nouns.items() if last in nouns}
        found.add(english)
        if english == "thing" and not found & {"fixed", "mount"}:
            found.add("portable")
        return frozenset(found | {name for name, kinds in self.groups.items() if found & {*kinds}})

    def can(self, word: str, role: int, noun: str) -> bool:
        """Whether what a noun names can play a role of a word."""
        roles = self.roles.get(word)
        return roles is None or not self.of(noun).isdisjoint(roles[role])

    def acts(self, word: str, noun: str) -> bool:
        """Whether what a noun names is of those who act, if a word needs legs or hands.

        What somebody pushes along does not go by itself.
        """
        if word in self.lifeless or not BODILY.issuperset(self.roles.get(word, (ANYBODY,))[0]):
            return True
        own = self.of(noun)
        return "acts" in own and "pushable" not in own


@cache
def kinds() -> Kinds:
    """The table that is shipped."""
    text = resources.files("sentrack.lexicon").joinpath("shipped", "kinds.toml").read_text("utf-8")
    data = tomllib.loads(text)
    return Kinds(
        {kind: frozenset(nouns.split()) for kind, nouns in data["kinds"].items()},
        {name: tuple(group) for name, group in data["groups"].items()},
        {word: tuple(map(tuple, roles)) for word, roles in data["roles"].items()},
        data["instead"],
        data["rather"],
        data["apart"],
        frozenset(data["lifeless"]["too"]),
    )
