"""Slots of clinical values that are no PHI, and of codes that only look like it."""

from __future__ import annotations

import functools

from deidlab.make.grammar import Slot
from deidlab.make.lists import words
from deidlab.make.numbers import fill_shape
from deidlab.make.pen import Pen
from deidlab.make.reading import own_text

_FREQUENCIES = words("values_frequencies")
_SOME = ("two", "three", "four", "five", "six", "several", "a few", "a couple of", "ten")


def _between(low: int, high: int) -> Slot:
    return lambda pen: pen.put(str(pen.number(low, high)))


def _decimal(low: int, high: int) -> Slot:
    return lambda pen: pen.put(f"{pen.number(low, high)}.{pen.number(0, 9)}")


def _shape(*shapes: str) -> Slot:
    return lambda pen: pen.put(fill_shape(pen, pen.pick(shapes)))


def _pressure(pen: Pen) -> None:
    pen.put(f"{pen.number(92, 188)}/{pen.number(48, 104)}")


def _grade(pen: Pen) -> None:
    top = pen.pick((5, 5, 5, 6, 10, 10))
    pen.put(f"{pen.number(0, top)}/{top}")


def _score(pen: Pen) -> None:
    top = pen.pick((15, 21, 23, 24, 27, 30, 36, 42, 100))
    kind = pen.draw()
    value = pen.number(0, top)
    pen.put(
        f"{value}/{top}"
        if kind < 0.6
        else f"{value} of {top}"
        if kind < 0.7
        else f"{value} out of {top}"
        if kind < 0.8
        else str(value)
    )


def _time(pen: Pen) -> None:
    hour, minute = pen.number(0, 23), pen.number(0, 59)
    kind = pen.draw()
    if kind < 0.35:
        text = f"{hour:02d}:{minute:02d}"
    elif kind < 0.5:
        text = f"{hour:02d}{minute:02d}"
        text += pen.pick((" hrs", "h", "", " hours"))
    else:
        text = f"{hour % 12 + 1}:{minute:02d}{pen.pick((' AM', ' PM', 'am', 'pm', ' a.m.', ' p.m.', ' pm'))}"
    pen.put(text)


def _span_of_time(pen: Pen) -> None:
    number = pen.number(2, 12)
    unit = pen.pick(("days", "days", "weeks", "weeks", "months", "months", "years", "hours"))
    kind = pen.draw()
    short = unit[0] if unit != "months" else "mo"
    if kind < 0.6:
        pen.put(f"{number} {unit}")
    elif kind < 0.75:
        pen.put(f"{number}-{number + pen.number(1, 3)} {unit}")
    elif kind < 0.9:
        pen.put(f"{pen.pick(_SOME)} {unit}")
    else:
        pen.put(f"{number}{short}")


def _range(pen: Pen) -> None:
    low = pen.number(1, 8)
    pen.put(f"{low}{pen.pick(('-', '-', ' to ', '–'))}{low + pen.number(1, 3)}")


def _weeks(pen: Pen) -> None:
    """A gestational age, which is nobody's age."""
    weeks, days = pen.number(6, 41), pen.number(0, 6)
    pen.put(
        pen.pick(
            (
                f"{weeks} weeks",
                f"{weeks}+{days}",
                f"{weeks}w{days}d",
                f"{weeks} {days}/7 weeks",
                f"{weeks}-week",
                f"{weeks} wks",
                f"{weeks}.{days} weeks",
                f"{weeks}/40",
            )
        )
    )


def _dose(pen: Pen) -> None:
    strength = pen.pick(
        (
            "2.5",
            "5",
            "5",
            "10",
            "10",
            "12.5",
            "20",
            "25",
            "25",
            "40",
            "50",
            "75",
            "80",
            "81",
            "100",
            "150",
            "200",
            "250",
            "300",
            "325",
            "500",
            "500",
            "650",
            "750",
            "850",
            "875",
            "1000",
        )
    )
    unit = pen.pick((" mg", " mg", " mg", "mg", "mg", " mcg", " units", " mL", " g", "mcg", " IU"))
    pen.put(strength + unit)


def _frequency(pen: Pen) -> None:
    pen.put(pen.pick(_FREQUENCIES))


def _code(pen: Pen) -> None:
    """A code of a diagnosis, procedure, drug, lot or model."""
    kind = pen.draw()
    if kind < 0.3:
        text = f"{pen.letters(1)}{pen.number(10, 99)}.{pen.number(0, 99)}"
    elif kind < 0.45:
        text = f"{pen.number(1, 9)}{pen.digits(4)}"
    elif kind < 0.6:
        text = f"{pen.digits(3)}.{pen.number(0, 99)}"
    else:
        text = fill_shape(
            pen,
            pen.pick(
                ("@##@", "##@##", "@@-###", "####@", "@#####", "###-##", "@@@##", "#####-###-##", "@@####")
            ),
        )
    pen.put(text)


