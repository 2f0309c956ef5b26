"""What was compiled is used again only while all that it calls is the same."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from sentrack.inference.kernels import jit

CALLER = """
from kernels.callee import number
from kernels.jit import entry

@entry
def asked():
    return number()

print(asked(), sum(asked.stats.cache_hits.values()))
"""
CALLEE = """
from kernels.jit import internal

@internal
def number():
    return {}
"""


def test_a_kernel_is_compiled_anew_when_one_that_it_calls_changes(tmp_path: Path) -> None:
    package = tmp_path / "kernels"
    package.mkdir()
    shutil.copy(jit.__file__, package / "jit.py")
    (package / "__init__.py").touch()
    (package / "caller.py").write_text(CALLER)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA")}
    environment |= {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    said = []
    for number in (1, 1, 2):
        (package / "callee.py").write_text(CALLEE.format(number))
        command = [sys.executable, "-c", "import kernels.caller"]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        said.append(ran.stdout.split())
    assert said == [["1", "0"], ["1", "1"], ["2", "0"]]
