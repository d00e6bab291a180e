"""PDF (.pdf) with a text layer: a letter is a file, and stays one."""

from __future__ import annotations

from collections.abc import Sequence

from deidlab.carriers import Carrier, Parts
from deidlab.corpus.carried import container_a_file
from deidlab.corpus.format import register
from deidlab.errors import needing


class _OnDemand:
    """The carrier, of which nothing is loaded before there is a file."""

    def take_apart(self, content: bytes) -> Parts:
        return _carrier().take_apart(content)

    def put_together(self, content: bytes, texts: Sequence[str]) -> bytes:
        return _carrier().put_together(content, texts)


def _carrier() -> Carrier:
    with needing("pdf", "pdf"):
        from deidlab.carriers.pdf import PDF
    return PDF()


FORMAT = register(
    container_a_file(
        "pdf", _OnDemand(), (".pdf",), lambda head: head.startswith(b"%PDF-"), extra=("pikepdf", "pdf")
    )
)
