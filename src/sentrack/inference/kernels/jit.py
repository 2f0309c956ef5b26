"""How kernels are compiled."""

import hashlib
import inspect
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

# Operations that NumPy does in about a second; compiling takes several.
WORTH_COMPILING = 3e8

HERE = Path(__file__).parent

OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "no_cfunc_wrapper": True}


def entry(function: F) -> F:
    """Compile a kernel that Python calls."""
    return _compiled(function)


def internal(function: F) -> F:
    """Compile a kernel that only kernels call; it does without a Python wrapper."""
    return _compiled(function, no_cpython_wrapper=True)


def unmanaged(function: F) -> F:
    """The same of one that makes no arrays: references to those it is given are not counted.

    Counting them would take longer than a small table.
    """
    return _compiled(function, no_cpython_wrapper=True, _nrt=False)


def inlined(function: F) -> F:
    """Compile a small kernel as a part of its callers, which is quicker than on its own."""
    return _compiled(function, inline="always")


def _compiled(function: F, **options: Any) -> F:
    # Numba keeps what it compiled by the name of a function and the text of its own file alone.
    function.__qualname__ += f"_{_stamp(Path(inspect.getfile(function)).parent)}"
    return cast(F, njit(**OPTIONS, **options)(function))


@cache
def _stamp(folder: Path) -> str:
    """The same as long as all that the kernels of a folder may call is: those there and here."""
    found = hashlib.sha256()
    for path in sorted(path for each in {folder, HERE} for path in each.glob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()[:12]


@cache
def announce(kernel: Callable[..., Any]) -> None:
    """Say, once, that the first call of a kernel on this machine takes a while."""
    if not ready(kernel):
        _say_that_it_takes_a_while()


@cache
def ready(kernel: Callable[..., Any]) -> bool:
    """Whether a kernel was compiled before this process, or need not be."""
    if not COMPILED:
        return True
    folder = Path(cast(Any, kernel).stats.cache_path)
    return any(folder.glob(f"*.{cast(Any, kernel).py_func.__qualname__}-*.nbi"))


@cache
def _say_that_it_takes_a_while() -> None:
    logging.getLogger("sentrack").warning(
        "compiling the inner loops: some seconds, the first time only"
    )


class _Plain:
    """How much was done without a kernel so far."""

    operations = 0.0


def worthwhile(kernel: Callable[..., Any], operations: float) -> bool:
    """Whether to call a kernel, rather than to do so many operations in plain NumPy.

    A kernel that is not compiled yet is compiled once NumPy would have done enough.
    """
    if ready(kernel) or cast(Any, kernel).signatures:
        return True
    _Plain.operations += operations
    return _Plain.operations > WORTH_COMPILING


def plain(kernel: F) -> F:
    """A kernel as plain Python: slow, but at once, and with the same result."""
    return cast(F, getattr(kernel, "py_func", kernel))
