"""The state of a page while it is drawn: matrices, colours, how text is set; and the glyphs drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from deidlab.carriers.pdf_fonts import Code, Font

Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def times(one: Matrix, other: Matrix) -> Matrix:
    """First the one, then the other."""
    a, b, c, d, e, f = one
    g, h, i, j, k, m = other
    return (
        a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m,
    )  # fmt: skip


@dataclass(slots=True)
class Glyph:
    """A glyph on the page: where its line runs, and what becomes of it.

    `angle` is that of its line in degrees, `start` and `end` are places along it, `height` is where the line
    lies across, all in units of the page; `em` is how long the letter size is along the line.
    """

    code: Code = field(repr=False)
    order: int
    angle: int
    start: float
    end: float
    height: float
    size: float
    em: float
    advance: float
    is_removed: bool = False
    new: str = field(default="", repr=False)
    room: float = 0.0


@dataclass(slots=True)
class Look:
    """How text is set, and which colours there are; a copy of it is saved with `q`."""

    matrix: Matrix = IDENTITY
    font: Font | None = field(default=None, repr=False)
    size: float = 0.0
    spacing: float = 0.0
    word_spacing: float = 0.0
    stretch: float = 1.0
    leading: float = 0.0
    rise: float = 0.0
    fill: str = "/DeviceGray"
    stroke: str = "/DeviceGray"


@dataclass(slots=True)
class Show:
    """A string that is shown, as glyphs and moves between them, and how it was set."""

    parts: list[Glyph | float] = field(repr=False)
    look: Look = field(repr=False)


@dataclass(slots=True)
class Pen:
    """Where the next glyph comes to stand."""

    text: Matrix = IDENTITY
    line: Matrix = IDENTITY

    def move(self, x: float, y: float) -> None:
        self.text = self.line = times((1.0, 0.0, 0.0, 1.0, x, y), self.line)

    def advance(self, width: float) -> None:
        self.text = times((1.0, 0.0, 0.0, 1.0, width, 0.0), self.text)

    def draw(self, code: Code, look: Look, order: int) -> Glyph:
        """The glyph of a code, behind which the pen then stands."""
        extra = look.spacing + (look.word_spacing if code.data == b" " else 0.0)
        width = (code.width / 1000 * look.size + extra) * look.stretch
        scale = (look.size * look.stretch, 0.0, 0.0, look.size, 0.0, look.rise)
        whole = times(times(scale, self.text), look.matrix)
        em = math.hypot(whole[0], whole[1])
        angle = math.degrees(math.atan2(whole[1], whole[0])) if em else 0.0
        turn = math.radians(round(angle))
        x, y = whole[4], whole[5]
        start = x * math.cos(turn) + y * math.sin(turn)
        height = y * math.cos(turn) - x * math.sin(turn)
        self.advance(width)
        moved = times(times(scale, self.text), look.matrix)
        end = moved[4] * math.cos(turn) + moved[5] * math.sin(turn)
        thousandths = code.width + (extra / look.size * 1000 if look.size else 0.0)
        return Glyph(
            code,
            order,
            round(angle) % 360,
            start,
            end,
            height,
            math.hypot(whole[2], whole[3]),
            em,
            thousandths,
        )
