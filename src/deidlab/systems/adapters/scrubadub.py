"""scrubadub as it comes: `scrubadub`, or `scrubadub:LOCALE` (en_US unless told)."""

from __future__ import annotations

from typing import Any

PACKAGES = ["scrubadub"]


def open_system(settings: dict[str, Any]) -> dict[str, Any]:
    import scrubadub

    scrubber = scrubadub.Scrubber(locale=settings["argument"] or "en_US")

    def find(text: str) -> dict[str, Any]:
        return {
            "spans": [
                {"start": each.beg, "end": each.end, "label": each.type}
                for each in scrubber.iter_filth(text)
                if each.beg < each.end
            ]
        }

    return {"find": find, "scheme": "scrubadub", "packages": PACKAGES}
