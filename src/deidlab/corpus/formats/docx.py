"""Word documents (.docx): a letter is a file, and stays one."""

from __future__ import annotations

from deidlab.carriers.beginnings import is_docx
from deidlab.carriers.on_demand import OnDemand
from deidlab.corpus.carried import container_a_file
from deidlab.corpus.format import register

_CARRIER = OnDemand("docx", "Docx")
FORMAT = register(container_a_file("docx", _CARRIER, (".docx", ".docm", ".dotx"), is_docx))
