"""Policies: rows with clauses, where any two differ, and what a user's own file may say."""

from __future__ import annotations

import itertools

import pytest

from deidlab.errors import ConfigError, UnknownNameError
from deidlab.labels import load_label_set, load_map
from deidlab.mask import MaskSettings, known_policies, load_policy, mask_notes, read_policy
from deidlab.mask.reduce import SMALL_ZIP3, zip3
from deidlab.types import Document, Span
from tests.unit.mask.notes import KEY, masked, one

CASES = {
    "age 91": "{AGE:91}",
    "age 47": "{AGE:47}",
    "ZIP 036": "{ZIP:03601}",
    "ZIP 021": "{ZIP:02139}",
    "date": "{DATE:3/14/2064}",
    "city": "{CITY:Boston}",
    "state": "{STATE:MA}",
    "employer": "{ORGANIZATION:Acme Widgets}",
    "country": "{COUNTRY:France}",
    "profession": "{PROFESSION:carpenter}",
    "hospital": "{HOSPITAL:Mercy Hospital}",
    "postcode": "{ZIP:M5V 2T6}",
    "patient": "{PATIENT:John Smith}",
}
WANTED = {
    "i2b2": "[AGE-1] [AGE-1] [ZIP-1] [ZIP-1] [DATE-1] [CITY-1] [STATE-1] [ORGANIZATION-1] [COUNTRY-1] [PROFESSION-1] "
    "[HOSPITAL-1] [ZIP-1] [PATIENT-1]",
    "safe-harbor": "90+ 47 000 021 2064 [CITY-1] MA [ORGANIZATION-1] France carpenter [HOSPITAL-1] [ZIP-1] [PATIENT-1]",
    "limited-dataset": "91 47 03601 02139 3/14/2064 Boston MA [ORGANIZATION-1] France carpenter Mercy Hospital M5V 2T6 [PATIENT-1]",
    "gdpr": "90+ 45-49 [ZIP-1] [ZIP-1] [DATE-1] [CITY-1] [STATE-1] [ORGANIZATION-1] France [PROFESSION-1] [HOSPITAL-1] [ZIP-1] "
    "[PATIENT-1]",
    "phipa": "90+ 47 [ZIP-1] [ZIP-1] [DATE-1] [CITY-1] MA [ORGANIZATION-1] France [PROFESSION-1] [HOSPITAL-1] M5V [PATIENT-1]",
}  # fmt: skip


@pytest.mark.parametrize("policy", sorted(WANTED))
def test_what_each_policy_does(policy):
    assert " ".join(masked(case, style="tag", policy=policy)[0] for case in CASES.values()) == WANTED[policy]


@pytest.mark.parametrize(("one", "other"), itertools.combinations(sorted(WANTED), 2))
def test_any_two_policies_differ_somewhere(one, other):
    differing = [
        name
        for name, case in CASES.items()
        if masked(case, style="tag", policy=one) != masked(case, style="tag", policy=other)
    ]
    assert differing
    assert "patient" not in differing


def test_all_shipped_policies_are_tested_here():
    assert set(known_policies()) == set(WANTED)


@pytest.mark.parametrize("policy", sorted(WANTED))
def test_every_label_has_a_row_with_a_clause(policy):
    rows = load_policy(policy).rows
    for label in (*load_label_set("i2b2-2014").labels, *load_map("meddocan--i2b2-2014")):
        assert load_policy(policy).row(label).clause, label
    assert all(row.clause for row in rows.values())


@pytest.mark.parametrize("style", ["redact", "tag", "surrogate"])
def test_safe_harbor_never_shifts_a_date(style):
    for text, year in (
        ("3/14/2064", "2064"),
        ("March 14, 2064", "2064"),
        ("2064", "2064"),
        ("2063-2064", "2063-2064"),
    ):
        assert one("DATE", text, style=style, policy="safe-harbor") == year
    for text in ("3/14", "March 14", "Tuesday", "Christmas", "13/45/2064"):
        new = one("DATE", text, style=style, policy="safe-harbor")
        assert new in ("[DATE]", "[DATE-1]") or set(new) == {"█"}


