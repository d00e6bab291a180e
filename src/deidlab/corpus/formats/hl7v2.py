"""HL7 v2: messages of any kind, alone, one after another or in a batch."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from deidlab.carriers.beginnings import is_hl7v2
from deidlab.carriers.on_demand import OnDemand
from deidlab.corpus.carried import containers_in_a_file
from deidlab.corpus.files import read_bytes
from deidlab.corpus.format import register


def messages_of(path: Path) -> Iterable[bytes]:
    from deidlab.carriers.hl7v2 import split_messages

    return split_messages(read_bytes(path))


_CARRIER = OnDemand("hl7v2", "HL7v2")
FORMAT = register(containers_in_a_file("hl7v2", _CARRIER, messages_of, (".hl7",), is_hl7v2))
