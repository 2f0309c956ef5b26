"""The command line, as a person uses it."""

import os
import subprocess
import sys
import time
from pathlib import Path


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sentrack", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def test_help_answers_at_once() -> None:
    run("--help")
    start = time.perf_counter()
    result = run("--help")
    assert time.perf_counter() - start < 1.0
    assert result.returncode == 0
    assert "demo" in result.stdout


def test_version() -> None:
    assert run("--version").stdout.startswith("sentrack 0.")


def test_demo_prints_a_certificate_and_the_same_one_again() -> None:
    first, second = run("demo", "--seed", "3"), run("demo", "--seed", "3")
    assert "certified" in first.stdout
    assert "yes, no answer is better" in first.stdout
    strip = [line for line in first.stdout.splitlines() if "took" not in line]
    assert strip == [line for line in second.stdout.splitlines() if "took" not in line]


def test_a_cold_start_says_what_it_is_doing_and_a_warm_one_does_not(tmp_path: Path) -> None:
    cold = run("demo", NUMBA_CACHE_DIR=str(tmp_path))
    assert "compiling" in cold.stderr
    warm = run("demo", NUMBA_CACHE_DIR=str(tmp_path))
    assert warm.stderr == ""


def test_wrong_usage_is_exit_code_2() -> None:
    assert run("dmeo").returncode == 2


def test_importing_sentrack_does_not_import_numba() -> None:
    code = "import sys, sentrack; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
