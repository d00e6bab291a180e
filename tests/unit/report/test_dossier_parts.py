"""The parts of a dossier by themselves: threats and steps as the docs have them, the list of software, facts."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import deidlab
from deidlab.cli.options.telling import tell_command
from deidlab.errors import ConfigError
from deidlab.mask import load_policy, policy_to_table, table_to_policy
from deidlab.report.dossier.chain import sha256
from deidlab.report.dossier.evidence import KINDS, ending_of, list_facts, parse, read_evidence
from deidlab.report.dossier.page import DossierPart, dossier_to_html
from deidlab.report.dossier.signing import is_signed, read_signer
from deidlab.report.dossier.software import list_software, software_table
from deidlab.report.dossier.threats import STEPS, THREATS, flow_table, threat_table

DOCS = Path(__file__).parents[3] / "docs"
RUN: dict[str, Any] = {
    "notes": 3, "masked": 2, "failed": 1, "engine": "local", "workers": 2, "annotations": {"kept": 0},
    "left_by_policy": [{"label": "AGE", "source": "rules", "n": 4}], "policy": {"name": "gdpr"},
    "settings": {
        "found_by": "detector", "model": "en", "rules": "on", "kept_columns": 0, "ids": "pseudonyms", "style": "tag",
        "format": "jsonl",
    },
    "provenance": {"key": {"id": "ab", "lasting": True}, "output": {"files": 1}, "source": {"format": "csv"}, "resumed": False},
}  # fmt: skip


def test_every_threat_and_step_is_explained_under_its_name() -> None:
    page = (DOCS / "threat-model.md").read_text("utf-8")
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert headings[:-1] == [each.name for each in THREATS]
    rows = re.findall(r"^\| \*\*(.*?)\*\*", (DOCS / "data-flow.md").read_text("utf-8"), re.MULTILINE)
    assert rows == [name for name, _, _ in STEPS]
    template = (DOCS / "templates" / "dpia.md").read_text("utf-8")
    assert all(f"| {each.name} |" in template for each in THREATS)


def test_runs_that_differ_are_told_apart() -> None:
    other = {
        **RUN,
        "settings": {
            **RUN["settings"],
            "ids": "keep",
            "style": "surrogate",
            "model": None,
            "kept_columns": 2,
        },
    }
    alike, apart = (dict(zip((each.name for each in THREATS), threat_table(runs).rows, strict=True)) for runs in ({2: RUN, 3: RUN}, {2: RUN, 5: other}))  # fmt: skip
    assert alike["Names of notes and files"][2] == "ids and file names are pseudonyms"
    assert (
        apart["Names of notes and files"][2]
        == "ids and file names are pseudonyms (entry 2); REAL IDS ARE KEPT (entry 5)"
    )
    assert (
        apart["Linkage by what stands beside the text"][2]
        == "no column kept (entry 2); 2 columns kept (entry 5)"
    )
    assert apart["PHI that the policy leaves"][2] == "policy gdpr left 4 spans that were found"
    assert [row[0] for row in flow_table({2: RUN}).rows] == [name for name, _, _ in STEPS]


def test_the_list_of_software_has_what_is_installed() -> None:
    listed = list_software("2071-03-14T00:00:00Z")
    assert (listed["bomFormat"], listed["specVersion"]) == ("CycloneDX", "1.6")
    assert listed["metadata"]["component"]["version"] == deidlab.__version__
    found = {each["name"].lower(): each for each in listed["components"]}
    assert found["cryptography"]["version"] == metadata.version("cryptography")
    assert found["cryptography"]["purl"] == f"pkg:pypi/cryptography@{metadata.version('cryptography')}"
    assert found["jinja2"]["licenses"] and found["numpy"]["licenses"]
    refs = [each["bom-ref"] for each in listed["components"]]
    assert len(set(refs)) == len(refs) and "pkg:pypi/deidlab" not in " ".join(refs)
    for each in listed["components"]:
        for licence in each.get("licenses", ()):
            told = licence.get("expression") or licence["license"]["name"]
            assert told and "\n" not in told
    rows = {row[0]: row[2] for row in software_table(listed).rows}
    assert "BSD" in str(rows["Jinja2"]) or "BSD" in str(rows.get("jinja2"))


def test_a_policy_comes_back_from_its_table() -> None:
    for name in ("gdpr", "safe-harbor", "limited-dataset"):
        policy = load_policy(name).with_thresholds({"DATE": 0.25})
        assert table_to_policy(json.loads(json.dumps(policy_to_table(policy)))) == policy


def test_a_signature_is_for_one_use_one_text_and_one_way_of_writing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a" * 32)
    (tmp_path / "b").write_bytes(b"b" * 32)
    a, b = read_signer(tmp_path / "a"), read_signer(tmp_path / "b")
    signed = a.sign("use", b"text")
    assert is_signed("use", b"text", a.public, signed) and "aaaa" not in repr(a)
    assert not is_signed("other use", b"text", a.public, signed)
    assert not is_signed("use", b"texts", a.public, signed)
    assert not is_signed("use", b"text", b.public, signed)
    for key, signature in ((a.public.upper(), signed), (a.public, signed.upper()), (a.public, f" {signed}"), ("", signed), ("zz", signed), (a.public, "")):  # fmt: skip
        assert not is_signed("use", b"text", key, signature)
    # Whoever has the public key, or the secret of another use, cannot tell the file's own bytes from it.
    assert a.public != (b"a" * 32).hex()


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ({}, []),
        ({"a": {"b": 1.23456789}}, [("a › b", "1.23457")]),
        ({"a": [1, 2, True]}, [("a", "1, 2, yes")]),
        ({"a": [{"x": None}, {"x": ""}]}, [("a › 1 › x", "–"), ("a › 2 › x", "")]),
        ({"a": {"b": {"c": {"d": {"e": 1}}}}}, [("a › b › c › d", "1 value")]),
        ({"a": list(range(50)), "b": [], "c": {}}, [("a", "50 values"), ("b", "–"), ("c", "0 values")]),
    ],
)
def test_facts_are_told_a_row_a_value(table: dict[str, Any], rows: list[tuple[str, str]]) -> None:
    assert list_facts(table) == rows


def test_only_what_can_be_read_is_taken_where_it_has_to_be(tmp_path: Path) -> None:
    for name, content in (("a.json", b"\xff"), ("b.toml", b"x = "), ("c.json", b"[" * 100_000)):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ConfigError, match=f"{name}: not (JSON|TOML) in UTF-8"):
            read_evidence(tmp_path / name, KINDS["result"])
    assert parse(".toml", b"x = 1\n") == {"x": 1}
    with pytest.raises(ConfigError, match="No such file"):
        read_evidence(tmp_path / "none.json", KINDS["result"])
    assert [ending_of(Path(name)) for name in ("a.PDF", "a.html", "a.MD", "a", "a.svg")] == [
        ".pdf",
        ".bin",
        ".md",
        ".bin",
        ".bin",
    ]


@pytest.mark.parametrize(
    ("reached", "shown"), [(True, "what was wanted is shown"), (False, "what was wanted is not shown")]
)
def test_a_result_names_its_protocol_by_the_seal_inside(tmp_path: Path, reached: bool, shown: str) -> None:
    from deidlab.report.dossier.building import Hand, add_to, open_dossier

    (tmp_path / "k").write_bytes(b"k" * 32)
    hand = Hand("Ada", read_signer(tmp_path / "k"))
    rest = {"kind": "protocol", "bound": 0.01}
    seal = sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode())
    (tmp_path / "result.json").write_text(json.dumps({"protocol": seal, "reached": reached}))
    for number, protocol in enumerate(({**rest, "digest": seal}, {**rest, "bound": 0.02, "digest": seal})):
        (tmp_path / "protocol.json").write_text(json.dumps(protocol))
        folder = tmp_path / str(number)
        open_dossier(folder, "Letters", hand)
        given = [(KINDS[name], tmp_path / f"{name}.json") for name in ("protocol", "result")]
        page = dossier_to_html(add_to(folder, (), given, hand))
        assert ("It names the protocol of entry 2 by its digest." in page) == (number == 0)
        assert ("It names no protocol that was added before it." in page) == (number == 1)
        assert shown in page


def test_the_command_shows_only_what_cannot_be_a_name() -> None:
    from deidlab.cli.mask_options import MaskOptions
    from deidlab.cli.options.declaring import _build, _walk

    given = {each.name: each.default for each in _walk(MaskOptions)}
    plain = _build(MaskOptions, {**given, "source": "smith.csv", "out": "o", "workers": 3})
    assert tell_command("deidlab mask", plain) == ("deidlab mask", "SRC", "--out", "DST", "--workers", "3")
    more = {
        "policy": "smith.toml",
        "threshold": 0.5,
        "columns": ("smith", "es"),
        "annotations_kept": True,
        "model": "es",
    }
    told = tell_command("deidlab mask", _build(MaskOptions, {**given, "source": "-", "out": "-", **more}))
    assert "smith" not in " ".join(told)
    assert " ".join(told).endswith(
        "--policy NAME|FILE --model es --threshold 0.5 --keep-column NAME --keep-column es --keep-annotations"
    )


def test_a_part_holds_what_the_page_escapes(tmp_path: Path) -> None:
    from deidlab.report.dossier.chain import Hand, append
    from deidlab.report.dossier.folder import Dossier

    (tmp_path / "k").write_bytes(b"k" * 32)
    hand = Hand("<b>Ada</b>", read_signer(tmp_path / "k"))
    page = dossier_to_html(Dossier(append((), "opened", {"title": "<script>x</script>"}, {}, hand)))
    assert "<script>" not in page and "&lt;script&gt;x" in page and "<b>Ada" not in page
    assert replace(DossierPart("a"), text="b").text == "b"
