"""CDA documents: every element is masked by its kind, what nobody knows is gone, the rest stays as it was."""

from __future__ import annotations

import base64
import datetime as dt
import re
import time
from pathlib import Path

import pytest
from lxml import etree

from deidlab.carriers import KEY, Refused
from deidlab.carriers.beginnings import is_ccda
from deidlab.carriers.ccda import CCDA
from deidlab.carriers.ccda_table import counted_as, table
from deidlab.corpus.formats import recognise_format
from deidlab.mask import load_policy
from tests.unit.carriers.ccda_samples import HEAD, ROLE, TEXT, VALUES, WORDS, Maker, document
from tests.unit.carriers.masking import mask, unchanged

DOCUMENT = document("""
  <title>Summary of Zebulon Quillfeather</title>
  <effectiveTime value="20640314093000-0500"/>
  <author><time value="2064"/><assignedAuthor><id root="2.16.840.1.113883.4.6" extension="1234567"/>
    <telecom value="tel:+1(617)555-0142" use="WP"/><telecom value="mailto:tom@harkness.example"/>
    <assignedPerson><name>Dr. Tom Harkness</name></assignedPerson></assignedAuthor></author>
  <component><structuredBody><component><section>
    <code code="10164-2" codeSystem="2.16.840.1.113883.6.1" codeSystemName="LOINC" displayName="History"/>
    <text><paragraph ID="quill">Mr. <content styleCode="Bold">Quill</content>feather saw Dr. Tom
        Harkness on 3/14/2064.</paragraph><table border="1"><tbody><tr><th>Patient:</th><td>Ada Quillfeather<br/>x &lt; 5</td></tr></tbody></table></text>
    <entry typeCode="DRIV"><observation classCode="OBS" moodCode="EVN" negationInd="false">
      <id root="53FEFA32-FCBB-4FF8-8A92-55EE120877B7"/>
      <text><reference value="#quill"/></text>
      <effectiveTime><low value="20640313"/><high nullFlavor="UNK"/></effectiveTime>
      <value xsi:type="PQ" value="177.0" unit="cm"/>
      <value xsi:type="PQ" value="93" unit="a"/>
    </observation></entry>
  </section></component></structuredBody></component>
""").replace(b"<patient></patient>", b"""<patient>
    <name use="L"><prefix>Mr.</prefix><given>Zebulon</given><given>J</given><family>Quillfeather</family></name>
    <administrativeGenderCode code="M" codeSystem="2.16.840.1.113883.5.1"/><birthTime value="19810305"/></patient>""")  # fmt: skip
NAMES = {"v": "urn:hl7-org:v3", "xsi": "http://www.w3.org/2001/XMLSchema-instance"}


def _masked(content: bytes, folder: Path, *more: str) -> bytes:
    (folder / "in.xml").write_bytes(content)
    return mask(folder / "in.xml", folder / "out.xml", "--overwrite", *more).read_bytes()


def _found(content: bytes, path: str) -> list[str]:
    found = etree.fromstring(content).xpath(path, namespaces=NAMES)
    return [str(each) for each in found]


def _strings(content: bytes) -> list[str]:
    """All that another parser reads in it, in lower case."""
    root = etree.fromstring(content)
    assert not [each for each in root.iter() if not isinstance(each.tag, str)]
    texts = (
        text or "" for each in root.iter() for text in (each.tag, each.text, each.tail, *each.attrib.values())
    )
    return [*(text.lower() for text in texts), "".join(root.itertext()).lower()]


def _canonical(content: bytes) -> bytes:
    parser = etree.XMLParser(remove_comments=True, remove_pis=True)
    return bytes(etree.tostring(etree.fromstring(content, parser), method="c14n", exclusive=True))


def test_what_is_known_stays_as_it_was_whatever_its_prefixes() -> None:
    expected = _canonical(DOCUMENT.replace(b'"quill"', b'"id1"').replace(b"#quill", b"#id1"))
    assert _canonical(unchanged(CCDA(), DOCUMENT)) == expected
    prefixed = re.sub(rb"<(/?)(?=[a-zA-Z])", rb"<\1q:", DOCUMENT).replace(b"xmlns=", b"xmlns:q=", 1)
    prefixed = prefixed.replace(b' xmlns:q="urn:q"', b"").replace(b'type="PQ"', b'type="q:PQ"')
    assert _canonical(unchanged(CCDA(), prefixed)) == expected
    assert CCDA().take_apart(prefixed).pieces == CCDA().take_apart(DOCUMENT).pieces


