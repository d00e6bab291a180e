"""Who is behind a proxy: the addresses that are trusted in, the client's address out.

A proxy adds the address of whoever it serves to the end of `X-Forwarded-For`; what stands before that, the
client may have made up. So the list is read from its end, past proxies that are trusted, and no further.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from deidlab.errors import ConfigError

_FORWARDED, _SCHEME = b"x-forwarded-for", b"x-forwarded-proto"
Headers = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Proxies:
    """Networks whose word on their clients is believed; of none by default."""

    networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.networks)

    def trusts(self, host: str) -> bool:
        """Whether an address is that of a trusted proxy."""
        address = _address(host)
        return address is not None and any(address in network for network in self.networks)

    def client(self, peer: str, headers: Headers) -> str:
        """Whoever is behind the peer; the peer itself where it is not trusted, or names nobody."""
        told = b",".join(value for name, value in headers if name == _FORWARDED).decode("latin-1")
        host = peer
        for each in reversed(told.split(",")):
            if not self.trusts(host):
                break
            address = _address(each)
            if address is None:
                break
            host = str(address)
        return host

    def is_secure(self, peer: str, headers: Headers) -> bool:
        """Whether a trusted peer says that its client came by https."""
        told = [value for name, value in headers if name == _SCHEME]
        return told == [b"https"] and self.trusts(peer)


NO_PROXIES = Proxies()


def read_proxies(addresses: Iterable[str]) -> Proxies:
    """The proxies of these addresses and networks; all addresses at once would let anybody make theirs up."""
    found = []
    for each in addresses:
        try:
            network = ipaddress.ip_network(each, strict=False)
        except ValueError:
            raise ConfigError("--trusted-proxy takes an address, or a network such as 10.2.0.0/24") from None
        if not network.prefixlen:
            raise ConfigError(
                "--trusted-proxy cannot be every address: clients would tell theirs as they like"
            )
        found.append(network)
    return Proxies(tuple(found))


def _address(told: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An address as proxies write it, perhaps with a port; None where it is none."""
    text = told.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return address if mapped is None else mapped
