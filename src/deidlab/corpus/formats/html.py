"""HTML letters: a page is a file, and stays one."""

from __future__ import annotations

from deidlab.carriers.beginnings import is_html
from deidlab.carriers.on_demand import OnDemand
from deidlab.corpus.carried import container_a_file
from deidlab.corpus.format import register

_CARRIER = OnDemand("html", "HTMLLetter")
FORMAT = register(container_a_file("html", _CARRIER, (".html", ".htm"), is_html))
