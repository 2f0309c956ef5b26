"""Real video that others annotated: whether the order of two events is told from its reverse.

    python -m benchmarks.order [--most 60] [--output docs/measured/order.md]

Two annotated events of the same person or vehicle, one after the other, make a sentence: "The
person exited the car, then walked." It and the sentence with the two exchanged are asked of the
boxes, without identities, of the time from the beginning of the first to the end of the second. The
true one should have the higher match.
"""

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

import sentrack
from benchmarks.annotated import clip_of, truths
from benchmarks.inference import machine
from benchmarks.telling import publish
from sentrack.errors import SentrackError
from sentrack.vision import Clip

SETS = ("virat", "caviar")  # elsewhere no thing does two things one after the other
LONGEST = 40.0  # seconds, from the beginning of the first event to the end of the second
EVERYTHING = 10**6

Truth = Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    """What was told of one pair of events.

    Attributes:
        kind: the two verbs, in their order.
        matches: of the true order and of the reverse; 0 where a sentence is refused.
        depicted: whether each is said to be depicted.
    """

    kind: str
    matches: tuple[float, float]
    depicted: tuple[bool, bool]


def pairs(name: str, most: int, data: Path | None = None) -> list[tuple[Truth, Truth]]:
    """Pairs of different events of one thing, one after the other; no kind of pair too often."""
    found: dict[tuple[str, int], list[Truth]] = defaultdict(list)
    for truth in truths(name, EVERYTHING, *([] if data is None else [data])):
        found[truth["video"], truth["participants"][0]["id"]].append(truth)
    every = [
        (first, second)
        for _, own in sorted(found.items())
        for first, second in permutations(own, 2)
        if first["end"] < second["begin"]
        and verb(first) != verb(second)
        and (second["end"] - first["begin"]) / first["fps"] <= LONGEST
    ]
    random.Random(1).shuffle(every)
    kinds: dict[tuple[str, str], int] = defaultdict(int)
    chosen: list[tuple[Truth, Truth]] = []
    for first, second in every:
        kind = verb(first), verb(second)
        kinds[kind] += 1
        if kinds[kind] <= max(3, most // 4) and len(chosen) < most:
            chosen.append((first, second))
    return chosen


def verb(truth: Truth) -> str:
    """What is said of the subject, without the things it is done with."""
    _, _, said = truth["sentence"].rstrip(".").split(" ", 2)
    for participant in truth["participants"][1:]:
        said = said.replace(f" the {participant['noun']}", "")
    return str(said)


def in_order(first: Truth, second: Truth) -> str:
    """A sentence that tells both events of the same subject, the first one first."""
    said = second["sentence"].rstrip(".").split(" ", 2)[2]
    last = first["participants"][-1]["id"]  # which a pronoun stands for
    for each in second["participants"][1:]:
        if each["id"] == last:
            pronoun = "him" if each["noun"] == "person" else "it"
            said = said.replace(f"the {each['noun']}", pronoun)
    return f"{first['sentence'].rstrip('.')}, then {said}."


def told(name: str, first: Truth, second: Truth, whole: bool) -> Told | None:
    """The matches of both orders; None where there are too few frames."""
    clip = clip_of(name, {**first, "end": second["end"]})
    if clip is None:
        return None
    answers = [asked(clip, in_order(*both), whole) for both in ((first, second), (second, first))]
    (true, shown), (false, also) = answers
    return Told(f"{verb(first)}, then {verb(second)}", (true, false), (shown, also))


def asked(clip: Clip, sentence: str, whole: bool) -> tuple[float, bool]:
    """The match of a sentence, and whether it is depicted."""
    try:
        found = sentrack.track(clip, sentence, whole=whole)
    except SentrackError:
        return 0.0, False
    if not found.objective.meaning.order:
        raise AssertionError(f"no order was read in {sentence!r}")
    return found.match, found.depicted


def right(each: Told) -> float:
    """1 if the true order has the higher match, one half if both are the same."""
    true, false = each.matches
    return 0.5 + 0.5 * float(np.sign(true - false))


def page(most: int) -> Iterator[str]:
    """The whole page, as Markdown."""
    yield "# Order on real video, measured"
    yield ""
    yield f"Made by `python -m benchmarks.order` on {machine()}:"
    yield "two annotated events of one person or vehicle, in"
    yield f"their order and in the reverse, of each set at most {most} pairs and at most"
    yield f"{LONGEST:.0f} s each. *Right* is the share in which the true order has the higher"
    yield "match, where a tie is one half; *depicted* are the shares of true and of false sentences"
    yield "with a match of at least one half."
    for whole in (False, True):
        kinds: dict[str, list[Told]] = defaultdict(list)
        yield ""
        yield "## " + ("About all of the clip (`whole=True`)" if whole else "The best interval")
        yield ""
        yield "| set | pairs | right | true depicted | false depicted |"
        yield "|---|---|---|---|---|"
        every: list[Told] = []
        for name in SETS:
            rows = [told(name, *pair, whole) for pair in pairs(name, most)]
            found = [row for row in rows if row is not None]
            every += found
            for row in found:
                kinds[row.kind].append(row)
            if found:
                yield f"| {name} | {len(found)} | {_shares(found)} |"
        yield f"| all | {len(every)} | {_shares(every)} |"
        yield ""
        yield "| events | pairs | right | true depicted | false depicted |"
        yield "|---|---|---|---|---|"
        for kind, found in sorted(kinds.items(), key=lambda each: (-len(each[1]), each[0])):
            if len(found) > 1:
                yield f"| {kind} | {len(found)} | {_shares(found)} |"


def _shares(found: list[Told]) -> str:
    depicted = np.mean([each.depicted for each in found], axis=0)
    return " | ".join(f"{share:.2f}" for share in (np.mean([right(f) for f in found]), *depicted))


def main() -> None:
    """Print the page, and write it where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--most", type=int, default=60, help="pairs of a set, at most")
    parser.add_argument("--output", type=Path, help="also write the Markdown there")
    options = parser.parse_args()
    publish(page(options.most), options.output)


if __name__ == "__main__":
    main()
