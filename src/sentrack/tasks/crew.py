"""Who does the work: this process, processes of this machine, or a Dask cluster."""

import importlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from sentrack.errors import SentrackError

In = TypeVar("In")
Out = TypeVar("Out")

RETRIES = 5  # of work whose worker died
FEW = 64  # jobs that one process does sooner than several get ready


class Crew:
    """Does the same to many things, in order.

    Attributes:
        size: how many things are worked on at once.
    """

    def __init__(self, client: Any = None, size: int = 1) -> None:
        self._client, self.size = client, size

    def do(self, function: Callable[[In], Out], things: Iterable[In]) -> Iterator[Out]:
        """The results, in the order of the things.

        What a worker was doing when it died is done again by another.
        """
        if self._client is None:
            yield from map(function, things)
            return
        futures = self._client.map(function, list(things), pure=False, retries=RETRIES)
        try:
            for future in futures:
                yield future.result()
        finally:
            self._client.cancel(futures)


@contextmanager
def crew(workers: int | None = None, cluster: str | None = None, jobs: int = 0) -> Iterator[Crew]:
    """A crew, for as long as it is needed.

    Args:
        workers: processes of this machine; by default one per core, or this process alone for so
            few jobs that starting others would take longer.
        cluster: address of a Dask scheduler instead.
        jobs: how many things are to be done.

    Raises:
        SentrackError: there is no such cluster.
    """
    if workers is not None and workers < 1:
        raise SentrackError(f"workers must be at least 1, and it is {workers}")
    if cluster is not None and not cluster.rpartition(":")[2].isdigit():
        raise SentrackError(f"cluster {cluster!r} is not HOST:PORT, as in 127.0.0.1:8786")
    wanted = (os.cpu_count() or 1) if workers is None else workers
    if cluster is None and (wanted == 1 or (workers is None and jobs < FEW)):
        yield Crew()
        return
    try:
        distributed: Any = importlib.import_module("distributed")
    except ModuleNotFoundError:
        if workers is None and cluster is None:
            yield Crew()
            return
        raise SentrackError('several processes need: pip install "sentrack[cluster]"') from None
    if cluster is not None:
        try:
            client = distributed.Client(cluster, timeout="10s", set_as_default=False)
        except (OSError, ValueError) as error:
            raise SentrackError(f"{cluster}: no Dask scheduler answers there: {error}") from None
        with client:
            yield Crew(client, max(1, sum(client.nthreads().values())))
        return
    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(n_workers=wanted, **options) as machines,
        distributed.Client(machines, set_as_default=False) as client,
    ):
        yield Crew(client, wanted)