def test_pieces_have_their_types_and_a_name_over_marks_is_one() -> None:
    parts = CCDA().take_apart(DOCUMENT)
    found = {(piece.text, piece.label) for piece in parts.pieces}
    assert parts.patient == "p7" and not parts.removed
    assert {
        ("Quillfeather^Zebulon^J", "PATIENT"), ("1981-03-05", "DATE"), ("2064-03-13", "DATE"), ("2064", "DATE"),
        ("p7", KEY), ("1234567", KEY), ("+1(617)555-0142", "PHONE"), ("tom@harkness.example", "EMAIL"),
        ("Dr. Tom Harkness", "DOCTOR"), ("53fefa32-fcbb-4ff8-8a92-55ee120877b7", KEY), ("93 years", "AGE"), ("History", ""),
        ("Mr. Quillfeather saw Dr. Tom Harkness on 3/14/2064.", ""), ("Ada Quillfeather", ""), ("x < 5", ""),
    } <= found  # fmt: skip
    captions = {piece.text: piece.caption for piece in parts.pieces}
    assert captions["Ada Quillfeather"] == "Patient" and captions["Quillfeather^Zebulon^J"] == "Mr"
    assert captions["1981-03-05"] == "DOB"


def test_names_dates_and_keys_agree_all_over_the_document(tmp_path: Path) -> None:
    out = _masked(DOCUMENT, tmp_path, "--style", "surrogate")
    (family,), given = _found(out, "//v:family/text()"), _found(out, "//v:given/text()")
    assert len(given) == 2 and f"Summary of {given[0]} {family}" in _found(out, "//v:title/text()")
    assert _found(out, "//v:content/text()") == [family]
    days = [
        dt.date.fromisoformat(each[:8])
        for each in _found(out, "//v:birthTime/@value | //v:effectiveTime/@value | //v:low/@value")
    ]
    assert [(day - min(days)).days for day in sorted(days)] == [0, 30324, 30325]
    assert any(each.endswith("093000-0500") for each in _found(out, "//v:effectiveTime/@value"))
    assert _found(out, "//v:value[@unit='a']/@value") == ["90"]
    assert (
        _found(out, "//v:observation/v:text/v:reference/@value")
        == ["#id1"]
        == ["#" + _found(out, "//v:paragraph/@ID")[0]]
    )
    assert re.fullmatch(
        r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", _found(out, "//v:observation/v:id/@root")[0]
    )
    assert _found(out, "//v:assignedAuthor/v:id/@root") == ["2.16.840.1.113883.4.6"]
    assert _found(out, "//v:patientRole/v:id/@root")[0].startswith("2.25.")


def test_what_its_place_cannot_hold_is_said_to_be_masked(tmp_path: Path) -> None:
    out = _masked(DOCUMENT, tmp_path, "--style", "tag")
    assert _found(out, "//v:patient/v:birthTime/@*") == ["MSK"] == _found(out, "//v:low/@*")
    assert _found(out, "//v:telecom/@nullFlavor") == ["MSK", "MSK"]
    assert _found(out, "//v:family/text()") == ["[PATIENT-1]"] and _found(out, "//v:given/text()") == []
    young = DOCUMENT.replace(b'value="93"', b'value="54"')
    out = _masked(young, tmp_path, "--style", "tag", "--policy", "safe-harbor")
    assert _found(out, "//v:birthTime/@value") == ["1981"] and _found(out, "//v:value[@unit='a']/@value") == [
        "54"
    ]


