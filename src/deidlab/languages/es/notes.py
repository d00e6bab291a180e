"""What Spanish notes are made with, for `corpus make`: those of Spain, the Americas and clinics of the US.

All but numbers with check digits is data in `made/`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from stdnum import luhn
from stdnum.ar import cuit
from stdnum.cl import rut
from stdnum.es import dni, nie
from stdnum.mx import curp, rfc

from deidlab.languages.language import MadeNotes
from deidlab.languages.made import read_made_notes

if TYPE_CHECKING:
    from deidlab.make.pen import Pen

    Slot = Callable[[Pen], None]

_STATES = (
    "AS",
    "BC",
    "CL",
    "CS",
    "DF",
    "GT",
    "HG",
    "JC",
    "MC",
    "MN",
    "NL",
    "OC",
    "PL",
    "SL",
    "SR",
    "VZ",
    "YN",
)


def made_notes() -> MadeNotes:
    """Its labels and slots, the grammar that they stand in, and who lives where."""
    return read_made_notes("deidlab.languages.es.made", SLOTS)


def _dni(pen: Pen) -> str:
    number = pen.number(1_000_000, 79_999_999)
    figures = f"{number:08d}" if pen.often(0.8) else f"{number:,}".replace(",", ".")
    return f"{figures}{pen.pick(('', '', '-', ' '))}{dni.calc_check_digit(f'{number:08d}')}"


def _nie(pen: Pen) -> str:
    number = f"{pen.pick('XYZ')}{pen.number(0, 9_999_999):07d}"
    gap = pen.pick(("", "", "-"))
    return f"{number[0]}{gap}{number[1:]}{gap}{nie.calc_check_digit(number)}"


def _nass(pen: Pen) -> str:
    province, number = pen.number(1, 52), pen.number(10_000_000, 99_999_999)
    check = (province * 100_000_000 + number) % 97
    return pen.pick(("{:02d}{}{:02d}", "{:02d} {} {:02d}", "{:02d}/{}/{:02d}", "{:02d}-{}-{:02d}")).format(
        province, number, check
    )


def _curp_start(pen: Pen) -> str:
    """Letters of the names and the day of birth, as CURP and RFC have them."""
    person, born = pen.person, pen.cast.born
    families = [_letters(name) or "X" for name in (*person.family.split(" "), "X")][:2]
    vowel = next((letter for letter in families[0][1:] if letter in "AEIOU"), "X")
    letters = f"{families[0][0]}{vowel}{families[1][0]}{(_letters(person.given) or 'X')[0]}"
    return f"{letters}{born:%y%m%d}"


def _letters(name: str) -> str:
    plain = name.upper().translate(str.maketrans("ÁÉÍÓÚÜÑ", "AEIOUUX"))
    return "".join(letter for letter in plain if "A" <= letter <= "Z")


def _curp(pen: Pen) -> str:
    sex = "H" if pen.person.sex == "m" else "M"
    consonants = "".join(pen.pick("BCDFGLMNPRSTVZ") for _ in range(3))
    century = pen.pick("ABC") if pen.cast.born.year >= 2000 else str(pen.number(0, 2))
    start = f"{_curp_start(pen)}{sex}{pen.pick(_STATES)}{consonants}{century}"
    return start + curp.calc_check_digit(start)


def _rfc(pen: Pen) -> str:
    start = f"{_curp_start(pen)}{pen.pick('ABCDEFGH123456789')}{pen.pick('ABCDEFGH123456789')}"
    return start + str(rfc.calc_check_digit(start))


def _nss(pen: Pen) -> str:
    number = f"{pen.number(1, 97):02d}{pen.number(40, 99)}{pen.cast.born:%y}{pen.number(0, 9999):04d}"
    whole = number + luhn.calc_check_digit(number)
    return pen.pick((whole, whole, f"{whole[:2]}-{whole[2:4]}-{whole[4:6]}-{whole[6:]}"))


def _rut(pen: Pen) -> str:
    number = pen.number(4_000_000, 26_999_999)
    figures = str(number) if pen.often(0.4) else f"{number:,}".replace(",", ".")
    return f"{figures}-{rut.calc_check_digit(str(number))}"


def _dni_ar(pen: Pen) -> str:
    number = pen.number(5_000_000, 58_999_999)
    return str(number) if pen.often(0.4) else f"{number:,}".replace(",", ".")


def _cuit(pen: Pen) -> str:
    start = f"{pen.pick(('20', '23', '27'))}{pen.number(5_000_000, 58_999_999):08d}"
    gap = pen.pick(("-", "-", "", " "))
    return f"{start[:2]}{gap}{start[2:]}{gap}{cuit.calc_check_digit(start)}"


def _ci_uy(pen: Pen) -> str:
    number = f"{pen.number(1_000_000, 6_500_000)}"
    check = -sum(int(d) * w for d, w in zip(number, (2, 9, 8, 7, 6, 3, 4), strict=True)) % 10
    return pen.pick(
        (f"{number[0]}.{number[1:4]}.{number[4:]}-{check}", f"{number}-{check}", f"{number}{check}")
    )


def _ci_ec(pen: Pen) -> str:
    number = f"{pen.number(1, 24):02d}{pen.number(0, 5)}{pen.number(0, 999_999):06d}"
    whole = number + luhn.calc_check_digit(number)
    return pen.pick((whole, whole, f"{whole[:9]}-{whole[9]}"))


def _dui(pen: Pen) -> str:
    number = f"{pen.number(10_000, 6_999_999):08d}"
    check = -sum(int(d) * (9 - place) for place, d in enumerate(number)) % 10
    return f"{number}-{check}"


def _cedula_do(pen: Pen) -> str:
    number = f"{pen.pick((1, 2, 23, 31, 37, 402)):03d}{pen.number(0, 9_999_999):07d}"
    check = luhn.calc_check_digit(number)
    return pen.pick((f"{number[:3]}-{number[3:]}-{check}", f"{number}{check}"))


def _write(make: Callable[[Pen], str]) -> Slot:
    return lambda pen: pen.put(make(pen))


SLOTS: dict[str, Slot] = {
    "chk.dni": _write(_dni),
    "chk.nie": _write(_nie),
    "chk.nass": _write(_nass),
    "chk.curp": _write(_curp),
    "chk.rfc": _write(_rfc),
    "chk.nss": _write(_nss),
    "chk.rut": _write(_rut),
    "chk.dni.ar": _write(_dni_ar),
    "chk.cuit": _write(_cuit),
    "chk.ci.uy": _write(_ci_uy),
    "chk.ci.ec": _write(_ci_ec),
    "chk.dui": _write(_dui),
    "chk.cedula.do": _write(_cedula_do),
}
"""Numbers with their check digits, by name."""
