"""The benchmark runs, and what must hold at any size holds."""

import re

import sentrack
from benchmarks import inference
from benchmarks.inference import Size
from benchmarks.scenes import ROWS, scene

TINY = Size(seeds=1, growth_seeds=0, lengths=(12, 24), peer_limit=1)


def test_long_clips_are_certified_and_an_exponent_is_printed() -> None:
    lines = list(inference.long_clips(TINY))
    rows = [line for line in lines if line.startswith("| row")][1:]
    assert len(rows) == 8
    assert all("| 1/1 |" in row for row in rows)
    assert len(re.findall(r"nouns: -?\d+\.\d\d", lines[-2])) == 4


def test_eight_participants_are_certified() -> None:
    lines = list(inference.eight(TINY))
    assert sum("| 1/1 |" in line for line in lines) == 2


def test_the_kernel_is_compared_with_a_plain_loop() -> None:
    lines = list(inference.kernel(TINY))
    ratios = [float(line.split("|")[-2]) for line in lines if re.match(r"\| (row|a word)", line)]
    assert len(ratios) == 6
    assert all(ratio > 0 for ratio in ratios)


def test_the_same_optimum_is_insisted_on() -> None:
    problem = scene(ROWS[4], 0)
    peer = inference.best_toulbar2(problem, 600)
    assert peer.proved
    inference._same(sentrack.solve(problem).score, peer.score, "row 5")
