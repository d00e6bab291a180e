"""One suite that every reader passes: whatever stands in a file, it is documents or bad documents that come out.

A bad document's reason is a line of ours: it quotes nothing and names no file, and is no error that nobody foresaw.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.corpus import FORMATS, write_corpus
from deidlab.corpus.check import check_corpus
from deidlab.corpus.raw import BadDocument, RawDocument
from deidlab.corpus.reading import read_corpus, read_raw
from deidlab.labels import load_label_set
from deidlab.types import Document, Span
from tests.containers import SAMPLES

NAME = "Quillfeather"
NOTE = Document(
    "220-03", "220", f"Seen by Dr. {NAME}\r\non 3/14, age 82.\n",
    (Span(12, 24, "DOCTOR", 0.5, "rules"), Span(29, 33, "DATE")), {"ward": "W1"},
)  # fmt: skip
LABELS = load_label_set("i2b2-2014")

READ_ONLY = {
    "asq-phi": {
        "id.asq-phi.txt": f"===QUERY===\nSeen by {NAME}\n===PHI_TAGS===\n"
        f'{{"identifier_type": "NAME", "value": "{NAME}"}}\n'
    },
    "presidio-research": {
        "id.presidio-research.json": json.dumps(
            [
                {
                    "full_text": f"Seen by {NAME}",
                    "spans": [
                        {
                            "entity_type": "PERSON",
                            "entity_value": NAME,
                            "start_position": 8,
                            "end_position": 20,
                        }
                    ],
                    "template_id": 1,
                    "metadata": None,
                }
            ]
        )
    },
    "physionet": {
        "id.text": f"START_OF_RECORD=1||||1||||\nSeen by {NAME}\n||||END_OF_RECORD\n",
        "id.phi": "Patient 1\tNote 1\n8\t8\t20\n",
        "id-phi.phrase": f"1 1 8 20 HCPName {NAME}\n",
    },
}
"""Formats that are not written: the files of a small corpus."""


def write_texts(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"text": ["x"]}), path)


def write_words(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"tokens": [["x"]], "ner_tags": [["O"]]}), path)


def write_doc(path: Path) -> None:
    from spacy.tokens import Doc, DocBin
    from spacy.vocab import Vocab

    path.write_bytes(DocBin(docs=[Doc(Vocab(), words=["x"])]).to_bytes())


def text_writer(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text)


NAMELESS: dict[str, Callable[[Path], object]] = {
    "csv": text_writer("text\nx\n"),
    "jsonl": text_writer('{"text": "x"}\n'),
    "parquet": write_texts,
    "conll": text_writer("x\tO\n"),
    "conll-bilou": text_writer("x\tO\n"),
    "asq-phi": text_writer("===QUERY===\nx\n===PHI_TAGS===\n"),
    "label-studio": text_writer('[{"data": {"text": "x"}}]'),
    "doccano": text_writer('{"text": "x", "label": []}\n'),
    "spacy": write_doc,
    "huggingface": write_words,
    "huggingface-jsonl": text_writer('{"tokens": ["x"], "ner_tags": ["O"]}\n'),
    "presidio-research": text_writer('[{"full_text": "x"}]'),
}
"""Formats of one file for many notes that need not say an id: a file with one note that says none."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small corpus of every format, in a folder of its own."""
    folders = {}
    for name, format in FORMATS.items():
        folder = tmp_path_factory.mktemp(name)
        if format.in_containers:
            (folder / f"n{format.suffixes[0]}").write_bytes(SAMPLES[name])
        elif format.can_write:
            write_corpus(
                [NOTE], folder / "notes" if format.render else folder / f"n{format.suffixes[0]}", name
            )
        else:
            for file, content in READ_ONLY[name].items():
                (folder / file).write_text(content)
        folders[name] = folder
    return folders


