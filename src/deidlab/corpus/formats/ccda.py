"""C-CDA and CDA R2: a document is a file."""

from __future__ import annotations

from deidlab.carriers.ccda import CCDA, begins
from deidlab.corpus.carried import container_a_file
from deidlab.corpus.format import register

FORMAT = register(container_a_file("ccda", CCDA(), (".xml", ".cda", ".ccda"), begins, is_special=True))
