"""The model hub: whether it answers, and a library that tells it no more than a request needs."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

_REMEMBERED_SECONDS = 60.0
_answers: dict[str, tuple[float, bool]] = {}


def keep_quiet() -> None:
    """No telemetry, and no model handed to the service that turns old weights into safetensors."""
    from huggingface_hub import constants

    constants.HF_HUB_DISABLE_TELEMETRY = True
    os.environ.setdefault("DISABLE_SAFETENSORS_CONVERSION", "1")


def hub_answers() -> bool:
    """Whether the hub can be reached; the answer holds for a minute.

    The library would repeat its own question for half a minute where there is no network.
    """
    from huggingface_hub import constants

    asked, answer = _answers.get(constants.ENDPOINT, (-_REMEMBERED_SECONDS, False))
    if time.monotonic() - asked < _REMEMBERED_SECONDS:
        return answer
    answer = _ask(constants.ENDPOINT, constants.HF_HUB_ETAG_TIMEOUT)
    _answers[constants.ENDPOINT] = time.monotonic(), answer
    return answer


def _ask(address: str, patience: float) -> bool:
    import huggingface_hub

    keep_quiet()
    try:
        huggingface_hub.get_session().head(address, timeout=patience)
    except Exception:
        return False
    return True


def loading_options(place: Path | str) -> dict[str, Any]:
    """How the library is to load `place`: without its code, and from this machine alone where it is a path or
    the hub does not answer."""
    keep_quiet()
    return {"trust_remote_code": False, "local_files_only": Path(place).exists() or not hub_answers()}
