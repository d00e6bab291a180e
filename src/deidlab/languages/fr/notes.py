"""What French notes are made with, for `corpus make`: those of Europe, Canada, Africa and Haiti.

All but numbers with check digits, the first day of a month and what stands between words is data in `made/`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from stdnum import ean, luhn
from stdnum.ch import uid
from stdnum.fr import nir

from deidlab.banks import fold
from deidlab.languages.fr.made.joins import join
from deidlab.languages.language import MadeNotes
from deidlab.languages.made import read_made_notes

if TYPE_CHECKING:
    from deidlab.make.pen import Pen

    Slot = Callable[[Pen], None]

_PREFECTURES = (
    "A", "AB", "AE", "B", "BE", "BH", "BK", "C", "CD", "D", "EE", "F", "G", "GA", "JB", "K", "L", "Q", "W",
)  # fmt: skip


def made_notes() -> MadeNotes:
    """Its labels and slots, the grammar that they stand in, and who lives where."""
    return replace(read_made_notes("deidlab.languages.fr.made", SLOTS), join=join)


def _day(pen: Pen) -> str:
    return "1er" if pen.day.day == 1 else str(pen.day.day)


def _initials(pen: Pen) -> str:
    """J.-M. D."""
    return f"{_given_initials(pen)} {pen.person.family[:1]}."


def _given_initials(pen: Pen) -> str:
    return "-".join(f"{word[0]}." for word in pen.person.given.split("-") if word)


def _both_given(pen: Pen) -> str:
    person = pen.person
    return f"{person.given} {person.middle}" if person.middle else person.given


def _other_upper(pen: Pen) -> str:
    return pen.cast.somebody(pen, "other").family.upper()


def _town_upper(pen: Pen) -> str:
    return pen.cast.some_town(pen, "any").name.upper()


def _is_man(pen: Pen) -> bool:
    return pen.person.sex == "m"


def _sex(pen: Pen) -> str:
    return "1" if _is_man(pen) else "2"


def _nir(pen: Pen) -> str:
    """The number of the Sécurité sociale: sex, year and month of birth, department, commune, order, key."""
    department = pen.pick(("2A", "2B", "99")) if pen.often(0.08) else f"{pen.number(1, 95):02d}"
    born = f"{_sex(pen)}{pen.cast.born:%y%m}{department}"
    start = f"{born}{pen.number(1, 590):03d}{pen.number(1, 899):03d}"
    key = nir.calc_check_digits(start)
    spaced = " ".join((start[0], start[1:3], start[3:5], start[5:7], start[7:10], start[10:]))
    return pen.pick(
        (f"{spaced} {key}", f"{spaced} {key}", start + key, f"{start} {key}", f"{spaced}/{key}", start)
    )


def _rpps(pen: Pen) -> str:
    start = f"10{pen.number(0, 9_999_999):08d}"[:10]
    return start + luhn.calc_check_digit(start)


def _letters(name: str) -> str:
    return "".join(letter for letter in fold(name).upper() if "A" <= letter <= "Z")


def _nam(pen: Pen) -> str:
    """The RAMQ's: letters of the names, birth with 50 added to the month for women, two figures."""
    letters = f"{_letters(pen.person.family):X<3}"[:3] + f"{_letters(pen.person.given):X<1}"[0]
    born = pen.cast.born
    figures = f"{born:%y}{born.month + (0 if _is_man(pen) else 50):02d}{born:%d}{pen.number(10, 99)}"
    form = pen.pick(("{} {} {}", "{} {} {}", "{}{}{}", "{}-{}-{}", "{} {}-{}"))
    return form.format(letters, figures[:4], figures[4:])


def _by_luhn(low: int, high: int) -> Callable[[Pen], str]:
    def make(pen: Pen) -> str:
        start = str(pen.number(low, high))
        return start + luhn.calc_check_digit(start)

    return make


def _grouped(make: Callable[[Pen], str], marks: tuple[str, ...]) -> Callable[[Pen], str]:
    """Figures by threes, with one of the marks between them."""

    def grouped(pen: Pen) -> str:
        number = make(pen)
        return pen.pick(marks).join(number[at : at + 3] for at in range(0, len(number), 3))

    return grouped


