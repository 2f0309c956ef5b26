"""Parts of a tree of the grammar: its tokens, its nodes, and what was said by them."""

from lark import Token, Tree

from .grammar import Said

Node = Tree[Token]


def said_by(token: Token) -> Said:
    """What was said, with what it may mean."""
    said = token.value
    assert isinstance(said, Said)
    return said


def tokens(tree: Node) -> list[Token]:
    """The tokens right below a node."""
    return [child for child in tree.children if isinstance(child, Token)]


def nodes(tree: Node) -> list[Node]:
    """The nodes right below a node."""
    return [child for child in tree.children if isinstance(child, Tree)]


def text_of(node: Node | Token) -> str:
    """What was said by a part of the sentence."""
    if isinstance(node, Token):
        return said_by(node).text
    return " ".join(text_of(child) for child in node.children)
