"""UIMA CAS as JSON, version 0.4, as INCEpTION and DKPro Cassis write it: a file a note, its types in it.

{"%TYPES": {…}, "%FEATURE_STRUCTURES": [{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": "…"}, …],
 "%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": [2, 3]}}}
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deidlab.corpus import uima
from deidlab.corpus.files import SIDECAR, name_to_id, read_sidecar
from deidlab.corpus.format import Format, register
from deidlab.corpus.raw import BadDocument, RawDocument, ReadSettings
from deidlab.corpus.uima import ENTITY, FEATURES, SOFA, VIEW, Structure
from deidlab.errors import CorpusError
from deidlab.jsonfile import read_object
from deidlab.types import Document

_STRUCTURES = "%FEATURE_STRUCTURES"


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    if path.name.endswith(SIDECAR):
        return
    found = read_object(path, CorpusError).get(_STRUCTURES)
    structures = [
        Structure(each["%TYPE"], each)
        for each in _each(found, path)
        if isinstance(each, dict) and isinstance(each.get("%TYPE"), str)
    ]
    skipped: Counter[str] = Counter()
    text = uima.read_text(structures)
    annotations = uima.read_annotations(structures, text, skipped)
    stem = path.name.removesuffix(path.suffix)
    patient, meta = read_sidecar(path, stem)
    yield RawDocument(path, name_to_id(stem), text, annotations, patient, meta, skipped, named_by_file=True)


def _each(found: Any, path: Path) -> list[Any]:
    """The structures, in a list or by their numbers."""
    if isinstance(found, dict):
        return list(found.values())
    if not isinstance(found, list):
        raise CorpusError(f"{path}: has no {_STRUCTURES}; is it UIMA JSON of version 0.4?")
    return found


def render(document: Document, losses: Counter[str]) -> dict[str, bytes]:
    """The file of one document."""
    structures = [
        {"%ID": number, "%TYPE": each.type, **({} if each.type == SOFA else {"@sofa": 1}), **each.features}
        for number, each in enumerate(uima.structures_of(document, losses), 1)
    ]
    features = {name: {"%NAME": name, "%RANGE": "uima.cas.String"} for name in FEATURES}
    types = {ENTITY: {"%NAME": ENTITY, "%SUPER_TYPE": "uima.tcas.Annotation", **features}}
    members = [each["%ID"] for each in structures[1:]]
    cas = {
        "%TYPES": types,
        _STRUCTURES: structures,
        "%VIEWS": {VIEW: {"%SOFA": 1, "%MEMBERS": members}},
    }
    return {".json": (json.dumps(cas, ensure_ascii=False, indent=1) + "\n").encode()}


def begins(head: bytes) -> bool:
    return head.startswith(b"{") and (b'"%TYPES"' in head or _STRUCTURES.encode() in head)


FORMAT = register(
    Format(
        name="uima-json",
        suffixes=(".json",),
        read=read,
        begins=begins,
        render=render,
        lacks=uima.LACKS,
        first_notes=None,
        media_type="application/json",
        is_special=True,
    )
)
