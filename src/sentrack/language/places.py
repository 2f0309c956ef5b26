"""Parts of the picture: which ones a phrase names, and which nouns have sides of their own."""

from .glossary import NO_THINGS, glossary, kind_of_class

#: Parts of the picture, each with the name of its adjective.
REGIONS = ("left", "right", "middle", "top", "bottom")


def regions_in(phrase: str) -> tuple[str, ...]:
    """The parts of the picture that a phrase names: "in the top right corner of the screen".

    Args:
        phrase: A preposition with what follows it.

    Returns:
        Names of adjectives; none if the phrase says more than a place in the picture, or less.
    """
    sets = glossary().sets
    said = phrase.split()
    found = [name for name in REGIONS if sets[f"places.regions.{name}"] & set(said)]
    others = set(said).difference(*(sets[f"places.regions.{name}"] for name in REGIONS))
    of_picture = others & sets["places.pictures"]
    if not others <= sets["places.around"] | sets["places.pictures"]:
        return ()
    if "middle" in found and {"left", "right"} & set(found):
        return ()  # "on the middle left": the middle of the height, for which there is no word
    # "on the bottom" is that of something else, and "in the left hand" is that of somebody.
    vertical = not of_picture and set(found) <= {"top", "bottom"} and said[0] != "at"
    if vertical or said[0] not in ("on", "at", "in", "to") or ("hand" in said) > ("side" in said):
        return ()
    return tuple(found)


def has_sides(noun: str) -> bool:
    """Whether left and right of a noun are not those of the picture: "the left hand"."""
    last = noun.replace("-", " ").split()[-1]
    return kind_of_class(noun) in NO_THINGS or last in glossary().sets["places.parts"]
