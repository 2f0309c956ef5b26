"""What the processes of workers may use, and what they do not hear."""

import contextlib
import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from multiprocessing import resource_tracker
from multiprocessing.connection import wait

PR_SET_PDEATHSIG = 1


def confine(memory: int) -> None:
    """Give way to the server, use no more memory than allowed, and end with the server."""
    parent = multiprocessing.parent_process()
    if parent is not None:

        def leave() -> None:
            wait([parent.sentinel])
            os._exit(1)

        threading.Thread(target=leave, daemon=True).start()
        _end_with_parent(parent.pid)
    with contextlib.suppress(ImportError, OSError, ValueError):
        os.nice(5)
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        allowed = memory if most == resource.RLIM_INFINITY else min(memory, most)
        resource.setrlimit(resource.RLIMIT_AS, (allowed, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_with_parent(pid: int | None) -> None:
    """Have the system end this process with the server, whatever it does; Linux can."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != pid:  # it has died meanwhile
        os._exit(1)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Processes that are started here do not see Ctrl-C: the server ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which would unblock it, were it started later
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
