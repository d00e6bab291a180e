"""What the fuzzer's tests share: one service and one database server for all of a file's cases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fuzz.postgres import server_up
from tests.fuzz.service import bench_in


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with bench_in(tmp_path_factory.mktemp("server")), server_up():
        yield