def _ratio(pen: Pen) -> None:
    """Two or three numbers with a slash that are no date."""
    kind = pen.draw()
    if kind < 0.2:
        text = f"{pen.number(1, 12)}/{pen.pick((7, 52, 12, 24))}"
    elif kind < 0.35:
        text = f"{pen.number(1, 9)}/{pen.number(1, 9)}/{pen.number(1, 9)}"
    elif kind < 0.45:
        text = f"{pen.number(1, 9)}/{pen.number(50, 99)}/{pen.pick(('-', '+', ''))}{pen.number(0, 3)}"
    elif kind < 0.55:
        text = f"{pen.number(35, 48)}.{pen.number(0, 99)}/{pen.number(35, 48)}.{pen.number(0, 99)}"
    elif kind < 0.75:
        text = f"{pen.number(1, 30)}/{pen.number(2, 30)}"
    elif kind < 0.85:
        text = f"{pen.number(8, 28)}/{pen.number(8, 28)}"
    else:
        low = pen.number(1, 31)
        text = f"{low}-{low + pen.number(1, 4)}"
    pen.put(text)


def _military(pen: Pen) -> None:
    pen.put(f"{pen.number(0, 23):02d}{pen.number(0, 59):02d}")


def _terms(pen: Pen) -> None:
    """A few clinical words that say little together, as in hurried notes."""
    words = [pen.pick(_clinical()) for _ in range(pen.number(1, 4))]
    kind = pen.draw()
    if kind < 0.5:
        words[0] = words[0].capitalize()
    elif kind < 0.6:
        words = [word.upper() for word in words]
    elif kind < 0.72:
        words = [word.capitalize() for word in words]
    pen.put(" ".join(words))


def _terms_caps(pen: Pen) -> None:
    pen.put(" ".join(pen.pick(_clinical()) for _ in range(pen.number(1, 4))).upper())


@functools.cache
def _clinical() -> tuple[str, ...]:
    return tuple(own_text("grammar", "terms.txt").split())


def _ward(pen: Pen) -> None:
    pen.put(
        pen.pick(
            (
                f"Ward {pen.number(1, 30)}{pen.pick(('', 'A', 'B', 'C'))}",
                f"{pen.number(2, 12)} {pen.pick(('West', 'East', 'North', 'South', 'Tower'))}",
                f"Room {pen.number(100, 999)}",
                f"bed {pen.number(1, 40)}",
                f"ICU bed {pen.number(1, 24)}",
                f"Rm {pen.number(100, 999)}-{pen.number(1, 2)}",
                f"Bay {pen.number(1, 9)}",
                f"OR {pen.number(1, 20)}",
                f"Theatre {pen.number(1, 9)}",
                f"unit {pen.number(2, 9)}{pen.pick('ABCDNSEW')}",
                "the ICU",
                "the MICU",
                "the floor",
                "PACU",
                "the ED",
                "A&E",
                "HDU",
                "step-down",
                "L&D",
                "NICU",
                "telemetry",
            )
        )
    )


VALUES: dict[str, Slot] = {
    "bp": _pressure,
    "grade": _grade,
    "score": _score,
    "time": _time,
    "span": _span_of_time,
    "range": _range,
    "weeks": _weeks,
    "dose": _dose,
    "freq": _frequency,
    "ratio": _ratio,
    "mil": _military,
    "terms": _terms,
    "terms.caps": _terms_caps,
    "code": _code,
    "ward": _ward,
    "hr": _between(48, 138),
    "rr": _between(10, 32),
    "sat": _between(86, 100),
    "temp.f": _decimal(96, 103),
    "temp.c": _decimal(35, 39),
    "n1": _between(1, 9),
    "n2": _between(10, 99),
    "n3": _between(100, 999),
    "n4": _between(1000, 9999),
    "few": _between(2, 6),
    "pct": _between(5, 95),
    "dec": _decimal(0, 14),
    "dec1": _decimal(1, 9),
    "cm": _decimal(0, 12),
    "kg": _decimal(40, 128),
    "lb": _between(88, 310),
    "ht": lambda pen: pen.put(f"{pen.number(4, 6)}'{pen.number(0, 11)}\""),
    "hcm": _between(142, 198),
    "size": lambda pen: pen.put(
        f"{pen.number(0, 9)}.{pen.number(1, 9)} x {pen.number(0, 9)}.{pen.number(1, 9)}"
        f"{pen.pick((' cm', ' mm', ' x 1.4 cm', 'cm'))}"
    ),
    "acuity": lambda pen: pen.put(
        f"20/{pen.pick((15, 20, 25, 30, 40, 50, 70, 80, 100, 200, 400))}"
        if pen.draw() < 0.7
        else f"6/{pen.pick((4, 5, 6, 9, 12, 18, 24, 36, 60))}"
    ),
    "lot": _shape("@@####", "##@##", "@#####", "######", "@@##@##"),
    "model": _shape("@@###", "####", "@-###", "@###@@", "####@", "#####-##"),
    "ndc": _shape("#####-####-##", "####-####-##", "#####-###-##"),
    "lab.n": _decimal(2, 12),
}
"""The slots of values, by name."""

PLAIN_VALUES = {
    name: VALUES[name]
    for name in (
        "bp", "grade", "hr", "rr", "sat", "temp.c", "n1", "n2", "n3", "n4", "few", "pct", "dec", "dec1", "cm",
        "kg", "hcm", "lot", "model", "code",
    )
}  # fmt: skip
"""Those that are written alike in any language."""
