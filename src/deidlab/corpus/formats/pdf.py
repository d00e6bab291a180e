"""PDF (.pdf) with a text layer: a letter is a file, and stays one."""

from __future__ import annotations

from deidlab.carriers.on_demand import OnDemand
from deidlab.corpus.carried import container_a_file
from deidlab.corpus.format import register

_CARRIER = OnDemand("pdf", "PDF", ("pdf", "pdf"))
FORMAT = register(
    container_a_file(
        "pdf", _CARRIER, (".pdf",), lambda head: head.startswith(b"%PDF-"), extra=("pikepdf", "pdf")
    )
)