@pytest.mark.parametrize(("policy", "style"), [
    ("i2b2", "tag"), ("i2b2", "surrogate"), ("safe-harbor", "redact"), ("limited-dataset", "tag"), ("gdpr", "tag"), ("phipa", "tag"),
])  # fmt: skip
def test_a_sentinel_at_every_place_is_in_none_of_the_output(policy: str, style: str, tmp_path: Path) -> None:
    rules = load_policy(policy)
    labels = {each for members in table()["inside"].values() for each in members.values() if each.isupper()}
    kept = frozenset(
        each for each in (*labels, "HOSPITAL", "ORGANIZATION") if rules.row(each).action == "keep"
    )
    words = [word for word in WORDS if rules.row("DATE").action != "keep" or not word.startswith("2031")]
    folder = tmp_path / "in"
    folder.mkdir()
    for name, value in (
        VALUES.items() if (policy, style) == ("i2b2", "tag") else [("text", TEXT), ("oid", VALUES["oid"])]
    ):
        (folder / f"{name}.xml").write_bytes(Maker(value, kept).full())
    out = mask(folder, tmp_path / "out", "--from", "ccda", "--policy", policy, "--style", style)
    files = list(out.glob("*.xml"))
    assert len(files) == len(list(folder.iterdir()))
    for path in files:
        strings = _strings(path.read_bytes())
        assert len(strings) > 500
        for word in words:
            assert not any(word in each for each in strings), word


def test_a_contact_of_no_known_kind_is_masked_whole() -> None:
    content = document(
        '<author><assignedAuthor><telecom value="Quill:5550142"/><telecom value="5550142"/></assignedAuthor></author>'
    )
    found = [(piece.text, piece.label) for piece in CCDA().take_apart(content).pieces]
    assert found[-2:] == [("Quill:5550142", "PHONE"), ("5550142", "PHONE")]


def test_what_nobody_knows_is_removed_and_counted_by_the_names_of_the_standard() -> None:
    more = document(
        f"<!--Quill--><?q Quill?><Quill>Quill</Quill><q:title>Quill</q:title>Quill<title q:a='Quill' foo='Quill'>Well.</title>"
        f"<templateId root='1.2.3'/><section><text><Quill>a</Quill>b</text><thumbnail/></section>"
        f"<observation><value xsi:type='Quill'>{TEXT}</value></observation>"
    )
    again = unchanged(CCDA(), more)
    assert b"Quill" not in again and b"Well." in again and b">b</text>" in again
    assert CCDA().take_apart(more).removed == {
        "comments": 1, "processing instructions": 1, "unknown elements": 2, "elements of other namespaces": 1,
        "text outside of texts": 1, "attributes": 2, "ClinicalDocument/templateId": 1, "section/thumbnail": 1, "observation/value": 1,
    }  # fmt: skip
    assert counted_as("section", "Quill") == counted_as("Quill", "title") == "unknown elements"


@pytest.mark.parametrize(("kind", "text"), [
    ("text/plain", "Seen by Dr. Tom Harkness.\nWell."), ("text/html", "<p>Seen by Dr. Tom <b>Hark</b>ness.</p>"),
])  # fmt: skip
def test_enclosed_text_is_masked_in_its_package(kind: str, text: str, tmp_path: Path) -> None:
    packed = base64.b64encode(text.encode()).decode()
    body = f'<component><nonXMLBody><text mediaType="{kind}" representation="B64">\n{packed[:20]}\n{packed[20:]}</text></nonXMLBody></component>'
    out = _masked(document(body), tmp_path, "--style", "tag")
    (data,) = _found(out, "//v:text/text()")
    assert (
        base64.b64decode(data, validate=True)
        .decode()
        .startswith(("Seen by Dr. [DOCTOR-1].\nWell.", "<p>Seen by Dr. [DOCTOR-1]"))
    )


def test_enclosed_files_of_other_kinds_are_gone_and_plain_text_keeps_its_lines(tmp_path: Path) -> None:
    body = '<component><nonXMLBody><text mediaType="{}"{}>{}</text></nonXMLBody></component>'
    other = document(body.format("application/pdf", ' representation="B64"', "UXVpbGw="))
    assert _found(unchanged(CCDA(), other), "//v:text/@*") == ["application/pdf", "B64", "MSK"]
    assert (
        _found(unchanged(CCDA(), document(body.format("application/xml", "", "Quill"))), "//v:text/text()")
        == []
    )
    plain = document(body.format("text/plain", "", "Seen by\n  Dr. Tom Harkness\non 3/14."))
    assert b"Seen by\n  Dr. [DOCTOR-1]\non " in _masked(plain, tmp_path, "--style", "tag")


def _nested(depth: int) -> bytes:
    return document("<act>" * depth + "</act>" * depth)


