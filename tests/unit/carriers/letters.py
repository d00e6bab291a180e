"""Word documents for tests, written part by part, with something to find in each."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

_WHOLE = Path(__file__).parents[2] / "data" / "letter"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_NAMESPACES = (
    f'xmlns:w="{W}" xmlns:r="{OFFICE}" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:v="urn:schemas-microsoft-com:vml"'
)
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'wordprocessingml.document.main+xml"/></Types>'
)


def part(root: str, inside: str) -> bytes:
    """A part of that root."""
    return f'<?xml version="1.0"?><{root} {_NAMESPACES}>{inside}</{root}>'.encode()


def relations(*found: tuple[str, str, str]) -> bytes:
    """Relationships: id, kind and target, outside where it looks like an address."""
    lines = (
        f'<Relationship Id="{id}" Type="{kind if "/" in kind else OFFICE + "/" + kind}" Target="{target}"'
        + (' TargetMode="External"/>' if ":" in target else "/>")
        for id, kind, target in found
    )
    name = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{name}">{"".join(lines)}</Relationships>'.encode()


def paragraph(*runs: str, style: str = "") -> str:
    """A paragraph of runs; one that begins with < is written as it is."""
    whole = "".join(
        each
        if each.startswith("<")
        else f'<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">{each}</w:t></w:r>'
        for each in runs
    )
    look = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{look}{whole}</w:p>"


def packed(parts: Mapping[str, bytes]) -> bytes:
    """A zip of parts."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in parts.items():
            out.writestr(name, data)
    return stream.getvalue()


def letter(body: str, more: Mapping[str, bytes] | None = None) -> bytes:
    """A document with that body, and more parts or others in their place."""
    parts = {
        "[Content_Types].xml": _TYPES.encode(),
        "_rels/.rels": relations(("rId1", "officeDocument", "word/document.xml")),
        "word/document.xml": part("w:document", f"<w:body>{body}</w:body>"),
    }
    return packed({**parts, **(more or {})})


def unpacked(content: bytes) -> dict[str, bytes]:
    """All parts of a package."""
    with zipfile.ZipFile(io.BytesIO(content)) as whole:
        return {name: whole.read(name) for name in whole.namelist()}


def text_box(text: str) -> str:
    """A run with a text box, told in both ways."""
    inside = f"<w:txbxContent>{paragraph(text)}</w:txbxContent>"
    return (
        '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor simplePos="0" relativeHeight="251659264" '
        'behindDoc="0" locked="0" layoutInCell="1" allowOverlap="1"><wp:simplePos x="0" y="0"/><wp:positionH '
        'relativeFrom="column"><wp:posOffset>100</wp:posOffset></wp:positionH><wp:positionV relativeFrom="paragraph">'
        '<wp:posOffset>100</wp:posOffset></wp:positionV><wp:extent cx="2000000" cy="500000"/><wp:wrapSquare '
        'wrapText="bothSides"/><wp:docPr id="7" name="ZZTOP box"/><a:graphic><a:graphicData '
        'uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr txBox="1"/>'
        '<wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="2000000" cy="500000"/></a:xfrm><a:prstGeom prst="rect">'
        f"<a:avLst/></a:prstGeom></wps:spPr><wps:txbx>{inside}</wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData>"
        '</a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape id="ZZTOP" alt="ZZTOP" '
        f'style="position:absolute;width:100pt;height:40pt;zztop:ZZTOP" o:spid="ZZTOP"><v:textbox>{inside}</v:textbox>'
        "</v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )


def field(code: str, shown: str) -> str:
    """A field in several runs."""
    return (
        '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="ZZTOP"/><w:helpText w:val="ZZTOP"/></w:ffData>'
        f'</w:fldChar></w:r><w:r><w:instrText xml:space="preserve">{code}</w:instrText></w:r><w:r><w:fldChar '
        f'w:fldCharType="separate"/></w:r><w:r><w:t>{shown}</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def full_letter() -> bytes:
    """ZZTOP wherever nothing may stay, and one patient wherever text is searched."""
    files = (path for path in sorted(_WHOLE.rglob("*")) if path.is_file())
    return packed({path.relative_to(_WHOLE).as_posix(): path.read_bytes() for path in files})
