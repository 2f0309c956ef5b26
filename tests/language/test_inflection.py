import pytest

from sentrack.language.inflection import inflect, plurals


@pytest.mark.parametrize(
    ("verb", "past", "present", "progressive"),
    [
        ("carry", "carried", "carries", "carrying"),
        ("play", "played", "plays", "playing"),
        ("stop", "stopped", "stops", "stopping"),
        ("follow", "followed", "follows", "following"),
        ("fix", "fixed", "fixes", "fixing"),
        ("approach", "approached", "approaches", "approaching"),
        ("collide", "collided", "collides", "colliding"),
        ("tie", "tied", "ties", "tying"),
        ("enter", "entered", "enters", "entering"),
        ("turn", "turned", "turns", "turning"),
        ("look", "looked", "looks", "looking"),
        ("pass", "passed", "passes", "passing"),
        ("drag", "dragged", "drags", "dragging"),
        ("free", "freed", "frees", "freeing"),
        ("go", "went", "goes", "going"),
        ("put", "put", "puts", "putting"),
        ("hand over", "handed over", "hands over", "handing over"),
    ],
)
def test_verbs(verb: str, past: str, present: str, progressive: str) -> None:
    forms = inflect(verb)
    assert (forms["past"], forms["present"], forms["progressive"]) == (past, present, progressive)


def test_participles() -> None:
    assert inflect("give")["participle"] == "given"
    assert inflect("carry")["participle"] == "carried"
    assert inflect("hold")["participle"] == "held"


def test_given_forms_come_first_and_a_past_serves_as_participle() -> None:
    forms = inflect("shine on", {"past": "shone"})
    assert forms["past"] == forms["participle"] == "shone on"
    assert inflect("give", {"participle": "gifted"})["past"] == "gave"


@pytest.mark.parametrize(
    ("noun", "plural"),
    [
        ("chair", "chairs"),
        ("box", "boxes"),
        ("traffic cone", "traffic cones"),
        ("bench", "benches"),
        ("berry", "berries"),
        ("toy", "toys"),
        ("person", "people"),
        ("person", "persons"),
        ("knife", "knives"),
        ("computer mouse", "computer mice"),
    ],
)
def test_plurals(noun: str, plural: str) -> None:
    assert plural in plurals(noun)
