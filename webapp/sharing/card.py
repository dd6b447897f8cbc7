"""The picture of an answer that previews of its link show."""

from __future__ import annotations

import functools
import io
from importlib import resources

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 1200, 630
"""The size that Open Graph's readers expect."""

_MARGIN = 72
_FONT = resources.files("fontpkg_noto_sans") / "files" / "NotoSans[wdth,wght].ttf"
_PAPER, _INK, _MUTED, _ACCENT = "#ffffff", "#171b24", "#565f70", "#2a5bd0"
_QUESTION_LINES, _ANSWER_LINES = 2, 4
_LENGTH_MAX = 600
"""Characters of a text that are looked at; its lines hold fewer."""


@functools.lru_cache(maxsize=32)
def draw_card(question: str, answer: str) -> bytes:
    """A question and its answer as a PNG; what does not fit ends with an ellipsis."""
    image = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, WIDTH, 14), fill=_ACCENT)
    small, large = _load_font(34, 500), _load_font(52, 600)
    top = _MARGIN + 8.0
    for font, text, ink, lines in ((small, question, _MUTED, _QUESTION_LINES), (large, answer, _INK, _ANSWER_LINES)):
        for line in split_lines(text, font, WIDTH - 2 * _MARGIN, lines):
            draw.text((_MARGIN, top), line, font=font, fill=ink)
            top += 1.32 * font.size
        top += 28
    _draw_mark(draw, _MARGIN, HEIGHT - _MARGIN - 40)
    draw.text((_MARGIN + 62, HEIGHT - _MARGIN - 46), "Clew", font=_load_font(36, 600), fill=_INK)
    content = io.BytesIO()
    image.save(content, "PNG", optimize=True)
    return content.getvalue()


def split_lines(text: str, font: ImageFont.FreeTypeFont, width: float, most: int) -> list[str]:
    """Break a text into at most so many lines of a width in pixels; words that are longer are broken too."""
    lines = [""]
    for word in text[:_LENGTH_MAX].split():
        line = f"{lines[-1]} {word}".strip()
        if font.getlength(line) <= width:
            lines[-1] = line
            continue
        if lines[-1]:
            lines.append("")
        rest = word
        while font.getlength(rest) > width and len(lines) <= most:
            kept = next(end for end in range(len(rest) - 1, 0, -1) if end == 1 or font.getlength(rest[:end]) <= width)
            lines[-1], rest = rest[:kept], rest[kept:]
            lines.append("")
        lines[-1] = rest
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while last and font.getlength(f"{last}…") > width:
        last = last[:-1]
    return [*lines[: most - 1], f"{last.rstrip()}…"]


def _load_font(size: int, weight: int) -> ImageFont.FreeTypeFont:
    with resources.as_file(_FONT) as path:
        font = ImageFont.truetype(path, size)
    font.set_variation_by_axes([weight, 100])
    return font


def _draw_mark(draw: ImageDraw.ImageDraw, left: float, top: float) -> None:
    """Clew's mark: a thread that winds out of a ball."""
    draw.rounded_rectangle((left, top, left + 44, top + 44), 10, fill=_ACCENT)
    draw.arc((left + 10, top + 11, left + 33, top + 34), 40, 320, fill=_PAPER, width=4)
    draw.arc((left + 16, top + 17, left + 27, top + 28), 40, 320, fill=_PAPER, width=3)
    draw.line((left + 27, top + 24, left + 36, top + 22), fill=_PAPER, width=3)
