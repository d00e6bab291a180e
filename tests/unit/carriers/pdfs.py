"""PDFs for tests, made object by object, with something to find in each place that can hold a word."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf

from deidlab.carriers.pdf import PDF

Change = Callable[[Pdf], None]
SENTINEL = "ZZTOP"
LEAKS = ("ZZTOP", "ZZTO", "zztop", "Zebulon", "uillfeather", "Quill", "feather", "3/14", "earlier version")


def text(*lines: str, y: int = 700, font: str = "F1") -> bytes:
    """Lines as plain writers show them, one below the other."""
    rows = (f"1 0 0 1 72 {y - 20 * row} Tm ({line}) Tj" for row, line in enumerate(lines))
    return f"BT /{font} 12 Tf {' '.join(rows)} ET".encode("cp1252")


def helvetica() -> Dictionary:
    return Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding
    )


def pdf(
    *contents: bytes, change: Change | None = None, how: Mapping[str, Any] | None = None, **resources: Any
) -> bytes:
    """A file with a page for each content; `change` may add anything to it before it is written."""
    new = pikepdf.new()
    for content in contents:
        new.add_blank_page(page_size=(400, 800))
        page = new.pages[-1].obj
        page.Contents = new.make_stream(content)
        page.Resources = Dictionary(Font=Dictionary(F1=new.make_indirect(helvetica())))
        for kind, entries in resources.items():
            page.Resources[f"/{kind}"] = page.Resources.get(f"/{kind}", Dictionary())
            for name, made in entries.items():
                page.Resources[f"/{kind}"][f"/{name}"] = made(new)
    if change is not None:
        change(new)
    return saved(new, **(how or {}))


def saved(new: Pdf, **how: Any) -> bytes:
    stream = io.BytesIO()
    new.save(stream, **how)
    return stream.getvalue()


def form(content: bytes, resources: Callable[[Pdf], Dictionary] | None = None) -> Callable[[Pdf], Any]:
    """A form, which takes the resources of the page where it has none."""

    def make(new: Pdf) -> Any:
        stream = new.make_stream(content)
        stream.Type, stream.Subtype, stream.BBox = Name.XObject, Name.Form, Array([0, 0, 400, 800])
        if resources is not None:
            stream.Resources = resources(new)
        return new.make_indirect(stream)

    return make


def fill_in(*fields: tuple[str, bytes, tuple[float, ...]], **more: Any) -> Change:
    """Fields on the first page: kind, the content of the look, and where each stands."""

    def change(new: Pdf) -> None:
        resources = Dictionary(Font=Dictionary(F1=helvetica()))
        widgets = Array()
        for kind, content, place in fields:
            look = form(content, lambda new: resources)(new)
            look.BBox = Array([0, 0, place[2] - place[0], place[3] - place[1]])
            widget = Dictionary(Type=Name.Annot, Subtype=Name.Widget, FT=Name(f"/{kind}"), T="ZZTOP",
                                Rect=Array(list(place)), AP=Dictionary(N=look), **{"V": "ZZTOP", **more})  # fmt: skip
            widgets.append(new.make_indirect(widget))
        new.pages[0].obj.Annots = widgets
        new.Root.AcroForm = Dictionary(Fields=widgets)

    return change


def image(new: Pdf) -> Any:
    stream = new.make_stream(b"ZZTOP" * 20)
    stream.update(Dictionary(Type=Name.XObject, Subtype=Name.Image, Width=10, Height=10, BitsPerComponent=8,
                             ColorSpace=Name.DeviceGray, Alt="ZZTOP", Metadata=new.make_stream(b"<x>ZZTOP</x>")))  # fmt: skip
    return new.make_indirect(stream)


@functools.cache
def _small_font() -> tuple[bytes, Mapping[str, int], tuple[int, ...], int]:
    """A TrueType font with a word in its table of names; its glyphs by letters, and their widths."""
    import matplotlib
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    found = TTFont(Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf"))
    subset = Subsetter(Options(name_IDs=["*"], notdef_outline=True, glyph_names=True, layout_features=[]))
    subset.populate(unicodes=range(0x20, 0x7F))
    subset.subset(found)
    found["name"].setName("ZZTOP of Quillfeather", 1, 3, 1, 0x409)
    found["OS/2"].achVendID = "ZZTO"
    stream = io.BytesIO()
    found.save(stream)
    order = found.getReverseGlyphMap()
    glyphs = {chr(code): order[name] for code, name in found.getBestCmap().items()}
    em = found["head"].unitsPerEm
    widths = tuple(round(found["hmtx"][name][0] * 1000 / em) for name in found.getGlyphOrder())
    return stream.getvalue(), glyphs, widths, em


def glyphs_of(words: str) -> bytes:
    """Text in the codes of `wide_font`."""
    return b"".join(_small_font()[1][each].to_bytes(2) for each in words)


def wide_font(to_unicode: bool = True) -> Callable[[Pdf], Any]:
    """A font of two-byte codes whose program is in the file."""

    def make(new: Pdf) -> Any:
        data, glyphs, widths, _ = _small_font()
        program = new.make_stream(data)
        program.Length1 = len(data)
        descriptor = Dictionary(
            Type=Name.FontDescriptor, FontName=Name("/ZZTOPA+Quillfeather"), FontFamily="ZZTOP", Flags=4, Lang=Name("/ZZTOP"),
            FontBBox=Array([0, -200, 1000, 900]), ItalicAngle=0, Ascent=900, Descent=-200, CapHeight=700, StemV=80,
            FontFile2=program, CharSet="/ZZTOP",
        )  # fmt: skip
        inner = Dictionary(
            Type=Name.Font, Subtype=Name.CIDFontType2, BaseFont=Name("/ZZTOPA+Quillfeather"), CIDToGIDMap=Name.Identity,
            CIDSystemInfo=Dictionary(Registry="ZZTOP", Ordering="Identity", Supplement=0), DW=600,
            W=Array([0, Array(list(widths))]), FontDescriptor=new.make_indirect(descriptor),
        )  # fmt: skip
        font = Dictionary(Type=Name.Font, Subtype=Name.Type0, BaseFont=Name("/ZZTOPA+Quillfeather"),
                          Encoding=Name("/Identity-H"), DescendantFonts=Array([new.make_indirect(inner)]))  # fmt: skip
        if to_unicode:
            rows = "\n".join(f"<{code:04x}> <{ord(each):04x}>" for each, code in glyphs.items())
            words = "".join(f"{ord(each):04x}" for each in "Quillfeather")
            whole = f"%ZZTOP\n{len(glyphs)} beginbfchar\n{rows}\nendbfchar\n1 beginbfrange <fff0> <fff1> <{words}> endbfrange"
            font.ToUnicode = new.make_stream(whole.encode())
        return new.make_indirect(font)

    return make


def named_font(new: Pdf) -> Any:
    """A font of one-byte codes with names for its glyphs, one of which says more than it should."""
    names = (
        Name("/Q"),
        Name("/u"),
        Name("/i"),
        Name("/l"),
        Name("/Quillfeather"),
        Name("/eacute"),
        Name("/uni0041"),
    )
    return new.make_indirect(
        Dictionary(
            Type=Name.Font,
            Subtype=Name.Type1,
            BaseFont=Name("/ZZTOP"),
            Name=Name("/ZZTOP"),
            FirstChar=1,
            LastChar=7,
            Widths=Array([700, 500, 250, 250, 600, 500, 700]),
            Encoding=Dictionary(Differences=Array([1, *names])),
        )
    )


SCRIPT = Dictionary(S=Name.JavaScript, JS="app.alert('ZZTOP')")


def fill(new: Pdf) -> None:
    """Something to find in every place beside the pages' text."""
    page = new.pages[0].obj
    widget = _fill_annotations(new, page)
    _fill_page(new, page)
    _fill_root(new, page, widget)
    _fill_structure(new, page)
    for key in ("Title", "Author", "Subject", "Keywords", "Creator", "Producer", "ZZTOP"):
        new.docinfo[f"/{key}"] = "ZZTOP Quillfeather"
    new.trailer.ZZTOP = "ZZTOP"


