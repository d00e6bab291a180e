"""The pages that are files, in a real browser: no violation that axe-core knows, and wide tables say that they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from deidlab.cli.app import run
from deidlab.evaluate.intervals import Interval
from deidlab.evaluate.resample import ResampleSettings
from deidlab.evaluate.risk import Profiles
from deidlab.report.audit.page import audit_to_html
from deidlab.report.parameters.page import tensors_to_html
from deidlab.report.risk.tables import Risk, risk_tables, risk_to_html
from deidlab.report.study.files import write_report
from deidlab.report.study.report import build_report
from deidlab.report.utility.report import build_utility_report
from deidlab.study.records import read_study
from deidlab.utility.attacking import AttackFigures
from deidlab.utility.measuring import STYLES, StyleResult, TaskResult, Utility
from deidlab.utility.sampling import Judged
from deidlab.zoo.shipped import load_tensors
from tests.browser.test_pages import check

RECORDS = Path(__file__).parents[1] / "data" / "study-records"
SAMPLES = Path(__file__).parents[2] / "samples" / "notes"
AUDIT = {
    "run": {
        "finished": "2026-01-01", "seconds": 1.5, "masked": 12, "failed": 1, "patients": 3, "patients_known": True,
        "replaced": [{"label": "DATE", "source": "rules:date", "n": 4}, {"label": "AGE", "source": "echo", "n": 1}],
        "left_by_policy": [], "certainty": {"bins": [0, 1, 4], "unscored": 2},
        "review": [{"document": "d1", "doubt": 1.25, "replaced": 4, "weak": 2}],
        "failures": [{"document": "d2", "stage": "mask", "reason": "a reason", "number": 7}],
        "settings": {"policy": "default", "columns": {"text": "text"}, "ids": None}, "versions": {}, "workers": 2,
    },
    "second": {
        "detector": "the rules", "found": 2, "in_notes": 1, "by_label": {"DATE": 2},
        "notes": [{"document": "d1", "found": 2, "places": [[1, 5, "DATE", 0.5]]}],
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    write_report(build_report(read_study(RECORDS), ResampleSettings(20)), folder, ("html",))
    (folder / "index.html").rename(folder / "study.html")
    (folder / "audit.html").write_text(audit_to_html(json.loads(json.dumps(AUDIT))), "utf-8")
    (folder / "parameters.html").write_text(tensors_to_html([load_tensors("albert-base", "mlm")]), "utf-8")
    write_utility(folder)
    write_risk(folder)
    write_dossier(folder)
    return folder


def write_utility(folder: Path) -> None:
    """Invented figures of every kind, so that no chapter is missing."""
    share, more = Interval(0.9484, 0.9371, 0.9602), Interval(-0.0362, -0.0465, -0.0274)
    kinds = ("values", "doses", "scores", "durations", "intervals")
    style = StyleResult(dict.fromkeys(kinds, share), share, more, 20)
    learned = dict.fromkeys(("original", *STYLES), share)
    task = TaskResult(
        ("a", "b"), 60, learned, dict.fromkeys(learned, more), learned, dict.fromkeys(learned, more)
    )
    attack = dict.fromkeys(("all", "DATE", "LOCATION"), AttackFigures(128, 1056, share, share, 0.1, 0.02))
    utility = Utility(
        60,
        dict.fromkeys(kinds, 790),
        dict.fromkeys(STYLES, style),
        task,
        attack,
        "",
        dict.fromkeys(STYLES, ()),
    )
    judged = Judged(20, 20, 0, 0.0, 0.1391)
    settings = {"model": None, "policy": "default", "rules": ["a rule"] * 20}
    report = build_utility_report(utility, "What masking costs", ResampleSettings(20), settings, judged)
    write_report(report, folder, ("html",))
    (folder / "index.html").rename(folder / "utility.html")


def write_risk(folder: Path) -> None:
    names = ("age", "profession", "sex", "zip")
    people = Profiles(names, tuple((str(20 + n % 50), "nurse", "mf"[n % 2], "021") for n in range(120)))
    risk = Risk(people, ((3, 2), (9, 7)), people)
    (folder / "risk.html").write_text(risk_to_html(list(risk_tables(risk))), "utf-8")


def write_dossier(folder: Path) -> None:
    """A dossier with all that one can hold, by the commands that people give."""

    def said(*words: str | Path) -> None:
        assert run([*map(str, words), "--quiet"]) == 0

    for name in ("mask.key", "sign.key"):
        said("key", "new", folder / name)
    notes = ["mask", SAMPLES, "--rules", "only", "--key-file", folder / "mask.key"]
    said(*notes, "--out", folder / "first", "--style", "surrogate", "--operator", "Ada Roe")
    said(*notes, "--out", folder / "second.jsonl", "--ids", "keep", "--operator", "Ben Roe")
    said("audit", folder / "first", "--report", folder / "found.json")
    (folder / "facts.json").write_text(
        json.dumps({"bound": 0.01, "strata": [{"type": "letters", "notes": 300}] * 9})
    )
    (folder / "card.md").write_text("# A card\n\n" + "A long line that goes on and on. " * 12)
    hand = ["--sign-with", folder / "sign.key"]
    said("dossier", "new", folder / "dossier", "--title", "Letters of a clinic", *hand)
    given = [("protocol", "facts"), ("result", "facts"), ("utility", "facts"), ("audit", "found")]
    files = [word for name, stem in given for word in (f"--{name}", folder / f"{stem}.json")]
    runs = ["--run", folder / "first", "--run", folder / "second.jsonl", "--card", folder / "card.md"]
    said("dossier", "add", folder / "dossier", *runs, *files, *hand)
    said(
        "dossier",
        "approve",
        folder / "dossier",
        "--name",
        "B. Vance",
        "--role",
        "DPO",
        "--until",
        "2999-01-01",
        *hand,
    )
    (folder / "dossier.html").write_bytes((folder / "dossier" / "index.html").read_bytes())


@pytest.fixture
def window(browser: Browser) -> Iterator[Page]:
    """A window without a policy, so that axe may run; what the page itself asks for would fail the test."""
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "request",
        lambda asked: None if asked.url.startswith(("file:", "data:")) else faults.append(asked.url),
    )
    yield page
    context.close()
    assert not faults, faults


@pytest.mark.parametrize("name", ["study", "audit", "parameters", "dossier", "utility", "risk"])
@pytest.mark.parametrize("width", [1280, 800])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_has_no_violation_and_keeps_within_its_window(
    window: Page, files: Path, name: str, width: int, scheme: str
) -> None:
    window.set_viewport_size({"width": width, "height": 900})
    window.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    window.goto((files / f"{name}.html").as_uri())
    check(window, f"{name} at {width}", scheme)
    assert window.evaluate("document.documentElement.scrollWidth") <= width


def test_a_table_says_when_it_is_wider_than_the_page(window: Page, files: Path) -> None:
    window.goto((files / "study.html").as_uri())
    said = window.locator("#table-1-models .sideways")
    window.set_viewport_size({"width": 800, "height": 900})
    said.wait_for(state="visible")
    assert said.inner_text().strip()
    window.set_viewport_size({"width": 4000, "height": 900})
    window.evaluate("document.querySelector('.frame').style.maxWidth = 'none'")
    said.wait_for(state="hidden")
    assert not said.is_visible()


def test_a_dossier_with_all_of_it_unfolded_has_no_violation(window: Page, files: Path) -> None:
    window.goto((files / "dossier.html").as_uri())
    n_folded = window.locator("details").count()
    assert n_folded >= 3
    window.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    check(window, "dossier unfolded")
    assert "A long line" in window.locator("pre").first.inner_text()
