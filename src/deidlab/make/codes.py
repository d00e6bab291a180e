"""A pen in, long codes out as systems and borders write them: bank accounts, network addresses, plates, VINs.

Their spans are whole: groups, prefixes and check digits belong to them.
"""

from __future__ import annotations

from deidlab.make.grammar import Slot
from deidlab.make.lists import words
from deidlab.make.pen import Pen

_IBANS = words("codes_ibans")
_PLATES = words("codes_plates")
_NATIONAL = words("codes_national")
_HEX = "0123456789abcdef"
_VIN_SIGNS = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"
_VIN_VALUES = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", "12345678123457923456789", strict=True))
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def make_iban(pen: Pen) -> str:
    """An international account number whose check digits are right, in groups or not."""
    shape = pen.pick(_IBANS)
    country, account = shape[:2], pen.fill(shape[2:])
    value = int("".join(str(int(sign, 36)) for sign in f"{account}{country}00"))
    whole = f"{country}{98 - value % 97:02d}{account}"
    if pen.draw() < 0.35:
        return whole
    return pen.pick((" ", " ", "-")).join(whole[at : at + 4] for at in range(0, len(whole), 4))


def make_network(pen: Pen) -> str:
    """An address of the newer or the older kind, at times with the length of its prefix."""
    if pen.draw() < 0.25:
        host = f"{pen.number(1, 223)}.{pen.number(0, 255)}.{pen.number(0, 255)}.{pen.number(0, 255)}"
        return f"{host}/{pen.pick((8, 16, 24, 28, 32))}"
    groups = [f"{pen.number(1, 65535):x}" for _ in range(pen.number(2, 4))]
    text = pen.pick(("fe80::", "2001:db8:", "fd00::", "2a02:", "2600:")) + ":".join(groups)
    if "::" not in text:
        text += "::" + f"{pen.number(1, 65535):x}"
    if pen.draw() < 0.15:
        text = text.upper()
    return text + (f"/{pen.pick((48, 56, 64, 64, 128))}" if pen.draw() < 0.5 else "")


def make_hardware(pen: Pen) -> str:
    """The address of a network card."""
    gap, high = pen.pick((":", ":", ":", "-")), pen.often(0.5)
    text = gap.join("".join(pen.pick(_HEX) for _ in range(2)) for _ in range(6))
    return text.upper() if high else text


def make_vin(pen: Pen) -> str:
    """A vehicle's seventeen signs with their check digit."""
    signs = [pen.pick(_VIN_SIGNS) for _ in range(11)] + list(pen.fill("######"))
    signs[8] = vin_check("".join(signs))
    return "".join(signs)


def vin_check(vin: str) -> str:
    """What the ninth of seventeen signs must be; whatever stands there counts nothing."""
    values = (int(_VIN_VALUES.get(sign, sign)) for sign in vin)
    rest = sum(value * weight for value, weight in zip(values, _VIN_WEIGHTS, strict=True)) % 11
    return "X" if rest == 10 else str(rest)


def _from(shapes: tuple[str, ...], label: str) -> Slot:
    return lambda pen: pen.put(pen.fill(pen.pick(shapes).replace("_", " ")), label)


def _stamp(pen: Pen) -> None:
    """Day and time as machines log them, in one."""

    time = f"T{pen.number(0, 23):02d}:{pen.number(0, 59):02d}:{pen.number(0, 59):02d}"
    zone = pen.pick(("Z", "Z", "", ".000Z", f".{pen.digits(3)}Z", "+00:00", "+02:00", "-05:00"))
    pen.put(pen.cast.day.isoformat() + time + zone, "DATE")


CODES: dict[str, Slot] = {
    "id.iban": lambda pen: pen.put(make_iban(pen), "ACCOUNT"),
    "ip.prefix": lambda pen: pen.put(make_network(pen), "IPADDR"),
    "id.mac": lambda pen: pen.put(make_hardware(pen), "DEVICE"),
    "id.vin": lambda pen: pen.put(make_vin(pen), "VEHICLE"),
    "id.plate": _from(_PLATES, "VEHICLE"),
    "id.national": _from(_NATIONAL, "IDNUM"),
    "dt.stamp": _stamp,
}
"""The slots of codes, by name."""