def _fill_annotations(new: Pdf, page: Any) -> Any:
    """Notes, links and a field on the page; the field, which the form names too."""
    look = form(
        b"BT /F1 12 Tf 10 10 Td (ZZTOP) Tj ET", lambda new: Dictionary(Font=Dictionary(F1=helvetica()))
    )(new)
    widget = new.make_indirect(
        Dictionary(
            Type=Name.Annot,
            Subtype=Name.Widget,
            FT=Name.Tx,
            T="ZZTOP",
            TU="ZZTOP",
            V="ZZTOP",
            DV="ZZTOP",
            Rect=Array([10, 10, 90, 30]),
            AP=Dictionary(N=form(text("Field: Mr. Zebulon Quillfeather", y=3))(new)),
            MK=Dictionary(CA="ZZTOP"),
            AA=Dictionary(K=SCRIPT),
        )
    )
    note = Dictionary(Type=Name.Annot, Subtype=Name.Text, Contents="ZZTOP", T="ZZTOP", RC="<p>ZZTOP</p>", NM="ZZTOP",
                      Subj="ZZTOP", Rect=Array([0, 0, 9, 9]))  # fmt: skip
    link = Dictionary(
        Type=Name.Annot,
        Subtype=Name.Link,
        Rect=Array([0, 0, 9, 9]),
        A=Dictionary(S=Name.URI, URI="http://ZZTOP/"),
    )
    free = Dictionary(
        Type=Name.Annot,
        Subtype=Name.FreeText,
        Contents="ZZTOP",
        DA="ZZTOP",
        Rect=Array([0, 0, 99, 99]),
        AP=Dictionary(N=look),
    )
    page.Annots = Array([widget, new.make_indirect(note), new.make_indirect(link), new.make_indirect(free)])
    return widget


