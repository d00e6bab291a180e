"""ASQ-PHI and presidio-research, on invented samples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deidlab.corpus import ReadReport, read_corpus, recognise_format
from deidlab.errors import CorpusError
from deidlab.types import Document

QUERIES = """===QUERY===
What dose for Ilse Brandt, 71, of Oakham?
Ilse Brandt's MRN is AB-1209; brandt was seen in OAKHAM.
===PHI_TAGS===
{"identifier_type": "NAME", "value": "Ilse Brandt"}
{"identifier_type": "NAME", "value": "Brandt"}
{"identifier_type": "MEDICAL_RECORD_NUMBER", "value": "B-1209"}
{"identifier_type": "GEOGRAPHIC_LOCATION", "value": "oakham"}
{"identifier_type": "DATE", "value": "3/14"}
===QUERY===
Is metformin safe in renal failure?
===PHI_TAGS===

"""


def found(document: Document) -> list[tuple[str, str]]:
    return [(document.text[span.start : span.end], span.label) for span in document.spans]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_values_stand_for_all_their_places(tmp_path: Path) -> None:
    path, report = write(tmp_path, "queries.txt", QUERIES), ReadReport()
    first, second = read_corpus(path, "asq-phi", report=report)
    assert (first.id, second.id) == ("queries-1", "queries-2")
    # Whole words, a part of a word, and another case; a name inside a longer one is part of it.
    assert found(first) == [
        ("Ilse Brandt", "NAME"),
        ("Oakham", "GEOGRAPHIC_LOCATION"),
        ("Ilse Brandt", "NAME"),
        ("B-1209", "MEDICAL_RECORD_NUMBER"),
        ("OAKHAM", "GEOGRAPHIC_LOCATION"),
    ]
    assert second.spans == () and second.text == "Is metformin safe in renal failure?"
    assert dict(report.skipped) == {"values that do not occur in their text": 1}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Seen by Ilse Brandt.\n===QUERY===\n", "does not begin with"),
        ("===QUERY===\nSeen by Ilse Brandt.\n", "query 1 has no ===PHI_TAGS==="),
        ('===QUERY===\nx\n===PHI_TAGS===\n{"value": "Brandt"}\n', "line 4 is not a tag"),
        ("===QUERY===\nx\n===PHI_TAGS===\nBrandt\n", "line 4 is not a tag"),
    ],
)
def test_what_is_wrong_with_queries_is_told_without_a_word_of_them(
    tmp_path: Path, text: str, why: str
) -> None:
    path = write(tmp_path, "queries.txt", text)
    with pytest.raises(CorpusError, match=why) as raised:
        list(read_corpus(path, "asq-phi"))
    assert "Brandt" not in str(raised.value)


def entry(text: str, *spans: tuple[str, int, int], **more: object) -> dict[str, object]:
    rows = [
        {"entity_type": label, "entity_value": text[start:end], "start_position": start, "end_position": end}
        for label, start, end in spans
    ]
    return {"full_text": text, "masked": "…", "spans": rows, "template_id": 7, "metadata": None} | more


def test_sentences_with_offsets(tmp_path: Path) -> None:
    rows = [
        entry("📞 Call Ilse Brandt", ("PERSON", 7, 18)),
        entry("No one", metadata={"Gender": "female"}),
    ]
    path = write(tmp_path, "generated.json", json.dumps(rows))
    assert recognise_format(path).name == "presidio-research"
    first, second = read_corpus(path)
    assert (first.id, found(first)) == ("generated-1", [("Ilse Brandt", "PERSON")])
    assert second.meta == {"Gender": "female", "template_id": 7}


def test_a_value_that_is_not_at_its_place_is_refused(tmp_path: Path) -> None:
    row = entry("Call Ilse Brandt", ("PERSON", 5, 16))
    row["spans"][0]["entity_value"] = "Zebulon"  # type: ignore[index]
    path = write(tmp_path, "generated.json", json.dumps([row]))
    with pytest.raises(CorpusError, match="quoted text") as raised:
        list(read_corpus(path))
    assert "Zebulon" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[", "is not JSON"),
        ('{"full_text": "x"}', "not a list"),
        ('[{"text": "Brandt"}]', "entry 1 has no 'full_text'"),
        ('[{"full_text": "Brandt", "spans": [{"start_position": 0}]}]', "entry 1: its spans lack"),
        ('[{"full_text": "Brandt", "spans": [3]}]', "entry 1: its spans lack"),
    ],
)
def test_what_is_wrong_with_sentences_is_told_without_a_word_of_them(
    tmp_path: Path, text: str, why: str
) -> None:
    path = write(tmp_path, "generated.json", text)
    with pytest.raises(CorpusError, match=why) as raised:
        list(read_corpus(path, "presidio-research"))
    assert "Brandt" not in str(raised.value)


def test_other_text_files_and_sidecars_stay_what_they_are(tmp_path: Path) -> None:
    write(tmp_path, "n.txt", "A note.")
    write(tmp_path, "n.meta.json", '{"patient": "p"}')
    assert recognise_format(tmp_path).name == "txt"
    assert recognise_format(tmp_path / "n.txt").name == "txt"
    assert recognise_format(write(tmp_path, "queries", QUERIES)).name == "asq-phi"