def read_everything(source: Path, name: str) -> list[RawDocument | BadDocument]:
    """All that is in a corpus, strictly read, leniently read and checked."""
    found = list(read_raw(source, name))
    list(read_corpus(source, name, keep_going=True))
    report = check_corpus(found, LABELS)
    reasons = [each.reason for each in found if isinstance(each, BadDocument)]
    for line in (*reasons, *(problem.message for problem in report.problems)):
        assert "internal error" not in line, line
        assert "\n" not in line and NAME not in line and str(source) not in line, line
    return found


def spoil(folder: Path, change: Callable[[bytes], bytes]) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize("name", FORMATS)
@given(seed=st.integers(0, 2**32))
def test_files_that_are_cut_or_changed(name: str, seed: int, whole: dict[str, Path]) -> None:
    draw = random.Random(seed)

    def change(data: bytes) -> bytes:
        kind = draw.randrange(4)
        if kind == 0:
            return data[: draw.randrange(len(data) + 1)]
        if kind == 1:
            return draw.randbytes(draw.randrange(200))
        changed = bytearray(data)
        for _ in range(draw.randrange(1, 4)):
            place = draw.randrange(len(changed))
            if kind == 2:
                changed[place] = draw.choice((0, 34, 60, 91, 123, 127, 255, draw.randrange(256)))
            else:
                changed[place:place] = draw.choice(
                    (b"\xff", b"\0", b'"', b"9" * 30, b"[", b"-", b"\t", b"\n", b"\\ud800")
                )
        return bytes(changed)

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(whole[name], Path(folder) / "copy"))
        spoil(copy, change)
        read_everything(copy, name)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_not_a_regular_file_is_refused_at_once(
    name: str, whole: dict[str, Path], tmp_path: Path
) -> None:
    for kind in ("pipe", "device", "folder", "gone"):
        copy = Path(shutil.copytree(whole[name], tmp_path / kind))
        files = [path for path in copy.rglob("*") if path.is_file()]
        for path in files:
            path.unlink()
            if kind == "pipe":
                os.mkfifo(path)
            elif kind == "device":
                path.symlink_to("/dev/zero")
            elif kind == "gone":
                path.symlink_to(tmp_path / "nowhere")
            else:
                path.symlink_to(tmp_path)
        if kind != "folder":
            assert all(isinstance(each, BadDocument) for each in read_everything(copy, name))


@pytest.mark.parametrize("name", FORMATS)
def test_a_link_to_a_file_is_read(name: str, whole: dict[str, Path], tmp_path: Path) -> None:
    copy = Path(shutil.copytree(whole[name], tmp_path / "copy"))
    for number, path in enumerate(path for path in list(copy.rglob("*")) if path.is_file()):
        path.rename(tmp_path / f"real-{number}")
        path.symlink_to(tmp_path / f"real-{number}")
    (found,) = read_everything(copy, name)
    assert isinstance(found, RawDocument) and NAME in found.text


def test_every_format_that_is_only_read_has_a_sample_here() -> None:
    assert set(READ_ONLY) == {name for name, format in FORMATS.items() if not format.can_write}


@pytest.mark.parametrize("name", [*NAMELESS, *(n for n, f in FORMATS.items() if f.render or f.in_containers)])
def test_ids_made_of_names_are_told_apart(name: str, tmp_path: Path) -> None:
    format = FORMATS[name]
    for folder in ("a", "b"):
        where = tmp_path / folder
        if format.in_containers:
            (_made(where) / f"note{format.suffixes[0]}").write_bytes(SAMPLES[name])
        elif format.render:
            write_corpus([Document("note", text="x")], where, name)
        else:
            NAMELESS[name](_made(where) / f"note{format.suffixes[0]}")
    ids = [document.id for document in read_corpus(tmp_path, name)]
    ending = "" if format.render or name.startswith("conll") else "-1"
    assert ids == [f"a/note{ending}", f"b/note{ending}"]
    shutil.rmtree(tmp_path / "b")
    (alone,) = read_corpus(tmp_path, name)
    assert alone.id == f"note{ending}"
    # A container says whose it is.
    assert alone.patient == alone.id or format.in_containers


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
