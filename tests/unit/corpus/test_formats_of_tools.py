"""Label Studio, doccano, UIMA, spaCy and Hugging Face: files as those tools write them, and ours as they read them."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from deidlab.cli.app import run
from deidlab.corpus import ReadReport, read_corpus, recognise_format, write_corpus
from deidlab.corpus.raw import ReadSettings
from deidlab.corpus.utf16 import INSIDE, Units
from deidlab.errors import CorpusError, DeidError
from deidlab.types import Document, Span

# An emoji of two UTF-16 units stands before all spans but the first.
TEXT = "Zebulon 😀 saw Dr. Ilse Quillfeather\non 3/14."
NAMES = {"PATIENT": (0, 7), "DOCTOR": (18, 35), "DATE": (39, 43)}
SPANS = tuple(Span(start, end, label) for label, (start, end) in NAMES.items())
NOTE = Document("n1", "p7", TEXT, SPANS, {"ward": "B"})


def units(label: str) -> tuple[int, int]:
    start, end = NAMES[label]
    return tuple(len(TEXT[:place].encode("utf-16-le")) // 2 for place in (start, end))  # type: ignore[return-value]


def region(label: str, places: tuple[int, int], kind: str = "labels", **more: Any) -> dict[str, Any]:
    start, end = NAMES[label]
    value = {
        "start": places[0],
        "end": places[1],
        "text": TEXT[start:end].replace("\n", "\\n"),
        kind: [label],
    }
    return {"id": label, "type": kind, "from_name": "label", "to_name": "text", "value": value, **more}


def task(*regions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": 41, "annotations": [{"id": 1, "result": list(regions), **more}], "predictions": [],
            "data": {"text": TEXT, "ward": "B"}, "meta": {}, "project": 3}  # fmt: skip


def put(folder: Path, name: str, value: Any) -> Path:
    path = folder / name
    lines = value if isinstance(value, list) and name.endswith("l") else [value]
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in lines), "utf-8")
    return path


def test_units_and_characters_are_mirrors() -> None:
    text = "a😀b😀😀c"
    counted = Units(text)
    for place in range(len(text) + 1):
        assert counted.of(place) == len(text[:place].encode("utf-16-le")) // 2
        assert counted.character(counted.of(place)) == place
    assert [counted.character(unit) for unit in (2, 5, 7)] == [INSIDE] * 3


@pytest.mark.parametrize("count", ["characters", "units"])
def test_label_studio_counts_what_its_quotes_bear_out(count: str, tmp_path: Path) -> None:
    places = NAMES if count == "characters" else {label: units(label) for label in NAMES}
    path = put(tmp_path, "tasks.json", [task(*(region(label, place) for label, place in places.items()))])
    assert recognise_format(path).name == "label-studio"
    (found,) = read_corpus(path)
    assert (found.id, found.text, found.spans, dict(found.meta)) == ("41", TEXT, SPANS, {"ward": "B"})


def test_label_studio_regions_of_hypertext(tmp_path: Path) -> None:
    whole = region("DOCTOR", NAMES["DOCTOR"], "hypertextlabels")
    start, end = NAMES["DATE"]
    path = {"start": "/text()[1]", "end": "/text()[1]", "startOffset": start, "endOffset": end}
    whole["value"]["globalOffsets"] = {"start": NAMES["DOCTOR"][0], "end": NAMES["DOCTOR"][1]}
    whole["value"].update(start="/div[1]/text()[1]", end="/div[1]/text()[2]")
    alone = region("DATE", NAMES["DATE"], "hypertextlabels")
    alone["value"].update(path)
    (found,) = read_corpus(put(tmp_path, "tasks.json", [task(whole, alone)]))
    assert found.spans == SPANS[1:]


def test_label_studio_takes_the_ground_truth_and_counts_the_rest(tmp_path: Path) -> None:
    one = task(region("DATE", NAMES["DATE"]))
    other = {"result": [region("PATIENT", NAMES["PATIENT"]), {"type": "choices", "value": {"choices": ["x"]}},
                        region("DOCTOR", NAMES["DOCTOR"])], "ground_truth": True}  # fmt: skip
    other["result"][2]["value"]["labels"] = []  # type: ignore[index]
    one["annotations"] += [other, {"result": [], "was_cancelled": True}]
    report = ReadReport()
    (found,) = read_corpus(put(tmp_path, "tasks.json", [one]), report=report)
    assert found.spans == SPANS[:1]
    assert dict(+report.skipped) == {
        "further annotations": 1, "results of other kinds": 1, "regions without a label": 1}  # fmt: skip


def test_label_studio_in_one_level(tmp_path: Path) -> None:
    flat = {"text": TEXT, "id": 41, "label": [region("DATE", units("DATE"))["value"]], "annotator": 1,
            "annotation_id": 9, "created_at": "2064-03-14", "updated_at": "2064-03-14", "lead_time": 3.1}  # fmt: skip
    path = put(tmp_path, "min.json", [flat])
    assert recognise_format(path).name == "label-studio"
    (found,) = read_corpus(path)
    assert (found.id, found.spans, found.meta) == ("41", SPANS[2:], {})


def test_label_studio_text_of_another_name(tmp_path: Path) -> None:
    other = {"data": {"note": TEXT, "n": 3}, "annotations": []}
    (found,) = read_corpus(put(tmp_path, "a.json", [other]))
    assert found.text == TEXT and found.id == "a-1"
    two = put(tmp_path, "b.json", [{"data": {"note": TEXT, "other": "x"}, "annotations": []}])
    with pytest.raises(CorpusError, match="--text-column"):
        list(read_corpus(two))
    (found,) = read_corpus(two, settings=ReadSettings(text_columns=("note",)))
    assert found.text == TEXT


def test_what_a_model_found_becomes_predictions(tmp_path: Path) -> None:
    found = Document("n1", "p7", TEXT, (Span(39, 43, "DATE", 0.75, "rules:date"),))
    write_corpus([found, NOTE], tmp_path / "tasks.json", "label-studio")
    first, second = json.loads((tmp_path / "tasks.json").read_text("utf-8"))
    assert first.keys() == {"data", "predictions"} and second.keys() == {"data", "annotations"}
    (result,) = first["predictions"][0]["result"]
    assert result["type"] == "labels" and result["score"] == 0.75
    assert result["value"] == {"start": 39, "end": 43, "text": "3/14", "labels": ["DATE"]}
    assert list(read_corpus(tmp_path / "tasks.json")) == [found, NOTE]


@pytest.mark.parametrize(
    "record",
    [
        {"text": TEXT, "label": [[*units(label), label] for label in NAMES], "Comments": []},
        {"text": TEXT, "labels": [[*units(label), label] for label in NAMES], "meta": {}, "annotation_approver": None},
        {"data": TEXT, "label": [[*units(label), label] for label in NAMES]},
        {"text": TEXT, "relations": [{"id": 1}], "entities": [
            {"id": 2, "label": label, "start_offset": units(label)[0], "end_offset": units(label)[1]} for label in NAMES]},
    ],
)  # fmt: skip
def test_doccano_of_each_release(record: dict[str, Any], tmp_path: Path) -> None:
    path = put(tmp_path, "all.jsonl", [{"id": 7, **record}])
    assert recognise_format(path).name == "doccano"
    report = ReadReport()
    (found,) = read_corpus(path, report=report)
    assert (found.id, found.text, found.spans) == ("7", TEXT, SPANS)
    assert report.skipped["relations"] == len(record.get("relations", ()))


def test_lines_of_ours_stay_ours(tmp_path: Path) -> None:
    write_corpus([NOTE], tmp_path / "a.jsonl", "jsonl")
    assert recognise_format(tmp_path / "a.jsonl").name == "jsonl"
    assert recognise_format(put(tmp_path, "b.jsonl", [{"text": "x", "label": "b"}])).name == "jsonl"


def read_back(suffix: str, data: bytes) -> Any:
    cassis = pytest.importorskip("cassis")
    if suffix == ".json":
        return cassis.load_cas_from_json(data.decode())
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        types = cassis.load_typesystem(io.BytesIO(package.read("TypeSystem.xml")))
        return cassis.load_cas_from_xmi(io.BytesIO(package.read("note.xmi")), typesystem=types)


@pytest.mark.parametrize(("name", "suffix"), [("uima-xmi", ".zip"), ("uima-json", ".json")])
def test_a_library_of_uima_reads_what_we_write(name: str, suffix: str, tmp_path: Path) -> None:
    write_corpus([NOTE], tmp_path / "out", name)
    cas = read_back(suffix, (tmp_path / "out" / f"n1{suffix}").read_bytes())
    assert cas.sofa_string == TEXT
    entities = cas.select("de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity")
    assert {each.value: (each.begin, each.end) for each in entities} == NAMES
    assert {each.value: each.get_covered_text() for each in entities}["DATE"] == "3/14"


def made_cas(layer: str, feature: str) -> Any:
    """A CAS with a layer of somebody's own, words, and an annotation without a label."""
    cassis = pytest.importorskip("cassis")
    types = cassis.TypeSystem()
    span = types.create_type(layer, "uima.tcas.Annotation")
    types.create_feature(span, feature, "uima.cas.String")
    types.create_feature(span, "checked", "uima.cas.Boolean")
    token = types.create_type(
        "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token", "uima.tcas.Annotation"
    )
    cas = cassis.Cas(types)
    cas.sofa_string, cas.sofa_mime = TEXT, "text/plain"
    for label, (start, end) in NAMES.items():
        cas.add(span(begin=start, end=end, **{feature: label}))
        cas.add(token(begin=start, end=end))
    cas.add(span(begin=0, end=3))
    return cas


