"""What masking costs: items by rule, intervals between dates, a classifier that learns, an attack, and a sheet."""

from __future__ import annotations

import csv
import json
import stat
from pathlib import Path

import numpy as np
import pytest

from deidlab.cli.app import run
from deidlab.corpus import write_corpus
from deidlab.errors import CorpusError
from deidlab.evaluate.resample import ResampleSettings
from deidlab.mask import MaskSettings, mask_notes
from deidlab.types import Document, MaskedDocument, Span
from deidlab.utility import attacking
from deidlab.utility.attacking import attack_surrogates
from deidlab.utility.clinical import find_items
from deidlab.utility.keeping import ALL, compare_kept, count_kept, find_owners
from deidlab.utility.learning import count_words, deal_folds, macro_f1, predict_unseen
from deidlab.utility.sampling import draw_sheet, read_sheet

SENTINEL = "Quillfeather"
FEW = ResampleSettings(100)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Metoprolol 25 mg PO bid.", [("doses", "25mg"), ("doses", "bid")]),
        (
            "BP 120/80, Hb 9.1 g/dL, SpO2 97 %",
            [("values", "bp120/80"), ("values", "9.1g/dl"), ("values", "97%")],
        ),
        (
            "GCS 15/15, NYHA III, pain 7/10",
            [("scores", "gcs15/15"), ("scores", "nyhaiii"), ("scores", "7/10")],
        ),
        ("for 3 weeks, a two-day history", [("durations", "3weeks"), ("durations", "two-day")]),
        ("dolor de 5 días, 500 mg/día", [("durations", "5días"), ("doses", "500mg/día")]),
        ("depuis trois semaines, 2 comprimés", [("durations", "troissemaines"), ("doses", "2comprimés")]),
        (
            "Varón de 64 años, Edad: 64 años; hace 3 años, dolor de 2 semanas",
            [("durations", "3años"), ("durations", "2semanas")],
        ),
        ("a 64-year-old man, 64 years old, seen 3/10/2070", []),
        ("Room 12, MRN 4471882, call 617-555-0100", []),
    ],
)
def test_clinical_figures_are_found_by_rule(text: str, items: list[tuple[str, str]]) -> None:
    found = find_items(text)
    assert [(item.kind, item.said) for item in found] == items
    assert all("".join(text[item.start : item.end].lower().split()) == item.said for item in found)
    assert not found or found[0].said not in repr(found[0])


def note(number: int, name: str = SENTINEL) -> Document:
    text = f"Mr. {name} seen on 3/{number % 27 + 1}/2070 and 4/2/2070: 25 mg bid, BP 120/80."
    parts = (name, f"3/{number % 27 + 1}/2070", "4/2/2070")
    labels = ("PATIENT", "DATE", "DATE")
    spans = tuple(
        Span(text.index(part), text.index(part) + len(part), label)
        for part, label in zip(parts, labels, strict=True)
    )
    return Document(f"n{number}", f"p{number}", text, spans, {"arm": "ab"[number % 2]})


def test_what_is_kept_is_counted_and_intervals_only_survive_surrogates() -> None:
    notes = [note(number) for number in range(6)]
    owners = find_owners(notes, "patient")
    kept = {
        style: count_kept(notes, mask_notes(notes, MaskSettings(style=style, key=b"k" * 32)), False, "en")
        for style in ("redact", "tag", "surrogate")
    }
    there = kept["tag"].there.sum(axis=0).tolist()
    assert dict(zip(ALL, there, strict=True)) == {
        "values": 6, "doses": 12, "scores": 0, "durations": 0, "intervals": 6,
    }  # fmt: skip
    for style, counts in kept.items():
        by_kind = [counts.shares([column], FEW, owners).value for column in range(len(ALL))]
        assert by_kind == [1.0, 1.0, None, None, 1.0 if style == "surrogate" else 0.0]
    more = compare_kept(kept["surrogate"], kept["tag"], FEW, owners)
    assert more.value == pytest.approx(0.25) and more.low == pytest.approx(0.25)


def test_what_overmasking_takes_and_what_takes_its_place_are_counted() -> None:
    text = "Aspirin 25 mg and 30 mg."
    masked = MaskedDocument("n", "Aspirin 99 mg and 30 mg.", ())
    counts = count_kept([Document("n", text=text)], [masked], False, "en")
    column = ALL.index("doses")
    assert (counts.there[0, column], counts.kept[0, column], counts.new[0, column]) == (2, 1, 1)


def test_a_classifier_learns_what_there_is_to_learn_and_no_more() -> None:
    draw = np.random.default_rng(1)
    words = [" ".join(draw.choice(["pain", "fever", "cough", "rash"], 12)) for _ in range(80)]
    labels = np.arange(80) % 2
    told = [f"{text} {'gravida' if label else 'prostate'}" for text, label in zip(words, labels, strict=True)]
    folds = deal_folds([f"p{n // 2}" for n in range(80)], 0)
    # Notes of a patient share a fold.
    assert all(folds[n] == folds[n + 1] for n in range(0, 80, 2))
    bags, blank = [count_words(text) for text in told], [count_words(text) for text in words]
    (good,), (poor,) = (predict_unseen(each, (bags,), labels, folds, 2) for each in (bags, blank))
    assert (good == labels).all() and 0.2 < (poor == labels).mean() < 0.8
    (first, same), (second, more) = macro_f1(labels, [good, poor], 2, FEW, np.arange(80))
    assert (first.value, same.value) == (1.0, 0.0)
    assert more.value == pytest.approx(second.value - 1) and more.high is not None and more.high < 0


