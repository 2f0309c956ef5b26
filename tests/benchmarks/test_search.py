import itertools
from pathlib import Path

import numpy as np
import pytest

from benchmarks import clips, hours, scale, search
from sentrack.lexicon import Lexicon
from sentrack.tasks import Library

TRUTH = np.array([(10.0, 12.0), (20.0, 24.0)])


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def rows(lines: list[str]) -> list[list[str]]:
    """The cells of all rows of tables, heads left out."""
    found = [line for line in lines if line.startswith("|")]
    heads = [n for n, line in enumerate(found) if line.startswith("|---")]
    for n in heads:
        assert len(cells(found[n])) == len(cells(found[n - 1]))
    return [cells(line) for n, line in enumerate(found) if n not in heads and n + 1 not in heads]


@pytest.mark.parametrize(
    ("span", "hit"),
    [
        ((10.0, 12.0), True),
        ((11.3, 12.0), True),  # 0.7 of 2
        ((11.5, 12.0), False),
        ((10.0, 16.6), True),  # 2 of 6.6
        ((10.0, 17.0), False),
        ((12.0, 20.0), False),
        ((22.0, 25.0), True),
    ],
)
def test_a_span_hits_by_overlap_over_union(span: tuple[float, float], hit: bool) -> None:
    assert search.hits(np.array([span]), TRUTH) == hit
    assert search.hits(np.array([(0.0, 1.0), span]), TRUTH) == hit


def test_no_span_hits_nothing() -> None:
    assert not search.hits(np.zeros((0, 2)), TRUTH)
    assert search.by_chance(np.zeros((0, 2)), TRUTH, 30.0, np.random.default_rng(0)) == 0


def test_chance_is_the_part_of_starts_that_hit() -> None:
    # A span of 2 s hits the first segment if it is off by 14/13 s at most (0.3 of the union).
    rate = search.by_chance(np.array([(0.0, 2.0)]), TRUTH[:1], 30.0, np.random.default_rng(0))
    assert rate == pytest.approx(2 * (14 / 13) / 28, abs=0.03)


def test_average_precision_by_hand() -> None:
    relevant, rng = np.array([True, False, True, False]), np.random.default_rng(0)
    known = search.average_precision(np.array([4.0, 3.0, 2.0, -np.inf]), relevant, rng)
    assert known == pytest.approx((1 + 2 / 3) / 2)


def test_ties_count_by_their_mean() -> None:
    relevant, rng = np.array([True, False, True, False]), np.random.default_rng(0)
    orders = [relevant[list(order)] for order in itertools.permutations(range(4))]
    mean = np.mean([(np.cumsum(o) / np.arange(1, 5))[o].mean() for o in orders])
    tied = search.average_precision(np.zeros(4), relevant, rng)
    assert tied == pytest.approx(mean, abs=0.02)


def test_made_up_clips_are_as_said() -> None:
    made = list(clips.clips(20, T=50, seed=1))
    for clip in made:
        seen = {clip.classes[k] for k in clip.label}
        assert "person" in seen
        assert 2 <= len(seen & set(clips.KINDS)) <= 3
        assert clip.T == 50
        assert clip.seconds == pytest.approx(0.1)
    again = list(clips.clips(20, T=50, seed=1))
    assert all(np.array_equal(a.boxes, b.boxes) for a, b in zip(made, again, strict=True))
    assert len({clip.boxes.tobytes() for clip in made}) == 20


def test_search_finds_what_solving_all_finds_with_less() -> None:
    lines = list(search.bounds(30, 2, search.SENTENCES[:2]))
    first, second, total = rows(lines)
    for row in (first, second):
        assert row[0] in search.SENTENCES
        assert row[-1] == "yes"
        clips, read, solved = map(int, row[1:4])
        assert clips == 30
        assert 2 <= read < clips
        assert solved <= read / 2
    assert len(total) == len(first)


def test_another_answer_is_noticed(tmp_path: Path) -> None:
    library = clips.made_up(str(tmp_path), 4)
    sentence = "The person picked up the cup."
    found = Library(tmp_path).search(sentence, 5, workers=1)
    every = search.solving_all(library, sentence, 5, Lexicon.load("everyday"))
    assert search.agree(found, every)
    assert not search.agree(found, every[:-1])
    assert not search.agree(found, [(every[0][0] + 0.1, *every[0][1:]), *every[1:]])
    assert not search.agree(found[::-1], every)


def test_costs_are_told_step_by_step(tmp_path: Path) -> None:
    library = clips.made_up(str(tmp_path), 4)
    steps, each = scale._searching(library, "The person picked up the cup.")
    assert tuple(steps) == scale.STEPS
    assert min(steps.values()) > 0
    assert each > 0
    assert scale._bytes(library) > 1  # megabytes per hour


def test_many_hours_are_the_figures_times_the_hours() -> None:
    table = rows(list(scale._many(3600.0, [0.72, 1.44], [20.0, 40.0])))
    assert [row[0] for row in table] == list(scale.CORES)
    assert table[0][1:] == [
        "208.3 days",
        "6.0 minutes to 12.0 minutes",
        "60.0 minutes to 2.0 hours",
    ]
    assert table[2][1] == "12.5 hours"


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("number", range(len(hours.SETS)))
def test_made_up_hours_have_the_statistics_of_real_ones(number: int) -> None:
    clip = hours.clip(number)
    assert clip.sha256 == hours.clip(number).sha256
    assert clip.T == hours.SECONDS * hours.FPS
    known, rate = hours.tracks(hours.SETS[number])
    lasting = [len(track.boxes) for track in known]
    true = clip.score >= hours.TRUE_SCORES[0]
    # Each thing is there as long as its track is, and some boxes are missed.
    expected = rate / hours.FPS * sum(lasting) / len(lasting) * (1 - hours.MISSED)
    assert true.sum() / clip.T == pytest.approx(expected, rel=0.5)
    assert (~true).sum() == hours.FALSE * clip.T
    assert {clip.classes[k] for k in set(clip.label)} <= {track.name for track in known}


@pytest.mark.usefixtures("shared_data")
def test_when_reports_verbs_and_subjects() -> None:
    lines = list(search.when(limit=6))
    table = rows(lines)
    assert table[0][0] == "all (6)"
    assert {"pick", "place", "subject1"} <= {row[0].split()[0] for row in table}
    hit, chance, more, _ = (float(cell.rstrip("%")) for cell in table[0][1:])
    assert hit > chance
    assert more >= hit


@pytest.mark.usefixtures("shared_data")
def test_retrieval_reports_every_verb() -> None:
    table = rows(list(search.retrieval(limit=4)))
    assert [row[0] for row in table] == list(search.VERBS)
    assert all(len(row) == 6 for row in table)
