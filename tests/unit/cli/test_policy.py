"""What a policy does can be seen, with examples that it really masked, and one's own can be checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deidlab.cli.app import run
from deidlab.errors import UnknownNameError
from deidlab.labels import load_label_set
from deidlab.mask import known_policies, load_policy, read_policy
from deidlab.report.policies import loosened, policy_to_json, treatments


def _shown(name: str, style: str = "tag") -> dict[str, dict[str, object]]:
    rows = policy_to_json(load_policy(name), style)["labels"]
    assert isinstance(rows, list)
    return {row["label"]: row for row in rows}


def test_every_label_has_an_example_and_every_policy_shows_it() -> None:
    for name in known_policies():
        for each in treatments(load_policy(name), "tag"):
            native = each.label in load_label_set("i2b2-2014")
            assert bool(each.examples) == native, each.label
            if each.row.action == "keep":
                assert all(before == after for before, after in each.examples)
            elif each.row.action == "mask":
                assert all(after == f"[{each.label}-1]" for _, after in each.examples)


def test_safe_harbor_keeps_years_and_three_digits() -> None:
    shown = _shown("safe-harbor")
    assert shown["DATE"]["examples"] == [{"before": "03/14/2064", "after": "2064"}]
    after = {row["before"]: row["after"] for label in ("ZIP", "AGE") for row in shown[label]["examples"]}
    assert after == {"02139": "021", "03601": "000", "M5V 3L9": "[ZIP-1]", "47": "47", "93": "90+"}
    assert "164.514" in str(shown["PATIENT"]["clause"])


def test_surrogates_are_shown_and_are_the_same_each_time() -> None:
    first, second = _shown("i2b2", "surrogate"), _shown("i2b2", "surrogate")
    assert first == second
    assert first["PATIENT"]["examples"] != _shown("i2b2")["PATIENT"]["examples"]


def test_safe_harbor_goes_by_the_name_that_people_use() -> None:
    assert load_policy("hipaa") == load_policy("safe-harbor")
    assert read_policy({"like": "hipaa"}).row("CITY") == load_policy("safe-harbor").row("CITY")
    with pytest.raises(UnknownNameError, match="did you mean phipa"):
        load_policy("hippa")


def test_what_a_policy_of_ones_own_leaves_more_is_named() -> None:
    own = read_policy(
        {"like": "safe-harbor", "types": {"HOSPITAL": "keep", "PROFESSION": "mask", "DATE": "mask"}}
    )
    assert loosened(own, load_policy("safe-harbor")) == ("HOSPITAL",)
    sure = read_policy({"like": "i2b2", "types": {"CITY": {"threshold": 0.9}}})
    assert loosened(sure, load_policy("i2b2")) == ("CITY",)


@pytest.mark.parametrize("more", [[], ["--style", "surrogate"], ["--markdown"]])
def test_show_prints_every_label(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["policy", "show", "phipa", *more]) == 0
    shown = capsys.readouterr().out
    assert all(label in shown for label in load_label_set("i2b2-2014").labels)
    assert "M5V" in shown


def test_list_names_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["policy", "list", "--json"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == list(known_policies())
    assert run(["policy", "list"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in known_policies())


def test_check_says_what_is_left_and_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ours.toml"
    path.write_text('like = "safe-harbor"\n[types]\nHOSPITAL = "keep"\n')
    assert run(["policy", "check", str(path)]) == 0
    assert "it leaves more than safe-harbor of: HOSPITAL" in capsys.readouterr().out
    assert run(["policy", "check", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["leaves_more"] == ["HOSPITAL"]
    path.write_text('like = "safe-harbor"\n[types]\nHOSPITL = "keep"\n')
    assert run(["policy", "check", str(path)]) == 1
    assert "did you mean HOSPITAL?" in capsys.readouterr().err