def test_the_attack_finds_originals_that_stand_out_and_none_that_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attacking, "_SHUFFLES", 9)
    masking = MaskSettings(key=b"k" * 32, language="en")
    odd = [note(number, f"Xq{number}zzyx") for number in range(150)]
    found = attack_surrogates(odd, masking, 0.3, FEW)
    assert found["NAME"].area.low is not None and found["NAME"].area.low > 0.8
    assert found["NAME"].picked.value is not None and found["NAME"].picked.value > 2 * found["NAME"].chance
    assert found["NAME"].p == pytest.approx(1 / 10)
    assert found["all"].originals + found["all"].surrogates == 3 * len(odd)
    # Where what is left is called a surrogate and the other way round by chance, nothing can be learned.
    draw = np.random.default_rng(3)
    real = attacking._gather

    def shuffled(*given: object) -> object:
        mentions = real(*given)  # type: ignore[arg-type]
        draw.shuffle(mentions.original)
        return mentions

    monkeypatch.setattr(attacking, "_gather", shuffled)
    chance = attack_surrogates(odd, masking, 0.3, FEW)["all"]
    assert chance.p is not None and chance.p > 0.05


def test_too_little_for_an_attack_is_said() -> None:
    with pytest.raises(CorpusError, match="the attack needs"):
        attack_surrogates([note(1)], MaskSettings(key=b"k" * 32), 0.3, FEW)


def test_the_sheet_has_items_and_takes_verdicts(tmp_path: Path) -> None:
    notes = [note(number) for number in range(5)]
    masked = {"tag": mask_notes(notes, MaskSettings(key=b"k" * 32))}
    sheet = draw_sheet(notes, masked, 8, 1)
    assert sheet == draw_sheet(notes, masked, 8, 1) != draw_sheet(notes, masked, 8, 2)
    rows = list(csv.DictReader(sheet.splitlines()))
    assert len(rows) == 8 and {row["kept_tag"] for row in rows} == {"1"}
    path = tmp_path / "sheet.csv"
    path.write_text(sheet)
    assert (read_sheet(path).judged, read_sheet(path).upper) == (0, None)
    lines = sheet.splitlines()
    path.write_text("\n".join([lines[0], lines[1] + "1", *(line + "0" for line in lines[2:7]), *lines[7:]]))
    judged = read_sheet(path)
    assert (judged.sampled, judged.judged, judged.wrong) == (8, 6, 1)
    assert judged.upper == pytest.approx(0.582, abs=0.001)
    path.write_text("\n".join([lines[0], lines[1] + "perhaps"]))
    with pytest.raises(CorpusError, match="item 1"):
        read_sheet(path)


def test_the_command_writes_a_report_without_a_word_of_the_notes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attacking, "_SHUFFLES", 5)
    names = (SENTINEL, "Brandt", "Okonkwo", "Larssen")
    notes = [note(number, names[number % 4]) for number in range(120)]
    write_corpus(notes, tmp_path / "notes.jsonl", "jsonl")
    out, sheet = tmp_path / "out", tmp_path / "sheet.csv"
    said = ["utility", str(tmp_path / "notes.jsonl"), "--rules", "only", "--language", "en", "--quiet",
            "--resamples", "50", "--task", "arm", "--left", "0.3", "--sample", "5", "--sheet", str(sheet)]  # fmt: skip
    assert run([*said, "--out", str(out)]) == 0
    report = json.loads((out / "report.json").read_text())
    tables = report["tables"]
    assert {row["style"] for row in tables["risk-utility"]["rows"]} == {"redact", "tag", "surrogate"}
    kept = {row["kind"]: row for row in tables["kept"]["rows"]}
    assert kept["intervals"]["tag"]["value"] == 0.0 and kept["intervals"]["surrogate"]["value"] == 1.0
    first, *others = tables["learned"]["rows"]
    assert first["learned"] == "original" and first["alike_more"] is None
    for row in others:
        apart = row["alike"]["value"] - first["alike"]["value"]
        assert row["alike_more"]["value"] == pytest.approx(apart) and row["alike_more"]["low"] is not None
    assert tables["attack"]["rows"][0]["kind"] == "all" and "judged" not in tables
    assert stat.S_IMODE(sheet.stat().st_mode) == 0o600 and SENTINEL in sheet.read_text()
    for file in out.rglob("*"):
        if file.is_file() and file.suffix != ".png":
            assert not any(name in file.read_text() for name in names), file.name
    # Once somebody has judged, the same command tells what they said.
    filled = [line + ("0" if line.endswith(",") else "") for line in sheet.read_text().splitlines()]
    sheet.write_text("\n".join(filled))
    assert run([*said, "--out", str(out), "--overwrite"]) == 0
    judged = json.loads((out / "report.json").read_text())["tables"]["judged"]["rows"]
    assert judged[0]["judged"] == 5 and judged[0]["wrong"] == 0


@pytest.mark.parametrize(
    ("more", "status"),
    [
        (["--task", "nothing"], 2),
        (["--style", "stars"], 2),
        (["--sample", "3"], 2),
        (["--task", "arm"], 1),
        (["--left", "0.9"], 2),
        (["--policy", "none"], 2),
    ],
)
def test_what_cannot_be_is_refused(
    tmp_path: Path, more: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus([note(number) for number in range(4)], tmp_path / "notes.jsonl", "jsonl")
    said = ["utility", str(tmp_path / "notes.jsonl"), "--rules", "only", "--language", "en", "--quiet"]
    assert run([*said, "--out", str(tmp_path / "out"), *more]) == status
    assert not (tmp_path / "out").exists() and SENTINEL not in capsys.readouterr().err
