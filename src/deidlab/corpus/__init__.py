"""Corpora in and out: one file a format, and split, stats, check, merge."""

from deidlab.corpus.format import FORMATS
from deidlab.corpus.formats import find_format, recognise_format
from deidlab.corpus.raw import BadDocument, Problem, ReadSettings
from deidlab.corpus.reading import ReadReport, read_corpus
from deidlab.corpus.writing import write_corpus

__all__ = [
    "FORMATS",
    "BadDocument",
    "Problem",
    "ReadReport",
    "ReadSettings",
    "find_format",
    "read_corpus",
    "recognise_format",
    "write_corpus",
]