def _siret(pen: Pen) -> str:
    siren = _by_luhn(30_000_000, 89_999_999)(pen)
    office = f"{siren}{pen.number(1, 40):04d}"
    whole = office + luhn.calc_check_digit(office)
    return pen.pick((whole, f"{siren[:3]} {siren[3:6]} {siren[6:]} {whole[9:]}"))


def _niss(pen: Pen) -> str:
    """The Belgian national number: birth, an odd figure for men, 97 less the rest of the division by 97."""
    born = pen.cast.born
    order = pen.number(0, 498) * 2 + (1 if _is_man(pen) else 2)
    start = f"{born:%y%m%d}{order:03d}"
    check = 97 - int(("2" if born.year >= 2000 else "") + start) % 97
    return pen.pick(
        (
            "{}.{}.{}-{}.{:02d}",
            "{}.{}.{}-{}.{:02d}",
            "{}{}{}{}{:02d}",
            "{}{}{} {} {:02d}",
            "{}.{}.{} {}-{:02d}",
        )
    ).format(start[:2], start[2:4], start[4:6], start[6:], check)


def _bce(pen: Pen) -> str:
    start = pen.number(2_000_000, 8_999_999)
    whole = f"0{start}{97 - start % 97:02d}"
    return pen.pick((whole, f"{whole[:4]}.{whole[4:7]}.{whole[7:]}"))


def _avs(pen: Pen) -> str:
    start = f"756{pen.number(0, 999_999_999):09d}"
    whole = start + ean.calc_check_digit(start)
    return pen.pick((f"{whole[:3]}.{whole[3:7]}.{whole[7:11]}.{whole[11:]}", whole))


def _ide(pen: Pen) -> str:
    while True:
        number = str(pen.number(10_000_000, 49_999_999))
        check = uid.calc_check_digit(number)
        if check != "10":
            return f"CHE-{number[:3]}.{number[3:6]}.{number[6:]}{check}"


def _matricule(pen: Pen) -> str:
    """The Luxembourg one: birth, order, and two check digits that stand for themselves here."""
    return f"{pen.cast.born:%Y%m%d}{pen.pick(('', ' '))}{pen.number(10, 999):03d}{pen.number(10, 99)}"


def _cin(pen: Pen) -> str:
    return f"{pen.pick(_PREFECTURES)}{pen.pick(('', '', ' '))}{pen.number(10_000, 999_999)}"


def _cni_sn(pen: Pen) -> str:
    """Sex, place, year of birth and order."""
    parts = (
        _sex(pen),
        str(pen.number(101, 990)),
        f"{pen.cast.born:%Y}",
        f"{pen.number(1, 99_999):05d}",
    )
    return pen.pick((" ", "", " ")).join(parts)


def _nina(pen: Pen) -> str:
    """Of Mali: sex, year of birth, places, order and a letter."""
    place = f"{pen.number(1, 9):02d}{pen.number(101, 990)}"
    figures = f"{_sex(pen)}{pen.cast.born:%y}{place}{pen.number(1, 999_999):06d}"
    return f"{figures}{pen.pick(('', ' '))}{pen.letters(1)}"


def _write(make: Callable[[Pen], str]) -> Slot:
    return lambda pen: pen.put(make(pen))


_nas = _by_luhn(10_000_000, 79_999_999)
SLOTS: dict[str, Slot] = {
    "jour": _write(_day),
    "initials.hyphen": _write(_initials),
    "given.initials": _write(_given_initials),
    "given.two": _write(_both_given),
    "any.family.upper": _write(_other_upper),
    "any.town.upper": _write(_town_upper),
    "chk.nir": _write(_nir),
    "chk.rpps": _write(_rpps),
    "chk.siren": _write(_grouped(_by_luhn(30_000_000, 89_999_999), ("", " "))),
    "chk.siret": _write(_siret),
    "chk.nam": _write(_nam),
    "chk.nas": _write(_grouped(_nas, (" ", "-", ""))),
    "chk.bn": _write(_nas),
    "chk.niss": _write(_niss),
    "chk.bce": _write(_bce),
    "chk.avs": _write(_avs),
    "chk.ide": _write(_ide),
    "chk.lu": _write(_matricule),
    "chk.cin.ma": _write(_cin),
    "chk.sn": _write(_cni_sn),
    "chk.nina": _write(_nina),
}
"""What is written by a function, by name."""
