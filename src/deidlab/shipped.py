"""A name in, the table of that name out: of a file that ships with DeidLab, or of a user's own TOML file.

Label sets, maps between them, policies and presets are all found here, so that wherever one is named a file
of one's own will do, and a wrong name is told in the same words.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError, UnknownNameError
from deidlab.tomlfile import read_table

_ENDING = ".toml"


@dataclass(frozen=True, slots=True)
class Shelf:
    """One kind of table: what messages call it, and the folder below `data/` where those stand that ship.

    `others` are names that mean something without a file.
    """

    kind: str
    folder: str
    others: tuple[str, ...] = ()

    def names(self) -> tuple[str, ...]:
        """Those that ship."""
        return _names(self.folder)

    def read_shipped(self, name: str) -> dict[str, Any]:
        """The table of a name that is known to ship."""
        file = resources.files("deidlab").joinpath("data", self.folder, name + _ENDING)
        return tomllib.loads(file.read_text("utf-8"))

    def read(self, name_or_file: str, beside: Path | None = None) -> dict[str, Any]:
        """The table of that name, or of that file; a file is looked for `beside` another that names it."""
        if name_or_file in self.names():
            return self.read_shipped(name_or_file)
        return read_table(self.own_file(name_or_file, beside))

    def own_file(self, name_or_file: str, beside: Path | None = None) -> Path:
        """The user's own file; anything but a file's name is an error that lists the known ones."""
        if not is_own_file(name_or_file):
            raise UnknownNameError(self.kind, name_or_file, (*self.names(), *self.others))
        path = Path(name_or_file)
        return path if beside is None else beside / path

    def own_name(self, path: Path) -> str:
        """How a user's own file is called; the name of one that ships would be taken for that one."""
        if path.stem in self.names():
            raise ConfigError(f"{path}: a {self.kind} that ships has this name; give the file another")
        return path.stem


def is_own_file(name: str) -> bool:
    """Whether a name that was given is that of a file."""
    return name.endswith(_ENDING)


@functools.cache
def _names(folder: str) -> tuple[str, ...]:
    files = resources.files("deidlab").joinpath("data", folder).iterdir()
    return tuple(sorted(file.name.removesuffix(_ENDING) for file in files if file.name.endswith(_ENDING)))
