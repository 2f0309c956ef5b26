"""One way to do much work: in this process, in several of this machine, or on a Dask cluster."""

import importlib
import logging
import os
import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from sentrack.errors import SentrackError

In = TypeVar("In")
Out = TypeVar("Out")

RETRIES = 5  # of a call whose worker died
CALLS_EACH = 32  # calls that another process is started for
# How long a process that died may take to come back before the cluster does without it. Dask's
# own 15 s are too few for a busy machine, and with every process given up work would never end.
COMES_BACK = {"distributed.deploy.lost-worker-timeout": "10 minutes"}
# Of processes of this machine. By Dask's own, every array is given back to the system when it is
# no longer used, and its memory fetched anew for the next one, which takes longer than the work.
ENVIRONMENT = {
    "distributed.nanny.pre-spawn-environ": {
        "OMP_NUM_THREADS": 1,
        "MKL_NUM_THREADS": 1,
        "OPENBLAS_NUM_THREADS": 1,
    }
}

processes = 1  # that share the cores of this machine, this one among them


def cores() -> int:
    """How many cores this process may use: its share, if it is one of several workers."""
    affinity = getattr(os, "sched_getaffinity", None)
    here = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, here // processes)


class Executor:
    """Calls a function on many items and returns the results in order.

    Attributes:
        size: how many items are worked on at once.
    """

    def __init__(self, client: Any = None, size: int = 1) -> None:
        self._client, self.size = client, size

    def map(self, function: Callable[[In], Out], items: Iterable[In]) -> Iterator[Out]:
        """The results, in the order of the items.

        What a worker was doing when it died is done again by another.
        """
        if self._client is None:
            yield from map(function, items)
            return
        call = partial(_pickled, function)
        futures = self._client.map(call, list(items), pure=False, retries=RETRIES)
        try:
            for future in futures:
                yield pickle.loads(future.result())
        finally:
            self._client.cancel(futures)

    def scatter(self, items: Iterable[In]) -> Sequence[In]:
        """Send items to the workers once, to be mapped over as often as needed.

        What is returned stands for the items in `map` and is good for nothing else. The scheduler
        keeps a copy of each, so that those of a worker that died are sent to another.
        """
        if self._client is None:
            return list(items)
        with warnings.catch_warnings():
            # Dask would rather have data loaded by the workers, but there is nowhere to load from.
            warnings.filterwarnings("ignore", "Sending large graph")
            return [
                self._client.submit(pickle.loads, pickle.dumps(item), pure=False, retries=RETRIES)
                for item in items
            ]


def _pickled(function: Callable[[In], Out], item: In) -> bytes:
    """A result in one piece: Dask would take lists apart and send item after item."""
    return pickle.dumps(function(item))


@contextmanager
def open_executor(
    workers: int | None = None, cluster: str | None = None, calls: int = 0
) -> Iterator[Executor]:
    """An executor, for as long as it is needed.

    Args:
        workers: processes of this machine; by default one per core, but no more than the calls are
            worth starting, and this process alone where these are few.
        cluster: address of a Dask scheduler instead.
        calls: about how many short ones there will be, or how many take as long.

    Raises:
        SentrackError: there is no such cluster, or Dask is not installed.
    """
    if workers is not None and workers < 1:
        raise SentrackError(f"workers must be at least 1, and it is {workers}")
    if cluster is not None and not cluster.rpartition(":")[2].isdigit():
        raise SentrackError(f"cluster {cluster!r} is not HOST:PORT, as in 127.0.0.1:8786")
    wanted = min(cores(), calls // CALLS_EACH) if workers is None else workers
    if cluster is None and wanted <= 1:
        yield Executor()
        return
    try:
        distributed: Any = importlib.import_module("distributed")
        # Certificates of our own: who reaches a worker can have it do anything.
        security = None if cluster else distributed.Security.temporary()
    except ImportError:
        if workers is None and cluster is None:
            yield Executor()
            return
        raise SentrackError('several processes need: pip install "sentrack[cluster]"') from None
    if cluster is not None:
        if cluster.startswith("tls://") and not distributed.Security().tls_ca_file:
            text = "it needs certificates; Dask's settings distributed.comm.tls name them"
            raise SentrackError(f"{cluster}: {text}")
        try:
            client = distributed.Client(cluster, timeout="10s", set_as_default=False)
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            reason = " ".join(str(error).split())
            raise SentrackError(f"{cluster}: no Dask scheduler answers there: {reason}") from None
        with client:
            yield Executor(client, max(1, sum(client.nthreads().values())))
        return
    # Ctrl-C is for this process, which ends the others.
    ignoring = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
    # Threads of all workers together that are more than the cores only get in each other's way.
    sharing = f"from sentrack import workers; workers.processes = {wanted}; workers.hush()"
    options = {
        "threads_per_worker": 1,
        # A port of its own; on the default one, Dask warns if there is another cluster.
        "dashboard_address": "127.0.0.1:0",
        "security": security,
        "preload": f"{ignoring}; {sharing}",
    }
    hush()
    with (
        importlib.import_module("dask").config.set(COMES_BACK | ENVIRONMENT),
        distributed.LocalCluster(n_workers=wanted, processes=True, **options) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        yield Executor(client, wanted)


def hush() -> None:
    """Keep Dask from telling that workers are ended which are busy when nobody waits any more."""
    for name in ("distributed.nanny", "distributed.worker"):
        logging.getLogger(name).addFilter(_of_interest)


def _of_interest(record: logging.LogRecord) -> bool:
    text = str(record.msg)  # any object will do for one
    return not text.startswith(("Worker process still alive", "Failed to communicate with"))
