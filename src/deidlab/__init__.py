"""DeidLab: take the identity out of clinical text.

The public names are those listed in `__all__`; everything else may move between releases. None of them costs
anything before it is used: each is looked up when it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deidlab.corpus import read_corpus, write_corpus
    from deidlab.easy import load
    from deidlab.easy.scoring import score
    from deidlab.easy.studies import run_study
    from deidlab.errors import (
        AlignmentError,
        ConfigError,
        CorpusError,
        DeidError,
        MissingColumnError,
        MissingExtraError,
        ModelError,
        NoSpaceError,
        UnknownNameError,
        UsageError,
    )
    from deidlab.train.calling import train
    from deidlab.types import Document, MaskedDocument, Span

__version__ = "0.1.0.dev0"

__all__ = [
    "AlignmentError",
    "ConfigError",
    "CorpusError",
    "DeidError",
    "Document",
    "MaskedDocument",
    "MissingColumnError",
    "MissingExtraError",
    "ModelError",
    "NoSpaceError",
    "Span",
    "UnknownNameError",
    "UsageError",
    "__version__",
    "load",
    "read_corpus",
    "run_study",
    "score",
    "train",
    "write_corpus",
]

_HOMES = {
    "Document": "types",
    "MaskedDocument": "types",
    "Span": "types",
    "load": "easy",
    "read_corpus": "corpus",
    "run_study": "easy.studies",
    "score": "easy.scoring",
    "write_corpus": "corpus",
}


def __getattr__(name: str) -> Any:
    if name == "train":
        # The stage of that name, which can be called: once it is imported, Python finds it here before us.
        return import_module("deidlab.train")
    if name in __all__:
        return getattr(import_module(f"deidlab.{_HOMES.get(name, 'errors')}"), name)
    raise AttributeError(f"module 'deidlab' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__
