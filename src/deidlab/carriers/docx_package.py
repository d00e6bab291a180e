"""An office package in and out: a zip of parts that name each other by relationships.

Only parts that somebody asks for are ever read, within limits. What is written is a new package with fixed
times, of the parts that it is given and no others.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from deidlab.carriers.carrier import Refused
from deidlab.carriers.xml_text import read_xml

MAX_ENTRIES = 4096
MAX_BYTES = 256 << 20
MAX_RATIO = 200
_ALWAYS = 16 << 20
"""As much as this may be packed as tightly as it likes."""

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_RELATIONS = "application/vnd.openxmlformats-package.relationships+xml"
_FIRST = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part says of another: the last word of its type, and its name; no name where it lies outside."""

    id: str = field(repr=False)
    kind: str
    target: str = field(repr=False)


class Package:
    """A package that is read; whatever is wrong with it is `Refused`."""

    def __init__(self, content: bytes) -> None:
        if content.startswith(b"\xd0\xcf\x11\xe0"):
            raise Refused("it is encrypted, or of an older Word; save it as .docx without a password")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError):
            raise Refused("it is not a whole zip file, so no Word document") from None
        self._entries = self._vetted(self._zip.infolist(), len(content))
        self._left = MAX_BYTES

    @staticmethod
    def _vetted(entries: list[zipfile.ZipInfo], size: int) -> dict[str, zipfile.ZipInfo]:
        if len(entries) > MAX_ENTRIES:
            raise Refused(f"it has more than {MAX_ENTRIES} parts")
        whole = sum(each.file_size for each in entries)
        if whole > MAX_BYTES or whole > max(_ALWAYS, MAX_RATIO * size):
            raise Refused(f"unpacked it has {whole >> 20} MiB, which is too much for its size")
        found: dict[str, zipfile.ZipInfo] = {}
        for each in entries:
            name = each.filename.casefold()
            if each.flag_bits & 1:
                raise Refused("a part of it is encrypted; save it without a password")
            if name in found:
                raise Refused("two parts of it have the same name")
            if name.startswith("/") or "\\" in name or ":" in name or ".." in name.split("/"):
                raise Refused("the name of a part leads out of the package")
            found[name] = each
        return found

    @property
    def names(self) -> frozenset[str]:
        """All parts; folders are none."""
        return frozenset(each for each in self._entries if not each.endswith("/"))

    def read(self, name: str) -> bytes:
        """The bytes of a part."""
        entry = self._entries.get(name.casefold())
        if entry is None:
            raise Refused("a part that it names is missing")
        try:
            with self._zip.open(entry) as stream:
                # Sizes in a zip file may lie.
                data = stream.read(self._left + 1)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            ValueError,
            RuntimeError,
            NotImplementedError,
        ):
            raise Refused("a part of it is damaged, or packed in a way that is not known") from None
        self._left -= len(data)
        if self._left < 0:
            raise Refused(f"unpacked it has more than {MAX_BYTES >> 20} MiB")
        return data

    def tree(self, name: str) -> Element:
        """A part as XML, without entities and not too deep."""
        return read_xml(self.read(name), "a part of it")

    def relations(self, name: str) -> Iterator[Relation]:
        """The relationships of a part, or of the package where no part is named."""
        folder, base = posixpath.split(name)
        file = posixpath.join(folder, "_rels", f"{base}.rels")
        if file.casefold() not in self._entries:
            return
        for each in self.tree(file):
            target = each.get("Target", "")
            inside = each.get("TargetMode", "Internal") == "Internal"
            path = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/") if inside else ""
            yield Relation(each.get("Id", ""), each.get("Type", "").rpartition("/")[2], path.casefold())


@dataclass(slots=True)
class NewPackage:
    """A package that is written: parts by their names, their types, and who names whom."""

    parts: dict[str, bytes] = field(default_factory=dict, repr=False)
    types: dict[str, str] = field(default_factory=dict)
    relations: dict[str, list[Relation]] = field(default_factory=dict, repr=False)
    kinds: str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"

    def add(self, name: str, data: bytes, media_type: str = "") -> None:
        """A part; one without a type has that of its ending."""
        self.parts[name] = data
        if media_type:
            self.types[name] = media_type

    def written(self) -> bytes:
        files = {"[Content_Types].xml": self._content_types()}
        for source, found in sorted(self.relations.items()):
            folder, base = posixpath.split(source)
            files[posixpath.join(folder, "_rels", f"{base}.rels")] = self._relations(folder, found)
        files |= self.parts
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
            for name, data in files.items():
                info = zipfile.ZipInfo(name, _FIRST)
                info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
                packed.writestr(info, data)
        return stream.getvalue()

    def _content_types(self) -> bytes:
        endings = (("png", "image/png"), ("rels", _RELATIONS), ("xml", "application/xml"))
        lines = [f'<Default Extension="{ending}" ContentType="{kind}"/>' for ending, kind in endings]
        lines += [f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in self.types.items()]
        name = "http://schemas.openxmlformats.org/package/2006/content-types"
        return f'{_HEAD}<Types xmlns="{name}">{"".join(lines)}</Types>'.encode()

    def _relations(self, folder: str, found: list[Relation]) -> bytes:
        lines = (
            f'<Relationship Id="{each.id}" Type="{self.kinds}{each.kind}" '
            f'Target="{posixpath.relpath("/" + each.target, "/" + folder)}"/>'
            for each in found
        )
        name = "http://schemas.openxmlformats.org/package/2006/relationships"
        return f'{_HEAD}<Relationships xmlns="{name}">{"".join(lines)}</Relationships>'.encode()
