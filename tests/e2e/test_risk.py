"""`deidlab risk`: what a masked output still tells, counted right, and never shown."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

from tests.e2e.command import deidlab

Capture = pytest.CaptureFixture[str]
JOBS = ("teacher", "carpenter", "nurse", "farmer")


def write(folder: Path, n_people: int = 600, n_patients: int = 60) -> tuple[Path, Path]:
    """Made patients, the first of a register of made people."""
    chance = random.Random(3)
    with (
        (folder / "reg.csv").open("w", newline="") as one,
        (folder / "pts.csv").open("w", newline="") as other,
    ):
        people, patients = csv.writer(one), csv.writer(other)
        people.writerow(["gender", "age", "zip", "occupation", "shoe"])
        patients.writerow(["id", "patient", "age", "zip", "sex", "text"])
        for number in range(n_people):
            sex, age = chance.choice("mf"), chance.randint(18, 99)
            zip_code, job = chance.choice(["02139", "02140", "10001", "03601"]), chance.choice(JOBS)
            people.writerow([sex, age, zip_code, job, chance.randint(30, 50)])
            if number < n_patients:
                he = "He" if sex == "m" else "She"
                said = f"{he} is {age} years old and works as a {job}. {he} is well, {he} said. "
                word = "Zyxomorphic." if number == 0 else ""
                patients.writerow(
                    [f"n{number}", f"p{number}", age, zip_code, sex, f"Seen 3/14/2064. {said}{word}"]
                )
    return folder / "pts.csv", folder / "reg.csv"


def mask(capsys: Capture, source: Path, out: Path, *more: str) -> Path:
    columns = ("--age-column", "age", "--zip-column", "zip", "--keep-column", "sex")
    done = deidlab(capsys, "mask", source, "--out", out, "--rules", "only", "-q", *columns, *more)
    assert done.status == 0, done.err
    return out


def look(capsys: Capture, out: Path, *more: str | Path) -> dict[str, list[dict[str, object]]]:
    done = deidlab(capsys, "risk", out, "--json", *more)
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert isinstance(found, dict)
    return found


def test_what_safe_harbor_leaves_is_counted(capsys: Capture, tmp_path: Path) -> None:
    source, register = write(tmp_path)
    out = mask(capsys, source, tmp_path / "o.csv", "--policy", "safe-harbor")
    found = look(capsys, out, "--population", register)
    with source.open(newline="") as file:
        rows = list(csv.DictReader(file))
    real = {
        (min(int(row["age"]), 90), "000" if row["zip"] == "03601" else row["zip"][:3], row["sex"], job)
        for row in rows
        for job in JOBS
        if job in row["text"]
    }
    (together,) = found["together"]
    assert (together["patients"], together["classes"]) == (60, len(real))
    known = {row["attribute"]: row["known"] for row in found["attributes"]}
    assert known == {"age": 60, "profession": 60, "sex": 60, "year": 60, "zip": 60}
    (linkage,) = found["linkage"]
    assert linkage["people"] == 600 and linkage["fit"] == 60
    changes = {str(row["change"]): row for row in found["changes"]}
    assert changes["as it is"]["classes"] == together["classes"]
    assert changes["age in bands of 5 years"]["found"] < changes["as it is"]["found"]  # type: ignore[operator]
    assert changes["without age"]["classes"] < changes["as it is"]["classes"]  # type: ignore[operator]
    assert found["words"][0] == {"words": "one patient alone", "n": 1, "patients": 1, "share": 1 / 60}


def test_what_is_masked_or_invented_tells_nothing(capsys: Capture, tmp_path: Path) -> None:
    source, _ = write(tmp_path)
    tags = look(capsys, mask(capsys, source, tmp_path / "tag.csv"))
    assert {row["attribute"] for row in tags["attributes"]} == {"sex"}
    made = look(capsys, mask(capsys, source, tmp_path / "new.csv", "--style", "surrogate"))
    assert {row["attribute"] for row in made["attributes"]} == {"sex", "age"}
    bands = look(capsys, mask(capsys, source, tmp_path / "gdpr.csv", "--policy", "gdpr"))
    assert {row["attribute"] for row in bands["attributes"]} == {"sex", "age"}
    assert "age in bands of 5 years" not in {row["change"] for row in bands["changes"]}


def test_values_are_on_no_page_and_in_no_message(capsys: Capture, tmp_path: Path) -> None:
    source, register = write(tmp_path)
    out, page = mask(capsys, source, tmp_path / "o.csv", "--policy", "safe-harbor"), tmp_path / "risk.html"
    done = deidlab(capsys, "risk", out, "--population", register, "--report", page)
    assert done.status == 0, done.err
    shown = (done.out + done.err + page.read_text("utf-8")).casefold()
    assert not [word for word in ("zyxomorphic", *JOBS, "02139") if word in shown]
    assert "linkage with a population" in shown
    again = deidlab(capsys, "risk", out, "--report", page)
    assert again.status == 1 and "--overwrite" in again.err


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--attribute", "shoe"), "unknown attribute 'shoe'"),
        (("--population", "other.csv"), "no column of it is known"),
        (("--population", "none.csv"), "none.csv"),
        (("--population", "bytes.csv"), "not a table"),
    ],
)
def test_what_cannot_be_counted_is_one_line(
    more: tuple[str, str], says: str, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = mask(capsys, write(tmp_path, 6, 6)[0], tmp_path / "o.csv", "--policy", "safe-harbor")
    Path("other.csv").write_text("shoe,hat\n1,2\n")
    Path("bytes.csv").write_bytes(b"age\n\xff\xfe\n")
    done = deidlab(capsys, "risk", out, *more)
    assert done.status in (1, 2) and says in done.err and len(done.err.splitlines()) == 1
    assert deidlab(capsys, "risk", tmp_path / "pts.csv").status == 1
