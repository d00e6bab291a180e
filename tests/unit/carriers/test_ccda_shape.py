"""A masked CDA document is as valid as it was: elements in their order, values in their forms, names that lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lxml import etree

from deidlab.carriers.ccda import CCDA
from tests.unit.carriers.cda_shape import faults
from tests.unit.carriers.masking import mask, unchanged

SUMMARY = Path(__file__).parents[2] / "data" / "ccda" / "summary.xml"
POLICIES = ("i2b2", "safe-harbor", "limited-dataset", "gdpr", "phipa")
PLAIN = b"""<nonXMLBody><text mediaType="%b" representation="B64">%b</text></nonXMLBody>"""


def _bodies() -> dict[str, bytes]:
    """The summary, and the same document with a body that is no XML."""
    whole = SUMMARY.read_bytes()
    body = re.compile(rb"<structuredBody>.*</structuredBody>", re.DOTALL)
    return {
        "structured": whole,
        "text": body.sub(PLAIN % (b"text/plain", b"TXIuIFF1aWxsZmVhdGhlciBzbGVwdC4="), whole),
        "image": body.sub(PLAIN % (b"image/png", b"UXVpbGw="), whole),
    }


def _broken(content: bytes, old: str, new: str) -> bytes:
    text = content.decode()
    changed = re.sub(old, new, text, count=1, flags=re.DOTALL)
    assert changed != text, old
    return changed.encode()


@pytest.mark.parametrize("kind", _bodies())
def test_what_goes_in_is_valid_and_nothing_that_changes_nothing_breaks_it(kind: str) -> None:
    content = _bodies()[kind]
    assert faults(content) == [] and faults(unchanged(CCDA(), content)) == []


@pytest.mark.parametrize("style", ["tag", "surrogate", "redact"])
@pytest.mark.parametrize("policy", POLICIES)
def test_what_comes_out_is_valid_by_every_policy_in_every_style(
    policy: str, style: str, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for kind, content in _bodies().items():
        (folder / f"{kind}.xml").write_bytes(content)
    out = mask(folder, tmp_path / "out", "--from", "ccda", "--policy", policy, "--style", style)
    again = mask(out, tmp_path / "again", "--from", "ccda", "--policy", policy, "--style", style)
    for where in (out, again):
        found = {path.name: faults(path.read_bytes()) for path in where.glob("*.xml")}
        assert len(found) == 3 and not any(found.values()), found
    for path in out.glob("*.xml"):
        assert not re.search(rb"uillfeather|Harkness|7781254|NorthfieldMRN", path.read_bytes())


def test_elements_are_those_that_were_there_but_for_what_is_counted(tmp_path: Path) -> None:
    out = mask(SUMMARY, tmp_path / "out.xml", "--style", "surrogate").read_bytes()
    before, after = ([str(each.tag) for each in etree.fromstring(content).iter()] for content in (SUMMARY.read_bytes(), out))  # fmt: skip
    before.remove("{urn:hl7-org:v3}religiousAffiliationCode")
    assert after == before


# One thing broken in each; what says so must be there.
BROKEN = {
    "order of a name's document": (r"(<title>.*?</title>)\s*(<effectiveTime[^>]*>)", r"\2\1"),
    "a document without its id": (r"<id root=.*?/>", ""),
    "a patient without an id": (r"(<patientRole[^>]*>)\s*(<id [^>]*>\s*)+", r"\1"),
    "an id of nothing": (r'<id nullFlavor="NI"/>', "<id/>"),
    "a root that is none": (r'<id root="[^"]*"', '<id root="no root"'),
    "a name outside of a name": (r"<family>[^<]*</family>", "<surname>A</surname>"),
    "an empty name": (r"<name>[^<]*</name>", "<name/>"),
    "a part without text": (r"<given>[^<]*</given>", "<given/>"),
    "a time before a name's parts": (r'<name use="L">(.*?)(<validTime>.*?</validTime>)', r'<name use="L">\2\1'),
    "a date with dashes": (r'<birthTime value="(\d{4})[^"]*"', r'<birthTime value="\1-03-05"'),
    "a tag for a date": (r'<birthTime value="[^"]*"', '<birthTime value="[DATE-1]"'),
    "a date and none": (r'<birthTime value="', '<birthTime nullFlavor="MSK" value="'),
    "no date": (r'<birthTime value="[^"]*"', "<birthTime"),
    "a null flavor that is none": (r'<telecom nullFlavor="UNK"', '<telecom nullFlavor="MASKED"'),
    "a contact of nothing": (r'<telecom nullFlavor="UNK"', "<telecom"),
    "a contact with spaces": (r'value="tel:', 'value="tel: '),
    "text for a contact": (r'(<telecom[^>]*)/>', r"\1>555</telecom>"),
    "a use that is blank": (r'<telecom use="HP"', '<telecom use=""'),
    "an address in a name": (r"<city>[^<]*</city>", "<given>A</given>"),
    "an address of nothing": (r"<city>[^<]*</city>", "<city/>"),
    "the upper end first": (r"(<low [^>]*>)(<high [^>]*>)", r"\2\1"),
    "an act without a class": (r' classCode="ACT"', ""),
    "a relationship without a type": (r' typeCode="SUBJ"', ""),
    "a value of no type": (r'<value xsi:type="INT"', "<value"),
    "a value of an unknown type": (r'xsi:type="INT"', 'xsi:type="INTEGER"'),
    "words for a number": (r'xsi:type="INT" value="3"', 'xsi:type="INT" value="three"'),
    "no value for what is seen": (r"<value mediaType.*?(?:/>|</value>)", ""),
    "a row outside of a table": (r"<tbody>(.*?)</tbody>", r"\1"),
    "a list of nothing": (r"<item>.*</item>", ""),
    "a paragraph in a paragraph": (r"<br/>", "<paragraph>A</paragraph>"),
    "an unknown mark": (r"<br/>", "<b>A</b>"),
    "two of one name": (r'ID="id2"', 'ID="id1"'),
    "a name of a space": (r'ID="id2"', 'ID="id 2"'),
    "a reference to nothing": (r'<reference value="#id1"', '<reference value="#id99"'),
    "a note to nothing": (r'IDREF="id3"', 'IDREF="id99"'),
    "text between elements": (r"<assignedPerson>", "A<assignedPerson>"),
    "an attribute of nobody": (r"<custodian>", '<custodian owner="A">'),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_what_breaks_a_document_is_seen(case: str) -> None:
    content = unchanged(CCDA(), SUMMARY.read_bytes())
    assert faults(content) == [] and faults(_broken(content, *BROKEN[case])) != []
