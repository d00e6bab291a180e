"""What tells runs apart: every field of a job but those that say why not, so that none can be forgotten."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from deidlab.corpus import ReadSettings
from deidlab.corpus.database_url import TablePlace, source_place, target_place
from deidlab.mask import MaskSettings, load_policy
from deidlab.options import left_out, left_out_of
from deidlab.pipeline.jobs import DetectJob, MaskJob
from deidlab.pipeline.run.identity import describe_detecting, describe_job, describe_settings, tell_apart
from deidlab.pipeline.settings import Finding, SourceSettings, Writing
from tests.unit.pipeline.notes import KEY

SOURCE = SourceSettings(Path("notes.jsonl"))
MASK = MaskJob(SOURCE, Path("out"), Finding(None, "only"), MaskSettings(key=KEY), spans=SOURCE)
DETECT = DetectJob(SOURCE, Path("out"), Finding(None, "only"))
MORE: dict[str, Any] = {
    "model": "es", "rules": "off", "how": "vote", "device": "cuda", "ids": "keep", "style": "redact", "language": "es",
    "policy": load_policy("gdpr"), "table": source_place("sqlite:///a.db?table=notes"),
    "sink": target_place("sqlite:///b.db?table=masked"), "spans": None, "redact_mark": "___", "patient_from": "(p.)",
}  # fmt: skip
READ = {"known", "allow", "deny"}  # files that are read: their content tells, below
SYSTEMS = {"system", "python", "map", "members"}  # in place of a model: what they are tells, below


def identity(job: MaskJob | DetectJob) -> str:
    return describe_job(job, "jsonl") if isinstance(job, MaskJob) else describe_detecting(job, "jsonl")


def another(name: str, value: Any) -> Any:
    if name in MORE:
        return MORE[name]
    if isinstance(value, bool):
        return not value
    return (*value, "x") if isinstance(value, tuple) else (value or 0) + 1 if isinstance(value, int) else "x"


def changed(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The value with one field changed, for every field at any depth that tells runs apart."""
    for each in fields(value):
        own, where = getattr(value, each.name), f"{path}.{each.name}"
        if left_out_of(each) is not None or each.name in READ | SYSTEMS:
            continue
        if is_dataclass(own) and not isinstance(own, TablePlace) and each.name not in ("policy", "spans"):
            yield from ((deeper, replace(value, **{each.name: new})) for deeper, new in changed(own, where))
        elif each.name == "path":
            yield where, replace(value, path=Path("other.jsonl"))
        elif each.name != "mark":  # which is made of the files when the identity is
            yield where, replace(value, **{each.name: another(each.name, own)})


@pytest.mark.parametrize("job", [MASK, DETECT], ids=["mask", "detect"])
def test_every_field_tells_runs_apart(job: MaskJob | DetectJob) -> None:
    seen = {where: identity(other) for where, other in changed(job)}
    assert {
        ".source.format",
        ".source.reading.text_columns",
        ".finding.without_rules",
        ".finding.device",
    } <= set(seen)
    same = [where for where, told in seen.items() if told == identity(job)]
    assert not same


def test_a_new_field_tells_runs_apart_unless_it_says_why_not() -> None:
    @dataclass(frozen=True, slots=True)
    class More(Writing):
        new: int = 0
        aside: int = field(default=0, metadata=left_out("it changes only how the run is shown"))
        maybe: str = field(default="", metadata=left_out("only whether there is one matters", bool))

    job = replace(MASK, writing=More())
    assert identity(replace(job, writing=More(new=1))) != identity(job)
    assert identity(replace(job, writing=More(aside=1))) == identity(job)
    told = {text: identity(replace(job, writing=More(maybe=text))) for text in ("", "a", "b")}
    assert told["a"] == told["b"] != told[""]


def test_what_was_left_out_once_is_in() -> None:
    """The format that was named, of the notes and of the spans; the target table; that rows may be there."""
    for other in (
        replace(MASK, source=replace(SOURCE, format="csv")),
        replace(MASK, spans=replace(SOURCE, format="csv")),
        replace(MASK, spans=replace(SOURCE, reading=ReadSettings(text_columns=("body",)))),
        replace(MASK, sink=target_place("sqlite:///b.db?table=masked")),
        replace(MASK, append=True),
    ):
        assert identity(other) != identity(MASK)
    one, two = (replace(MASK, sink=target_place(f"postgresql://{host}/db?table=t")) for host in ("a", "b"))
    assert identity(one) != identity(two)
    assert identity(replace(DETECT, source=replace(SOURCE, format="csv"))) != identity(DETECT)


