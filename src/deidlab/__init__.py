"""DeidLab: take the identity out of clinical text.

The public names are those listed in `__all__`; everything else may move between releases.
"""

from deidlab.easy import load
from deidlab.errors import (
    AlignmentError,
    ConfigError,
    CorpusError,
    DeidError,
    MissingExtraError,
    ModelError,
    UnknownNameError,
)
from deidlab.types import Counts, Document, MaskedDocument, Misfit, Span, TaggedDocument, Window

__version__ = "0.1.0.dev0"

__all__ = [
    "AlignmentError",
    "ConfigError",
    "CorpusError",
    "Counts",
    "DeidError",
    "Document",
    "MaskedDocument",
    "Misfit",
    "MissingExtraError",
    "ModelError",
    "Span",
    "TaggedDocument",
    "UnknownNameError",
    "Window",
    "__version__",
    "load",
]
