"""Word documents (.docx): a letter is a file, and stays one."""

from __future__ import annotations

from deidlab.carriers.docx import Docx, begins
from deidlab.corpus.carried import container_a_file
from deidlab.corpus.format import register

FORMAT = register(container_a_file("docx", Docx(), (".docx", ".docm", ".dotx"), begins))
