"""A pen in, numbers out: telephones, records, accounts, licences, plates, web addresses and logins."""

from __future__ import annotations

from collections.abc import Callable

from deidlab.make.lists import table, words
from deidlab.make.names import make_family_name
from deidlab.make.pen import Pen
from deidlab.make.subjects import Person

_SHAPES = table("numbers", "shapes")
_STARTS = table("numbers", "starts")
_INVENTED = table("numbers", "invented")
_DOMAINS = words("numbers_domains")
_ENDS = words("numbers_ends")


def make_id(pen: Pen, label: str) -> str:
    """A number of a kind; `#` is a digit and `@` a letter in its shapes."""
    shapes = _SHAPES[label]
    if label == "MEDICALRECORD" and pen.cast.country in ("UK", "IE", "AU", "NZ") and pen.draw() < 0.6:
        shapes = _SHAPES["MEDICALRECORD-UK"]
    invented = pen.often(_INVENTED.get(label, 0.0))
    text = fill_shape(pen, _invent_shape(pen, label) if invented else pen.pick(shapes))
    return text.lower() if pen.draw() < 0.03 else text


def _invent_shape(pen: Pen, label: str) -> str:
    """A shape of no list: a start of the label's or none, then one to three groups."""
    gap = pen.pick(("-", "-", "-", "", "", ".", "/", " "))
    groups = [_invent_group(pen) for _ in range(pen.number(1, 3))]
    shape = gap.join(groups)
    while shape.count("#") < 4:
        shape += "#" * pen.number(2, 5)
    start = pen.pick(_STARTS[label]) if pen.often(0.5) else ""
    return start + (pen.pick(("", "-", " ")) if start[-1:].isalpha() else "") + shape


def _invent_group(pen: Pen) -> str:
    kind = pen.draw()
    if kind < 0.55:
        return "#" * pen.number(2, 7)
    if kind < 0.7:
        return "@" * pen.number(1, 3)
    return pen.pick(("@###", "@##", "##@", "#@", "@@##", "###@", "@#@#", "#@@#", "@####", "##@@"))


def make_vanity_plate(pen: Pen) -> str:
    """Words on a plate that its owner has paid for."""
    name = make_family_name(pen).upper().replace(" ", "")[:5]
    return pen.pick(
        (
            f"{name} {pen.number(1, 99)}",
            f"{name}{pen.number(1, 9)}",
            f"{pen.number(1, 9)} {name}",
            f"{pen.pick(('GR8', 'BIG', 'LUV', 'MY', 'HI', 'GO', 'OLD', 'NO1', '4', '2'))} {name}",
            f"{name} {pen.pick(('MOM', 'DAD', 'GAL', 'ONE', 'FAM', 'BOY', 'RN', 'JD'))}",
        )
    )


def fill_shape(pen: Pen, shape: str) -> str:
    return pen.fill(shape)


def make_phone(pen: Pen, area: str = "") -> str:
    """A telephone number as it is written in the note's country, an extension at times."""
    text = _PHONES.get(pen.cast.country, _phone_us)(pen, area)
    if pen.draw() < 0.08:
        text += pen.pick(
            (" x", " ext ", " ext. ", " Ext. ", " extension ", ", ext. ", " EXT ", "x")
        ) + pen.digits(pen.number(3, 5))
    return text


def _phone_us(pen: Pen, area: str) -> str:
    area = area if area and pen.draw() < 0.7 else str(pen.number(201, 989))
    middle, last = pen.pick(("555", str(pen.number(200, 999)))), f"{pen.number(0, 9999):04d}"
    kind = pen.draw()
    if kind < 0.3:
        return f"({area}) {middle}-{last}"
    if kind < 0.6:
        return f"{area}-{middle}-{last}"
    if kind < 0.85:
        return pen.pick(
            (
                f"{area}.{middle}.{last}",
                f"{area} {middle} {last}",
                f"({area}){middle}-{last}",
                f"1-{area}-{middle}-{last}",
                f"+1 {area} {middle} {last}",
                f"{area}{middle}{last}",
                f"{area}/{middle}-{last}",
                f"+1-{area}-{middle}-{last}",
            )
        )
    return f"{middle}-{last}"