def test_a_key_and_the_content_of_a_list_tell_runs_apart(tmp_path: Path) -> None:
    assert identity(replace(MASK, settings=MaskSettings(key=bytes(32)))) != identity(MASK)
    terms = tmp_path / "terms.txt"
    terms.write_text("one\n")
    job = replace(MASK, finding=replace(MASK.finding, allow=terms))
    before = identity(job)
    terms.write_text("two\n")
    assert identity(job) != before != identity(MASK)


def test_who_works_and_where_the_map_goes_does_not() -> None:
    assert identity(replace(MASK, workers=7, overwrite=True)) == identity(MASK)
    one, two = (replace(MASK, map_file=Path(name), passphrase=name) for name in ("a", "b"))
    assert identity(one) == identity(two) != identity(MASK)


def test_every_field_that_is_left_out_says_why() -> None:
    kinds = (MaskJob, DetectJob, MaskSettings, Finding, Writing, SourceSettings, ReadSettings)
    reasons = [left[0] for kind in kinds for each in fields(kind) if (left := left_out_of(each)) is not None]
    assert len(reasons) >= 8 and all(len(reason.split()) > 4 for reason in reasons)


def test_a_table_tells_itself_apart_field_by_field() -> None:
    """Its own method does: a new field must be thought of there, or named here with its reason."""
    told = {"kind", "database", "table", "schema", "query", "key"}
    not_told = {
        "url": "its host, port and options are told; user and password are not",
        "last": "found by the run",
    }
    assert {each.name for each in fields(TablePlace)} == told | set(not_told)


def test_an_unknown_kind_of_value_is_an_error_and_not_forgotten() -> None:
    with pytest.raises(TypeError):
        tell_apart(object())


def test_the_record_shows_the_device_that_was_used() -> None:
    on_gpu = replace(MASK, finding=Finding("en", device="cuda"))
    assert describe_settings(on_gpu, "jsonl")["device"] == "cuda"
    without_model = replace(MASK, finding=Finding(None, "only", device="cuda"))
    assert describe_settings(without_model, "jsonl")["device"] == "cpu"


def test_systems_tell_runs_apart_by_what_they_are_and_not_by_how_long_they_may_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program, rows = tmp_path / "finds.py", tmp_path / "map.toml"
    program.write_text("pass\n")
    rows.write_text('SHOE = "ID"\n')
    systems = ("rules:en", f"Own=command:{sys.executable} {program}")

    def with_systems(*given: str, **more: Any) -> MaskJob:
        return replace(MASK, finding=Finding(system=given, **more))

    first = identity(with_systems(*systems, map=(f"Own={rows}",)))
    assert first == identity(with_systems(*systems, map=(f"Own={rows}",), timeout=5.0, start_timeout=5.0))
    others = [
        identity(MASK),
        identity(with_systems(*systems)),
        identity(with_systems(*systems, map=(f"Own={rows}",), how="vote")),
        identity(with_systems(systems[0], map=(str(rows),))),
    ]
    rows.write_text('SHOE = "NAME"\n')
    others.append(identity(with_systems(*systems, map=(f"Own={rows}",))))
    rows.write_text('SHOE = "ID"\n')
    program.write_text("pass  # changed\n")
    others.append(identity(with_systems(*systems, map=(f"Own={rows}",))))
    assert first not in others and len(set(others)) == len(others)
    program.write_text("pass\n")
    # Another way to the map is no other map.
    assert identity(with_systems(*systems, map=("Own=map.toml",))) == first


def test_a_folder_of_a_system_is_the_same_by_any_way_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "a.jsonl").write_text("{}\n")
    whole = replace(MASK, finding=Finding(system=(f"Made=corpus:{tmp_path / 'answers'}",)))
    monkeypatch.chdir(tmp_path)
    short = replace(MASK, finding=Finding(system=("Made=corpus:answers",)))
    assert identity(short) == identity(whole)
    before = identity(short)
    (tmp_path / "answers" / "a.jsonl").write_text("{} \n")
    assert identity(short) != before
