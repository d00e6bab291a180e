"""People and towns that were made up: the values that pens, casts and worlds hand each other."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who was made up; `middle` and `nickname` are empty where there is none."""

    given: str
    middle: str
    family: str
    sex: str
    nickname: str

    def full(self) -> str:
        return f"{self.given} {self.family}" if self.family else self.given


@dataclass(frozen=True, slots=True)
class Town:
    """A town, its region in short and in full, how its postcodes start, and its area code."""

    name: str
    region: str
    region_name: str
    postcode: str
    area_code: str
