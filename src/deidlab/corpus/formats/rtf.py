"""RTF (.rtf): a letter is a file, and stays one."""

from __future__ import annotations

from deidlab.carriers.beginnings import is_rtf
from deidlab.carriers.on_demand import OnDemand
from deidlab.corpus.carried import container_a_file
from deidlab.corpus.format import register

_CARRIER = OnDemand("rtf", "RTF")
FORMAT = register(container_a_file("rtf", _CARRIER, (".rtf",), is_rtf))
