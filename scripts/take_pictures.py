"""The picture of the playground in docs/images, taken anew: `python scripts/take_pictures.py`."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parents[1] / "docs" / "images"
PORT = 18231


def main() -> None:
    server = subprocess.Popen([sys.executable, "-m", "deidlab", "serve", "--port", str(PORT)])
    try:
        _wait()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1320, "height": 800}, color_scheme="light")
            page.goto(f"http://127.0.0.1:{PORT}/")
            page.select_option("#style", "surrogate")
            page.click("#example")
            page.wait_for_selector("#found li:nth-child(9)")
            page.wait_for_timeout(500)
            page.screenshot(path=str(IMAGES / "playground-light.png"))
            browser.close()
    finally:
        server.terminate()
        server.wait(30)


def _wait() -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/healthz", timeout=2).close()
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit("the service did not start")


if __name__ == "__main__":
    main()
