"""The header of a safetensors file: names and shapes, without a single weight and without any library.

A file comes in; its tensors go out in the order of the file.
"""

from __future__ import annotations

import json
from pathlib import Path

from deidlab.errors import ModelError
from deidlab.zoo.params import Tensor

# The format's own limit on the length of a header.
MAX_HEADER_BYTES = 100_000_000
_LENGTH_BYTES = 8


def read_stored_tensors(path: Path) -> tuple[Tensor, ...]:
    """The tensors that a safetensors file says it holds; the rest of the file is not read."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            if not 0 < length <= min(MAX_HEADER_BYTES, size - _LENGTH_BYTES):
                raise ModelError(f"{path}: not a safetensors file (its header would have {length} bytes)")
            text = file.read(length)
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or 'cannot be read'}") from None
    try:
        header = json.loads(text)
        found = [
            (_size(facts["data_offsets"][0]), Tensor(name, tuple(_size(size) for size in facts["shape"])))
            for name, facts in header.items()
            if name != "__metadata__"
        ]
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise ModelError(
            f"{path}: the header of this safetensors file is damaged ({type(error).__name__})"
        ) from None
    return tuple(tensor for _, tensor in sorted(found, key=lambda pair: pair[0]))


def _size(value: object) -> int:
    if type(value) is not int or not 0 <= value < 2**63:
        raise ValueError
    return value
