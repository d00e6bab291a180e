"""Long codes: check digits are right, and the span is the whole code."""

from __future__ import annotations

import ipaddress
import random
import re

from stdnum import iban

from deidlab.make.cast import Cast
from deidlab.make.codes import CODES, make_hardware, make_iban, make_network, make_vin, vin_check
from deidlab.make.organisations import make_hospital, make_law_firm, shorten_hospital
from deidlab.make.pen import Pen


def pens(n: int) -> list[Pen]:
    return [Pen(random.Random(seed), Cast(f"codes/{seed}")) for seed in range(n)]


def test_account_numbers_and_vehicles_have_right_check_digits() -> None:
    accounts = [make_iban(pen) for pen in pens(200)]
    assert all(iban.is_valid(text, check_country=False) for text in accounts)
    assert any(" " in text for text in accounts) and any(text.isalnum() for text in accounts)
    assert [vin_check(vin) for vin in ("11111111111111111", "1M8GDM9AXKP042788")] == ["1", "X"]
    for pen in pens(100):
        assert (made := make_vin(pen))[8] == vin_check(made) and len(made) == 17


def test_network_and_hardware_addresses_are_addresses() -> None:
    networks = [make_network(pen) for pen in pens(300)]
    for text in networks:
        ipaddress.ip_interface(text)
    assert any("/" in text and ":" in text for text in networks)
    assert all(
        re.fullmatch(r"(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}", make_hardware(pen)) for pen in pens(50)
    )


def test_a_code_is_one_part_with_one_label() -> None:
    for name, write in CODES.items():
        for pen in pens(40):
            write(pen)
            assert len(pen.parts) == 1 and pen.parts[0][1], name


def test_time_stamps_hold_day_and_time() -> None:
    for pen in pens(40):
        CODES["dt.stamp"](pen)
        assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", pen.parts[0][0])


def test_institutions_have_their_tails() -> None:
    names = [make_hospital(pen, "US") for pen in pens(3000)]
    for tail in (" Campus", ", LLP", " Program", " Health System", " Medical Group", "'s"):
        assert any(name.endswith(tail) for name in names), tail
    assert any(" at " in name for name in names)
    assert not any("{" in name or name.startswith("the ") for name in names)
    short = {shorten_hospital(pen, "Rehabilitation Center at Dover") for pen in pens(30)}
    assert "Rehabilitation" not in short
    firms = [make_law_firm(pen) for pen in pens(300)]
    assert sum("&" in firm for firm in firms) > 150 and any("Law Office" in firm for firm in firms)
