"""Codes that are drawn, in the service: a crosswalk keeps them over requests, workers and starts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deidlab.errors import ConfigError
from deidlab.mask import Crosswalk
from deidlab.mask.crosswalk import CrosswalkPlace
from deidlab.web.settings import ServedCodes, ServeSettings
from tests.unit.web.serving import RULES, Served, serving

SECRET = b"a key file's thirty-two bytes ..."
NOTE = "Seen on 3/14/2071 by Dr. Ilse Verhoeven. BP 120/80."


def ask(served: Served, patient: str | None, **more: Any) -> dict[str, Any]:
    body = {"text": NOTE, "style": "surrogate", "policy": "safe-harbor", "ids": "pseudonyms", **more}
    answer = served.post("/v1/mask", body if patient is None else {**body, "patient": patient})
    assert answer.status == 200, answer.body
    found = answer.json()
    assert isinstance(found, dict)
    return {key: found[key] for key in ("text", "id", "patient")}


def test_with_a_crosswalk_a_patient_is_the_same_for_every_worker_and_start(tmp_path: Path) -> None:
    path = tmp_path / "s.xwalk"
    Crosswalk.new(path, SECRET, "s12")
    place = CrosswalkPlace(path, SECRET, "s12")
    settings = ServeSettings(port=0, models=RULES, workers=2, codes=ServedCodes(crosswalk=place))
    with serving(settings) as up:
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda n: ask(up, f"p{n % 2}", id=f"n{n % 4}"), range(16)))
        # Whoever nobody named is not kept: there is nothing by which they could come again.
        first, second = ask(up, None), ask(up, None)
        assert first["text"] != second["text"] or first["patient"] != second["patient"]
    assert len({answer["patient"] for answer in answers}) == 2
    assert len({answer["id"] for answer in answers}) == 4
    assert Crosswalk.open(path, SECRET, "s12").counts()["patient"] == 2
    with serving(replace(settings, workers=1)) as up:
        assert ask(up, "p1", id="n1") == answers[1]


def test_without_one_codes_of_safe_harbor_hold_for_a_request() -> None:
    with serving(ServeSettings(port=0, models=RULES, key=bytes(range(32)))) as up:
        assert ask(up, "p1")["patient"] != ask(up, "p1")["patient"]
        keyed = {"policy": "i2b2"}
        assert ask(up, "p1", **keyed) == ask(up, "p1", **keyed)


@pytest.mark.parametrize(
    "codes", [ServedCodes("keyed"), ServedCodes("keyed", True, CrosswalkPlace(Path("x"), SECRET))]
)
def test_what_does_not_go_together_is_refused_at_the_start(codes: ServedCodes) -> None:
    with pytest.raises(ConfigError, match=r"accept-derived-codes|--codes keyed"):
        ServeSettings(port=0, models=RULES, policy="safe-harbor", codes=codes)


def test_derived_codes_are_served_only_where_they_are_accepted() -> None:
    accepted = ServedCodes("keyed", True)
    with serving(ServeSettings(port=0, models=RULES, key=bytes(range(32)), codes=accepted)) as up:
        assert ask(up, "p1") == ask(up, "p1")
