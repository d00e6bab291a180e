"""Hugging Face datasets of words and tags: the Arrow files of a saved dataset, Parquet and JSON lines.

    {"id": "7", "tokens": ["Seen", "on", "3/14"], "ner_tags": [0, 0, 1]}

The names of tags that are numbers stand in the features of the file's own schema, else in the file
`dataset_info.json` beside it. Words are joined by a space, unless there is a column `text`.
We write `text` and where each word stands in it (`starts`) too, so that nothing but overlaps is lost.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from deidlab.corpus.files import refuse_nul
from deidlab.corpus.format import Format, OnePacked, OneText, register
from deidlab.corpus.formats import jsonl
from deidlab.corpus.formats.parquet import arrow_rows
from deidlab.corpus.raw import Annotation, BadDocument, RawDocument, ReadSettings, name_said
from deidlab.corpus.table import read_meta, to_json
from deidlab.encode.tags import spans_to_tags, tags_to_spans
from deidlab.errors import CorpusError, needing
from deidlab.inputfile import require_regular
from deidlab.jsonfile import read_object
from deidlab.labels import OUTSIDE
from deidlab.types import Document, Word

_WORDS, _STARTS = ("tokens", "words"), "starts"
_TAGS = ("ner_tags", "tags", "labels")
_INFO = "dataset_info.json"
_KEY = b"huggingface"
_LACKS = ("overlapping spans", "scores and sources")
_ROWS_HELD = 256
_TAG = re.compile(r"O|[BIELSU]-.+", re.DOTALL)
_BEGINS = re.compile(rb'\A\{[^\n]*?"(?:tokens|words)"\s*:\s*\[[^\n]*?"(?:ner_tags|tags|labels)"\s*:\s*\[')


def read(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    with needing("a Hugging Face dataset", "parquet"):
        import pyarrow as pa

    try:
        require_regular(path)
        with pa.OSFile(str(path)) as stream:
            schema, batches = _open(stream)
            names = _names_of_tags(schema, path)
            stem = path.stem.removesuffix(".tokens")
            rows = (row for batch in batches for row in arrow_rows(batch))
            for number, row in enumerate(rows, 1):
                yield _read_row(path, f"row {number}", row, names, f"{stem}-{number}", settings)
    except (pa.ArrowException, UnicodeDecodeError):
        # Arrow's messages may quote cells.
        raise CorpusError(f"{path}: is neither an Arrow nor a Parquet file that can be read") from None
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or 'cannot be read'}") from None


def _open(stream: Any) -> tuple[Any, Iterator[Any]]:
    """Schema and rows of Parquet, of Arrow's stream (what datasets save) or of its file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    head = stream.read(6)
    stream.seek(0)
    if head.startswith(b"PAR1"):
        file = pq.ParquetFile(stream)
        return file.schema_arrow, file.iter_batches(batch_size=_ROWS_HELD)
    if head == b"ARROW1":
        kept = pa.ipc.open_file(stream)
        return kept.schema, (kept.get_batch(index) for index in range(kept.num_record_batches))
    flowing = pa.ipc.open_stream(stream)
    return flowing.schema, iter(flowing)


def _names_of_tags(schema: Any, path: Path) -> tuple[str, ...]:
    """The names of tags that are numbers; none where nobody says them."""
    try:
        said = json.loads((schema.metadata or {}).get(_KEY, b"{}")).get("info") or {}
    except (ValueError, AttributeError, RecursionError):
        said = {}
    return _named_in(said) or _names_beside(path)


def _names_beside(path: Path) -> tuple[str, ...]:
    beside = path.with_name(_INFO)
    return _named_in(read_object(beside, CorpusError)) if beside.is_file() else ()


def _named_in(info: Any) -> tuple[str, ...]:
    """The names of the class that tags are, as datasets of any release nest it."""
    features = info.get("features") if isinstance(info, dict) else None
    feature = (
        next((features[each] for each in _TAGS if each in features), None)
        if isinstance(features, dict)
        else None
    )
    for _ in range(3):
        if isinstance(feature, list):
            feature = feature[0] if feature else None
        if not isinstance(feature, dict):
            break
        names = feature.get("names")
        if isinstance(names, list) and all(isinstance(each, str) for each in names):
            return tuple(names)
        feature = feature.get("feature")
    return ()


def read_lines(path: Path, settings: ReadSettings) -> Iterator[RawDocument | BadDocument]:
    names = _names_beside(path)
    for number, record in jsonl.records(path, settings):
        if isinstance(record, BadDocument):
            yield record
        else:
            yield _read_row(path, f"line {number}", record, names, f"{path.stem}-{number}", settings)


