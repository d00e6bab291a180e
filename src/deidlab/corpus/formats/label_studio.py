"""Label Studio: a JSON list of tasks, each with its data and what people (`annotations`) or programs marked.

    [{"id": 7, "data": {"text": "…"}, "annotations": [{"result": [{"type": "labels", "from_name": "label",
      "to_name": "text", "value": {"start": 0, "end": 5, "text": "…", "labels": ["DATE"]}}]}]}]

JSON_MIN, with the regions among the data, is read too; so are regions of `HyperText` by their global offsets.
Releases before 1.4 count UTF-16 units, later ones characters: the quoted text tells. Where a task has several
annotations, the ground truth counts, else the first, and predictions only where there is none.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from deidlab.corpus.files import read_text, refuse_nul
from deidlab.corpus.format import Format, OneText, register
from deidlab.corpus.raw import Annotation, BadDocument, RawDocument, ReadSettings, name_said, read_score
from deidlab.corpus.utf16 import as_quoted
from deidlab.errors import CorpusError
from deidlab.types import Document, Span

_KINDS = ("labels", "hypertextlabels")
_BEGINS = re.compile(
    rb'\A\[\s*\{[^\x00]*?"(?:annotations|predictions|annotation_id)"\s*:\s*(?:\[|\d)|\A\[\s*\{\s*"data"\s*:\s*\{'
)
# What an export in one level has beside the data of the task.
_MINIMAL = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")
_OTHERS, _UNLABELLED, _FURTHER = "results of other kinds", "regions without a label", "further annotations"


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    try:
        tasks = json.loads(read_text(path, settings.encoding))
    except (ValueError, RecursionError):
        raise CorpusError(f"{path}: is not JSON that can be read") from None
    if not isinstance(tasks, list):
        raise CorpusError(f"{path}: is not a list of tasks")
    for number, task in enumerate(tasks, 1):
        yield _read_task(path, number, task, settings)


def _read_task(path: Path, number: int, task: Any, settings: ReadSettings) -> RawDocument | BadDocument:
    name = f"{path.name.removesuffix('.json')}-{number}"
    if not isinstance(task, dict) or not isinstance(task.get("data", {}), dict):
        return BadDocument(path, f"task {number} is not an object with its data", name)
    data = dict(task["data"]) if "data" in task else _minimal_data(task)
    id_column, patient_column, _ = settings.own_columns
    said = name_said(data.pop(id_column, None)) or name_said(task.get("id"))
    patient = name_said(data.pop(patient_column, None))
    text = _take_text(data, settings.text_column)
    if text is None:
        return BadDocument(path, f"task {number}: which field is its text? name it with --text-column", name)
    skipped: Counter[str] = Counter()
    try:
        results = _chosen(task, skipped) if "data" in task else _minimal_regions(task)
        found = [each for result in results for each in _read_region(result, text, skipped)]
    except (TypeError, KeyError, ValueError, AttributeError):
        return BadDocument(path, f"task {number}: its regions are not as Label Studio writes them", name)
    more = data.pop("meta", None)
    meta = {**data, **(more if isinstance(more, dict) else {})}
    return RawDocument(
        path, said or name, text, as_quoted(text, found), patient, meta, skipped, named_by_file=not said
    )


def _take_text(data: dict[str, Any], column: str) -> str | None:
    """The text of a task's data: of the column that is named, else the only one that is a string."""
    texts = [name for name, value in data.items() if isinstance(value, str)]
    chosen = column if column in data else texts[0] if len(texts) == 1 else None
    value = None if chosen is None else data.pop(chosen)
    return value if isinstance(value, str) else None


def _minimal_data(task: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in task.items() if name not in _MINIMAL and not _has_regions(value)}


def _minimal_regions(task: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Regions as a full export has them."""
    values = (each for value in task.values() if _has_regions(value) for each in value)
    return [{"type": next((kind for kind in _KINDS if kind in each), ""), "value": each} for each in values]


def _has_regions(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) and "start" in each for each in value)


def _chosen(task: Mapping[str, Any], skipped: Counter[str]) -> list[Any]:
    """The regions of the annotation, or else of the prediction, that counts."""
    done = [each for each in task.get("annotations") or () if not each.get("was_cancelled")]
    if done:
        skipped[_FURTHER] += len(done) - 1
        return list(next((each for each in done if each.get("ground_truth")), done[0])["result"])
    guessed = task.get("predictions") or ()
    skipped[_FURTHER] += max(0, len(guessed) - 1)
    return [result for each in guessed[:1] for result in each["result"]]


def _read_region(result: dict[str, Any], text: str, skipped: Counter[str]) -> Iterator[Annotation]:
    """A span for each label of a region; anything that is no region raises."""
    kind, value = result.get("type"), result["value"]
    if kind not in _KINDS:
        skipped[_OTHERS] += 1
        return
    start, end = _offsets(value)
    quoted, labels = value.get("text"), value.get(kind) or ()
    source = (result.get("meta") or {}).get("text") or [""]
    if isinstance(quoted, str) and "\\n" in quoted and "\\n" not in text:
        # So are line ends written in a quote.
        quoted = quoted.replace("\\n", "\n")
    if not all(isinstance(each, str) for each in (quoted or "", *labels, *source)):
        raise TypeError
    skipped[_UNLABELLED] += not labels
    for label in labels:
        yield Annotation(start, end, label, quoted, read_score(result.get("score")), source[0])


def _offsets(value: Mapping[str, Any]) -> tuple[int, int]:
    places = value.get("globalOffsets") or value
    start, end = places["start"], places["end"]
    if start == end == "/text()[1]":
        start, end = value["startOffset"], value["endOffset"]
    if type(start) is not int or type(end) is not int:
        raise TypeError
    return start, end


def render(document: Document, losses: Counter[str]) -> str:
    """The document's task: what a model found becomes predictions, which people then correct."""
    refuse_nul(document.text, Path(document.id))
    regions = [_region(document.text, number, span) for number, span in enumerate(document.spans, 1)]
    said = {"id": document.id, "patient": document.patient, "text": document.text}
    data = {**said, "meta": dict(document.meta)} if document.meta else said
    if any(span.score is not None or span.source for span in document.spans):
        marked = {"predictions": [{"model_version": "deidlab", "result": regions}]}
    else:
        marked = {"annotations": [{"result": regions}] if regions else []}
    return json.dumps({"data": data, **marked}, ensure_ascii=False)


def _region(text: str, number: int, span: Span) -> dict[str, Any]:
    value = {
        "start": span.start,
        "end": span.end,
        "text": text[span.start : span.end],
        "labels": [span.label],
    }
    region: dict[str, Any] = {
        "id": f"s{number}",
        "type": "labels",
        "from_name": "label",
        "to_name": "text",
        "value": value,
    }
    if span.score is not None:
        region["score"] = span.score
    return {**region, "meta": {"text": [span.source]}} if span.source else region


def begins(head: bytes) -> bool:
    return _BEGINS.search(head) is not None


FORMAT = register(
    Format(
        name="label-studio",
        suffixes=(".json",),
        read=read,
        begins=begins,
        one=OneText(render, "[\n", "\n]\n", ",\n"),
        media_type="application/json",
        is_special=True,
    )
)
