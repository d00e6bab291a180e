"""HTML letters: names are found over tags, what is known stays as it looks, and nothing else comes out."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest
from lxml import html as lxml_html

from deidlab.carriers import Refused, xml_text
from deidlab.carriers.beginnings import is_html
from deidlab.carriers.css import clean_declarations, clean_sheet
from deidlab.carriers.html import HTMLLetter
from deidlab.carriers.tables import load_table
from deidlab.corpus.formats import recognise_format
from tests.unit.carriers.masking import mask, unchanged

SECRET = "Xylosentinel"
TEXT = f"Seen by Dr. Tom {SECRET}."
VALUES = {
    "text": TEXT, "word": SECRET, "mail": f"mailto:tom@{SECRET}.example?subject={SECRET}", "page": f"https://{SECRET}.example/{SECRET}?a={SECRET}",
    "phone": f"tel:+1-617-555-0142?{SECRET}", "data": f"data:text/html,{SECRET}", "script": f"javascript:{SECRET}()", "anchor": f"#{SECRET}",
    "path": f"../{SECRET}/a.html", "style": f"color: {SECRET}; {SECRET}: red; background: url({SECRET}); font-family: {SECRET}; content: '{SECRET}'",
}  # fmt: skip
LETTER = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="author" content="Quill"><title>Letter about Zebulon Quillfeather</title>
<style>/* Quill */ p.Quill, #Quill > td { margin: 0cm; font-family: "Calibri", Quill } @page Quill { size: 3cm }</style>
</head><body class="Quill" bgcolor="#ffffff"><!--[if mso]>Quill<![endif]--><h1>Discharge letter</h1>
<table border=1><tr><td id="Quill">Patient:</td><td>Ada <b>Quill</b>feather</td></tr></table>
<p class="Quill" title="Mr. Zebulon Quillfeather">Mr. <b>Quill</b>feather saw Dr. Tom
   Harkness&nbsp;&lt;5 kg.<o:p></o:p> <a href="#Quill">up</a></p>
<img src="Quill.png" alt="Photo of Mr. Zebulon Quillfeather" width="10"><pre>Seen by
Dr. Tom Harkness</pre>
</body></html>
"""


def _again(text: str) -> str:
    return unchanged(HTMLLetter(), text.encode()).decode()


def _masked(text: str, folder: Path, *more: str) -> str:
    (folder / "in.html").write_text(text)
    return mask(folder / "in.html", folder / "out.html", "--overwrite", *more).read_text()


def test_what_is_known_stays_as_it_was() -> None:
    again = _again(LETTER)
    assert 'Mr. <b>Quill</b>feather saw Dr. Tom\n   Harkness\xa0&lt;5 kg. <a href="#id1">up</a></p>' in again
    assert (
        '<table border="1"><tr><td id="id1">Patient:</td><td>Ada <b>Quill</b>feather</td></tr></table>'
        in again
    )
    assert 'p.c1 , #id1 > td { margin: 0cm; font-family: "Calibri" }' in again
    assert '<body class="c1" bgcolor="#ffffff"><h1>Discharge letter</h1>' in again
    assert '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>' in again
    assert (
        'src="data:image/gif;base64,' in again and 'width="10"><pre>Seen by\nDr. Tom Harkness</pre>' in again
    )
    assert HTMLLetter().take_apart(LETTER.encode()).removed == {
        "meta": 1, "comments": 1, "unknown elements": 1, "pictures": 1, "styles": 1,
    }  # fmt: skip
    assert _again(again) == again


def test_a_name_over_tags_and_lines_is_one_and_cells_have_their_captions() -> None:
    pieces = HTMLLetter().take_apart(LETTER.encode()).pieces
    found = {piece.text: piece.caption for piece in pieces}
    assert (
        "Mr. Quillfeather saw Dr. Tom Harkness\xa0<5 kg. up" in found
        and found["Ada Quillfeather"] == "Patient"
    )
    assert "Seen by\nDr. Tom Harkness" in found and "Letter about Zebulon Quillfeather" in found


@pytest.mark.parametrize("style", ["tag", "surrogate", "redact"])
@pytest.mark.parametrize("policy", ["i2b2", "safe-harbor"])
def test_nothing_of_the_people_is_left_and_the_look_is(policy: str, style: str, tmp_path: Path) -> None:
    out = _masked(LETTER, tmp_path, "--policy", policy, "--style", style)
    assert not [word for word in ("Quill", "feather", "Zebulon", "Harkness", "Ada") if word in out]
    before, after = (lxml_html.fromstring(each.encode()) for each in (_again(LETTER), out))
    assert [each.tag for each in after.iter()] == [each.tag for each in before.iter()]
    assert [each.get("class") for each in after.iter()] == [each.get("class") for each in before.iter()]
    if style == "tag":
        assert (
            '<p class="c1" title="Mr. [PATIENT-1]">Mr. <b>[PATIENT-1]</b> saw Dr. [DOCTOR-1]\xa0&lt;5 kg.'
            in out
        )
        assert "<td>[PATIENT-2]<b></b></td>" in out


