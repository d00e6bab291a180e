"""The model hub: whether it answers, and no word to it beyond what is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_PATIENCE_SECONDS = 5


def keep_quiet() -> None:
    """Let the hub's library send nothing about this machine, and fetch nothing on its own account."""
    from huggingface_hub import constants

    constants.HF_HUB_DISABLE_TELEMETRY = True


def hub_answers() -> bool:
    """One short question: the library would repeat its own for half a minute where there is no network."""
    import huggingface_hub

    keep_quiet()
    try:
        huggingface_hub.get_session().head(huggingface_hub.constants.ENDPOINT, timeout=_PATIENCE_SECONDS)
    except Exception:
        return False
    return True


def loading_options(place: Path | str, at_hand: bool = False) -> dict[str, Any]:
    """How the library is to load `place`: without its code, and from this machine alone where it is a path,
    where only what is at hand is wanted, or where the hub does not answer."""
    keep_quiet()
    return {
        "trust_remote_code": False,
        "local_files_only": at_hand or Path(place).exists() or not hub_answers(),
    }
