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

# By NUMBA_DISABLE_JIT=1, to step through kernels as plain Python.
UNCOMPILED = bool(cast(Any, config).DISABLE_JIT)

# Makes a place in an array unsigned. Uncompiled it is a plain number: older NumPy makes a fraction
# of the sum of the two kinds.
unsigned: Any = int if UNCOMPILED else np.uint64

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
    if UNCOMPILED:
        return
    folder = Path(cast(Any, kernel).stats.cache_path)
    if not any(folder.glob(f"*.{kernel.__name__}-*.nbi")):
        logging.getLogger("sentrack").warning(
            "compiling the inference kernels: about ten seconds, the first time only"
        )
