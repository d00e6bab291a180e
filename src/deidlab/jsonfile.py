"""A path in, the JSON object of that file out; what is wrong with it takes one line and quotes nothing.

And the mirror: files that are there whole or not at all, for a kill may come.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError, DeidError
from deidlab.files import write_appearing
from deidlab.inputfile import read_input


def read_object(path: Path, wrong: type[DeidError] = ConfigError) -> dict[str, Any]:
    """The object, or an error of the kind `wrong`."""
    try:
        value = json.loads(read_input(path).decode("utf-8"))
    except OSError as error:
        raise wrong(f"{path}: {error.strerror or 'cannot be read'}") from None
    except (ValueError, RecursionError):
        raise wrong(f"{path}: not JSON, or nested too deep") from None
    if not isinstance(value, dict):
        raise wrong(f"{path}: not a JSON object")
    return value


def write_object(path: Path, value: Any, lasting: bool = True) -> None:
    """JSON that appears under its name only when it is complete, and, if `lasting`, on the disk."""
    write_whole(path, (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode(), lasting)


def write_whole(path: Path, data: bytes, lasting: bool = True) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two processes may write the same name: each has a partial file of its own.
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        write_appearing(path, data, partial, lasting)
    except OSError as error:
        raise ConfigError(
            f"{path}: {error.strerror or 'cannot be written'}; make room and run again"
        ) from None
