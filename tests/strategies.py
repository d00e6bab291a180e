"""Text and documents that try to break things."""

from __future__ import annotations

import itertools

from hypothesis import strategies as st

from deidlab.types import Document, Span

_PIECES = [
    "Iza", "Nº", "Col", "F", "2068-03-01", "120/80", "José", "e\u0301", "ﬁ", "ß", "İ", "½", "m²", "Ⅻ", "١٢", "一",
    " ", "  ", "\t", "\n", "\r", "\r\n", "\u00a0", "\u2028", "\u0085", "\u200b", "\u200d", "\ufeff", "\u00ad",
    "\u0301", "\ufe0f", "👩‍⚕️", "🇪🇸", "שלום", "\u202e", "مرحبا", "नमस्ते", "]]>", "<![CDATA[", "]]", "&amp;", "&#13;",
    "<", ">", '"', "'", "&", "\\", "%", "%2F", "a" * 40, "_", "-", ".", ";", "T1\tDATE 0 1\tx", "-DOCSTART-",
    "START_OF_RECORD=1||||1||||", "\x7f", "\x9f", "\U0010fffd",
]  # fmt: skip
_CONTROLS = ["\x00", "\x01", "\x0b", "\x0c", "\x1b", "\x1c", "\ufffe", "\uffff"]
LABELS = ("PATIENT", "DOCTOR", "DATE", "STREET", "LOCATION-OTHER", "ID_ASEGURAMIENTO")

# What XML 1.0 can hold, and what any Unicode text can.
texts = st.lists(st.sampled_from(_PIECES), max_size=25).map("".join)
any_texts = st.lists(st.sampled_from(_PIECES + _CONTROLS), max_size=25).map("".join)


@st.composite
def spans_in(draw: st.DrawFn, length: int, overlapping: bool = False) -> tuple[Span, ...]:
    """Spans anywhere in a text of that length: inside words, over white space, side by side."""
    if length == 0:
        return ()
    labels = st.sampled_from(LABELS)
    if overlapping:
        edges = st.tuples(st.integers(0, length - 1), st.integers(1, length)).filter(lambda e: e[0] < e[1])
        return tuple(Span(s, e, draw(labels)) for s, e in draw(st.lists(edges, max_size=6)))
    cuts = sorted(draw(st.sets(st.integers(0, length), max_size=12)))
    chosen = [pair for pair in itertools.pairwise(cuts) if draw(st.booleans())]
    return tuple(Span(start, end, draw(labels)) for start, end in chosen)


@st.composite
def documents(draw: st.DrawFn, text: st.SearchStrategy[str] = texts, overlapping: bool = False) -> Document:
    content = draw(text)
    return Document(
        id=draw(
            st.sampled_from(["a", "220-03", "a/b", "..", "x y", "ñ", "%41", "%2F", "a.xml", "CON:1", "."])
        ),
        patient=draw(st.sampled_from(["", "220", "p\u00e4t 1"])),
        text=content,
        spans=draw(spans_in(len(content), overlapping)),
        meta=draw(st.sampled_from([{}, {"site": "north", "n": 3, "tags": ["a", None, 1.5]}])),
    )
