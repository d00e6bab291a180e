"""A path in, the table of that TOML file out; what is wrong with it takes one line and quotes nothing."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError
from deidlab.inputfile import read_input

# All of the library's message that tells nothing of what stands there.
_PLACE = re.compile(r" \(at [a-z0-9, ]+\)$")


def read_table(path: Path) -> dict[str, Any]:
    """The table, or a ConfigError."""
    try:
        return tomllib.loads(read_input(path).decode("utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'cannot be read'}") from None
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        raise ConfigError(f"{path}: not a TOML file{place[0] if place else ''}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not a TOML file in UTF-8") from None
    except RecursionError:
        raise ConfigError(f"{path}: not a TOML file that can be read: nested too deep") from None