def _everything(value: str) -> str:
    """The value in every attribute, and a sentinel in the text, of each known element and of unknown ones."""
    known = load_table("html")
    attributes = [name for names in known["attributes"].values() for name in names]
    strange = [
        "onclick",
        "data-name",
        "srcset",
        "action",
        "content",
        "charset",
        "background",
        "longdesc",
        "srcdoc",
        "xmlns:a",
        "datetime",
        "cite",
        "foo",
    ]
    written = [f" {name}={quoteattr(value)}" for name in (*attributes, *strange)]
    parts = [f"<!DOCTYPE {SECRET}><!--{SECRET}--><?{SECRET} a?><![if {SECRET}]>{TEXT}<![endif]>"]
    for kind, names in known["elements"].items():
        # What becomes of an attribute hardly depends on its element.
        some = [name for name in names if value == TEXT or name in ("a", "img", "li", "td", "input")]
        for name in (*some, "foo", "o:p") if kind != "inputs" else ():
            closing = (
                ""
                if name in (*known["elements"]["empty"], *known["elements"]["gone_alone"])
                else f"{TEXT}</{name}>"
            )
            given = written if name in ("a", "img", "li", "foo") else written[len(parts) % 8 :: 8]
            parts.append(f"<{name}{''.join(given)}>{closing}{TEXT}")
    sheet = f"/*{SECRET}*/ @import '{SECRET}'; .{SECRET}, #{SECRET} a[title={SECRET}] {{ color: red }} @media {SECRET} {{ p {{ {value} }} }}"
    parts += [
        f"<style type='{SECRET}'>{sheet} .{SECRET} {{ {value} }}</style>",
        f"<input type=hidden value={SECRET}>",
    ]
    parts += [f"<meta {kind}='{SECRET}' content='{SECRET}'>" for kind in ("name", "http-equiv", "property")]
    return "".join(parts)