@pytest.mark.parametrize(
    ("layer", "feature"),
    [
        ("custom.Span", "label"),
        ("webanno.custom.PHI", "kind"),
        ("webanno.custom.Whatever", "sort"),
        ("de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity", "value"),
    ],
)
@pytest.mark.parametrize("suffix", [".zip", ".json", ".xmi"])
def test_layers_of_uima_are_read(suffix: str, layer: str, feature: str, tmp_path: Path) -> None:
    cas, path = made_cas(layer, feature), tmp_path / f"letter{suffix}"
    if suffix == ".json":
        cas.to_json(path)
    elif suffix == ".xmi":
        cas.to_xmi(path)
    else:
        with zipfile.ZipFile(path, "w") as package:
            package.writestr("curator.xmi", cas.to_xmi())
            package.writestr("TypeSystem.xml", cas.typesystem.to_xml())
    assert recognise_format(path).name == ("uima-json" if suffix == ".json" else "uima-xmi")
    report = ReadReport()
    (found,) = read_corpus(path, report=report)
    assert (found.id, found.text, found.spans) == ("letter", TEXT, SPANS)
    assert dict(+report.skipped) == {"annotations without a label": 1}


def test_structures_of_uima_by_their_numbers(tmp_path: Path) -> None:
    structures = {"1": {"%TYPE": "uima.cas.Sofa", "sofaString": TEXT},
                  "2": {"%TYPE": "custom.Span", "@sofa": 1, "begin": 0, "end": 7, "label": "PATIENT"}}  # fmt: skip
    (found,) = read_corpus(put(tmp_path, "a.json", {"%TYPES": {}, "%FEATURE_STRUCTURES": structures}))
    assert found.spans == SPANS[:1]


