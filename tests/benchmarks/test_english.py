from benchmarks.english import coverage, table


def test_shares_of_what_is_read() -> None:
    sentences = ["The person walked.", "A woman plays the guitar.", "blorp", "A man talks."]
    told = coverage(sentences, ["guitar", "woman", "man"])
    assert (told.sentences, told.shipped, told.any_noun, told.checked) == (4, 0.5, 0.75, 0.25)
    assert 0 < told.milliseconds < 1000
    lines = table({"msvd": told, "cityflow": told, "other": told})
    assert any(line.startswith("| cityflow \\* | 4 | 0.500 | 0.750 | 0.250 |") for line in lines)
    assert any(line.startswith("| **core** | 8 | **0.500** |") for line in lines)
