"""A masked note and its facts in, the name of its stratum out; and what each stratum looks like, in counts.

Strata are made of how sure the detector was, of the language, and of columns that masked notes still have.
A stratum is named in the protocol only if enough notes are in it: rarer values are put together, so that
no single note's value is told.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from deidlab import languages
from deidlab.encode.words import find_words
from deidlab.errors import ConfigError
from deidlab.labels import is_shipped_label
from deidlab.report.audit.record import NoteFacts, RunRecord
from deidlab.types import Document

ALL, OTHER = "all notes", "other"
FEWEST = 20
MOST_STRATA = 24
_SURE = 0.8
_LONGEST_NAME = 40
_COLUMN = "column:"


@dataclass(frozen=True, slots=True)
class Seen:
    """What is counted of one masked note; `words` are those outside replacements."""

    name: str
    patient: str
    stratum: str
    n_words: int
    labels: Counter[str]
    scores: tuple[float, ...]
    words: frozenset[int] = field(repr=False)
    digest: bytes = field(repr=False)


def look_at(record: RunRecord, by: Sequence[str]) -> Iterator[Seen]:
    """Every note of a run, counted."""
    name_stratum = naming(by)
    for document, facts in record.documents():
        yield _see(document, facts, name_stratum(document, facts))


def naming(by: Sequence[str]) -> Callable[[Document, NoteFacts], str]:
    """How notes are put into strata; a way that there is not is an error."""
    ways = [_way(each) for each in by]
    return lambda document, facts: " · ".join(way(document, facts) for way in ways) or ALL


def _way(name: str) -> Callable[[Document, NoteFacts], str]:
    if name == "certainty":
        return _by_certainty
    if name == "language":
        return _by_language
    if name.startswith(_COLUMN) and len(name) > len(_COLUMN):
        return lambda document, facts: _by_column(document, name.removeprefix(_COLUMN))
    raise ConfigError("strata are made by 'certainty', 'language' or 'column:NAME' (--by)")


def _by_certainty(document: Document, facts: NoteFacts) -> str:
    if not facts.spans:
        return "nothing replaced"
    least = min((span.score for span in facts.spans if span.score is not None), default=1.0)
    return f"sure ({_SURE} or more)" if least >= _SURE else f"doubtful (below {_SURE})"


def _by_language(document: Document, facts: NoteFacts) -> str:
    return languages.in_note(languages.JOINT.join(languages.known()), document.text).code


def _by_column(document: Document, column: str) -> str:
    if column not in document.meta:
        raise ConfigError(
            f"document {document.id} has no such column as --by names; mask with --keep-column to have it"
        )
    value = document.meta[column]
    return " ".join(str(value).split())[:_LONGEST_NAME] or "empty"


def merge_rare(counts: Counter[str]) -> dict[str, str]:
    """Each stratum's name under which it is read: of those with few notes, or too many to plan, 'other'."""
    kept = [name for name, n in counts.most_common(MOST_STRATA - 1) if n >= FEWEST]
    if not kept:
        return dict.fromkeys(counts, ALL)
    return {name: name if name in kept else OTHER for name in counts}


def _see(document: Document, facts: NoteFacts, stratum: str) -> Seen:
    labels = Counter(span.label if is_shipped_label(span.label) else "OTHER" for span in facts.spans)
    scores = tuple(span.score for span in facts.spans if span.score is not None)
    n_words, buckets = see_words(document.text, facts.places)
    name, patient, digest = document.id, document.patient, digest_note(document)
    return Seen(name, patient, stratum, n_words, labels, scores, buckets, digest)


BUCKETS = 512


def count_words(text: str) -> int:
    """Words as people count them: a sign by itself is none."""
    return sum(text[start].isalnum() for start, _ in find_words(text))


def see_words(text: str, places: Iterable[tuple[int, int]]) -> tuple[int, frozenset[int]]:
    """How many words a note has, and into which of few buckets those outside replacements fall."""
    taken, n_words, buckets = sorted(places), 0, set()
    at = 0
    for start, end in find_words(text):
        n_words += text[start].isalnum()
        while at < len(taken) and taken[at][1] <= start:
            at += 1
        word = text[start:end]
        if word.isalpha() and not (at < len(taken) and taken[at][0] < end):
            buckets.add(bucket_of(word))
    return n_words, frozenset(buckets)


def bucket_of(word: str) -> int:
    """One of few numbers, each of which very many words share: from it no word can be told."""
    digest = hashlib.blake2s(word.lower().encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(digest, "big") % BUCKETS


def digest_note(document: Document) -> bytes:
    return hashlib.sha256(f"{document.id}\0{document.text}".encode("utf-8", "surrogatepass")).digest()


def digest_notes(digests: Mapping[str, bytes]) -> str:
    """The digest of all masked notes by name, whatever their order."""
    whole = hashlib.sha256()
    for name in sorted(digests):
        whole.update(digests[name])
    return whole.hexdigest()


def digest_run(seen: Iterable[Seen]) -> str:
    return digest_notes({each.name: each.digest for each in seen})