@pytest.mark.parametrize(("content", "said"), [
    (DOCUMENT[:-200], "not well-formed"),
    (b"", "not well-formed"),
    (b'<!DOCTYPE a [<!ENTITY b "Quill">]>' + DOCUMENT.replace(b"3/14", b"&b;"), "declares entities"),
    (b'<!DOCTYPE a SYSTEM "file:///etc/passwd">' + DOCUMENT, "declares entities"),
    (DOCUMENT.replace(b"Ada", b"&Quill;"), "declares entities"),
    (b'<?xml version="1.0" encoding="utf-8"?>' + DOCUMENT.replace(b"Ada", b"\xff\xfeQuill"), "not well-formed"),
    (b'<?xml version="1.0" encoding="Quill"?>' + DOCUMENT, "not well-formed"),
    (DOCUMENT.replace(b"Ada", b"Ada\0"), "not well-formed"),
    (_nested(130), "nested"),
    (_nested(100_000), "nested"),
    (b"<ClinicalDocument/>", "no CDA document"),
    (DOCUMENT.replace(b"hl7-org:v3", b"hl7-org:v2"), "no CDA document"),
    (document(ROLE.format("").replace("p7", "Quill")), "several patients"),
    (document('<text representation="B64">Quill!</text>'), "not base64"),
])  # fmt: skip
def test_what_cannot_be_read_safely_is_refused_in_one_line(content: bytes, said: str) -> None:
    with pytest.raises(Refused, match=said) as error:
        CCDA().take_apart(content)
    assert "Quill" not in str(error.value) and "\n" not in str(error.value)


def test_too_much_of_it_is_refused_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from deidlab.carriers import xml_text

    monkeypatch.setattr(xml_text, "MAX_BYTES", 500)
    (tmp_path / "in.xml").write_bytes(DOCUMENT)
    assert (
        not mask(tmp_path / "in.xml", tmp_path / "out.xml", code=3).exists()
        or not (tmp_path / "out.xml").read_bytes()
    )
    assert "MiB of XML" in capsys.readouterr().err


def test_many_texts_and_wide_ones_take_no_longer_than_their_length() -> None:
    started = time.process_time()
    for many in ("<content>a</content> b ", "<foo/>a"):
        wide = document(f"<section><text>{many * 20_000}</text></section>{'<foo/>' * 20_000}")
        assert len(CCDA().take_apart(wide).pieces) < 10
    assert time.process_time() - started < 5


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "windows-1252"])
def test_encodings_are_read_as_declared(encoding: str, tmp_path: Path) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n' + DOCUMENT.decode().replace(
        "Well", "Übel"
    ).replace("Ada", "Zoë")
    path = tmp_path / "in.xml"
    path.write_bytes(text.encode(encoding))
    assert recognise_format(path).name == "ccda"
    assert any("Zoë Quillfeather" in piece.text for piece in CCDA().take_apart(path.read_bytes()).pieces)


def test_other_xml_is_no_cda_document(tmp_path: Path) -> None:
    for text in (
        "<deIdi2b2><TEXT>a</TEXT></deIdi2b2>",
        "<ClinicalDocument/>",
        "<a>ClinicalDocument urn:hl7-org:v3</a>",
    ):
        assert not is_ccda(text.encode())
    (tmp_path / "a.xml").write_text('<?xml version="1.0"?><deIdi2b2><TEXT>a</TEXT></deIdi2b2>')
    assert recognise_format(tmp_path / "a.xml").name == "i2b2"
    assert is_ccda(HEAD.encode()) and is_ccda(f"<!-- a licence -->{HEAD}".replace("<Cl", "<cda:Cl").encode())


def test_every_kind_and_rule_in_the_table_is_known() -> None:
    known = table()
    kinds = {*known["elements"], *known["attributes"], "narrative", "part", "entity"}
    used = [*known["places"].values(), *known["values"].values(), *known["entities"].values()]
    used += [kind for members in known["inside"].values() for kind in members.values()]
    assert {each.partition(":")[0] for each in used if not each.partition(":")[0].isupper()} <= kinds
    names = [name for names in known["elements"].values() for name in names]
    assert len(names) == len(set(names))
    assert {each.partition(":")[0] for each in known["values"]} == set(known["vocabulary"]["types"].split())
