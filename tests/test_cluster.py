"""A Dask cluster of separate processes that speak TLS, as on several machines."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from sentrack.tasks import Library
from tests.commands import start
from tests.tasks.scenes import library
from tests.waiting import until

distributed = pytest.importorskip("distributed")

UP = "The person picked up the cup."


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Settings, as Dask takes them from the environment: a key and a certificate for all."""
    made = distributed.Security.temporary()
    folder = tmp_path_factory.mktemp("keys")
    files = {"CA_FILE": made.tls_ca_file}
    for who in ("SCHEDULER", "WORKER", "CLIENT"):
        files[f"{who}__CERT"] = getattr(made, f"tls_{who.lower()}_cert")
        files[f"{who}__KEY"] = getattr(made, f"tls_{who.lower()}_key")
    found = {"DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True"}
    for name, content in files.items():
        (folder / name).write_text(content)
        found[f"DASK_DISTRIBUTED__COMM__TLS__{name}"] = str(folder / name)
    return found


@pytest.fixture(scope="module")
def cluster(
    secrets: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler, and its two workers."""
    folder = tmp_path_factory.mktemp("cluster")
    told = folder / "scheduler.json"
    environment = {**os.environ, **secrets}
    common = ["--scheduler-file", str(told), "--no-dashboard"]
    commands = [
        ["dask_scheduler", "--protocol", "tls", "--host", "127.0.0.1", "--port", "0", *common],
        *[["dask_worker", "--nthreads", "1", "--no-nanny", *common]] * 2,
    ]
    processes = []
    for name, *options in commands:
        command = [sys.executable, "-m", f"distributed.cli.{name}", *options]
        quiet = subprocess.DEVNULL
        processes.append(
            subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet, cwd=folder)
        )
        until(told.exists)
    yield json.loads(told.read_text())["address"], processes[1:]
    for process in processes:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Library:
    made = library(tmp_path_factory.mktemp("eight") / "lib", range(8))
    made.refresh()
    return made


def test_a_search_by_tls_and_after_a_worker_died(
    eight: Library,
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
    secrets: dict[str, str],
) -> None:
    address, workers = cluster
    assert address.startswith("tls://")
    alone = start("search", eight.url, UP, "--json", "--workers", "1")
    assert alone.returncode == 0
    asked = "search", eight.url, UP, "--json", "--cluster", address
    found = start(*asked, **secrets)
    assert (found.returncode, found.stdout) == (0, alone.stdout), found.stderr
    workers[0].kill()
    workers[0].wait()
    again = start(*asked, **secrets)
    assert (again.returncode, again.stdout) == (0, alone.stdout), again.stderr


def test_who_has_no_certificate_is_told_in_one_line(
    eight: Library, cluster: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    found = start("search", eight.url, UP, "--cluster", cluster[0])
    assert (found.returncode, found.stdout) == (1, "")
    (line,) = found.stderr.splitlines()
    assert line.startswith(f"sentrack: {cluster[0]}: it needs certificates; Dask's settings ")


def test_a_worker_that_does_not_see_the_library_says_so(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], secrets: dict[str, str]
) -> None:
    """The library is in memory, where only the process that asks has it."""
    code = f"""
import sys
from sentrack.tasks import Library
from tests.tasks.scenes import scene
made = Library("memory://lib")
made.add(scene(7), name="one")
try:
    made.search({UP!r}, cluster={cluster[0]!r})
except Exception as error:
    print(f"{{type(error).__name__}}: {{error}}")
"""
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **secrets},
    )
    assert found.stdout == (
        "LibraryError: memory:///lib: the library is not there; all workers must reach it by this "
        "address\n"
    ), found.stderr
