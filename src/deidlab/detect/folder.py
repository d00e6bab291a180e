"""A folder with a tagger in, what is known of it out; a run wrote the folder, or `deidlab export`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab import conventions, languages
from deidlab.encode.tags import SCHEMES, spell_spans
from deidlab.errors import ModelError
from deidlab.jsonfile import read_object

if TYPE_CHECKING:
    from deidlab.encode.decoding import Scores

TAGGER = "tagger.json"
EXPORT = "export.json"
COMMITTEE = "committee.json"
TOKENIZER = "tokenizer.json"
STEPS = "steps.npy"
WEIGHTS = "model.safetensors"
SHAPES_KEY, STEPS_KEY = "deidlab.shapes.weight", "deidlab.steps"
"""The tensors there that DeidLab adds to a transformers model."""
TORCH, ONNX, OPENVINO = "torch", "onnx", "openvino"
FORMATS = (ONNX, OPENVINO)
DECODINGS = ("viterbi", "greedy", "crf")
CONVENTIONS = ("", *conventions.known())
_OLDER_NAMES = {"least": "phi_minimum", "customs": "conventions"}
TOGETHER = ("vote", "mean")
"""How the members of a committee answer as one."""


@dataclass(frozen=True, slots=True)
class TaggerFacts:
    """What prediction has to know of a tagger, whatever computes it.

    `words` is the way of cutting text, `window` and `stride` count pieces; `shapes` says whether the model
    takes the shapes of words too, `first_position` is the number of a window's first piece. `language` is
    that of the notes it is for, where the folder says so; where it names several, their codes in one. Words
    whose probabilities of all labels add up to `phi_minimum` are found too, where it is given. `conventions`
    names the corpus by whose conventions spans are redrawn, and `own_threshold` is the certainty that suits
    its measure best, for answers in the model's own labels.
    """

    tags: tuple[str, ...]
    window: int
    stride: int
    words: str
    decoding: str
    shapes: bool
    first_position: int
    language: str = ""
    phi_minimum: float | None = None
    conventions: str = ""
    own_threshold: float | None = None


@dataclass(frozen=True, slots=True)
class ExportFacts:
    """How an exported model is to be run.

    `precision` is fp32, bf16 or int8. `floats` is the type in which OpenVINO computes what is not int8, and
    `group` the number of neighbouring values of a piece that share an int8 scale (0: the model holds scales).
    """

    format: str
    precision: str
    model: str
    floats: str = "f32"
    group: int = 0
    fields: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)


def is_run(folder: Path) -> bool:
    """Whether a finished fine-tuning is in the folder, in the form that torch loads."""
    return all((folder / name).is_file() for name in (TAGGER, TOKENIZER, WEIGHTS, "config.json"))


def is_export(folder: Path) -> bool:
    return (folder / EXPORT).is_file()


def is_committee(folder: Path) -> bool:
    return (folder / COMMITTEE).is_file()


def read_committee(folder: Path) -> tuple[str, list[tuple[Path, str]]]:
    """How a committee answers, and the folders of its members with the digests of their weights."""
    path = folder / COMMITTEE
    table = read_object(path, ModelError)
    try:
        members = [(folder / str(row["folder"]), str(row["weights"])) for row in table["members"]]
        how = str(table["how"])
    except (KeyError, TypeError):
        raise ModelError(f"{path}: not the description of a committee") from None
    if how not in TOGETHER or not members:
        raise ModelError(f"{path}: no members, or a way of answering that this version does not know")
    return how, members


def read_tagger(folder: Path) -> TaggerFacts:
    """What the folder's `tagger.json` says, checked."""
    path = folder / TAGGER
    table = read_object(path, ModelError)
    table |= {new: table[old] for old, new in _OLDER_NAMES.items() if old in table}
    try:
        facts = TaggerFacts(
            tags=tuple(str(tag) for tag in table["tags"]),
            window=int(table["window"]),
            stride=int(table["stride"]),
            words=str(table["words"]),
            decoding=str(table["decoding"]),
            shapes=bool(table["shapes"]),
            first_position=int(table["first_position"]),
            language=_language(table),
            phi_minimum=_number(table, "phi_minimum"),
            conventions=str(table.get("conventions", "")),
            own_threshold=_number(table, "own_threshold"),
        )
    except (KeyError, TypeError, ValueError):
        raise ModelError(f"{path}: not the description of a tagger") from None
    if facts.tags and not spell_spans(facts.tags):
        raise ModelError(
            f"{path}: its tags would spell no spans, so nothing could be masked; expected are O and B-LABEL, "
            f"I-LABEL for every label, or the tags of {', '.join(list(SCHEMES)[1:])}"
        )
    if facts.decoding not in DECODINGS or facts.conventions not in CONVENTIONS or not facts.tags:
        raise ModelError(f"{path}: no tags, or a way of decoding that this version does not know")
    return facts


def read_export(folder: Path) -> ExportFacts:
    """What the folder's `export.json` says of its model, checked."""
    path = folder / EXPORT
    table = read_object(path, ModelError)
    try:
        facts = ExportFacts(
            format=str(table["format"]),
            precision=str(table["precision"]),
            model=str(table["model"]),
            floats=str(table["floats"]),
            group=int(table["group"]),
            fields=table,
        )
    except (KeyError, TypeError, ValueError):
        raise ModelError(f"{path}: not the record of an export") from None
    if facts.format not in FORMATS or Path(facts.model).name != facts.model:
        raise ModelError(f"{path}: an export of a kind that this version does not know")
    return facts


def read_steps(folder: Path, facts: TaggerFacts) -> Scores | None:
    """A CRF's steps between tags from an exported folder; None where the tagger has none."""
    if facts.decoding != "crf":
        return None
    # Imported here: commands name models, and say what is known of them, without computing anything.
    import numpy as np

    path = folder / STEPS
    try:
        steps = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        raise ModelError(f"{path}: the steps between tags cannot be read") from None
    if steps.shape != (len(facts.tags), len(facts.tags)):
        raise ModelError(f"{path}: the steps are for another number of tags")
    return np.asarray(steps, np.float32)


def _language(table: Mapping[str, Any]) -> str:
    """The code, or those of all `languages` in one."""
    several = table.get("languages")
    if several is None:
        return str(table.get("language", ""))
    if not isinstance(several, list) or not several or not all(isinstance(each, str) for each in several):
        raise ValueError
    return languages.JOINT.join(several)


def _number(table: Mapping[str, Any], name: str) -> float | None:
    return None if table.get(name) is None else float(table[name])
