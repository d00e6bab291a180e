"""What `import deidlab` gives: this list and nothing else, at once and without a library."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import deidlab
from deidlab import errors

PUBLIC = [
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


def test_the_public_names_are_these() -> None:
    assert dir(deidlab) == deidlab.__all__ == PUBLIC
    for name in PUBLIC:
        assert getattr(deidlab, name) is not None
        assert name == "__version__" or getattr(deidlab, name).__doc__, f"{name} does not say what it does"
    with pytest.raises(AttributeError, match="has no attribute 'Window'"):
        _ = deidlab.Window  # type: ignore[attr-defined]


def test_every_error_is_public() -> None:
    tree = {
        name for name, each in vars(errors).items() if inspect.isclass(each) and issubclass(each, Exception)
    }
    assert tree == {name for name in PUBLIC if name.endswith("Error")}


@pytest.mark.parametrize("first", ["import deidlab.train.settings", "deidlab.train", "pass"])
def test_training_can_be_called_whatever_was_imported_before(first: str) -> None:
    script = f"import deidlab; {first}; deidlab.train('nowhere', 'bert-base-cased', 'out')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "CorpusError: nowhere: no such file or folder" in done.stderr, done.stderr


def test_importing_it_loads_nothing_and_masking_by_rules_neither_torch_nor_a_data_frame() -> None:
    script = (
        "import sys; before = set(sys.modules); import deidlab; dir(deidlab)\n"
        "assert {name for name in set(sys.modules) - before if name.startswith('deidlab')} == {'deidlab'}\n"
        "deidlab.load(None, rules='only').mask_all(['Seen on 3/14/2071.'])\n"
        "assert {'torch', 'transformers', 'pandas', 'polars', 'pyarrow', 'scipy'}.isdisjoint(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
