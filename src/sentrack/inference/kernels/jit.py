"""How kernels are compiled."""

import logging
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numba import config, njit

F = TypeVar("F", bound=Callable[..., Any])

# To mypy the arrays and indices of kernels are anything: Numba infers their types.
Flat = Any
Int = Any

# Numba compiles a function anew for every literal argument; these are no literals to it.
ZERO: Int = np.int64(0)
ONE: Int = np.int64(1)

# Whether kernels are compiled at all, or run as plain Python (NUMBA_DISABLE_JIT=1).
COMPILED = not cast(Any, config).DISABLE_JIT
# Makes a place in an array of one that is not negative. Without compilation a plain
# number, since older NumPy makes a fraction of an unsigned number and a plain one.
unsigned: Any = np.uint64 if COMPILED else int

OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "no_cfunc_wrapper": True}


def entry(function: F) -> F:
    """Compile a kernel that Python calls."""
    return cast(F, njit(**OPTIONS)(function))


def internal(function: F) -> F:
    """Compile a kernel that only kernels call; it does without a Python wrapper."""
    options = OPTIONS | {"no_cpython_wrapper": True}
    return cast(F, njit(**options)(function))


def inlined(function: F) -> F:
    """Compile a small kernel as a part of its callers, which is quicker than on its own."""
    options = OPTIONS | {"inline": "always"}
    return cast(F, njit(**options)(function))


@cache
def announce(kernel: Callable[..., Any]) -> None:
    """Say, once, that the first call of a kernel on this machine takes a while."""
    if not COMPILED:
        return
    folder = Path(cast(Any, kernel).stats.cache_path)
    if not any(folder.glob(f"*.{kernel.__name__}-*.nbi")):
        _say_that_it_takes_a_while()


@cache
def _say_that_it_takes_a_while() -> None:
    logging.getLogger("sentrack").warning(
        "compiling the inner loops: about fifteen seconds, the first time only"
    )
