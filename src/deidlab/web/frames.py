"""What travels between a server and its workers: eight bytes of length and a pickle.

Pickles are safe here, since both ends are this server's own processes and the pipes nobody else's.
"""

from __future__ import annotations

import pickle
import struct
from typing import Any

LENGTH = struct.Struct(">Q")


def pack(value: object) -> bytes:
    """A frame."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(data)) + data


def length_of(head: bytes) -> int:
    """How many bytes follow the head of a frame."""
    (length,) = LENGTH.unpack(head)
    return int(length)


def unpack(data: bytes) -> Any:
    """What is in a frame after its head."""
    return pickle.loads(data)
