"""Phones, e-mails, user names, web and IP addresses in, others of the same form out.

Phone numbers of North America get the fictional exchange 555-01xx, web and e-mail addresses the reserved
example domains, IP addresses the ranges kept for documentation. User names follow the new name where they
followed the old one.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping

from deidlab.banks import fold
from deidlab.mask.keys import Stream
from deidlab.mask.names_plan import NamePlan
from deidlab.mask.shapes import another, like_case, new_number, scramble

_TOLL_FREE = frozenset(["800", "833", "844", "855", "866", "877", "888", "900"])
_MORE = re.compile(r"\s*(?:x|ext\.?|extension|#)\s*\d+\s*$", re.IGNORECASE)
_DOMAINS = ("example.org", "example.com", "example.net")
_PUBLIC_MAIL = ("gmail.com", "yahoo.com", "hotmail.com", "outlook.com", "aol.com", "icloud.com")
_RANGES = ("192.0.2.", "198.51.100.", "203.0.113.")
_TOKEN = re.compile(r"[^\W\d_]+")
_SAID = frozenset({
    "x", "ext", "extn", "extension", "tel", "telephone", "phone", "ph", "cell", "mobile", "fax", "pager",
    "beeper", "home", "work", "office", "direct", "main", "call", "at", "or", "and", "to", "no", "number",
    "h", "w", "c", "m", "p", "f", "t", "o", "tlf", "tfno", "tfn", "teléfono", "telf", "móvil", "movil",
    "fijo", "casa", "y", "extensión", "int",
})  # fmt: skip
_LONGEST_USER = 64


def new_phone(stream: Stream, text: str, area_code: str, fictional: Mapping[str, str]) -> str:
    """A number of the same shape, in the area code of the patient's new place where the old one had one.

    One that begins as `fictional` says gets the beginning of numbers that nobody has. Of the words beside it
    only those that say what it is stay.
    """
    others = {word for word in _TOKEN.findall(text) if word.lower() not in _SAID}
    new = _new_fiction(stream, text, fictional) or _new_digits(stream, text, area_code)
    return _TOKEN.sub(lambda m: another(stream, m.group()) if m.group() in others else m.group(), new)


def _new_fiction(stream: Stream, text: str, fictional: Mapping[str, str]) -> str:
    digits = "".join(c for c in text if c.isdecimal())
    start = next((new for old, new in fictional.items() if digits.startswith(old)), "")
    rest = len(digits) - len(start)
    if not start or rest < 2 or _MORE.search(text):
        return ""
    drawn = [str(stream.below(10)) for _ in range(rest)]
    while start + "".join(drawn) == digits:
        drawn = [str(stream.below(10)) for _ in range(rest)]
    return _refill(text, start + "".join(drawn))


def _new_digits(stream: Stream, text: str, area_code: str) -> str:
    more = _MORE.search(text)
    main = text[: more.start()] if more else text
    digits = "".join(c for c in main if c.isdecimal())
    rest = scramble(stream, text[len(main) :], letters=False)
    country = digits[:1] if len(digits) == 11 and digits[0] == "1" else ""
    national = digits[len(country) :]
    if (len(national) == 10 and not main.lstrip().startswith("+")) or (country and len(national) == 10):
        area = national[:3] if national[:3] in _TOLL_FREE or not area_code else area_code
        return _refill(main, country + area + _fictional(stream, national[3:])) + rest
    if len(national) == 7:
        return _refill(main, _fictional(stream, national)) + rest
    kept = 3 if main.lstrip().startswith("+") else 1
    if len(digits) <= kept + 3:
        return new_number(stream, text)
    drawn = digits[:kept] + "".join(str(stream.below(10)) for _ in digits[kept:])
    while drawn == digits:
        drawn = digits[:kept] + "".join(str(stream.below(10)) for _ in digits[kept:])
    return _refill(main, drawn) + rest


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


def _fictional(stream: Stream, old: str) -> str:
    new = f"55501{stream.below(100):02d}"
    while new == old:
        new = f"55501{stream.below(100):02d}"
    return new


def _refill(text: str, digits: str) -> str:
    drawn = iter(digits)
    return "".join(next(drawn) if c.isdecimal() else c for c in text)
