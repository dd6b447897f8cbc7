"""Curves over sizes, both axes logarithmic, as an SVG that reads in light and dark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 760, 360, 60, 330, 20, 46
_COLOURS = ("#2563eb", "#d97706", "#059669", "#dc2626", "#7c3aed", "#0891b2")


@dataclass(frozen=True)
class Line:
    """A name and a value, above 0, for each size."""

    name: str
    values: Sequence[float]


def curves(lines: Sequence[Line], sizes: Sequence[int], across: str, up: str) -> str:
    """The lines over ``sizes``, named at their ends."""
    least = math.floor(math.log10(min(min(line.values) for line in lines)))
    most = math.ceil(math.log10(max(max(line.values) for line in lines)))

    def x(size: float) -> float:
        low, high = math.log10(sizes[0]), math.log10(sizes[-1])
        return _LEFT + (math.log10(size) - low) / max(high - low, 1e-9) * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        share = (math.log10(value) - least) / max(most - least, 1)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
        'font-size="12" role="img">',
        f"<title>{escape(up)} by {escape(across)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
    ]
    for power in range(least, most + 1):
        at = y(10.0**power)
        parts.append(f'<path d="M{_LEFT} {at:.1f}H{_WIDTH - _RIGHT}" stroke="#e5e7eb"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end" fill="#374151">{10.0**power:g}</text>')
    for size in sizes:
        at = x(size)
        parts.append(f'<path d="M{at:.1f} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#e5e7eb"/>')
        label = f"{size // 1_000_000}M" if size >= 1_000_000 else f"{size:,}"
        parts.append(
            f'<text x="{at:.1f}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle" fill="#374151">{label}</text>'
        )
    parts.append(f'<text x="{_LEFT}" y="{_HEIGHT - 8}" fill="#374151">{escape(across)}; up: {escape(up)}</text>')
    ends = _apart([y(line.values[-1]) for line in lines])
    for line, colour, end in zip(lines, _COLOURS, ends, strict=False):
        points = " ".join(f"{x(s):.1f},{y(v):.1f}" for s, v in zip(sizes, line.values, strict=True))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{x(s):.1f}" cy="{y(v):.1f}" r="3" fill="{colour}"/>'
            for s, v in zip(sizes, line.values, strict=True)
        ]
        name = f"{escape(line.name)}: {line.values[-1]:.3g}"
        parts.append(f'<text x="{_WIDTH - _RIGHT + 10}" y="{end + 4:.1f}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _apart(places: Sequence[float], gap: float = 15) -> list[float]:
    """The same places, moved so that texts there do not overlap."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = list(places)
    for before, after in pairwise(order):
        moved[after] = max(moved[after], moved[before] + gap)
    return moved