def test_spacy_reads_what_we_write_and_we_what_it_writes(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    from spacy.tokens import DocBin

    overlapping = (*SPANS, Span(14, 35, "STAFF"))
    write_corpus([Document("n1", "p7", TEXT, overlapping)], tmp_path / "ours.spacy", "spacy")
    nlp = spacy.blank("en")
    (doc,) = DocBin().from_disk(tmp_path / "ours.spacy").get_docs(nlp.vocab)
    assert doc.text == TEXT
    # Of two that overlap the longer is the entity.
    assert [each.label_ for each in doc.ents] == ["PATIENT", "STAFF", "DATE"]
    assert {each.text for each in doc.spans["sc"]} == {
        "Zebulon",
        "Dr. Ilse Quillfeather",
        "3/14",
        "Ilse Quillfeather",
    }
    # A space belongs to the word before it.
    assert [token.text_with_ws for token in doc][2:6] == ["saw ", "Dr", ". ", "Ilse "]
    theirs = nlp(TEXT)
    theirs.ents = [
        theirs.char_span(start, end, label) for label, (start, end) in NAMES.items() if label != "DATE"
    ]
    theirs.spans["found"] = [theirs.char_span(0, 7, "PATIENT"), theirs.char_span(8, 9, "EMOJI")]
    DocBin(docs=[theirs]).to_disk(tmp_path / "theirs.spacy")
    (found,) = read_corpus(tmp_path / "theirs.spacy")
    assert (found.id, found.text) == ("theirs-1", TEXT)
    assert found.spans == (SPANS[0], Span(8, 9, "EMOJI"), SPANS[1])


def saved_dataset(folder: Path, features: dict[str, Any] | None, beside: bool) -> Path:
    """A dataset as `save_to_disk` leaves it; its features in the schema, or in the file beside."""
    pa = pytest.importorskip("pyarrow")
    folder.mkdir()
    info = {"features": features} if features else {}
    schema = pa.schema(
        [("id", pa.string()), ("tokens", pa.list_(pa.string())), ("ner_tags", pa.list_(pa.int64()))]
    )
    if not beside:
        schema = schema.with_metadata({"huggingface": json.dumps({"info": info})})
    else:
        (folder / "dataset_info.json").write_text(json.dumps(info))
    rows = [{"id": "0", "tokens": ["Seen", "3/14", "today", "."], "ner_tags": [0, 1, 2, 0]}]
    with (
        pa.OSFile(str(folder / "data-00000-of-00001.arrow"), "wb") as stream,
        pa.ipc.new_stream(stream, schema) as out,
    ):
        out.write_table(pa.Table.from_pylist(rows, schema))
    (folder / "state.json").write_text("{}")
    return folder


CLASS = {"names": ["O", "B-DATE", "I-DATE"], "_type": "ClassLabel"}


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize(
    "feature", [{"feature": CLASS, "_type": "Sequence"}, {"feature": CLASS, "_type": "List"}, [CLASS]]
)
def test_a_saved_dataset_names_its_tags(feature: Any, beside: bool, tmp_path: Path) -> None:
    folder = saved_dataset(tmp_path / "saved", {"ner_tags": feature}, beside)
    assert recognise_format(folder).name == "huggingface"
    (found,) = read_corpus(folder)
    assert (found.id, found.text, found.spans) == ("0", "Seen 3/14 today .", (Span(5, 15, "DATE"),))


def test_what_we_write_has_the_features_of_datasets(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    write_corpus([NOTE, Document("n2", text="BP 120.")], tmp_path / "x.tokens.parquet", "huggingface")
    table = pq.read_table(tmp_path / "x.tokens.parquet")
    features = json.loads(table.schema.metadata[b"huggingface"])["info"]["features"]
    names = features["ner_tags"]["feature"]["names"]
    assert features.keys() == set(table.column_names) and names[0] == "O"
    first = table.to_pylist()[0]
    tags = [names[tag] for tag in first["ner_tags"]]
    assert [(word, tag) for word, tag in zip(first["tokens"], tags, strict=True) if tag != "O"][:3] == [
        ("Zebulon", "B-PATIENT"), ("Ilse", "B-DOCTOR"), ("Quillfeather", "I-DOCTOR")]  # fmt: skip
    # Parquet from elsewhere is a table of notes, until somebody says otherwise.
    (tmp_path / "x.tokens.parquet").rename(tmp_path / "y.parquet")
    assert recognise_format(tmp_path / "y.parquet").name == "parquet"
    assert next(read_corpus(tmp_path / "y.parquet", "huggingface")) == NOTE


def test_words_without_offsets_are_found_in_their_text(tmp_path: Path) -> None:
    line = {
        "tokens": ["Seen", "3", "/", "14"],
        "ner_tags": ["O", "B-DATE", "I-DATE", "I-DATE"],
        "text": "Seen  3/14",
    }
    path = put(tmp_path, "a.jsonl", [line])
    assert recognise_format(path).name == "huggingface-jsonl"
    (found,) = read_corpus(path)
    assert (found.text, found.spans) == ("Seen  3/14", (Span(6, 10, "DATE"),))


SOFA = {"%TYPE": "uima.cas.Sofa", "sofaString": "Quill"}
BOMB = zlib.compress(b"\0" * (3 << 20), 9)


def zipped(*members: tuple[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in members:
            package.writestr(name, data)
    return held.getvalue()


@pytest.mark.parametrize(("format", "content", "said"), [
    ("label-studio", b'{"data": "Quill"}', "not a list of tasks"),
    ("label-studio", b'[{"data": "Quill"}]', "task 1"),
    ("label-studio", b'[{"data": {"text": "Quill"}, "annotations": [{"result": ["Quill"]}]}]', "regions"),
    ("label-studio", b'[{"data": {"text": "Quill"}, "annotations": 1}]', "regions"),
    ("label-studio", json.dumps([task({**region("DATE", (1, 2))})]).encode(), "quoted text"),
    ("doccano", b'{"text": "Quill", "label": [[0, "Quill"]]}', "labels"),
    ("doccano", b'{"text": ["Quill"], "label": []}', "text"),
    ("doccano", '{"text": "😀 Quill", "label": [[1, 3, "DATE"]]}'.encode(), "outside the text"),
    ("uima-xmi", b'<!DOCTYPE x [<!ENTITY a "Quill">]><a/>', "DOCTYPE"),
    ("uima-xmi", b"<a>Quill</a>", "no text"),
    ("uima-xmi", zipped(("a.xmi", b"Quill"), ("b.xmi", b"Quill")), "2 .xmi files"),
    ("uima-xmi", zipped(("a.xmi", b"\0" * (200 << 20))), "too much"),
    ("uima-xmi", zipped(("a.xmi", b"Quill"))[:-9], "zip file"),
    ("uima-json", b'{"Quill": 1}', "0.4"),
    ("uima-json", json.dumps({"%FEATURE_STRUCTURES": [SOFA, SOFA]}).encode(), "2 views"),
    ("uima-json", json.dumps({"%FEATURE_STRUCTURES": [SOFA, {"%TYPE": "custom.Quill", "begin": "Quill", "end": 1, "label": "Q"}]}).encode(), "whole numbers"),
    ("spacy", b"Quill", "DocBin"),
    ("spacy", zlib.compress(b"Quill"), "DocBin"),
    ("spacy", BOMB, "unpacked"),
    ("huggingface", b"PAR1Quill", "neither"),
    ("huggingface-jsonl", b'{"tokens": ["Quill"], "ner_tags": [1]}', "no feature"),
    ("huggingface-jsonl", b'{"tokens": ["Quill"], "ner_tags": ["Quill"]}', "PREFIX-LABEL"),
    ("huggingface-jsonl", b'{"tokens": ["Quill"], "ner_tags": []}', "a tag each"),
    ("huggingface-jsonl", b'{"tokens": ["Quill"], "ner_tags": ["O"], "text": "Other"}', "in their order"),
])  # fmt: skip
def test_bad_files_are_told_in_one_line_that_quotes_nothing(
    format: str,
    content: bytes,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if format in ("spacy", "huggingface"):
        pytest.importorskip("spacy" if format == "spacy" else "pyarrow")
    monkeypatch.setattr("deidlab.corpus.formats.spacy._MAX_UNPACKED", 2 << 20)
    (tmp_path / "in").write_bytes(content)
    out = tmp_path / "out.jsonl"
    assert run(["corpus", "convert", str(tmp_path / "in"), str(out), "--from", format, "--to", "jsonl"]) == 1
    told = capsys.readouterr().err.strip()
    assert said in told and "\n" not in told and "Quill" not in told and not out.exists()


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a.spacy").write_bytes(b"x")
    monkeypatch.setitem(__import__("sys").modules, "spacy.tokens", None)
    with pytest.raises(DeidError, match="'spacy' extra"):
        list(read_corpus(tmp_path / "a.spacy"))


@pytest.mark.parametrize("name", ["tasks.json", "all.jsonl"])
def test_masked_files_keep_their_format(name: str, tmp_path: Path) -> None:
    format = "label-studio" if name.endswith(".json") else "doccano"
    write_corpus([NOTE], tmp_path / name, format)
    out = tmp_path / f"masked-{name}"
    assert run(["mask", str(tmp_path / name), "--out", str(out), "--rules", "only", "-q"]) == 0
    assert recognise_format(out).name == format
    assert "Quillfeather" not in out.read_text("utf-8")