def test_safe_harbor_removes_years_that_tell_of_an_age_over_89():
    assert masked("born {DATE:5/1/1970}, seen {DATE:3/14/2064}", style="tag", policy="safe-harbor") == [
        "born [DATE-1], seen 2064"
    ]
    assert masked("{AGE:91}", "DOB: {DATE:5/1/1970}", style="tag", policy="safe-harbor") == [
        "90+",
        "DOB: [DATE-1]",
    ]
    assert masked("{AGE:61}", "DOB: {DATE:5/1/2003} {DATE:2064}", style="tag", policy="safe-harbor") == [
        "61",
        "DOB: 2003 2064",
    ]


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("91", "90+"), ("89", "89"), ("90", "90+"), ("91-year-old", "90+-year-old"), ("104 yo", "90+ yo"), ("ninety-two", "90+"),
        ("6 months", "6 months"), ("92 months", "92 months"), ("90s", "90+"), ("eighty-nine", "eighty-nine"), ("noventa y dos años", "90+"),
    ],
)  # fmt: skip
def test_ages_under_safe_harbor(text, new):
    assert one("AGE", text, style="tag", policy="safe-harbor") == new


def test_small_areas_are_zeroed():
    assert len(SMALL_ZIP3) == 17
    for prefix in SMALL_ZIP3:
        assert zip3(prefix + "12") == "000"
        assert zip3(prefix + "12-3456") == "000"
    assert zip3("02139-4307") == "021"
    assert zip3("M5V 2T6") is None and zip3("1234") is None


def test_a_kept_state_and_new_towns_agree():
    from deidlab.banks import united_states

    (text,) = masked("{CITY:Springfield}, {STATE:MA} {ZIP:01101}", policy="safe-harbor")
    town = text.split(",")[0]
    assert text.endswith(", MA 011") and town != "Springfield"
    assert town in {place.town for place in united_states().regions["MA"]}


def test_an_own_policy(tmp_path):
    file = tmp_path / "site.toml"
    file.write_text(
        'like = "safe-harbor"\nthreshold = 0.25\n[types]\nCITY = "keep"\n'
        'PATIENT = { style = "redact", threshold = 0.5 }\nDOCTOR = { recall = 0.99 }\n'
    )
    policy = load_policy(str(file))
    assert policy.name == "site"
    assert policy.row("CITY").action == "keep" and policy.row("DATE").action == "year"
    assert policy.row("PATIENT").threshold == 0.5 and policy.row("PHONE").threshold == 0.25
    text = "John met Ann and Eve in Rome"
    spans = (
        Span(0, 4, "PATIENT", 0.9),
        Span(9, 12, "PATIENT", 0.4),
        Span(17, 20, "PATIENT"),
        Span(24, 28, "CITY"),
    )
    result = mask_notes([Document("a", "p", text, spans)], MaskSettings(policy, "tag", KEY))[0]
    assert result.text == "████ met Ann and ███ in Rome"


def test_a_wanted_recall_masks_all_until_a_threshold_is_given():
    policy = read_policy({"types": {"DOCTOR": {"recall": 0.99}}})
    weak = Span(0, 3, "DOCTOR", 0.01)
    assert policy.wanted_recalls == {"DOCTOR": 0.99} and policy.masks(weak)
    settled = policy.with_thresholds({"DOCTOR": 0.2})
    assert settled.wanted_recalls == {} and not settled.masks(weak)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"tipes": {}}, "types"),
        ({"types": {"PATIENT": {"treshold": 0.5}}}, "threshold"),
        ({"types": {"PATEINT": "mask"}}, "PATIENT"),
        ({"types": {"patient": "mask"}}, "PATIENT"),
        ({"types": {"PATIENT": "mak"}}, "mask"),
        ({"types": {"PATIENT": {"style": "surogate"}}}, "surrogate"),
        ({"like": "safe-harbour"}, "safe-harbor"),
        ({"threshold": 1.5}, "from 0 to 1"),
        ({"types": {"PATIENT": 3}}, "action in quotes"),
        ({"types": 3}, "one row a label"),
    ],
)
def test_mistakes_are_named_with_the_nearest_valid_word(table, says):
    with pytest.raises(ConfigError, match=says):
        read_policy(table)


def test_unknown_policies_and_files(tmp_path):
    with pytest.raises(UnknownNameError, match="did you mean safe-harbor"):
        load_policy("safe-harbour")
    with pytest.raises(ConfigError, match="No such file"):
        load_policy(str(tmp_path / "none.toml"))
    (tmp_path / "bad.toml").write_text("= 3")
    with pytest.raises(ConfigError, match="not a TOML file"):
        load_policy(str(tmp_path / "bad.toml"))


def test_labels_of_meddocan_have_the_rows_of_their_twins():
    policy = load_policy("safe-harbor")
    assert policy.row("FECHAS").action == "year"
    assert policy.row("NOMBRE_SUJETO_ASISTENCIA").action == "mask"
    assert policy.row("EDAD_SUJETO_ASISTENCIA").action == "over-89"
    assert policy.row("SEXO_SUJETO_ASISTENCIA").action == "keep"
    assert policy.row("SOMETHING-NEW").action == "mask"
