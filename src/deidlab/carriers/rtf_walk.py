"""A walk through RTF: what is known stays as it was written, text becomes characters, all else goes.

Groups, destinations and control words are looked up in `data/carriers/rtf.toml`. What is in no list there is
left out and counted, so that neither a word that a writer made up nor its number can hold anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from deidlab.carriers import rtf_values as values
from deidlab.carriers.carrier import Refused, Removed
from deidlab.carriers.docx_values import page_field, words
from deidlab.carriers.rtf_groups import Flow, Group, Letters
from deidlab.carriers.rtf_text import Char, Decoder, end_of, end_of_group, token_at
from deidlab.carriers.tables import load_table

MAX_DEPTH = 500
MAX_CHARACTERS = 8 << 20
_ENDS = frozenset(["par", "cell", "nestcell", "row", "nestrow", "sect", "page", "column"])


@dataclass(slots=True)
class Rewriting:
    """The whole file: `items` are what is written again, `paragraphs` the characters that are searched."""

    content: bytes = field(repr=False)
    items: list[bytes | Char] = field(default_factory=list, repr=False)
    paragraphs: list[tuple[list[Char], str]] = field(default_factory=list, repr=False)
    removed: Removed = field(default_factory=Removed)
    _groups: list[Group] = field(default_factory=list, repr=False)
    _place: int = 0
    _decoder: Decoder = field(default_factory=lambda: Decoder("cp1252"), repr=False)
    _began: int = 0
    _letters: Letters = field(default_factory=Letters)
    _name: str = field(default="", repr=False)
    _family: str = ""
    _numbers: values.Numbers = field(default_factory=values.Numbers, repr=False)
    _n_characters: int = 0

    def run(self) -> None:
        """Rewriting from the first brace to the last."""
        if not self.content.startswith(b"{\\rtf"):
            raise Refused("it does not begin as RTF does")
        while True:
            match = token_at(self.content, self._place)
            self._place = match.end()
            if self._decoder.is_waiting and not (match["hex"] or match["text"]):
                self._decoder.flush()
            self._take(match)
            if not self._groups:
                break
        rest = self.content[self._place :]
        if rest.strip(b"\0\r\n\t "):
            self.removed["data behind the end"] += 1
        else:
            self.items.append(rest)

    def _take(self, match: re.Match[bytes]) -> None:
        if match["brace"]:
            self._open() if match[0] == b"{" else self._close()
        elif match["word"]:
            number = None if match["number"] is None else int(match["number"])
            self._word(match["word"].decode(), number, match)
        elif match["hex"]:
            self._byte(int(match["hex"], 16), match.start(), match.end())
        elif match["symbol"]:
            self._symbol(match["symbol"], match[0])
        elif match["line"]:
            self.items.append(match[0])
        else:
            for place, byte in enumerate(match["text"], match.start()):
                self._byte(byte, place, place + 1)

    @property
    def _group(self) -> Group:
        return self._groups[-1]

    def _open(self) -> None:
        if len(self._groups) >= MAX_DEPTH:
            raise Refused(f"its groups are nested more than {MAX_DEPTH} deep")
        if self._groups:
            self._group.is_fresh = False
        base = self._group if self._groups else Group(Flow())
        self._groups.append(
            replace(
                base,
                opened=len(self.items),
                is_fresh=True,
                is_starred=False,
                field_at=-1,
                is_field_kept=False,
            )
        )
        self.items.append(b"{")

    def _close(self) -> None:
        if not self._group.is_gone:
            if self._name:
                self._end_name()
            self.items.append(b"}")
        self._groups.pop()

    def _remove(self, kind: str, instead: bytes = b"") -> bytes:
        """Leave out the rest of the group, or all of it where nothing stood in it; its bytes come back."""
        group, start = self._group, self._place
        self._place = end_of_group(self.content, start)
        if group.is_fresh:
            del self.items[group.opened :]
            group.is_gone = True
        self.items.append(instead)
        if kind:
            self.removed[kind] += 1
        return self.content[start : self._place]

    def _symbol(self, symbol: bytes, source: bytes) -> None:
        if symbol == b"*":
            self._group.is_starred = True
            self.items.append(source)
        elif symbol in b"\\{}":
            self._char(symbol.decode(), source)
        elif symbol in b"~_":
            self._char("\xa0" if symbol == b"~" else "-", source)
        elif symbol in b"\r\n":
            self._end_paragraph("par")
            self.items.append(source)
        elif symbol == b"\t":
            self._char("\t", source)
        elif symbol == b"-":
            self.items.append(source)
        else:
            self.removed["control words"] += 1

    def _word(self, word: str, number: int | None, match: re.Match[bytes]) -> None:
        kinds, removed, known = values.listed()
        group, table = self._group, load_table("rtf")
        starred, group.is_starred = group.is_starred, False
        kind = kinds.get(word, "")
        if word in removed:
            self._remove(removed[word])
        elif word in ("field", "fldinst", "fldrslt", "sp", "leveltext", "levelnumbers"):
            getattr(self, f"_{word}")(match[0])
        elif kind and not (kind == "styles" and not (starred and group.table == "stylesheet")):
            self._enter(word, kind, match[0], number)
        elif starred:
            self._remove("unknown destinations")
        elif (text := table["characters"].get(word)) is not None:
            self._char(text, match[0])
        elif word == "bin":
            self._place = end_of(match)
            self.removed["binary data"] += 1
        elif self._letters.heed(word, number, group):
            self._keep(match[0], word, number)
        elif word in ("deleted", "mvf"):
            group.is_deleted = number != 0
            self.removed["tracked changes"] += number != 0
        elif word == "u":
            self._unicode(number or 0, match)
        elif word in known:
            if word in _ENDS:
                self._end_paragraph(word)
            if word in values.FAMILIES:
                self._family = word
            self._keep(match[0], word, number)
        else:
            self.removed["control words"] += 1

    def _keep(self, source: bytes, word: str, number: int | None) -> None:
        """A word that is known; its number is none that could name somebody."""
        if word == "listid" and number is not None:
            source = b"\\listid%d " % self._numbers.list(number)
        elif abs(number or 0) > values.MAX_NUMBER:
            self.removed["numbers"] += 1
            return
        self.items.append(source)

    def _enter(self, word: str, kind: str, source: bytes, number: int | None) -> None:
        group = self._group
        if kind == "people":
            fixed = load_table("rtf")["destinations"]["people"][word].encode()
            self._remove("comments", b"{\\*\\%s %s}" % (word.encode(), fixed))
            return
        if kind == "text":
            group.flow, group.table = Flow(), ""
        elif kind == "tables":
            group.table = word
        self._keep(source, word, number)

    def _field(self, source: bytes) -> None:
        self._group.field_at = len(self.items)
        self.items.append(b"")

    def _fldinst(self, source: bytes) -> None:
        code = values.field_code(self._remove(""))
        parent = next((each for each in reversed(self._groups) if each.field_at >= 0), None)
        if not page_field(code) or parent is None or not self._group.is_gone:
            self.removed["links" if code.strip().startswith("HYPERLINK") else "fields"] += 1
            return
        self.items[parent.field_at] = b"\\field"
        self.items[-1] = b"{\\*\\fldinst %s}" % page_field(code).encode()
        parent.is_field_kept = True

    def _fldrslt(self, source: bytes) -> None:
        parent = next((each for each in reversed(self._groups) if each.field_at >= 0), None)
        if parent is not None and parent.is_field_kept:
            self.items.append(source)

    def _sp(self, source: bytes) -> None:
        whole = source + self._remove("")
        if self._group.is_gone and values.is_number_of_shape(whole):
            self.items[-1] = b"{" + whole + b"}"
        else:
            self.removed["properties of shapes"] += 1

    def _leveltext(self, source: bytes) -> None:
        label = values.list_label(self._remove(""))
        self.removed["words in list labels"] += label is None
        self.items[-1] = b"{\\leveltext%s}" % (label or b"\\'00;")

    def _levelnumbers(self, source: bytes) -> None:
        self.items[-1] = b"{\\levelnumbers%s}" % values.places_in_label(self._remove(""))

    def _unicode(self, number: int, match: re.Match[bytes]) -> None:
        """A character by its number, and what readers of old would show for it."""
        start, units = match.start(), [number]
        fallback = self._fallback()
        low = values.SECOND.match(self.content, self._place) if values.is_first_half(number) else None
        if low is not None:
            units.append(int(low[1]))
            self._place = low.end()
            fallback += self._fallback()
        text, source = values.character(units), self.content[start : self._place]
        if text == "\ufffd":
            source = b"?"
        elif not values.shows_no_other(fallback, text, self._group.codec):
            source = b"".join(b"\\u%d %s" % (each, b"?" * self._group.n_fallbacks) for each in units)
        self._char(text, source)

    def _fallback(self) -> bytes:
        start = self._place
        for _ in range(self._group.n_fallbacks):
            match = token_at(self.content, self._place)
            if match["brace"]:
                break
            self._place = match.start() + 1 if match["text"] else end_of(match)
        return self.content[start : self._place]

    def _byte(self, byte: int, start: int, end: int) -> None:
        if self._decoder.codec != self._group.codec:
            self._decoder = Decoder(self._group.codec)
        if not self._decoder.is_waiting:
            self._began = start
        text = chr(byte) if byte < 0x80 and not self._decoder.is_waiting else self._decoder.take(byte)
        if text:
            self._char(text, self.content[self._began : end])

    def _char(self, text: str, source: bytes) -> None:
        group = self._group
        if group.table in ("fonttbl", "stylesheet"):
            self._name += text
            if text == ";":
                self._end_name()
        elif group.table:
            if text == ";":
                self.items.append(source)
            elif not text.isspace():
                self.removed["names"] += 1
        elif not group.is_deleted and (text >= " " or text in "\t\n"):
            self._write(Char(text, source, group.n_fallbacks))

    def _write(self, char: Char) -> None:
        self._n_characters += 1
        if self._n_characters > MAX_CHARACTERS:
            raise Refused(f"it has more than {MAX_CHARACTERS >> 20} Mi characters of text")
        self._group.is_fresh = False
        flow = self._group.flow
        if flow.paragraph is None:
            flow.paragraph = []
            self.paragraphs.append((flow.paragraph, flow.beside))
            flow.beside = ""
        flow.paragraph.append(char)
        self.items.append(char)

    def _end_paragraph(self, word: str) -> None:
        flow = self._group.flow
        if word in ("cell", "nestcell"):
            text = "".join(each.text for each in flow.paragraph or ()).strip().rstrip(":").rstrip()
            flow.beside = text if text.casefold() in words("captions", "words") else ""
        elif word != "par":
            flow.beside = ""
        flow.paragraph = None

    def _end_name(self) -> None:
        """The name of a font or a style: one that is well known stays, any other is made anew."""
        name, end = self._name.removesuffix(";").strip(), b";" * self._name.endswith(";")
        self._name = ""
        is_font = self._group.table == "fonttbl"
        new = values.font_name(name, self._family) if is_font else self._numbers.style(name)
        self.items.append(new.encode() + end)
