"""Text in, e-mail addresses, web addresses, IP and hardware addresses out."""

from __future__ import annotations

import functools
import ipaddress
import re
from collections.abc import Iterator

from deidlab.rules.folding import Cues, lowered
from deidlab.rules.numbers import long_starts, scan
from deidlab.rules.wordlists import cue_words
from deidlab.types import Span

SOURCE = "rules:web"
_LOCAL = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._%+-'")
_HOST = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-")
_DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62})(?:\.[a-z0-9-]{1,63}){0,8}(?<![.-])")
_ADDRESS = re.compile(r"[^\s<>\"“”|]{1,2000}")
_SURE_ENDS = cue_words("web", "sure_ends")
_DOUBTFUL_ENDS = cue_words("web", "doubtful_ends")
_IP4 = re.compile(r"(?<![\w.])(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}(?![\w]|\.\d)")
_IP6 = re.compile(
    r"(?<![\w:.])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]{1,32}(?:(?<=:)\d{1,3}(?:\.\d{1,3}){3})?(?![\w:])"
)
_SCOPE = re.compile(r"(?:%\w{1,16})?(?:/\d{1,3}(?!\w))?")
_COLONS = re.compile(
    r"::[0-9A-Fa-f]|[0-9A-Fa-f]::|"
    r":[0-9A-Fa-f]{0,4}:[0-9A-Fa-f]{1,4}(?![0-9.])|"
    r"-[0-9A-Fa-f]{2}-[0-9A-Fa-f]{2}-[0-9A-Fa-f]{2}-"
)
_MAC = re.compile(r"(?<![\w:-])[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:-])")


@functools.cache
def _starts() -> Cues:
    return Cues(("http://", "https://", "ftp://", "sftp://", "www."))


@functools.cache
def _ends() -> Cues:
    return Cues((*_SURE_ENDS, *_DOUBTFUL_ENDS))


def find(text: str) -> list[Span]:
    """Every address of the net in the text."""
    return [*_mail(text), *_urls(text), *_domains(text), *_numbers(text)]


def _mail(text: str) -> Iterator[Span]:
    lower = lowered(text)
    at = lower.find("@")
    while at >= 0:
        start = at
        while start > max(at - 64, 0) and lower[start - 1] in _LOCAL:
            start -= 1
        while start < at and not lower[start].isalnum():
            start += 1
        domain = _DOMAIN.match(lower, at + 1)
        if start < at and domain:
            named = "." in domain.group()
            if named or not lower[at + 1].isdigit():
                yield Span(start, domain.end(), "EMAIL", 0.99 if named else 0.6, SOURCE)
        at = lower.find("@", at + 1)


def _urls(text: str) -> Iterator[Span]:
    done = 0
    for start, _, _ in _starts().find(text):
        if start < done:
            continue
        match = _ADDRESS.match(text, start)
        if match:
            done = start + len(match.group().rstrip(".,;:!?)]}'’"))
            yield Span(start, done, "URL", 0.99, SOURCE)


def _domains(text: str) -> Iterator[Span]:
    """Bare hosts such as portal.example.org/path."""
    lower = lowered(text)
    for dot, end, cue in _ends().find(text):
        start = dot
        while start > max(dot - 253, 0) and lower[start - 1] in _HOST:
            start -= 1
        while start < dot and not lower[start].isalnum():
            start += 1
        following = lower[end : end + 2]
        if dot - start < 2 or (following and (following[0].isalnum() or following[0] in "@-")):
            continue
        if following[:1] == "." and following[1:].isalnum():
            continue
        path = following.startswith(("/", ":")) and not following[1:].isspace()
        if cue in _DOUBTFUL_ENDS and not (path or "." in lower[start:dot]):
            continue
        if lower[start - 1 : start] in ("@", "/") and start:
            continue
        match = _ADDRESS.match(text, end) if path else None
        stop = end + len(match.group().rstrip(".,;:!?)]}'’")) if match else end
        yield Span(start, stop, "URL", 0.9, SOURCE)


def _after_scope(text: str, end: int) -> int:
    """Behind the zone and the length of the prefix: `fe80::1%eth0`, `10.0.0.0/24`."""
    match = _SCOPE.match(text, end)
    return match.end() if match else end


def _numbers(text: str) -> Iterator[Span]:
    for match in scan(_IP4, text, long_starts(text)):
        before = lowered(text[max(match.start() - 12, 0) : match.start()])
        version = re.search(r"(?:version|ver|v|section|oid|rev|release|software)\.?\s*$", before)
        stop = _after_scope(text, match.end())
        yield Span(match.start(), stop, "IPADDR", 0.2 if version else 0.95, SOURCE)
    if not _COLONS.search(text):
        return
    for match in _IP6.finditer(text):
        try:
            ipaddress.IPv6Address(
                match.group().rstrip(":") if not match.group().endswith("::") else match.group()
            )
        except ValueError:
            continue
        if any(char.isdigit() for char in match.group()):
            yield Span(match.start(), _after_scope(text, match.end()), "IPADDR", 0.95, SOURCE)
    for match in _MAC.finditer(text):
        yield Span(*match.span(), "DEVICE", 0.9, SOURCE)
