"""HL7 v2: messages of any kind, alone, one after another or in a batch."""

from __future__ import annotations

from deidlab.carriers.hl7v2 import HL7v2, begins, split_messages
from deidlab.corpus.carried import containers_in_a_file
from deidlab.corpus.format import register

FORMAT = register(containers_in_a_file("hl7v2", HL7v2(), split_messages, (".hl7",), begins))
