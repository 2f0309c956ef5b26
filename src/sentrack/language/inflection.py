"""How English verbs and nouns change their form."""

import re
from collections.abc import Mapping

#: Common verbs whose past and participle are irregular; everything else about them is regular.
_IRREGULAR = {
    "be": ("was", "been"),
    "begin": ("began", "begun"),
    "bite": ("bit", "bitten"),
    "blow": ("blew", "blown"),
    "break": ("broke", "broken"),
    "choose": ("chose", "chosen"),
    "come": ("came", "come"),
    "do": ("did", "done"),
    "draw": ("drew", "drawn"),
    "drink": ("drank", "drunk"),
    "drive": ("drove", "driven"),
    "eat": ("ate", "eaten"),
    "fall": ("fell", "fallen"),
    "fly": ("flew", "flown"),
    "forget": ("forgot", "forgotten"),
    "freeze": ("froze", "frozen"),
    "give": ("gave", "given"),
    "go": ("went", "gone"),
    "grow": ("grew", "grown"),
    "hide": ("hid", "hidden"),
    "know": ("knew", "known"),
    "lie": ("lay", "lain"),
    "mow": ("mowed", "mown"),
    "ride": ("rode", "ridden"),
    "ring": ("rang", "rung"),
    "rise": ("rose", "risen"),
    "run": ("ran", "run"),
    "see": ("saw", "seen"),
    "sew": ("sewed", "sewn"),
    "shake": ("shook", "shaken"),
    "show": ("showed", "shown"),
    "sing": ("sang", "sung"),
    "sink": ("sank", "sunk"),
    "speak": ("spoke", "spoken"),
    "spring": ("sprang", "sprung"),
    "steal": ("stole", "stolen"),
    "swim": ("swam", "swum"),
    "take": ("took", "taken"),
    "throw": ("threw", "thrown"),
    "tear": ("tore", "torn"),
    "wake": ("woke", "woken"),
    "wear": ("wore", "worn"),
    "weave": ("wove", "woven"),
    "write": ("wrote", "written"),
}
_IRREGULAR_PAST = {
    "beat": "beat",
    "bend": "bent",
    "bind": "bound",
    "bleed": "bled",
    "bring": "brought",
    "build": "built",
    "burst": "burst",
    "buy": "bought",
    "catch": "caught",
    "cling": "clung",
    "cut": "cut",
    "dig": "dug",
    "feed": "fed",
    "feel": "felt",
    "fight": "fought",
    "find": "found",
    "fit": "fit",
    "flee": "fled",
    "fling": "flung",
    "get": "got",
    "hang": "hung",
    "have": "had",
    "hear": "heard",
    "hit": "hit",
    "hold": "held",
    "hurt": "hurt",
    "keep": "kept",
    "kneel": "knelt",
    "lay": "laid",
    "lead": "led",
    "leave": "left",
    "let": "let",
    "light": "lit",
    "lose": "lost",
    "make": "made",
    "meet": "met",
    "pay": "paid",
    "put": "put",
    "read": "read",
    "say": "said",
    "sell": "sold",
    "send": "sent",
    "set": "set",
    "shed": "shed",
    "shoot": "shot",
    "shut": "shut",
    "sit": "sat",
    "sleep": "slept",
    "slide": "slid",
    "slit": "slit",
    "spend": "spent",
    "spin": "spun",
    "spit": "spat",
    "split": "split",
    "spread": "spread",
    "stand": "stood",
    "stick": "stuck",
    "sting": "stung",
    "strike": "struck",
    "sweep": "swept",
    "swing": "swung",
    "teach": "taught",
    "tell": "told",
    "think": "thought",
    "understand": "understood",
    "weep": "wept",
    "win": "won",
    "wind": "wound",
}

#: Verbs of several syllables that are stressed on a short last one.
_STRESSED_LAST = frozenset(
    {"admit", "begin", "commit", "control", "occur", "patrol", "permit", "refer", "upset"}
)

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
    "leaf": ("leaves",),
    "wife": ("wives",),
    "wolf": ("wolves",),
    "calf": ("calves",),
    "half": ("halves",),
    "tooth": ("teeth",),
    "fish": ("fish", "fishes"),
    "sheep": ("sheep",),
    "deer": ("deer",),
    "bison": ("bison",),
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
    if re.search(r"[^aeiou]o$", last):
        found = (f"{last}s", f"{last}es")  # photos, potatoes: people write both of most
    if last.endswith("man") and last not in ("man", "woman", "human", "german"):
        found = (f"{last[:-2]}en",)
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
    return head + head[-1] if short or head in _STRESSED_LAST else head