def _phone_uk(pen: Pen, area: str) -> str:
    if pen.draw() < 0.45:
        return pen.pick(
            (
                f"07{pen.digits(3)} {pen.digits(6)}",
                f"07{pen.digits(9)}",
                f"+44 7{pen.digits(3)} {pen.digits(6)}",
                f"07{pen.digits(3)} {pen.digits(3)} {pen.digits(3)}",
            )
        )
    area = area or "0" + pen.digits(4)
    if " " in area:
        return (
            f"{area}{pen.digits(2)} {pen.digits(4)}"
            if len(area) == 6
            else f"{area}{pen.digits(3)} {pen.digits(4)}"
        )
    if len(area) == 4:
        return pen.pick(
            (
                f"{area} {pen.digits(3)} {pen.digits(4)}",
                f"({area}) {pen.digits(3)} {pen.digits(4)}",
                f"{area}{pen.digits(7)}",
            )
        )
    return pen.pick((f"{area} {pen.digits(6)}", f"({area}) {pen.digits(6)}", f"{area}-{pen.digits(6)}"))


def _phone_ie(pen: Pen, area: str) -> str:
    if pen.draw() < 0.6:
        start = pen.pick(("085", "086", "087", "083", "089"))
        return pen.pick(
            (
                f"{start} {pen.digits(3)} {pen.digits(4)}",
                f"{start}-{pen.digits(7)}",
                f"{start} {pen.digits(7)}",
                f"+353 {start[1:]} {pen.digits(3)} {pen.digits(4)}",
            )
        )
    return (
        f"({area or '01'}) {pen.digits(3)} {pen.digits(4)}"
        if pen.draw() < 0.5
        else f"{area or '01'} {pen.digits(7)}"
    )


def _phone_au(pen: Pen, area: str) -> str:
    if pen.draw() < 0.5:
        return pen.pick(
            (
                f"04{pen.digits(2)} {pen.digits(3)} {pen.digits(3)}",
                f"04{pen.digits(8)}",
                f"+61 4{pen.digits(2)} {pen.digits(3)} {pen.digits(3)}",
            )
        )
    return pen.pick(
        (
            f"({area or '02'}) {pen.digits(4)} {pen.digits(4)}",
            f"{area or '02'} {pen.digits(4)} {pen.digits(4)}",
        )
    )


def _phone_in(pen: Pen, area: str) -> str:
    if pen.draw() < 0.7:
        start = pen.pick("6789")
        return pen.pick(
            (
                f"+91 {start}{pen.digits(4)} {pen.digits(5)}",
                f"{start}{pen.digits(9)}",
                f"+91-{start}{pen.digits(9)}",
                f"{start}{pen.digits(4)} {pen.digits(5)}",
            )
        )
    return (
        f"{area or '080'}-{pen.digits(8)}"
        if pen.draw() < 0.5
        else f"{area or '080'} {pen.digits(4)} {pen.digits(4)}"
    )


_PHONES: dict[str, Callable[[Pen, str], str]] = {
    "US": _phone_us,
    "CA": _phone_us,
    "UK": _phone_uk,
    "IE": _phone_ie,
    "AU": _phone_au,
    "NZ": _phone_au,
    "IN": _phone_in,
}


def make_pager(pen: Pen) -> str:
    return pen.digits(pen.number(4, 5)) if pen.draw() < 0.8 else f"#{pen.digits(4)}"


def make_email(pen: Pen, person: Person) -> str:
    given, family = _ascii(person.given), _ascii(person.family or make_family_name(pen))
    name = pen.pick(
        (
            f"{given}.{family}",
            f"{given[:1]}{family}",
            f"{given}_{family}{pen.number(1, 99)}",
            f"{given}{pen.digits(2)}",
            f"{family}.{given[:1]}",
            f"{given}{family}",
            f"{given}.{family}{pen.number(50, 99)}",
            f"{family}{given[:1]}{pen.digits(3)}",
        )
    )
    domain = pen.pick(_DOMAINS) if pen.draw() < 0.6 else _site(pen)
    return f"{name}@{domain}"


def make_url(pen: Pen) -> str:
    site = _site(pen)
    start = pen.pick(
        ("www.", "https://www.", "https://", "http://", "www.", "portal.", "my.", "https://portal.")
    )
    end = pen.pick(
        (
            "",
            "",
            "",
            "/patients",
            "/portal",
            "/records",
            f"/view?id={pen.digits(6)}",
            "/mychart",
            "/appointments",
            f"/r/{pen.digits(4)}",
        )
    )
    return start + site + end


