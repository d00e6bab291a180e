"""A path in, the JSON object of that file out; what is wrong with it takes one line and quotes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError, DeidError


def read_object(path: Path, wrong: type[DeidError] = ConfigError) -> dict[str, Any]:
    """The object, or an error of the kind `wrong`."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise wrong(f"{path}: {error.strerror or 'cannot be read'}") from None
    except ValueError:
        raise wrong(f"{path}: not JSON") from None
    if not isinstance(value, dict):
        raise wrong(f"{path}: not a JSON object")
    return value
