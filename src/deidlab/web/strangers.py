"""Connections that have shown no token yet: how many there may be, and which makes way for another.

A newcomer is never turned away, since a client with a token is a stranger too until its first head is read:
the oldest stranger goes. Whoever opens many and leaves them half-sent pushes out their own.
"""

from __future__ import annotations

import ipaddress
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

_SHARE_OF_AN_ADDRESS = 2
_IPV6_PREFIX = 64


@dataclass(slots=True)
class Strangers:
    """The connections of all strangers by address, each with what ends it; `most` of them, half from one."""

    most: int
    _ends: dict[str, OrderedDict[object, Callable[[], None]]] = field(default_factory=dict)

    def __len__(self) -> int:
        return sum(map(len, self._ends.values()))

    def add(self, connection: object, host: str, end: Callable[[], None]) -> None:
        """Count a connection in, and end the one that makes way for it, if one must."""
        own = self._ends.setdefault(client_of(host), OrderedDict())
        if len(own) >= max(1, self.most // _SHARE_OF_AN_ADDRESS):
            own.popitem(last=False)[1]()
        elif len(self) >= self.most:
            max(self._ends.values(), key=len).popitem(last=False)[1]()
        own[connection] = end

    def remove(self, connection: object, host: str) -> None:
        """Count a connection out: it is over, or no longer a stranger's."""
        client = client_of(host)
        own = self._ends.get(client, OrderedDict())
        own.pop(connection, None)
        if not own:
            self._ends.pop(client, None)


def client_of(host: str) -> str:
    """Who is behind an address: of IPv6 the network, since one client has as many addresses as it likes."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, _IPV6_PREFIX), strict=False))
    return str(address)
