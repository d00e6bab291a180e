"""RTF (.rtf): a letter is a file, and stays one."""

from __future__ import annotations

from deidlab.carriers.rtf import RTF, begins
from deidlab.corpus.carried import container_a_file
from deidlab.corpus.format import register

FORMAT = register(container_a_file("rtf", RTF(), (".rtf",), begins))
