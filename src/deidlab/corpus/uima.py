"""Annotations of a UIMA CAS, as its XML and its JSON have them alike, and those that we write.

Offsets count UTF-16 units. A PHI span is a `NamedEntity`, whose `value` is its label, or an annotation of a
layer that somebody made (`custom.…`, `webanno.custom.…`), whose label stands in one of its features. Tokens,
sentences and all else that programs add are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deidlab.corpus.files import refuse_nul
from deidlab.corpus.raw import Annotation
from deidlab.corpus.utf16 import Units
from deidlab.errors import CorpusError
from deidlab.types import Document

ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
DOCUMENT = "uima.tcas.DocumentAnnotation"
SOFA = "uima.cas.Sofa"
VIEW = "_InitialView"
FEATURES = ("value", "identifier")
"""Those of an entity, of which the first is its label."""
LACKS = ("scores and sources",)

_LAYERS = ("custom.", "webanno.custom.")
_LABELS = ("label", "value", "kind", "type", "category")
_ANNOTATION = frozenset(("sofa", "begin", "end"))
_UNLABELLED = "annotations without a label"


@dataclass(frozen=True, slots=True)
class Structure:
    """A feature structure: its type, and its features of text and numbers."""

    type: str
    features: Mapping[str, Any] = field(repr=False)


def read_text(structures: Iterable[Structure]) -> str:
    """The one text of a CAS."""
    found = [each.features.get("sofaString") for each in structures if each.type == SOFA]
    texts = [each for each in found if isinstance(each, str)]
    if len(texts) > 1:
        raise CorpusError(f"it has {len(texts)} views with a text, and one is expected; export each alone")
    if not texts:
        raise CorpusError("it has no text")
    return texts[0]


def read_annotations(
    structures: Iterable[Structure], text: str, skipped: Counter[str]
) -> tuple[Annotation, ...]:
    """The spans that people marked, in offsets of ours."""
    units = Units(text)
    found = []
    for each in structures:
        if each.type == ENTITY:
            label = each.features.get("value")
        elif each.type.startswith(_LAYERS) and each.features.keys() >= {"begin", "end"}:
            label = _label_of(each.features)
        else:
            continue
        if not isinstance(label, str) or not label:
            skipped[_UNLABELLED] += 1
            continue
        start, end = (_offset(each.features.get(name)) for name in ("begin", "end"))
        found.append(units.to_characters(Annotation(start, end, label)))
    return tuple(found)


def _label_of(features: Mapping[str, Any]) -> Any:
    """The label among the features of a layer that somebody made: of the usual name, or the only one.

    A number is a reference to another structure; a name with a sign before it is the format's own.
    """
    own = {
        name: value
        for name, value in features.items()
        if name not in _ANNOTATION and name[:1].isalpha() and isinstance(value, str) and not value.isdecimal()
    }
    usual = next((own[name] for name in _LABELS if name in own), None)
    return usual or (next(iter(own.values())) if len(own) == 1 else None)


def _offset(value: Any) -> int:
    # A number of more digits is no place in a note, and one of thousands is more than `int` takes.
    if isinstance(value, str) and value.isdecimal() and len(value) < 20:
        return int(value)
    # What is zero may be left out.
    if value is None:
        return 0
    if type(value) is not int:
        raise CorpusError("an annotation in it has no begin and end in whole numbers")
    return value


def structures_of(document: Document, losses: Counter[str]) -> list[Structure]:
    """The CAS of a document: its text, the document's own annotation, and an entity for each span."""
    refuse_nul(document.text, Path(document.id))
    losses[LACKS[0]] += sum(span.score is not None or bool(span.source) for span in document.spans)
    units = Units(document.text)
    sofa = {"sofaNum": 1, "sofaID": VIEW, "mimeType": "text", "sofaString": document.text}
    whole = {"begin": 0, "end": units.of(len(document.text)), "language": "x-unspecified"}
    entities = [
        {"begin": units.of(span.start), "end": units.of(span.end), "value": span.label}
        for span in document.spans
    ]
    return [
        Structure(SOFA, sofa),
        Structure(DOCUMENT, whole),
        *(Structure(ENTITY, each) for each in entities),
    ]
