"""E-mails, user names, web and IP addresses in, others of the same form out.

Web and e-mail addresses get the reserved example domains, IP addresses the ranges kept for documentation.
User names follow the new name where they followed the old one.
"""

from __future__ import annotations

import ipaddress
import re

from deidlab.banks import fold
from deidlab.mask.keys import Stream
from deidlab.mask.mention import Mention
from deidlab.mask.names_plan import NamePlan
from deidlab.mask.shapes import like_case, new_number, scramble
from deidlab.mask.surrogate import Surrogate, register

_DOMAINS = ("example.org", "example.com", "example.net")
_PUBLIC_MAIL = ("gmail.com", "yahoo.com", "hotmail.com", "outlook.com", "aol.com", "icloud.com")
_RANGES = ("192.0.2.", "198.51.100.", "203.0.113.")
_TOKEN = re.compile(r"[^\W\d_]+")
_LONGEST_USER = 64


def new_email(stream: Stream, text: str, names: NamePlan) -> str:
    user, at, domain = text.rpartition("@")
    if not at:
        return new_user(stream, text, names)
    public = domain.lower() in _PUBLIC_MAIL
    new_domain = _DOMAINS[1] if public else _DOMAINS[stream.below(len(_DOMAINS))]
    return new_user(stream, user, names) + "@" + (new_domain.upper() if domain.isupper() else new_domain)


def new_user(stream: Stream, text: str, names: NamePlan) -> str:
    """A user name: name words in it become the new ones, with their initials; all else is drawn anew."""
    out: list[str] = []
    done = 0
    tokens = list(_TOKEN.finditer(text))
    followed = any(_follow(token.group(), names) for token in tokens)
    beside = next((word for token in tokens if names.surrogate_of(word := token.group())), None)
    for token in tokens:
        out.append(scramble(stream, text[done : token.start()], letters=False))
        new = _follow(token.group(), names)
        if new is None and beside is not None and len(token.group()) == 1:
            # 'j.smith': the letter is that of the person's new first name.
            new = fold(names.letter_for(token.group(), beside))
        if new is None:
            # A word beside a name ('john.billing') may be public, but nobody can tell: it goes.
            new = scramble(stream, token.group())
        out.append(like_case(token.group(), new) if followed else new)
        done = token.end()
    out.append(scramble(stream, text[done:], letters=False))
    result = "".join(out)
    if result != text:
        return result
    # Drawn alike by chance, or nothing to draw: one more letter tells them apart.
    return new_number(stream, text) if any(c.isalnum() for c in text) else "user"


def _follow(token: str, names: NamePlan) -> str | None:
    """jsmith, smithj, johnsmith, john: as the new name writes it; None where no name word is in it."""
    if len(token) > _LONGEST_USER:
        return None
    whole = names.surrogate_of(token)
    if whole:
        return fold(whole)
    if len(token) in (2, 3):
        initials = names.initials_for(token)
        if initials or len(token) == 2:
            return fold(initials) if initials else None
    for cut in (*range(3, len(token) - 2), 1, len(token) - 1):
        if not 0 < cut < len(token):
            continue
        left, right = names.surrogate_of(token[:cut]), names.surrogate_of(token[cut:])
        if left and right:
            return fold(left) + fold(right)
        if cut == 1 and right and len(token) > 3:
            return fold(names.letter_for(token[0], token[1:])) + fold(right)
        if cut == len(token) - 1 and left and len(token) > 3:
            return fold(left) + fold(names.letter_for(token[-1], token[:-1]))
    return None


def new_url(stream: Stream, text: str) -> str:
    """Scheme and www stay, the host is an example domain, the path is drawn anew."""
    match = re.match(
        r"(?P<scheme>[a-z]+://)?(?P<www>www\.)?(?P<host>[^/?#\s]+)(?P<path>.*)", text, re.I | re.S
    )
    if match is None:
        return new_number(stream, text)
    host = _DOMAINS[stream.below(len(_DOMAINS))]
    label = "".join("abcdefghijklmnopqrstuvwxyz"[stream.below(26)] for _ in range(6))
    www = match["www"] or ""
    return (match["scheme"] or "") + www + f"{label}.{host}" + scramble(stream, match["path"])


def new_ip(stream: Stream, text: str) -> str:
    bare = text.strip()
    try:
        version = ipaddress.ip_address(bare).version
    except ValueError:
        return new_number(stream, text)
    if version == 6:
        new = "2001:db8::" + ":".join(f"{stream.below(1 << 16):x}" for _ in range(3))
    else:
        new = _RANGES[stream.below(3)] + str(1 + stream.below(254))
    return text.replace(bare, new)


def make_email(mention: Mention) -> str:
    return new_email(mention.stream, mention.text, mention.plan.names)


def make_user(mention: Mention) -> str:
    return new_user(mention.stream, mention.text, mention.plan.names)


def make_url(mention: Mention) -> str:
    return new_url(mention.stream, mention.text)


def make_ip(mention: Mention) -> str:
    return new_ip(mention.stream, mention.text)


EMAIL = register(Surrogate(("EMAIL",), make_email))
USER = register(Surrogate(("USERNAME",), make_user))
URL = register(Surrogate(("URL",), make_url))
IP = register(Surrogate(("IPADDR",), make_ip))