def _fill_page(new: Pdf, page: Any) -> None:
    stream = new.make_stream(b"<rdf>ZZTOP Quillfeather</rdf>")
    page.PieceInfo = Dictionary(ZZTOP=Dictionary(Private="ZZTOP", LastModified="ZZTOP"))
    page.Thumb, page.Metadata, page.ID, page.StructParents = image(new), stream, b"ZZTOP", 0
    page.AA, page.LastModified, page.Tabs = Dictionary(O=SCRIPT), "ZZTOP", Name("/ZZTOP")
    page.B = Array([Dictionary(T=Dictionary(I=Dictionary(Title="ZZTOP")))])


def _fill_root(new: Pdf, page: Any, widget: Any) -> None:
    """What the document says of itself, its form, outline, names and files."""
    stream = new.make_stream(b"<rdf>ZZTOP Quillfeather</rdf>")
    file = Dictionary(Type=Name.Filespec, F="ZZTOP.txt", UF="ZZTOP.txt", Desc="ZZTOP",
                      EF=Dictionary(F=new.make_stream(b"ZZTOP Quillfeather")))  # fmt: skip
    root = new.Root
    root.Metadata, root.Lang, root.OpenAction, root.AA = stream, "ZZTOP", SCRIPT, Dictionary(WC=SCRIPT)
    root.AcroForm = Dictionary(
        Fields=Array([widget]),
        DA="/F1 12 Tf ZZTOP",
        DR=Dictionary(Font=Dictionary(F1=helvetica())),
        XFA=Array(["ZZTOP", new.make_stream(b"<xfa>ZZTOP</xfa>")]),
    )
    item = new.make_indirect(Dictionary(Title="ZZTOP Quillfeather", Dest="ZZTOP"))
    root.Outlines = new.make_indirect(Dictionary(Type=Name.Outlines, First=item, Last=item, Count=1))
    root.PageLabels = Dictionary(Nums=Array([0, Dictionary(P="ZZTOP-", S=Name.D)]))
    root.Names = Dictionary(
        EmbeddedFiles=Dictionary(Names=Array(["ZZTOP", file])), JavaScript=Dictionary(Names=Array(["ZZTOP", SCRIPT])),
        Dests=Dictionary(Names=Array(["ZZTOP", Array([page, Name.Fit])])), ZZTOP=Dictionary(Names=Array(["ZZTOP", "ZZTOP"])),
    )  # fmt: skip
    root.AF, root.Dests, root.URI = (
        Array([file]),
        Dictionary(ZZTOP=Array([page, Name.Fit])),
        Dictionary(Base="ZZTOP"),
    )
    root.PieceInfo, root.Legal, root.Perms = (
        Dictionary(ZZTOP=Dictionary(Private="ZZTOP")),
        Dictionary(Attestation="ZZTOP"),
        Dictionary(ZZTOP="ZZTOP"),
    )
    root.Threads, root.Collection, root.Requirements = (
        Array([Dictionary(I=Dictionary(Title="ZZTOP"))]),
        Dictionary(D="ZZTOP"),
        Array([Dictionary(S=Name("/ZZTOP"))]),
    )
    root.OutputIntents = Array(
        [Dictionary(S=Name("/GTS_PDFX"), OutputConditionIdentifier="ZZTOP", Info="ZZTOP")]
    )
    root.ZZTOP = "ZZTOP"


