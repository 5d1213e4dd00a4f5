"""Where the time goes, as a picture: stacked bars in SVG, written as plain text."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import escape

from bench.parts import PARTS

_COLOURS = (
    "#4e79a7",
    "#bab0ac",
    "#f28e2b",
    "#e15759",
    "#76b7b2",
    "#9c9fa3",
    "#59a14f",
    "#edc948",
    "#b07aa1",
    "#9c755f",
)
_LEFT, _WIDE, _RIGHT = 190, 720, 90
_BAR, _STEP, _TOP, _LEGEND = 20, 30, 92, 17
_FONT = 'font-family="sans-serif" font-size="12"'


def stacked_bars(title: str, bars: Mapping[str, Mapping[str, float]]) -> str:
    """An SVG document of bars, each of parts in milliseconds by the names of `parts.PARTS`, on one scale from 0."""
    longest = max((sum(parts.values()) for parts in bars.values()), default=0) or 1
    width, height = _LEFT + _WIDE + _RIGHT, _TOP + _STEP * len(bars) + 34
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" {_FONT}>',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="10" y="22" font-size="15">{escape(title)}</text>',
        *_legend(bars),
    ]
    for place, (name, parts) in enumerate(bars.items()):
        top = _TOP + _STEP * place
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
    lines += [*_axis(longest, _TOP + _STEP * len(bars)), "</svg>"]
    return "\n".join(lines) + "\n"


def _legend(bars: Mapping[str, Mapping[str, float]]) -> list[str]:
    shown = [part for part in PARTS if any(part in parts for parts in bars.values())]
    lines = []
    for place, part in enumerate(shown):
        left, top = 10 + place % 5 * 185, 36 + place // 5 * _LEGEND
        lines.append(f'<rect x="{left}" y="{top}" width="11" height="11" fill="{_colour(part)}"/>')
        lines.append(f'<text x="{left + 16}" y="{top + 10}">{escape(part)}</text>')
    return lines


def _axis(longest: float, top: int) -> list[str]:
    lines = [f'<line x1="{_LEFT}" y1="{top}" x2="{_LEFT + _WIDE}" y2="{top}" stroke="black"/>']
    for quarter in range(5):
        left = _LEFT + _WIDE * quarter / 4
        lines.append(f'<line x1="{left:.1f}" y1="{top}" x2="{left:.1f}" y2="{top + 5}" stroke="black"/>')
        lines.append(f'<text x="{left:.1f}" y="{top + 19}" text-anchor="middle">{longest * quarter / 4:.2f} ms</text>')
    return lines


def _colour(part: str) -> str:
    return _COLOURS[PARTS.index(part)]
