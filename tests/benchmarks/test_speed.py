"""Promises are measured; whether they are kept is for `make bench` to say.

What needs a server is left to it, too: starting one takes longer than all of this.
"""

import sys
from collections.abc import Iterator

import pytest

from benchmarks import speed
from benchmarks.speed import Wait


def test_reading_and_computing_are_measured() -> None:
    found = [*speed._reading(), *speed._computing()]
    assert len(found) >= 5
    assert all(wait.seconds > 0 for wait in found)


@pytest.mark.parametrize("late", [False, True])
def test_a_broken_promise_is_told(
    late: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def waits(*_: object) -> Iterator[Wait]:
        yield Wait("tea", 1.0, 0.5)
        yield Wait("cake", 1.0, 2.0 if late else 0.9)

    monkeypatch.setattr(speed, "waits", waits)
    monkeypatch.setattr(sys, "argv", ["speed"])
    if late:
        with pytest.raises(SystemExit, match="1 promises are broken"):
            speed.main()
    else:
        speed.main()
    told = capsys.readouterr().out
    assert "| tea | 1 | 0.500 |" in told
    assert ("| cake | 1 | 2.000, too late |" in told) is late
