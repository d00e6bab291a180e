"""HTML letters: a page is a file, and stays one."""

from __future__ import annotations

from deidlab.carriers.html import HTMLLetter, begins
from deidlab.corpus.carried import container_a_file
from deidlab.corpus.format import register

FORMAT = register(container_a_file("html", HTMLLetter(), (".html", ".htm"), begins))
