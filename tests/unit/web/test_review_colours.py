"""The pages' colours: text can be read on every ground, in both themes, also where a checker cannot tell."""

from __future__ import annotations

import re

import pytest

from deidlab.web.pages import WEB

CSS = (WEB / "base.css").read_text()
BLOCKS = re.findall(r"\{([^{}]*--page:[^{}]*)\}", CSS)
GROUPS = ("name", "date", "location", "age", "contact", "id", "profession", "other")


def colours(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})", block))


def luminance(colour: tuple[float, ...]) -> float:
    parts = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in colour]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def channels(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))


def contrast(text: tuple[float, ...], ground: tuple[float, ...]) -> float:
    light, dark = sorted((luminance(text), luminance(ground)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def mix(one: tuple[float, ...], other: tuple[float, ...], share: float) -> tuple[float, ...]:
    return tuple(share * a + (1 - share) * b for a, b in zip(one, other, strict=True))


def test_the_two_ways_to_the_dark_theme_are_the_same() -> None:
    light, chosen, system = map(colours, BLOCKS)
    assert chosen == system != light
    assert light.keys() == chosen.keys()


@pytest.mark.parametrize("block", BLOCKS[:2], ids=["light", "dark"])
def test_text_can_be_read_on_every_ground(block: str) -> None:
    own = {name: channels(value) for name, value in colours(block).items()}
    pairs = {
        (text, ground): contrast(own[text], own[ground])
        for text in ("ink", "soft")
        for ground in ("page", "surface", "sunken")
    }
    pairs |= {("accent-ink", "accent"): contrast(own["accent-ink"], own["accent"])}
    pairs |= {("accent", "accent-tint"): contrast(own["accent"], own["accent-tint"])}
    pairs |= {("warn", "warn-tint"): contrast(own["warn"], own["warn-tint"])}
    for group in GROUPS:
        # A span's fill is full, or thinner the less certain it is; a hint has none.
        for share in (1.0, 0.6, 0.32, 0.0):
            ground = mix(own[group], own["surface"], share)
            pairs[f"{group}-line", f"{share:.0%}"] = contrast(own[f"{group}-line"], ground)
            pairs["ink", f"{group} {share:.0%}"] = contrast(own["ink"], ground)
    low = {pair: round(value, 2) for pair, value in pairs.items() if value < 4.5}
    assert not low


@pytest.mark.parametrize("block", BLOCKS[:2], ids=["light", "dark"])
def test_the_focus_can_be_seen(block: str) -> None:
    own = {name: channels(value) for name, value in colours(block).items()}
    assert min(contrast(own["focus"], own[ground]) for ground in ("page", "surface", "sunken")) >= 3
