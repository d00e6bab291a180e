"""Documents in, counts out: words and spans by label and part, as in Table 3 of the 2022 study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from deidlab.encode.tags import spans_to_tags
from deidlab.errors import CorpusError
from deidlab.labels import OUTSIDE, LabelSet, split_tag
from deidlab.types import Document, TaggedDocument

ALL = "all"


@dataclass(slots=True)
class PartCounts:
    """One part of a corpus, counted; `misfits` are spans that its BIO tags could not hold."""

    documents: int = 0
    words: int = 0
    misfits: int = 0
    words_by_label: Counter[str] = field(default_factory=Counter)
    spans_by_label: Counter[str] = field(default_factory=Counter)
    patients: set[str] = field(default_factory=set, repr=False)

    @property
    def spans(self) -> int:
        return self.spans_by_label.total()

    @property
    def phi_words(self) -> int:
        return self.words_by_label.total()

    def add(self, document: Document, style: str, labels: LabelSet | None) -> None:
        tagged = spans_to_tags(document, style=style)
        # White space at a span's edge is a word for the tags' sake only.
        by_label = Counter(
            split_tag(tag)[1]
            for (start, end), tag in zip(tagged.words, tagged.tags, strict=True)
            if tag != OUTSIDE and not document.text[start:end].isspace()
        )
        n_blank = sum(tag != OUTSIDE for tag in tagged.tags) - by_label.total()
        self.documents += 1
        self.patients.add(document.patient)
        self.words += len(tagged.words) - n_blank
        self.words_by_label += by_label
        self.spans_by_label.update(span.label for span in document.spans)
        self.misfits += len(_tag_with_set(document, tagged, style, labels).misfits)


def _tag_with_set(
    document: Document, tagged: TaggedDocument, style: str, labels: LabelSet | None
) -> TaggedDocument:
    return tagged if labels is None else spans_to_tags(document, labels, style)


def count_corpus(
    documents: Iterable[Document],
    part_of: Mapping[str, str] | None = None,
    style: str = "runs",
    labels: LabelSet | None = None,
) -> dict[str, PartCounts]:
    """The counts of each part, in the order of `part_of`; without it, of the one part `all`."""
    parts = (
        {part: PartCounts() for part in dict.fromkeys(part_of.values())} if part_of else {ALL: PartCounts()}
    )
    missing = set(part_of or ())
    for document in documents:
        missing.discard(document.id)
        part = part_of.get(document.id) if part_of else ALL
        if part is None:
            raise CorpusError(
                f"document {document.id} is not in the split's manifest; split the corpus again"
            )
        parts[part].add(document, style, labels)
    if missing:
        raise CorpusError(
            f"{len(missing)} documents of the split's manifest are not in the corpus, such as {min(missing)}"
        )
    return parts


def row_labels(parts: Mapping[str, PartCounts], labels: LabelSet | None = None) -> list[str]:
    """The labels of a table's rows: those of the set, or those seen, the first part's most frequent first."""
    if labels is not None:
        return list(labels.labels)
    seen = {label for part in parts.values() for label in (*part.words_by_label, *part.spans_by_label)}
    return sorted(seen, key=lambda label: (*(-part.words_by_label[label] for part in parts.values()), label))
