"""What runs in an actor: sealed items in, sealed results out.

Nothing else ever leaves it. Ray would print an exception with its arguments, keep it in logs and send it on;
so every error becomes a value of ours, and a worker prints nothing.
"""

from __future__ import annotations

import os
from typing import Any

import deidlab
from deidlab.execute.places import describe_processor
from deidlab.execute.ray.reading import items_of_row
from deidlab.execute.ray.sealing import RunSeal, SealedBox
from deidlab.execute.tasks import attempt, portable

READY, DONE, FATAL = "ready", "done", "fatal"


class Worker:
    """One actor. It is made empty: what an actor is made with goes through Ray's control store."""

    def __init__(self) -> None:
        self._seal: RunSeal | None = None
        self._box: SealedBox | None = None
        self._work: Any = None

    def open(self, key: bytes, sealed_setup: bytes) -> bytes:
        """Load what the setup loads; (READY, facts) or (FATAL, error), sealed."""
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        self._seal = seal = RunSeal(key)
        try:
            setup, self._box = seal.open(sealed_setup)
            self._work = setup()
            return seal.close((READY, {"deidlab": deidlab.__version__, "processor": describe_processor()}))
        except BaseException as error:
            return seal.close((FATAL, portable(error)))

    def do(self, sealed_items: bytes) -> bytes:
        """The results of these items: (DONE, results) or (FATAL, error), sealed."""
        assert self._seal is not None
        seal = self._seal
        try:
            return seal.close((DONE, attempt(self._work, seal.open(sealed_items))))
        except BaseException as error:
            return seal.close((FATAL, portable(error)))

    def do_row(self, block: Any, row: int, number: int, sealed_beside: bytes) -> bytes:
        """The same for a row of a block that some node read."""
        assert self._seal is not None and self._box is not None
        seal = self._seal
        try:
            items = items_of_row(self._box, block, row, number)
            beside = seal.open(sealed_beside)
            if beside is not None:
                items = tuple(zip(items, beside, strict=True))
            return seal.close((DONE, attempt(self._work, items)))
        except BaseException as error:
            return seal.close((FATAL, portable(error)))
