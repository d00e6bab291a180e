"""What a run says of itself for others to hold it to."""

from __future__ import annotations

import getpass
import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deidlab.mask import MaskSettings, load_policy
from deidlab.pipeline.io.pinning import pinned_files
from deidlab.pipeline.jobs import Caller, MaskJob
from deidlab.pipeline.masking import mask_corpus
from deidlab.pipeline.run.partial import open_partial
from deidlab.pipeline.run.provenance import (
    begin_provenance,
    describe_provenance,
    digest_folder,
    find_model_folder,
    list_outputs,
    name_account,
)
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.settings import Finding, SourceSettings
from tests.unit.pipeline.notes import KEY


def job(tmp_path: Path, text: str = "Seen 3/14/2071.", policy: str = "i2b2") -> MaskJob:
    source = tmp_path / "notes.jsonl"
    source.write_text(json.dumps({"id": "a", "text": text}) + "\n")
    settings = MaskSettings(load_policy(policy), "tag", KEY)
    out = tmp_path / "out.jsonl"
    return MaskJob(SourceSettings(source), out, Finding(None, "only"), settings, overwrite=True)


def test_a_record_tells_who_ran_what_on_what(tmp_path: Path) -> None:
    first = replace(job(tmp_path), caller=Caller("Ada Roe", ("deidlab mask", "SRC")))
    told = mask_corpus(first).record["provenance"]
    assert (told["operator"], told["command"]) == ("Ada Roe", ["deidlab mask", "SRC"])
    assert told["started"] <= told["finished"] and not told["resumed"]
    assert told["key"] == {"id": Seal(KEY).fingerprint(), "lasting": True} and KEY.hex() not in json.dumps(
        told
    )
    assert told["digests"]["model"] is None and told["source"]["format"] == "jsonl"
    manifest = (tmp_path / "out.jsonl.deidlab" / "outputs.sha256").read_bytes()
    assert told["output"]["manifest"] == hashlib.sha256(manifest).hexdigest()
    assert manifest.decode() == f"{hashlib.sha256((tmp_path / 'out.jsonl').read_bytes()).hexdigest()}  -\n"
    assert told["output"]["bytes"] == (tmp_path / "out.jsonl").stat().st_size


def test_digests_tell_runs_apart_by_what_differs(tmp_path: Path) -> None:
    def told(*differing: str) -> dict[str, Any]:
        return dict(mask_corpus(job(tmp_path, *differing)).record["provenance"])

    same, policy, text = [told(), told()], told("Seen 3/14/2071.", "gdpr"), told("Seen 3/15/2071.")
    assert policy["digests"]["policy"] != text["digests"]["policy"]
    assert policy["source"]["content"] != text["source"]["content"]
    assert same[0]["digests"] == same[1]["digests"] and same[0]["source"] == same[1]["source"]
    assert {each["digests"]["program"] for each in (*same, policy, text)} == {same[0]["digests"]["program"]}


def test_a_run_that_wrote_nothing_lists_nothing(tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text('{"id": "a"}\n')
    empty = replace(job(tmp_path))
    (tmp_path / "notes.jsonl").write_text('{"id": "a"}\n')
    record = mask_corpus(empty).record
    assert record["masked"] == 0 and record["provenance"]["output"]["files"] == 0
    assert (tmp_path / "out.jsonl.deidlab" / "outputs.sha256").read_text() == ""


def test_a_run_that_went_on_says_so_and_when_it_began(tmp_path: Path) -> None:
    told = []
    for _ in range(2):
        with open_partial(tmp_path / "out", "job", Seal(KEY), repeatable=True, restart=False) as partial:
            begin_provenance(partial)
            told.append(describe_provenance(job(tmp_path), partial, list_outputs(None, False)))
            begin_provenance(partial)
            told.append(describe_provenance(job(tmp_path), partial, list_outputs(None, False)))
            assert pinned_files(partial, "source") == {}
    assert [each["resumed"] for each in told] == [False, True, False, True]
    assert told[0]["started"] == told[1]["started"]


def test_a_folder_is_told_by_names_and_content(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "a").write_text("x")
    first = digest_folder(folder, ("__pycache__",))
    (folder / "__pycache__" / "b").write_text("y")
    assert digest_folder(folder, ("__pycache__",)) == first != digest_folder(folder)
    (folder / "a").rename(folder / "c")
    assert digest_folder(folder, ("__pycache__",)) != first
    (folder / "c").rename(folder / "a")
    (folder / "a").write_text("z")
    assert digest_folder(folder, ("__pycache__",)) != first


def test_names_are_hidden_where_they_are_those_of_people(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt"):
        (tmp_path / name).write_text(name)
    names = [line.split("  ")[1] for line in list_outputs(tmp_path, True).manifest.splitlines()]
    assert names == ["1", "2"]
    names = [line.split("  ")[1] for line in list_outputs(tmp_path, False).manifest.splitlines()]
    assert names == ["a.txt", "b.txt"]


def test_an_account_without_a_name_is_told_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    assert name_account() == getpass.getuser()

    def nobody() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert name_account() == f"uid {os.getuid()}"


def test_only_a_model_of_this_machine_has_a_folder(tmp_path: Path) -> None:
    assert find_model_folder(Finding(None, "only")) is None
    assert find_model_folder(Finding("en", "only")) is None
    found = find_model_folder(Finding("en"))
    assert found is not None and found.name == "en"
    assert find_model_folder(Finding("rules:en")) is None
    assert find_model_folder(Finding(str(tmp_path))) == tmp_path
