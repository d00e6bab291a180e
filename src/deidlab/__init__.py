"""DeidLab: take the identity out of clinical text.

The public names are those listed in `__all__`; everything else may move between releases.
"""

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from deidlab.easy import load

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


def __getattr__(name: str) -> Any:
    """`deidlab.load` stands above every stage, and is only looked up when someone asks for it."""
    if name == "load":
        from importlib import import_module

        return import_module("deidlab.easy").load
    raise AttributeError(f"module 'deidlab' has no attribute '{name}'")
