"""The pages about carriers say what the tables say."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_tables_of_the_pages_are_those_of_today() -> None:
    spec = importlib.util.spec_from_file_location("write_carriers", ROOT / "scripts" / "write_carriers.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for path, rows in zip(module.PAGES, (150, 25), strict=True):
        page = path.read_text("utf-8")
        assert module.filled(page) == page, "python scripts/write_carriers.py"
        assert page.count("\n|") > rows
