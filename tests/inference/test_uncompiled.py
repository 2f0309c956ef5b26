"""Kernels do the same uncompiled, so that they can be stepped through and covered."""

import json
import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.commands import ROOT, measured_python


def told(**environment: str) -> Any:
    done = subprocess.run(
        [*measured_python(), "-m", "tests.inference.uncompiled"],
        cwd=ROOT,
        env=os.environ | environment | {"PYTHONWARNINGS": "error"},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, list):
        for branch in tree:
            yield from leaves(branch)
        yield len(tree)
    else:
        yield tree


def test_kernels_do_the_same_uncompiled() -> None:
    plain = [*leaves(told(NUMBA_DISABLE_JIT="1"))]
    compiled = [*leaves(told(NUMBA_DISABLE_JIT="0"))]
    assert len(plain) > 1000
    numbers = [each for each in plain if not isinstance(each, str)]
    assert numbers == pytest.approx([each for each in compiled if not isinstance(each, str)])
    assert [e for e in plain if isinstance(e, str)] == [e for e in compiled if isinstance(e, str)]
