"""The line that installs an extra works where it is shown: no registry has DeidLab."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import pytest

from deidlab import extras
from deidlab.errors import MissingExtraError


class _Installed:
    def __init__(self, noted: str | None) -> None:
        self.noted = noted

    def read_text(self, name: str) -> str | None:
        return self.noted if name == "direct_url.json" else None


def _install_from(monkeypatch: pytest.MonkeyPatch, noted: str | None) -> None:
    monkeypatch.setattr(metadata, "distribution", lambda name: _Installed(noted))
    monkeypatch.setattr(
        metadata,
        "requires",
        lambda name: ["rich>=13", "torch<=2.13.0,>=2.6; extra == 'train'", "ray; extra == 'ray'"],
    )


def test_the_folder_it_was_installed_from_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    _install_from(monkeypatch, json.dumps({"url": folder.as_uri(), "dir_info": {}}))
    assert extras.install_line("train") == f"pip install '{folder}[train]'"


@pytest.mark.parametrize("noted", [None, "", "[]", "{", '{"url": "file:///gone/away"}', '{"url": 3}'])
def test_else_its_requirements_are(monkeypatch: pytest.MonkeyPatch, noted: str | None) -> None:
    _install_from(monkeypatch, noted)
    assert extras.install_line("train") == "pip install 'torch<=2.13.0,>=2.6'"
    assert extras.install_line("ray") == "pip install ray"


def test_a_missing_extra_names_no_package_that_a_registry_would_have_to_know() -> None:
    message = str(MissingExtraError("training", "train"))
    assert message.startswith("training needs the 'train' extra: pip install ")
    assert "'deidlab[" not in message


def test_every_extra_has_requirements_to_name() -> None:
    for extra in metadata.metadata("deidlab").get_all("Provides-Extra") or []:
        assert extras._requirements_of(extra) != [f".[{extra}]"], extra
