"""Phone and fax numbers: others of the same form, in the region where the patient lives now.

Numbers of North America get the fictional exchange 555-01xx, those of other countries what nobody has there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from deidlab.mask.keys import Stream
from deidlab.mask.mention import Mention
from deidlab.mask.shapes import another, new_number, scramble
from deidlab.mask.surrogate import Surrogate, register

_TOLL_FREE = frozenset(["800", "833", "844", "855", "866", "877", "888", "900"])
_MORE = re.compile(r"\s*(?:x|ext\.?|extension|#)\s*\d+\s*$", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W\d_]+")
_SAID = frozenset({
    "x", "ext", "extn", "extension", "tel", "telephone", "phone", "ph", "cell", "mobile", "fax", "pager",
    "beeper", "home", "work", "office", "direct", "main", "call", "at", "or", "and", "to", "no", "number",
    "h", "w", "c", "m", "p", "f", "t", "o", "tlf", "tfno", "tfn", "teléfono", "telf", "móvil", "movil",
    "fijo", "casa", "y", "extensión", "int",
})  # fmt: skip


def make(mention: Mention) -> str:
    plan, language = mention.plan, mention.language
    group = plan.places.group(plan.mention(mention.text), mention.group(), language)
    area = plan.places.main(group).area_code
    return new_phone(mention.stream, mention.text, area, language.fictional_phones)


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


def _fictional(stream: Stream, old: str) -> str:
    new = f"55501{stream.below(100):02d}"
    while new == old:
        new = f"55501{stream.below(100):02d}"
    return new


def _refill(text: str, digits: str) -> str:
    drawn = iter(digits)
    return "".join(next(drawn) if c.isdecimal() else c for c in text)


SURROGATE = register(Surrogate(("PHONE", "FAX"), make))
