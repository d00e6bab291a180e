"""A carrier by name: its module is loaded with the first container, not with the list of formats."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Sequence
from typing import Any

from deidlab.carriers.carrier import Carrier, Parts
from deidlab.errors import needing


class OnDemand:
    """The carrier `name` of a module beside this one; `extra`: the library it needs, and what brings it."""

    def __init__(self, module: str, name: str, extra: tuple[str, str] | None = None, **options: Any) -> None:
        self._module, self._name, self._extra, self._options = module, name, extra, options

    def take_apart(self, content: bytes) -> Parts:
        return self._carrier().take_apart(content)

    def put_together(self, content: bytes, texts: Sequence[str]) -> bytes:
        return self._carrier().put_together(content, texts)

    def _carrier(self) -> Carrier:
        with needing(*self._extra) if self._extra else contextlib.nullcontext():
            module = importlib.import_module(f"deidlab.carriers.{self._module}")
        made: Carrier = getattr(module, self._name)(**self._options)
        return made
