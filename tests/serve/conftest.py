"""One server for all tests that leave it as it is."""

from collections.abc import Iterator

import pytest

from tests.commands import measured_python
from tests.serve.serving import Server, served, stock


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = stock(tmp_path_factory.mktemp("serve") / "lib")
    with served(folder, python=measured_python()) as running:
        yield running
