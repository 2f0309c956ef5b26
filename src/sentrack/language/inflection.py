"""How English verbs and nouns change their form."""

import re
from collections.abc import Mapping

#: Common verbs whose past and participle are irregular; everything else about them is regular.
_IRREGULAR = {
    "come": ("came", "come"),
    "draw": ("drew", "drawn"),
    "drive": ("drove", "driven"),
    "eat": ("ate", "eaten"),
    "fall": ("fell", "fallen"),
    "fly": ("flew", "flown"),
    "give": ("gave", "given"),
    "go": ("went", "gone"),
    "ride": ("rode", "ridden"),
    "rise": ("rose", "risen"),
    "run": ("ran", "run"),
    "see": ("saw", "seen"),
    "shake": ("shook", "shaken"),
    "speak": ("spoke", "spoken"),
    "steal": ("stole", "stolen"),
    "swim": ("swam", "swum"),
    "take": ("took", "taken"),
    "throw": ("threw", "thrown"),
    "tear": ("tore", "torn"),
    "wear": ("wore", "worn"),
}
_IRREGULAR_PAST = {
    "bring": "brought",
    "catch": "caught",
    "find": "found",
    "get": "got",
    "hit": "hit",
    "hold": "held",
    "keep": "kept",
    "leave": "left",
    "let": "let",
    "lose": "lost",
    "meet": "met",
    "put": "put",
    "read": "read",
    "send": "sent",
    "set": "set",
    "sit": "sat",
    "spin": "spun",
    "stand": "stood",
    "swing": "swung",
}

_IRREGULAR_PLURALS = {
    "person": ("people", "persons"),
    "man": ("men",),
    "woman": ("women",),
    "child": ("children",),
    "mouse": ("mice", "mouses"),
    "foot": ("feet",),
    "goose": ("geese",),
    "knife": ("knives",),
    "shelf": ("shelves",),
    "loaf": ("loaves",),
}


def inflect(verb: str, irregular: Mapping[str, str] | None = None) -> dict[str, str]:
    """The forms of a verb: "past", "participle", "present" and "progressive".

    Args:
        verb: Base form. Of several words the first one inflects: "hand over", "handed over".
        irregular: Forms of the first word that do not follow the rules; a past without a
            participle serves as both.
    """
    head, *tail = verb.split()
    regular = _IRREGULAR_PAST.get(head) or _past(head)
    past, participle = _IRREGULAR.get(head, (regular, regular))
    forms = {
        "past": past,
        "participle": participle,
        "present": _add_s(head),
        "progressive": _progressive(head),
    }
    given = dict(irregular or {})
    if "past" in given:
        given.setdefault("participle", given["past"])
    return {name: " ".join([form, *tail]) for name, form in (forms | given).items()}


def plurals(noun: str) -> tuple[str, ...]:
    """The plural forms of a noun; of several words the last one changes."""
    *front, last = noun.split()
    found = _IRREGULAR_PLURALS.get(last, (_add_s(last),))
    return tuple(" ".join([*front, plural]) for plural in found)


def _past(head: str) -> str:
    if head.endswith("e"):
        return head + "d"
    if re.search(r"[^aeiou]y$", head):
        return head[:-1] + "ied"
    return _doubled(head) + "ed"


def _progressive(head: str) -> str:
    if head.endswith("ie"):
        return head[:-2] + "ying"
    if re.search(r"[^eoy]e$", head):
        return head[:-1] + "ing"
    return _doubled(head) + "ing"


def _add_s(word: str) -> str:
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + ("es" if re.search(r"(s|x|z|ch|sh|[^aeiou]o)$", word) else "s")


def _doubled(head: str) -> str:
    """Doubles the last letter where the ending would lengthen a short vowel: stop, stopp-."""
    short = re.fullmatch(r"[^aeiou]*(qu)?[aeiou][^aeiouwxy]", head)
    return head + head[-1] if short else head
