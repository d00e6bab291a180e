"""C-CDA and CDA R2: a document is a file."""

from __future__ import annotations

from deidlab.carriers.beginnings import is_ccda
from deidlab.carriers.on_demand import OnDemand
from deidlab.corpus.carried import container_a_file
from deidlab.corpus.format import register

_CARRIER = OnDemand("ccda", "CCDA")
FORMAT = register(container_a_file("ccda", _CARRIER, (".xml", ".cda", ".ccda"), is_ccda, is_special=True))