def _read_row(
    path: Path, where: str, row: Any, names: Sequence[str], default_id: str, settings: ReadSettings
) -> RawDocument | BadDocument:
    if not isinstance(row, dict):
        return BadDocument(path, f"{where} cannot be read as words with their tags")
    id_column, patient_column, text_column = settings.own_columns
    words, tags = (next((row.pop(each) for each in some if each in row), ()) for some in (_WORDS, _TAGS))
    said, patient = (name_said(row.pop(column, None)) for column in (id_column, patient_column))
    text, starts, more = row.pop(text_column, None), row.pop(_STARTS, None), row.pop("meta", None)
    name = said or default_id
    if not _are(words, str) or not isinstance(tags, list) or len(words) != len(tags):
        return BadDocument(path, f"{where} has no words ({', '.join(_WORDS)}) with a tag each", name)
    try:
        spelled = [tag if isinstance(tag, str) else names[_index(tag)] for tag in tags]
    except (IndexError, TypeError):
        return BadDocument(
            path, f"{where}: a tag is a number that no feature or {_INFO} has a name for", name
        )
    if not all(map(_TAG.fullmatch, spelled)):
        return BadDocument(path, f"{where}: a tag is neither O nor PREFIX-LABEL", name)
    placed = _place(words, text, starts)
    if placed is None:
        return BadDocument(path, f"{where}: its words do not stand in its text in their order", name)
    spans = tags_to_spans(placed[1], spelled)
    found = tuple(Annotation(span.start, span.end, span.label) for span in spans)
    meta = {**row, **read_meta(more)}
    return RawDocument(path, name, placed[0], found, patient, meta, named_by_file=not said)


def _are(values: Any, kind: type) -> bool:
    return isinstance(values, list) and all(isinstance(each, kind) for each in values)


def _index(tag: Any) -> int:
    if type(tag) is not int or tag < 0:
        raise TypeError
    return tag


def _place(words: Sequence[str], text: Any, starts: Any) -> tuple[str, list[Word]] | None:
    """The text, and where its words stand: where it is said, else one after another, else joined."""
    if not isinstance(text, str):
        ends = [0]
        for word in words:
            ends.append(ends[-1] + len(word) + 1)
        return " ".join(words), [(start, start + len(word)) for start, word in zip(ends, words, strict=False)]
    places: list[Word] = []
    reached = 0
    for index, word in enumerate(words):
        said = starts[index] if _are(starts, int) and len(starts) == len(words) else None
        start = text.find(word, reached) if said is None else said
        if start < reached or text[start : start + len(word)] != word:
            return None
        reached = start + len(word)
        places.append((start, reached))
    return text, places


def render(document: Document, losses: Counter[str]) -> str:
    """The document's row as a line, its tags by their names."""
    refuse_nul(document.text, Path(document.id))
    tagged = spans_to_tags(document)
    losses[_LACKS[0]] += len(tagged.misfits)
    losses[_LACKS[1]] += sum(span.score is not None or bool(span.source) for span in document.spans)
    row = {
        "id": document.id,
        "patient": document.patient,
        "tokens": [document.text[start:end] for start, end in tagged.words],
        "ner_tags": list(tagged.tags),
        "text": document.text,
        "starts": [start for start, _ in tagged.words],
        "meta": to_json(document.meta),
    }
    return json.dumps(row, ensure_ascii=False) + "\n"


def write(texts: Iterable[str], path: Path) -> None:
    """Parquet whose features name the tags; they are known, and written, when all rows are."""
    with needing("a Hugging Face dataset", "parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    schema = pa.schema(
        [("id", pa.string()), ("patient", pa.string()), ("tokens", pa.list_(pa.string())),
         ("ner_tags", pa.list_(pa.int64())), ("text", pa.large_string()), ("starts", pa.list_(pa.int64())),
         ("meta", pa.string())]
    )  # fmt: skip
    numbers = {OUTSIDE: 0}
    rows = (json.loads(text) for text in texts)
    with pq.ParquetWriter(path, schema, compression="zstd", store_schema=False) as writer:
        while held := list(islice(rows, _ROWS_HELD)):
            for row in held:
                row["ner_tags"] = [numbers.setdefault(tag, len(numbers)) for tag in row["ner_tags"]]
            writer.write_table(pa.Table.from_pylist(held, schema))
        writer.add_key_value_metadata({_KEY: json.dumps({"info": {"features": _features(numbers)}})})


def _features(numbers: Mapping[str, int]) -> dict[str, Any]:
    """What the columns are, as datasets read it."""
    string, number = ({"dtype": dtype, "_type": "Value"} for dtype in ("string", "int64"))
    tag = {"names": list(numbers), "_type": "ClassLabel"}
    words, starts, tags = ({"feature": each, "_type": "Sequence"} for each in (string, number, tag))
    columns = {"id": string, "patient": string, "tokens": words, "ner_tags": tags}
    return {**columns, "text": string, "starts": starts, "meta": string}


def begins(head: bytes) -> bool:
    """Arrow's own beginnings; Parquet of words begins like any other."""
    return head.startswith((b"ARROW1", b"\xff\xff\xff\xff"))


def begins_lines(head: bytes) -> bool:
    return _BEGINS.search(head) is not None


FORMAT = register(
    Format(
        name="huggingface",
        # Any other Parquet is a table of notes, unless somebody says what it is.
        suffixes=(".tokens.parquet", ".arrow", ".parquet"),
        read=read,
        begins=begins,
        one=OnePacked(render, write),
        lacks=_LACKS,
        first_notes=None,
        extra=("pyarrow", "parquet"),
    )
)
LINES = register(
    Format(
        name="huggingface-jsonl",
        suffixes=(".jsonl", ".json"),
        read=read_lines,
        begins=begins_lines,
        one=OneText(render),
        lacks=_LACKS,
        count=jsonl.count,
        sample=jsonl.sample,
        first_notes=jsonl.first_lines,
        media_type="application/x-ndjson",
        is_special=True,
    )
)
