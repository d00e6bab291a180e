"""One small study and its report, made once for all tests that only read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from deidlab.evaluate.resample import ResampleSettings
from deidlab.evaluate.score import ScoreSettings, SystemScore, score_systems
from deidlab.report.study.files import write_report
from deidlab.report.study.parts import StudyReport
from deidlab.report.study.report import build_report
from deidlab.study.records import read_study
from tests.unit.report.study_folder import ERRORS, PARTS, true_pairs, write_study

RESAMPLE = ResampleSettings(n_resamples=200, seed=7)


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_study(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="session")
def study_report(study: Path) -> StudyReport:
    return build_report(read_study(study), RESAMPLE)


@pytest.fixture(scope="session")
def report_files(study_report: StudyReport, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    write_report(study_report, folder)
    return folder


@pytest.fixture(scope="session")
def scored() -> dict[str, dict[str, SystemScore]]:
    """The rows scored on the notes' own text."""
    settings = ScoreSettings(resample=RESAMPLE)
    return {
        part: {each.name: each for each in score_systems({n: true_pairs(n, part) for n in ERRORS}, settings)}
        for part in PARTS
    }
