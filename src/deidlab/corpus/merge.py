"""Several corpora in, one out, with labels mapped to one set and each document's origin kept in `meta`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace

from deidlab.errors import CorpusError
from deidlab.labels import LabelSet, is_shipped_label
from deidlab.types import Document, Span

PROVENANCE = "corpus"
ORIGINAL_ID = "corpus_id"


@dataclass(slots=True)
class MergeReport:
    """Documents taken from each corpus; spans dropped or kept as they were, by corpus and label."""

    documents: Counter[str] = field(default_factory=Counter)
    spans: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    unmapped: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> dict[str, dict[str, int]]:
        return {each.name: dict(getattr(self, each.name)) for each in fields(self)}


@dataclass(frozen=True, slots=True)
class Source:
    """One corpus to merge; `mapping` takes its labels to those of the target (empty: drop the span)."""

    name: str
    documents: Iterable[Document]
    mapping: Mapping[str, str]


def relabel(document: Document, mapping: Mapping[str, str]) -> Document:
    """The document with its labels mapped; a label mapped to the empty string is dropped, others stay."""
    spans = tuple(
        replace(span, label=label)
        for span in document.spans
        if (label := mapping.get(span.label, span.label))
    )
    return replace(document, spans=spans)


def merge_corpora(
    sources: Iterable[Source], labels: LabelSet, unmapped: str = "error", report: MergeReport | None = None
) -> Iterator[Document]:
    """Every document of every corpus, its id and patient prefixed with the corpus's name.

    Patients of two corpora are two people even where their numbers agree, hence the prefix. A label that
    is neither mapped nor in the target set is an error, or with `unmapped` kept or dropped, and counted.
    """
    report = report if report is not None else MergeReport()
    for source in sources:
        for document in source.documents:
            report.documents[source.name] += 1
            spans = tuple(_map_spans(document, source, labels, unmapped, report))
            report.spans[source.name] += len(spans)
            yield Document(
                id=f"{source.name}.{document.id}",
                patient=f"{source.name}.{document.patient}",
                text=document.text,
                spans=spans,
                meta={**document.meta, PROVENANCE: source.name, ORIGINAL_ID: document.id},
            )


def _map_spans(
    document: Document, source: Source, labels: LabelSet, unmapped: str, report: MergeReport
) -> Iterator[Span]:
    for span in document.spans:
        target = source.mapping.get(span.label, span.label if span.label in labels else None)
        if target is None:
            if unmapped == "error":
                raise CorpusError(
                    f"corpus {source.name}, document {document.id}: {_shown(span.label, 'the label')} of "
                    f"span {span.start}–{span.end} has no place in {labels.name}; give a map with --map "
                    f"{source.name}=FILE, or say --unmapped keep or drop"
                )
            report.unmapped[f"{source.name} {_shown(span.label)}"] += 1
            target = span.label if unmapped == "keep" else ""
        if not target:
            # A label that the map names is the person's own word.
            shown = span.label if span.label in source.mapping else _shown(span.label)
            report.dropped[f"{source.name} {shown}"] += 1
            continue
        yield replace(span, label=target) if target != span.label else span


def _shown(label: str, what: str = "") -> str:
    """A label by its name where that is ours; any other may be a word of a note."""
    name = label if is_shipped_label(label) else ""
    return " ".join(filter(None, (what, name))) or "other labels"
