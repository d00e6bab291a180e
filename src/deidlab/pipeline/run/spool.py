"""Values that are needed a second time in, the same values out again: a file that nobody else can read.

What stands in it is sealed with a key that lives in memory only, and the file has no name, so that nothing is
left behind whatever happens.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from typing import Any

from deidlab.mask.keys import random_key
from deidlab.pipeline.run.sealing import Seal


class Spool:
    """JSON values, put one by one and read in the same order."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="deidlab-")  # noqa: SIM115
        self._seal = Seal(random_key())

    def put(self, value: Any) -> None:
        sealed = self._seal.close(json.dumps(value, ensure_ascii=False).encode())
        self._file.write(len(sealed).to_bytes(8, "big") + sealed)

    def __iter__(self) -> Iterator[Any]:
        self._file.seek(0)
        while size := self._file.read(8):
            yield json.loads(self._seal.open(self._file.read(int.from_bytes(size, "big"))))

    def close(self) -> None:
        self._file.close()
