"""Random sentences with their meanings, made by walking the grammar that also parses them."""

from collections.abc import Mapping
from functools import cache
from random import Random

from lark import Token, Tree
from lark.grammar import Rule

from sentrack.text import words_of

from .errors import SentenceError
from .forms import Form, Surface, surface
from .grammar import FUNCTION_WORDS, VERB_TERMINALS, Said, grammar
from .linking import link
from .meaning import Meaning
from .tree_nodes import Node
from .vocabulary import Headword, Vocabulary

_ATTEMPTS = 1000


def generate(
    vocabulary: Vocabulary, rng: Random, depth: int = 10, words: int = 30
) -> tuple[str, Meaning]:
    """A random sentence and its meaning, found without parsing it.

    Args:
        vocabulary: The words to use.
        rng: Source of all chance: the same state gives the same sentence.
        depth: How many rules of the grammar may be nested; it is raised if no sentence fits.
        words: How many words the sentence may have at most.

    Raises:
        SentenceError: The vocabulary is too poor for a sentence of that length.
    """
    table = surface(vocabulary)
    pools = _pools(table)
    heights = _heights(frozenset(pools))
    if "sentence" in heights:
        depth = max(depth, heights["sentence"])
        for _ in range(_ATTEMPTS):
            (skeleton,) = _grow("sentence", depth, heights, rng)
            assert isinstance(skeleton, Tree)
            said = _Speaker(pools, rng)
            try:
                tree = said.node(skeleton)
                if len(said.words) > words or _misheard(said.forms, table):
                    continue
                sentence = spell(said.words)
                return sentence, link(tree, sentence)
            except SentenceError:
                continue  # it contradicts itself, or no verb fits
    raise SentenceError(
        f"no sentence of at most {words} words can be made; "
        "the vocabulary needs a noun, and a verb or a preposition"
    )


def spell(words: list[str]) -> str:
    """Words as a sentence: "an" before a vowel, a capital letter first, a full stop last."""
    text = " ".join(map(_article, words, [*words[1:], "."]))
    return f"{text[:1].upper()}{text[1:]}."


def _article(word: str, following: str) -> str:
    return "an" if word == "a" and following[0] in "aeiou" else word


class _Speaker:
    """Puts words for the terminals of a tree, from left to right."""

    def __init__(
        self, pools: Mapping[str, tuple[tuple[Form, Headword | None], ...]], rng: Random
    ) -> None:
        self.words: list[str] = []
        self.forms: list[Form] = []
        self._pools = pools
        self._rng = rng

    def node(self, tree: Node, verb: Headword | None = None) -> Node:
        """The same tree with words. `verb` is that of the predicate around it."""
        form: Form = ()
        if tree.data == "predicate":
            form, verb = self._verb(tree)
        children: list[Node | Token] = []
        for child in tree.children:
            if isinstance(child, Tree):
                # Only what belongs to the verb itself may ask for its preposition.
                inner = verb if child.data == "linked" else None
                children.append(self.node(child, inner))
            elif child.type in VERB_TERMINALS:
                children.append(self._say(child.type, form, verb))
            elif child.type == "PARTICLE" and verb:
                children.append(self._say(child.type, words_of(verb.particle), verb))
            elif child.type == "LINK" and verb:
                children.append(self._say(child.type, words_of(verb.preposition), verb))
            else:
                children.append(self._say(child.type, *self._rng.choice(self._pools[child.type])))
        if tree.data == "noun_phrase":
            article, following = children[:2]
            assert isinstance(article, Token)
            text = _article(str(article), str(following))
            children[0] = Token("ARTICLE", Said(text, article.value.position))
        return Tree(tree.data, children)

    def _say(self, terminal: str, form: Form, entry: Headword | None) -> Token:
        said = Said(" ".join(form), len(self.words) + 1, (entry,) if entry else ())
        self.words += form
        self.forms.append(form)
        return Token(terminal, said)

    def _verb(self, predicate: Node) -> tuple[Form, Headword | None]:
        """A verb that fits the shape of its predicate; none for "is near the chair"."""
        kinds = [
            child.data if isinstance(child, Tree) else child.type for child in predicate.children
        ]
        terminal = next((kind for kind in kinds if kind in VERB_TERMINALS), None)
        if terminal is None:
            return (), None
        pool = self._pools[terminal]
        if kinds.count("noun_phrase") == 2:
            # "gave the person the cup" can only be said of verbs with "to"
            pool = tuple(pair for pair in pool if pair[1] and pair[1].preposition == "to")
        if not pool:
            raise SentenceError("no verb fits")
        return self._rng.choice(pool)


def _grow(name: str, depth: int, heights: Mapping[str, int], rng: Random) -> list[Node | Token]:
    """What a symbol of the grammar may become within a depth, as Lark would build it."""
    if name not in _rules():
        return [Token(name, "")]
    possible = [
        rule for rule in _rules()[name] if _height(rule, heights) <= max(depth, heights[name])
    ]
    rule = rng.choice(possible)
    children = [
        child for symbol in rule.expansion for child in _grow(symbol.name, depth - 1, heights, rng)
    ]
    return children if name.startswith("_") else [Tree(rule.alias or name, children)]


@cache
def _rules() -> Mapping[str, list[Rule]]:
    rules: dict[str, list[Rule]] = {}
    for rule in grammar().rules:
        rules.setdefault(str(rule.origin.name), []).append(rule)
    return rules


@cache
def _heights(terminals: frozenset[str]) -> Mapping[str, int]:
    """How many rules each symbol needs at least, if only these terminals can be said."""
    heights = dict.fromkeys(terminals, 0)
    changed = True
    while changed:
        changed = False
        for name, rules in _rules().items():
            height = min(_height(rule, heights) for rule in rules)
            if height < heights.get(name, _NEVER):
                heights[name] = height
                changed = True
    return heights


_NEVER = 10**9


def _height(rule: Rule, heights: Mapping[str, int]) -> int:
    inner = max((heights.get(symbol.name, _NEVER) for symbol in rule.expansion), default=0)
    return min(_NEVER, 1 + inner)


def _pools(table: Surface) -> Mapping[str, tuple[tuple[Form, Headword | None], ...]]:
    """The forms of each terminal that cannot be taken for another one."""
    pools: dict[str, tuple[tuple[Form, Headword | None], ...]] = {
        terminal: tuple(((word,), None) for word in words if word != "an")
        for terminal, words in FUNCTION_WORDS.items()
    }
    for terminal, forms in table.forms.items():
        clear = tuple(pair for pair in forms if is_clear(terminal, *pair, table))
        if clear:
            pools[terminal] = clear
    return pools


def is_clear(terminal: str, form: Form, entry: Headword, table: Surface) -> bool:
    """Whether a form, where that terminal may stand, can only mean this entry."""
    if terminal in ("PARTICLE", "LINK"):
        return True  # the verb before it asks for it
    readings = table.readings[form]
    kinds = {reading.terminal for reading in readings}
    first = next(reading.entries[0] for reading in readings if reading.terminal == terminal)
    if terminal in VERB_TERMINALS:
        # Verbs are told apart by how many objects they have, by particle and by preposition.
        by_shape = terminal.startswith(("SPLIT", "APART", "V3"))
        return kinds <= VERB_TERMINALS and (by_shape or first == entry)
    return kinds == {terminal} and first == entry


def _misheard(forms: list[Form], table: Surface) -> bool:
    """Whether words of two neighbours would be taken for one longer form."""
    words = tuple(word for form in forms for word in form)
    start = 0
    for form in forms:
        length, _ = next(table.matches(words[start:]))
        if length > len(form):
            return True
        start += len(form)
    return False
