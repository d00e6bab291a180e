"""What holds within a group of RTF: where its text belongs, and in which code page it is written."""

from __future__ import annotations

from dataclasses import dataclass, field

from deidlab.carriers.rtf_text import Char, code_page
from deidlab.carriers.tables import load_table


@dataclass(slots=True)
class Flow:
    """A text of its own, such as the body or a footnote; `beside` is what the cell before holds."""

    paragraph: list[Char] | None = field(default=None, repr=False)
    beside: str = field(default="", repr=False)


@dataclass(slots=True)
class Group:
    """What holds within a group; those inside begin with the same."""

    flow: Flow = field(repr=False)
    table: str = ""
    codec: str = "cp1252"
    n_fallbacks: int = 1
    is_deleted: bool = False
    opened: int = 0
    is_fresh: bool = True
    is_starred: bool = False
    is_gone: bool = False
    field_at: int = -1
    is_field_kept: bool = False


@dataclass(slots=True)
class Letters:
    """The code pages of the file and of its fonts."""

    codec: str = "cp1252"
    _fonts: dict[int, str] = field(default_factory=dict, repr=False)
    _font: int = 0
    _default: int = 0

    def heed(self, word: str, number: int | None, group: Group) -> bool:
        """Take in what a control word says; False where it says nothing of letters."""
        value = number or 0
        match word:
            case "f":
                self._font = value
                if group.table != "fonttbl":
                    group.codec = self._fonts.get(value, self.codec)
            case "fcharset" | "cpg":
                if group.table == "fonttbl":
                    listed = load_table("rtf")["code_pages"].get(str(value), self.codec)
                    self._fonts[self._font] = listed if word == "fcharset" else code_page(value)
            case "deff":
                self._default = value
            case "plain":
                group.is_deleted = False
                group.codec = self._fonts.get(self._default, self.codec)
            case "uc":
                group.n_fallbacks = 1 if number is None else max(0, min(value, 9))
            case "ansicpg" | "mac" | "pc" | "pca":
                pages = {"mac": 10000, "pc": 437, "pca": 850}
                self.codec = group.codec = code_page(pages.get(word, value or 1252))
            case _:
                return False
        return True
