"""The page in a browser: its policy lets it work, its tables sort and search."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(BROWSER is None, reason="NEEDS chromium: the page is tried in a browser")

# Sorts Table 5 twice by test F1, searches the table of types, changes the theme; says what it saw.
PROBE = """
const block = document.getElementById("table-5-overall");
const head = [...block.querySelectorAll("thead th")].find((each) => each.textContent.startsWith("Test F1"));
const names = () => [...block.querySelectorAll("tbody th")].map((each) => each.textContent).join(",");
const seen = [];
head.querySelector("button").click(); seen.push(head.getAttribute("aria-sort"), names());
head.querySelector("button").click(); seen.push(head.getAttribute("aria-sort"), names());
const types = document.getElementById("types");
const search = types.querySelector("input");
search.value = "tiny phone"; search.dispatchEvent(new Event("input"));
seen.push(types.querySelector("output").textContent);
document.querySelector(".theme").click(); seen.push(document.documentElement.dataset.theme);
seen.push(getComputedStyle(block.querySelector("td.n")).textAlign);
document.title = seen.join("|");
"""


def browse(page: Path, folder: Path) -> tuple[str, str]:
    assert BROWSER is not None
    done = subprocess.run(
        [
            BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
            f"--user-data-dir={folder / 'browser'}", "--dump-dom", page.as_uri(),
        ],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


@needs_browser
def test_the_page_works_under_its_own_policy(report_files: Path, tmp_path: Path) -> None:
    html = (report_files / "index.html").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(PROBE.encode()).digest()).decode()
    allowed = html.replace("script-src '", f"script-src 'sha256-{digest}' '", 1)
    probed = tmp_path / "probed.html"
    probed.write_text(allowed.replace("</body>", f"<script>{PROBE}</script></body>"), "utf-8")
    dom, console = browse(probed, tmp_path)
    assert console == ""
    title = re.search(r"<title>(.*?)</title>", dom)
    assert title is not None
    first, falling, second, rising, found, theme, align = title[1].split("|")
    assert (first, second) == ("descending", "ascending")
    assert falling.split(",") == rising.split(",")[::-1]
    assert falling.split(",")[-1] == "tiny"
    assert found == "1 of 25 rows"
    assert theme in ("dark", "light")
    assert align == "right"


@needs_browser
def test_a_script_from_elsewhere_is_refused(report_files: Path, tmp_path: Path) -> None:
    html = (report_files / "index.html").read_text("utf-8")
    page = tmp_path / "tampered.html"
    page.write_text(html.replace("</body>", "<script>document.title = 'changed'</script></body>"), "utf-8")
    dom, console = browse(page, tmp_path)
    assert "<title>changed" not in dom
    assert "Content Security Policy" in console