def _fill_structure(new: Pdf, page: Any) -> None:
    """The tree of tags and the groups that can be shown and hidden."""
    root = new.Root
    stream = new.make_stream(b"<rdf>ZZTOP Quillfeather</rdf>")
    element = Dictionary(
        Type=Name.StructElem,
        S=Name("/ZZTOP"),
        ActualText="ZZTOP",
        Alt="ZZTOP",
        E="ZZTOP",
        T="ZZTOP",
        ID="ZZTOP",
        K=0,
    )
    root.StructTreeRoot = Dictionary(Type=Name.StructTreeRoot, K=element, RoleMap=Dictionary(ZZTOP=Name.P))
    group = new.make_indirect(Dictionary(Type=Name.OCG, Name="ZZTOP"))
    root.OCProperties = Dictionary(
        OCGs=Array([group]), D=Dictionary(Name="ZZTOP", Creator="ZZTOP", Order=Array(["ZZTOP", group]))
    )
    page.Resources.Properties = Dictionary(ZZTOP=Dictionary(ActualText="ZZTOP", Metadata=stream), MC0=group)


MARKED = rb"""%ZZTOP Quillfeather
/Span <</ActualText (ZZTOP) /Lang (ZZTOP)>> BDC BT /F1 12 Tf 72 640 Td (Well.) Tj ET EMC
/OC /MC0 BDC EMC /ZZTOP /ZZTOP DP (ZZTOP) ZZTOP
/ZZTOP gs /ZZTOP cs 0.4 scn /ZZTOP CS 0.2 SCN 72 500 60 40 re B /ZZTOP sh /ZZTOP ri
q 10 0 0 10 0 0 cm BI /W 5 /H 1 /BPC 8 /CS /G ID ZZTOP EI Q /Im1 Do
10 10 m 20 30 40 50 60 70 c S 1 0 m 2 9 l 3 0 l 4 9 l 5 0 l 6 9 l 7 0 l S
"""