@pytest.mark.parametrize("policy", ["i2b2", "safe-harbor", "limited-dataset", "gdpr", "phipa"])
def test_a_sentinel_at_every_place_is_in_none_of_the_output(policy: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    # What stands in a value alone, such as a field's, is searched as any text is.
    for name, value in VALUES.items() if policy == "i2b2" else [("text", TEXT), ("mail", VALUES["mail"])]:
        text = _everything(value if name != "word" else f"Dr. {SECRET}")
        (folder / f"{name}.html").write_text(f"<p>{TEXT}</p>{text}")
    out = mask(
        folder, tmp_path / "out", "--policy", policy, "--style", "surrogate" if policy == "gdpr" else "tag"
    )
    files = list(out.glob("*.html"))
    assert len(files) == len(list(folder.iterdir()))
    for path in files:
        content = path.read_text()
        root = lxml_html.fromstring(content.encode(), parser=lxml_html.HTMLParser(encoding="utf-8"))
        strings = [
            text or "" for each in root.iter() for text in (each.text, each.tail, *each.attrib.values())
        ]
        assert len(strings) > 100
        seen = (content, "".join(map(str, root.itertext())), *strings)
        assert not [each for each in seen if SECRET.lower() in each.lower() or "555-0142" in each], path.name


def test_script_and_hidden_parts_are_gone_with_all_they_hold() -> None:
    text = "<p>a<script>Quill('</p>')</script>b<svg><text>Quill<svg></svg>Quill</text></svg>c<object><p>Quill</p></object>d<input type=hidden value=Quill><link href=Quill>e</p>"
    assert _again(text) == "<p>abcde</p>"


def test_addresses_are_masked_by_what_they_are_of(tmp_path: Path) -> None:
    text = '<a href="mailto:tom@harkness.example?subject=Quill">a</a><a href="tel:+1-617-555-0142">b</a><a href="http://q.example/Quill">c</a><a href="letter.html">d</a><a href="data:text/html,Quill">e</a>'
    pieces = HTMLLetter().take_apart(text.encode()).pieces
    assert [(piece.text, piece.label) for piece in pieces if piece.label] == [
        ("tom@harkness.example", "EMAIL"), ("+1-617-555-0142", "PHONE"), ("http://q.example/Quill", "URL"), ("letter.html", "URL"),
    ]  # fmt: skip
    assert _masked(text, tmp_path, "--style", "tag") == "".join(f"<a>{each}</a>" for each in "abcde")
    new = _masked(text, tmp_path, "--style", "surrogate")
    assert new.startswith('<a href="mailto:') and 'href="tel:+1-' in new and 'href="http://' in new


@pytest.mark.parametrize(("encoding", "head"), [
    ("utf-8", ""), ("utf-8-sig", ""), ("utf-16", ""), ("cp1252", '<meta charset="windows-1252">'), ("cp1252", '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=ISO-8859-1">'),
    ("iso-8859-2", "<meta charset=iso-8859-2>"), ("cp1252", '<?xml version="1.0" encoding="windows-1252"?>'),
])  # fmt: skip
def test_a_letter_keeps_its_character_set(encoding: str, head: str, tmp_path: Path) -> None:
    content = f"{head}<html><p>Über Dr. Tom Härkness – 5 &euro; &#x2603;</p></html>".encode(
        encoding, "xmlcharrefreplace"
    )
    (tmp_path / "in.html").write_bytes(content)
    (piece,) = HTMLLetter().take_apart(content).pieces
    assert piece.text == "Über Dr. Tom Härkness – 5 € ☃"
    out = mask(tmp_path / "in.html", tmp_path / "out.html", "--style", "tag").read_bytes()
    (shown,) = HTMLLetter().take_apart(out).pieces
    assert shown.text == "Über Dr. [DOCTOR-1] – 5 € ☃" and (out[:2] == content[:2] or out[:1] == b"<")


@pytest.mark.parametrize(("content", "said"), [
    (b"<p>Quill</p><p title='Quill", "cut off"),
    (b"<p>Quill</p><!-- Quill", "cut off"),
    (b"<p>Quill</p><script>Quill", "cut off"),
    (b"<p>Quill</p><object>Quill", "cut off"),
    (b"<p>Quill\xff</p>", "byte 8 is not"),
    (b"<meta charset=Quill><p>a</p>", "not known here"),
    (b"<p>Quill\0</p>", "NUL"),
    ("<p>Quill</p>".encode("utf-16-le"), "NUL"),
])  # fmt: skip
def test_what_cannot_be_read_safely_is_refused_in_one_line(content: bytes, said: str) -> None:
    with pytest.raises(Refused, match=said) as error:
        HTMLLetter().take_apart(content)
    assert "Quill" not in str(error.value) and "\n" not in str(error.value)


def test_a_page_that_is_too_large_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("deidlab.carriers.html.MAX_BYTES", 10)
    (tmp_path / "in.html").write_text(LETTER)
    mask(tmp_path / "in.html", tmp_path / "out", code=3)
    assert "MiB of HTML" in capsys.readouterr().err and not list((tmp_path / "out").glob("*"))
    assert xml_text.MAX_BYTES == 64 << 20


@pytest.mark.parametrize("many", [
    "<div>", "</div>", "<b", "<!", "<?", "<a b='", '<a b="', "&", "&amp", "<![", "a{b:c}", "<x y=z ", "a<foo>", "<p>a", "<svg>",
])  # fmt: skip
def test_hostile_pages_take_no_longer_than_their_length(many: str) -> None:
    started = time.process_time()
    for text in (many * 20_000 + "'\"></p>", f"<style>{many * 20_000}</style><p>a</p>"):
        with contextlib.suppress(Refused):
            HTMLLetter().take_apart(text.encode())
    assert time.process_time() - started < 5


def test_what_is_written_as_it_is_can_hold_no_name() -> None:
    kept = (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">'
        '<meta name="viewport" content="width=device-width, initial-scale=1.0">'
    )
    assert _again(kept) == kept
    assert (
        _again(
            '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML Quill//EN"><meta name=viewport content="width=Quill">'
        )
        == "<!DOCTYPE html>"
    )
    page = (
        '<a href="java&#10;script:Quill()">a</a><a href=" data:text/html,Quill">b</a><a href="Quill:1">c</a>'
    )
    assert [piece.label for piece in HTMLLetter().take_apart(page.encode()).pieces] == ["URL", ""]


def test_a_field_has_the_caption_of_its_label() -> None:
    pieces = HTMLLetter().take_apart(b"<label>Patient name:</label> <input value='Ada Quillfeather'>").pieces
    assert [(piece.text, piece.caption) for piece in pieces] == [
        ("Patient name:", ""),
        ("Ada Quillfeather", "Patient name"),
    ]


def test_styles_are_those_of_the_table() -> None:
    assert clean_declarations("color:#1F3763; margin: 0 auto;x:y;width:expression(alert(1));font:12pt 'Times New Roman'") == (
        "color: #1F3763; margin: 0 auto; font: 12pt 'Times New Roman'", 2)  # fmt: skip
    assert clean_declarations("background:url(a);color:Quill;behavior:none;--quill:red") == ("", 4)
    sheet, removed = clean_sheet(
        "@import url(a); p { color: red } .q:hover { top: 1px } }}} [a=b] { color: red } @media print { b { top: 0 } i { q: 1 } }",
        lambda mark, name: f"{mark and 'n'}1",
    )
    assert (
        "[a" not in sheet
        and "q:" not in sheet.replace("n1:", "")
        and "@media print {\nb { top: 0 }\n}" in sheet
        and removed
    )


def test_pages_are_recognised(tmp_path: Path) -> None:
    for name, text in (
        ("a.html", "<p>a"),
        ("a.htm", "<p>a"),
        ("letter", "\n<!doctype HTML><p>a"),
        ("b", "<HTML><p>a"),
    ):
        (tmp_path / name).write_text(text)
        assert recognise_format(tmp_path / name).name == "html"
    assert not is_html(b"<deIdi2b2>") and not is_html(b"a <html>"[:4])
