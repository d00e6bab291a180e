"""The embedded models through the command line: both languages, every style, and the same whatever the workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command import deidlab
from tests.unit.pipeline.notes import write_key

ROOT = Path(__file__).parents[2]
SAMPLES = {
    "en": (
        ROOT / "samples" / "plain" / "clinic-letter.txt",
        ("Tranter", "Verhoeven", "03/12/2019", "7781254"),
    ),
    "es": (
        ROOT / "samples" / "plain" / "consulta.txt",
        ("Barrachina", "Montoro", "03/03/2016", "7781254", "Almendro"),
    ),
}
KEPT = {"en": ("130/80", "Parkinson"), "es": ("120/80", "Glasgow", "cefalea")}


@pytest.mark.parametrize("style", ["redact", "tag", "surrogate"])
@pytest.mark.parametrize("name", SAMPLES)
def test_a_note_is_masked(name: str, style: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source, secrets = SAMPLES[name]
    out = tmp_path / "masked.txt"
    # With a key of its own each time, some surrogate would now and then be one of these words.
    key = write_key(tmp_path)
    done = deidlab(
        capsys, "mask", source, "--model", name, "--style", style, "--out", out, "--key-file", key, "-q"
    )
    assert done.status == 0, done.err
    text = out.read_text("utf-8")
    assert [secret for secret in secrets if secret in text] == []
    assert [value for value in KEPT[name] if value not in text] == []


@pytest.mark.parametrize("policy", ["safe-harbor", "i2b2", "limited-dataset", "gdpr", "phipa"])
def test_spanish_goes_with_every_policy(
    policy: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source, _ = SAMPLES["es"]
    out = tmp_path / "masked.txt"
    done = deidlab(capsys, "mask", source, "--model", "es", "--policy", policy, "--out", out, "-q")
    assert done.status == 0, done.err
    assert "Barrachina" not in out.read_text("utf-8")


def test_spanish_dates_are_read_day_first(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The thirteenth month would show that days and months were mixed up."""
    source = tmp_path / "nota.txt"
    source.write_text(
        "Paciente: Ana Soler.\n" + "".join(f"Acude el 0{n}/12/2016 a consulta.\n" for n in range(1, 8))
    )
    out = tmp_path / "masked.txt"
    done = deidlab(capsys, "mask", source, "--model", "es", "--style", "surrogate", "--out", out, "-q")
    assert done.status == 0, done.err
    dates = [line.split()[2] for line in out.read_text("utf-8").splitlines() if line.startswith("Acude")]
    months = [int(date.split("/")[1]) for date in dates]
    assert len(dates) == 7 and all(1 <= month <= 12 for month in months)
    assert len(set(months)) <= 2


def test_the_models_own_labels_are_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source, _ = SAMPLES["es"]
    out = tmp_path / "found"
    done = deidlab(
        capsys,
        "detect",
        source,
        "--model",
        "es",
        "--rules",
        "off",
        "--labels",
        "own",
        "--to",
        "brat",
        "--out",
        out,
    )
    assert done.status == 0, done.err
    found = "".join(file.read_text("utf-8") for file in out.rglob("*.ann"))
    assert "NOMBRE_SUJETO_ASISTENCIA" in found and "FECHAS" in found
    other = tmp_path / "other"
    done = deidlab(
        capsys, "detect", source, "--model", "es", "--labels", "own", "--to", "brat", "--out", other
    )
    assert done.status == 0, done.err
    beside = "".join(file.read_text("utf-8") for file in other.rglob("*.ann"))
    assert "NOMBRE_SUJETO_ASISTENCIA" in beside and "PATIENT" not in beside


@pytest.mark.parametrize(
    ("name", "text", "gone"),
    [
        ("en", "Mrs. Tranter was moved to Room 412, Rm 4-112B, on room air.", ("412", "4-112B")),
        ("es", "Ingresa en la habitación 412, cama 12. Hab. 305.", ("412", "12", "305")),
        (
            "en",
            "Mr. Zebulon \x01 Quillfeather and Mrs. Quill\u00adfeather came.",
            ("Zebulon", "Quill", "feather"),
        ),
    ],
)
def test_rooms_and_names_with_hidden_characters_are_masked(
    name: str, text: str, gone: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source, out = tmp_path / "note.txt", tmp_path / "masked.txt"
    source.write_text(text, "utf-8")
    done = deidlab(capsys, "mask", source, "--model", name, "--out", out, "-q")
    assert done.status == 0, done.err
    assert [each for each in gone if each in out.read_text("utf-8")] == []
