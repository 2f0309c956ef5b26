from benchmarks.english import coverage, table, why


def test_shares_of_what_is_read() -> None:
    sentences = ["The person walked.", "A woman plays the guitar.", "blorp", "A man talks."]
    told = coverage(sentences, ["guitar", "woman", "man"])
    assert (told.sentences, told.shipped, told.any_noun, told.checked) == (4, 0.5, 0.75, 0.25)
    assert 0 < told.milliseconds < 1000
    lines = table({"msvd": told, "cityflow": told, "other": told})
    assert any(line.startswith("| cityflow \\* | 4 | 0.500 | 0.750 | 0.250 |") for line in lines)
    assert any(line.startswith("| **core** | 8 | **0.500** |") for line in lines)


def test_kinds_of_what_is_not_checked() -> None:
    sentences = ["A dog walks on the street.", "A dog talks.", "A young dog talks.", "A dog runs."]
    lines = why([coverage(sentences, ["dog"])])
    assert lines[0].startswith("Of 4 core sentences that are read with any noun, 1 are checked")
    assert "| verbs without a model | 2 | 1 |" in lines
    assert "| phrases: scenery, clothes, stuff and parts, topics | 1 | 1 |" in lines
    assert "| adjectives: age, material, two colours | 1 | 0 |" in lines
