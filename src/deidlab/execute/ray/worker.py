"""What runs in an actor: sealed values in, sealed answers out.

Nothing else ever leaves it. Ray would print an exception with its arguments, keep it in logs and send it on;
so every error becomes a value of ours, and a worker prints nothing.
"""

from __future__ import annotations

import os
from typing import Any

from deidlab.execute.ray.reading import items_of_row
from deidlab.execute.ray.sealing import RunSeal, SealedBox
from deidlab.execute.workers import BROKEN, FATAL, Serve, answer, begin


class Worker:
    """One actor. It is made empty: what an actor is made with goes through Ray's control store."""

    def __init__(self) -> None:
        self._seal: RunSeal | None = None
        self._box: SealedBox | None = None
        self._serve: Serve | None = None

    def open(self, key: bytes, sealed: bytes) -> bytes:
        """Load what the start-up loads; (READY, facts) or (FATAL, error), sealed."""
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        self._seal = seal = RunSeal(key)

        def start() -> Serve:
            own, self._box = seal.open(sealed)
            serve: Serve = own()
            return serve

        self._serve, kind, value = begin(start)
        return seal.close((kind, value if kind == FATAL else value | {"node": _node()}))

    def do(self, sealed: bytes, block: object = None) -> bytes:
        """The answer to a value, or to a row of a block that some node read, sealed."""
        assert self._seal is not None and self._serve is not None
        seal, serve = self._seal, self._serve
        kind, value = answer(lambda packed: serve(self._open(packed, block)), sealed)
        try:
            return seal.close((kind, value))
        except Exception as error:
            # An answer that cannot travel is as good as none; of the error only its kind is told.
            return seal.close((BROKEN, f"internal error ({type(error).__name__})"))

    def _open(self, sealed: bytes, block: object) -> Any:
        assert self._seal is not None
        value = self._seal.open(sealed)
        if block is None:
            return value
        assert self._box is not None
        row, number, beside = value
        items = items_of_row(self._box, block, row, number)
        return items if beside is None else tuple(zip(items, beside, strict=True))


def _node() -> str:
    import ray

    return str(ray.get_runtime_context().get_node_id())
