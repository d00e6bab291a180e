"""A Ray that is started here, closed to all others: on loopback, and with a token of its own.

Whoever reaches Ray can run code as us. Left to itself it listens on every interface, and where it has a
token at all it keeps one for all clusters of a person, in a file that others can read. A cluster that
somebody else started keeps its own ways: nothing here is for it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from deidlab.errors import ConfigError

_MODE, _TOKEN, _TOKEN_PATH = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"


@contextlib.contextmanager
def closed_to_others(ray: ModuleType, folder: Path) -> Iterator[None]:
    """What Ray starts meanwhile is for this process and its children alone, as `folder` must be."""
    if not hasattr(ray._raylet, "AuthenticationTokenLoader"):
        raise ConfigError("this Ray knows no tokens; 2.52 is the first that does: pip install 'deidlab[ray]'")
    path = folder / "token"
    path.touch(0o600)
    path.write_text(secrets.token_hex(32))
    wanted = {_MODE: "token", _TOKEN: None, _TOKEN_PATH: str(path)}
    before = {name: os.environ.get(name) for name in wanted}
    constants = ray._private.ray_constants
    reaches_out = constants.ENABLE_RAY_CLUSTER
    try:
        # The address of a node decides where its servers listen; this is how Ray takes loopback on a desktop.
        constants.ENABLE_RAY_CLUSTER = False
        _set(ray, wanted)
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = reaches_out
        _set(ray, before)


def _set(ray: ModuleType, environment: dict[str, str | None]) -> None:
    """Set or remove variables, and have Ray, which looks at them once, look again."""
    for name, value in environment.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    # In this order: while the mode is still `token`, a thread on its way out would miss the token, and abort.
    ray._raylet.Config.initialize("")
    ray._raylet.AuthenticationTokenLoader.instance().reset_cache()
