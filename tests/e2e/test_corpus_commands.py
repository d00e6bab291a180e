from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import deidlab as package
from deidlab.corpus import read_corpus
from tests.e2e.command import deidlab, deidlab_process


def test_version_and_help() -> None:
    assert deidlab_process("--version").out == f"deidlab {package.__version__}\n"
    assert "corpus" in deidlab_process("--help").out
    assert deidlab_process().status in (0, 2)


def test_starting_up_loads_nothing_heavy() -> None:
    code = (
        "import sys; from deidlab.cli.app import run; run(['--version']);"
        "heavy = {'torch', 'transformers', 'ray', 'numpy', 'pyarrow', 'matplotlib', 'scipy'} & set(sys.modules);"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_wrong_usage_exits_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert deidlab(capsys, "corpus", "convert").status == 2
    assert deidlab(capsys, "corpus", "check", "x", "--frm", "y").status == 2
    assert deidlab(capsys, "nonsense").status == 2


@pytest.mark.parametrize(
    ("to", "name"),
    [("i2b2", "out"), ("i2b2-2006", "out.xml"), ("brat", "out"), ("conll", "out.conll"), ("jsonl", "out.jsonl"),
     ("inline", "out"), ("csv", "out.csv"), ("csv", "out.tsv"), ("parquet", "out.parquet"), ("txt", "out")],
)  # fmt: skip
def test_convert_to_every_format(
    to: str, name: str, notes_en: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = deidlab(capsys, "corpus", "convert", notes_en, tmp_path / name, "--to", to, "--json")
    assert done.status == 0, done.err
    assert json.loads(done.out)["documents"] == 40
    before, after = list(read_corpus(notes_en)), list(read_corpus(tmp_path / name))
    if to == "txt":
        assert [d.text for d in after] == [d.text for d in before]
    else:
        assert [d.spans for d in after] == [d.spans for d in before]
    if to not in ("txt", "conll"):
        assert after == before


def test_quiet_says_nothing(notes_en: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = deidlab(capsys, "corpus", "convert", notes_en, tmp_path / "out", "--to", "brat", "-q")
    assert (done.status, done.out, done.err) == (0, "", "")


def test_check_json_on_a_sound_corpus(notes_en: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = deidlab(capsys, "corpus", "check", notes_en, "--json")
    answer = json.loads(done.out)
    assert done.status == 0
    assert (answer["documents"], answer["spans"], answer["misfits"], answer["problems"]) == (40, 784, 0, [])
    assert answer["labels"] == "i2b2-2014"


def test_check_names_problems_and_exits_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text("Dr. Brandt")
    (tmp_path / "a.ann").write_text(
        "T1\tDOCTOR 4 10\tSmithe\nT2\tMARTIAN 0 3\tDr.\nT3\tDOCTOR 4 10\tBrandt\n"
    )
    done = deidlab(capsys, "corpus", "check", tmp_path)
    assert done.status == 1
    assert f"text-mismatch: {tmp_path / 'a.txt'}: document a 4–10: the quoted text is not" in done.out
    assert "unknown-type" in done.out
    assert "overlap" in done.out
    assert "3 problems" in done.err or "4 problems" in done.err
    assert "Brandt" not in done.out + done.err


def test_split_stats_check_and_one_part(
    notes_en: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = tmp_path / "split.json"
    done = deidlab(capsys, "corpus", "split", notes_en, "--out", manifest, "--seed", "5", "--json")
    assert json.loads(done.out)["parts"] == {"train": 20, "validation": 4, "test": 16}
    again = tmp_path / "again.json"
    deidlab(capsys, "corpus", "split", notes_en, "--out", again, "--seed", "5", "-q")
    assert again.read_bytes() == manifest.read_bytes()
    assert deidlab(capsys, "corpus", "check", notes_en, "--split", manifest).status == 0
    done = deidlab(
        capsys, "corpus", "stats", notes_en, "--split", manifest, "--words", "whitespace",
        "--markdown", tmp_path / "t.md", "--csv", tmp_path / "t.csv", "--chart", tmp_path / "c.svg",
    )  # fmt: skip
    assert done.status == 0, done.err
    assert "Non-PHI" in done.out
    assert "near the 2022 study" in (tmp_path / "t.md").read_text()
    assert (tmp_path / "t.csv").read_text().startswith("Label,train words (%),spans,")
    assert (tmp_path / "c.svg").exists()
    deidlab(
        capsys, "corpus", "convert", notes_en, tmp_path / "val.jsonl", "--to", "jsonl",
        "--split", manifest, "--part", "validation",
    )  # fmt: skip
    assert len(list(read_corpus(tmp_path / "val.jsonl"))) == 4


def test_stats_json(notes_en: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(deidlab(capsys, "corpus", "stats", notes_en, "--json").out)
    assert answer["parts"]["all"]["spans"] == 784
    assert answer["parts"]["all"]["spans_by_label"]["DATE"] == 141


def test_merge_guesses_maps_and_keeps_origins(
    notes_en: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "es").mkdir()
    (tmp_path / "es" / "a.txt").write_text("Ana, mujer")
    (tmp_path / "es" / "a.ann").write_text(
        "T1\tNOMBRE_SUJETO_ASISTENCIA 0 3\tAna\nT2\tSEXO_SUJETO_ASISTENCIA 5 10\tmujer\n"
    )
    done = deidlab(
        capsys, "corpus", "merge", f"en={notes_en}", tmp_path / "es", "--out", tmp_path / "all.jsonl"
    )
    assert done.status == 0, done.err
    assert "es: labels mapped by meddocan--i2b2-2014" in done.err
    assert "dropped: es SEXO_SUJETO_ASISTENCIA (1)" in done.err
    merged = list(read_corpus(tmp_path / "all.jsonl"))
    assert len(merged) == 41
    assert {document.meta["corpus"] for document in merged} == {"en", "es"}
    refused = deidlab(
        capsys, "corpus", "merge", notes_en, f"x={notes_en}", "--map", "y=z", "--out", tmp_path / "n"
    )
    assert refused.status == 1
    assert "no corpus is called that" in refused.err


def test_merge_counts_as_json_what_it_dropped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = {"id": "a", "text": "abc", "spans": [{"start": 0, "end": 3, "label": "ODD"}]}
    (tmp_path / "m.jsonl").write_text(json.dumps(line) + "\n")
    done = deidlab(capsys, "corpus", "merge", f"a={tmp_path / 'm.jsonl'}", "--out", tmp_path / "o.jsonl",
                   "--unmapped", "drop", "--json")  # fmt: skip
    assert done.status == 0, done.err
    answer = json.loads(done.out)
    assert answer["documents"] == {"a": 1} and list(answer["dropped"].values()) == [1]


@pytest.mark.parametrize("format", ["csv", "jsonl", "txt"])
@pytest.mark.parametrize("encoding", ["utf-16", "no-such"])
def test_an_encoding_that_does_not_fit_is_one_line(
    format: str, encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {"csv": "id,text\na,abc\n", "jsonl": '{"id": "a", "text": "abc"}\n', "txt": "abc"}
    (tmp_path / f"notes.{format}").write_text(texts[format])
    done = deidlab(capsys, "corpus", "check", tmp_path / f"notes.{format}", "--encoding", encoding)
    assert done.status in (1, 2)
    assert "internal error" not in done.err + done.out


def test_keep_going_leaves_out_lists_and_exits_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "good.xml").write_text("<a><TEXT>fine</TEXT></a>")
    (source / "bad.xml").write_text("<a><TEXT>cut")
    stopped = deidlab(capsys, "corpus", "convert", source, tmp_path / "o1", "--to", "brat")
    assert stopped.status == 1
    assert not (tmp_path / "o1").exists()
    done = deidlab(capsys, "corpus", "convert", source, tmp_path / "o2", "--to", "brat", "--keep-going")
    assert done.status == 3
    assert f"left out: {source / 'bad.xml'}: ends too early (line 1, column 13)" in done.err
    assert [d.id for d in read_corpus(tmp_path / "o2")] == ["good"]


def _hear_interrupts() -> None:
    """A shell's background jobs ignore Ctrl-C, and so would their children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_interrupting_leaves_no_output_and_exits_130(tmp_path: Path) -> None:
    source = tmp_path / "many.jsonl"
    source.write_text("".join(f'{{"id": {i}, "text": "a b c"}}\n' for i in range(400_000)))
    command = [
        sys.executable,
        "-m",
        "deidlab",
        "corpus",
        "convert",
        source,
        tmp_path / "out.jsonl",
        "--to",
        "jsonl",
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=_hear_interrupts)
    deadline = time.monotonic() + 20
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["many.jsonl"]


def test_a_reader_that_goes_away_is_no_error(notes_en: Path) -> None:
    command = f"{sys.executable} -m deidlab corpus stats {notes_en} --json | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout == "{"
    assert "Traceback" not in done.stderr
