"""Waiting for something to happen, however slow the machine."""

import time
from collections.abc import Callable
from random import Random

# Seconds after which something that should have happened is taken for a hang. So many that no
# machine is too slow: without a fault, no test comes near it.
HANG = 600.0
# Seconds between two looks at a condition that nobody tells of.
PAUSE = 0.01


def until(condition: Callable[[], object]) -> None:
    """Return when the condition holds."""
    end = time.monotonic() + HANG
    while not condition():
        assert time.monotonic() < end, "this hangs"
        time.sleep(PAUSE)


def at_some_moment(rng: Random, seconds: float) -> None:
    """Go on at a random moment of about so many seconds; nothing may depend on which it is."""
    time.sleep(rng.uniform(0, seconds))
