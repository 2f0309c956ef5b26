"""What noun groups stand for, and what was said and is not checked."""

from dataclasses import dataclass

from sentrack.language.english.tagger import Tagged
from sentrack.language.glossary import AGENTS


@dataclass(frozen=True)
class Referent:
    """What a noun group stands for.

    Attributes:
        text: As said.
        number: Of its first word.
        participants: Their indices; none where it is not tracked.
        kind: Of the noun, as in the glossary; "colour" for "in black", "viewer" for "we",
            "region" for "on the left".
        gender: "male", "female" or "".
        plural: Whether it stands for several.
        adjectives: Said without a noun, "black" in "in black", or of clothes.
        head: Of clothes, its base form.
        parts: What it joins, if it joins several.
    """

    text: str
    number: int
    participants: tuple[int, ...] = ()
    kind: str = "thing"
    gender: str = ""
    plural: bool = False
    adjectives: tuple[Tagged, ...] = ()
    head: str = ""
    parts: "tuple[Referent, ...]" = ()

    @property
    def acts(self) -> bool:
        """Whether it can do something of its own."""
        return self.kind in AGENTS

    def joined(self, other: "Referent", text: str) -> "Referent":
        """Both of them."""
        return Referent(
            text,
            self.number,
            tuple(dict.fromkeys(self.participants + other.participants)),
            self.kind if self.participants or not other.participants else other.kind,
            plural=True,
            parts=(*(self.parts or (self,)), *(other.parts or (other,))),
        )


@dataclass(frozen=True)
class Remark:
    """Something that was said of participants and is not checked.

    Attributes:
        text: As said.
        number: Of its first word.
        participants: Whom it was said of.
    """

    text: str
    number: int
    participants: tuple[int, ...] = ()