def make_ip(pen: Pen) -> str:
    return (
        ".".join(str(pen.number(1, 254)) for _ in range(4))
        if pen.draw() < 0.5
        else f"10.{pen.number(0, 254)}.{pen.number(0, 254)}.{pen.number(1, 254)}"
    )


def make_login(pen: Pen, person: Person) -> str:
    """A login or typist's code, made from a name or not."""
    given, family = _ascii(person.given) or "a", _ascii(person.family or make_family_name(pen)) or "b"
    kind = pen.draw()
    if kind < 0.2:
        return _odd_login(pen, given, family)
    if kind < 0.5:
        return pen.pick(
            (
                given[:1] + family,
                f"{given[:1]}{family}{pen.number(1, 99)}",
                f"{given}.{family}",
                f"{family}{given[:1]}",
                f"{family[:5]}{given[:2]}",
                f"{given[:1]}_{family}",
                f"{given[:3]}{family[:3]}{pen.digits(2)}",
            )
        )
    if kind < 0.75:
        return pen.pick(
            (
                pen.letters(2) + pen.digits(3),
                pen.letters(2).lower() + pen.digits(2),
                pen.letters(3) + pen.digits(1),
                pen.letters(2).lower() + pen.digits(4),
                pen.letters(2) + pen.digits(2),
                "RN" + pen.digits(4),
                pen.letters(1) + pen.digits(5),
            )
        )
    return pen.letters(3) if kind < 0.85 else (given[:1] + family[:1] + pen.pick("abcdefghkmnprstw")).lower()


def _odd_login(pen: Pen, given: str, family: str) -> str:
    """A login with what systems, sites and domains put before or behind it."""
    site = pen.letters(pen.number(2, 4))
    short = pen.pick(
        (family[:6], f"{given[:1]}{family[:6]}", f"{given}{family[:1]}", f"{given[:2]}{family[:3]}")
    )
    return pen.pick(
        (
            short.upper(),
            f"{short.upper()}{pen.number(1, 12):02d}",
            f"{site}\\{short}",
            f"{site.lower()}.{short}",
            f"{short}@{site.lower()}",
            f"{short}-{pen.pick(('rn', 'md', 'adm', 'tmp', 'np', 'ma', 'rx', 'er'))}",
            f"{pen.pick(('rn', 'dr', 'md', 'lab', 'rad', 'tech', 'nurse', 'ext', 'temp', 'x'))}_{short}",
            f"{pen.pick('utecnpxz')}{pen.digits(pen.number(4, 7))}",
            f"{pen.letters(1)}{pen.digits(2)}{pen.letters(2)}".lower(),
            f"{site}{pen.digits(3)}",
            f"{given}.{family}.{pen.number(1, 9)}",
            f"{given}{pen.number(1, 99)}",
            f"{pen.letters(3).lower()}/{pen.letters(2).lower()}{pen.digits(2)}",
        )
    )


def make_handle(pen: Pen, person: Person) -> str:
    """A name on a platform or a device."""
    given = _ascii(person.given) or "sam"
    return pen.pick(
        (
            f"@{given}_{pen.digits(2)}",
            f"{given}{pen.digits(4)}",
            f"@{given}{pen.pick(('runs', 'bakes', 'reads', 'fit', 'games', 'gram', 'fishing'))}",
            f"{pen.pick(('big', 'lil', 'crazy', 'the_real_', 'mama', 'papa'))}{given}{pen.digits(2)}",
        )
    )


def _site(pen: Pen) -> str:
    name = _ascii(make_family_name(pen)) or "lakeview"
    kind = pen.pick(
        (
            "health",
            "clinic",
            "hospital",
            "medical",
            "care",
            "med",
            "surgery",
            "hc",
            "dental",
            "mc",
            "-health",
            "-medical",
            "mail",
            "group",
            "",
        )
    )
    return f"{name}{kind}{pen.pick(_ENDS)}"


def _ascii(name: str) -> str:
    return "".join(c for c in name.lower() if "a" <= c <= "z")