def full(seen: str) -> bytes:
    """A letter with everything in it, and an earlier version of itself before."""

    def space(new: Pdf) -> Any:
        tint = Dictionary(FunctionType=2, Domain=Array([0, 1]), C0=Array([0]), C1=Array([1]), N=1)
        return Array([Name.Separation, Name("/ZZTOP"), Name.DeviceGray, tint])

    def state(new: Pdf) -> Any:
        mask = form(b"/F1 12 Tf (ZZTOP) Tj")(new)
        return Dictionary(
            Type=Name.ExtGState,
            LW=2,
            ca=0.9,
            BM=Name.Normal,
            SMask=Dictionary(S=Name.Alpha, G=mask),
            ZZTOP="ZZTOP",
        )

    inner = form(
        text(f"Inner: {seen}", y=560) + b" % ZZTOP", lambda new: Dictionary(Font=Dictionary(F1=helvetica()))
    )
    outer = form(text(f"Outer: {seen}", y=580) + b" /ZZTOP Do", lambda new: Dictionary(
        Font=Dictionary(F1=helvetica()), XObject=Dictionary(ZZTOP=inner(new))))  # fmt: skip
    wide = b"BT /ZZTOP 12 Tf 72 620 Td <" + glyphs_of(f"Wide: {seen}").hex().encode() + b"> Tj ET\n"
    named = b"BT /Named 12 Tf 72 600 Td <06 07> Tj ET\n"
    content = (
        text(seen, "He slept well.") + b"\n" + MARKED + wide + named + b"/Fm1 Do 1 0 0 1 0 -300 cm /Fm1 Do\n"
    )
    made = pdf(
        content, text(f"Page two. {seen}"), change=fill, Font={"ZZTOP": wide_font(), "Named": named_font},
        XObject={"Im1": image, "Fm1": outer}, ExtGState={"ZZTOP": state}, ColorSpace={"ZZTOP": space},
    )  # fmt: skip
    start = int(re.findall(rb"startxref\s+(\d+)", made)[-1])
    update = b"90 0 obj\n(ZZTOP of an earlier version)\nendobj\n"
    size = int(re.findall(rb"/Size (\d+)", made)[-1])
    root = re.findall(rb"/Root (\d+ \d+ R)", made)[-1]
    table = b"xref\n90 1\n%010d 00000 n \ntrailer << /Size %d /Root %s /Prev %d >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(made) + 1, max(size, 91), root, start, len(made) + 1 + len(update))  # fmt: skip
    return made + b"\n" + update + table


def all_of(content: bytes) -> str:
    """All that stands in a file: its bytes, its objects, its streams unpacked, and what pdfium reads."""
    import pypdfium2

    parts = [content.decode("latin-1")]
    with pikepdf.open(io.BytesIO(content)) as found:
        for each in found.objects:
            parts.append(
                each.unparse().decode("latin-1") if not isinstance(each, pikepdf.Stream) else repr(dict(each))
            )
            parts += _strings(each)
            if isinstance(each, pikepdf.Stream):
                data = each.read_bytes()
                parts += [data.decode("latin-1"), data.decode("utf-16-be", "ignore")]
        parts.append(found.trailer.unparse().decode("latin-1"))
    document = pypdfium2.PdfDocument(content)
    parts += [page.get_textpage().get_text_range() for page in document]
    return "\n".join(parts)


def _strings(found: Any) -> list[str]:
    if isinstance(found, pikepdf.String):
        return [str(found), bytes(found).decode("latin-1")]
    return []


def read(content: bytes) -> list[str]:
    """The pages' texts as pdfium reads them."""
    import pypdfium2

    return [" ".join(page.get_textpage().get_text_range().split()) for page in pypdfium2.PdfDocument(content)]


def texts_of(content: bytes) -> list[str]:
    """The text of each page as it is taken apart."""
    return [piece.text for piece in PDF().take_apart(content).pieces]


def looks(content: bytes, number: int = 0) -> Any:
    """A page as pdfium draws it."""
    import pypdfium2

    return pypdfium2.PdfDocument(content)[number].render(scale=1).to_pil().convert("L")


def type3_font(new: Pdf) -> Any:
    return Dictionary(Type=Name.Font, Subtype=Name.Type3, FirstChar=81, LastChar=81, Widths=Array([500]),
                      FontBBox=Array([0, 0, 9, 9]), FontMatrix=Array([1, 0, 0, 1, 0, 0]), Encoding=Dictionary(),
                      CharProcs=Dictionary())  # fmt: skip
