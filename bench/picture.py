"""Where the time goes, as a picture: stacked bars in SVG, written as plain text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from xml.sax.saxutils import escape

from bench.parts import PARTS

Bars = Mapping[str, Mapping[str, float]]

_COLOURS = (
    "#4e79a7",
    "#bab0ac",
    "#f28e2b",
    "#e15759",
    "#76b7b2",
    "#7b7f86",
    "#59a14f",
    "#edc948",
    "#b07aa1",
    "#9c755f",
)
_LEFT, _WIDE, _RIGHT = 190, 720, 90
_BAR, _STEP, _TOP, _LEGEND, _HEADING, _AXIS = 20, 30, 76, 17, 26, 40
_MOST_TICKS = 8
_FONT = 'font-family="sans-serif" font-size="12"'


def stacked_bars(title: str, panels: Mapping[str, Bars]) -> str:
    """An SVG document. A panel has a scale of its own, and bars of parts in milliseconds (names: `parts.PARTS`)."""
    width = _LEFT + _WIDE + _RIGHT
    body: list[str] = []
    top = _TOP
    for heading, bars in panels.items():
        body += _panel(heading, bars, top)
        top += _HEADING + _STEP * len(bars) + _AXIS
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top}" {_FONT}>',
            f'<rect width="{width}" height="{top}" fill="white"/>',
            f'<text x="10" y="22" font-size="15">{escape(title)}</text>',
            *_legend(panels),
            *body,
            "</svg>\n",
        )
    )


def ticks(longest: float) -> list[float]:
    """Round numbers from 0 to `longest`, which is over 0."""
    rough = longest / _MOST_TICKS
    tens = 10.0 ** math.floor(math.log10(rough))
    step = next(times * tens for times in (1, 2, 5, 10) if times * tens >= rough)
    return [place * step for place in range(int(longest / step) + 1)]


def _panel(heading: str, bars: Bars, top: int) -> list[str]:
    longest = max((sum(parts.values()) for parts in bars.values()), default=0) or 1
    lines = [f'<text x="10" y="{top + 15}" font-weight="bold">{escape(heading)}</text>']
    top += _HEADING
    for name, parts in bars.items():
        lines.append(f'<text x="{_LEFT - 8}" y="{top + 15}" text-anchor="end">{escape(name)}</text>')
        left = float(_LEFT)
        for part, milliseconds in parts.items():
            wide = milliseconds / longest * _WIDE
            lines.append(
                f'<rect x="{left:.1f}" y="{top}" width="{wide:.1f}" height="{_BAR}" fill="{_colour(part)}">'
                f"<title>{escape(name)}, {escape(part)}: {milliseconds:.3f} ms</title></rect>"
            )
            left += wide
        lines.append(f'<text x="{left + 6:.1f}" y="{top + 15}">{sum(parts.values()):.2f} ms</text>')
        top += _STEP
    return [*lines, *_axis(longest, top)]


def _legend(panels: Mapping[str, Bars]) -> list[str]:
    used = {part for bars in panels.values() for parts in bars.values() for part in parts}
    lines = []
    for place, part in enumerate(part for part in PARTS if part in used):
        left, top = 10 + place % 5 * 185, 36 + place // 5 * _LEGEND
        lines.append(f'<rect x="{left}" y="{top}" width="11" height="11" fill="{_colour(part)}"/>')
        lines.append(f'<text x="{left + 16}" y="{top + 10}">{escape(part)}</text>')
    return lines


def _axis(longest: float, top: int) -> list[str]:
    lines = [f'<line x1="{_LEFT}" y1="{top}" x2="{_LEFT + _WIDE}" y2="{top}" stroke="black"/>']
    for tick in ticks(longest):
        left = _LEFT + tick / longest * _WIDE
        lines.append(f'<line x1="{left:.1f}" y1="{top}" x2="{left:.1f}" y2="{top + 5}" stroke="black"/>')
        lines.append(f'<text x="{left:.1f}" y="{top + 19}" text-anchor="middle">{tick:g} ms</text>')
    return lines


def _colour(part: str) -> str:
    return _COLOURS[PARTS.index(part)]
