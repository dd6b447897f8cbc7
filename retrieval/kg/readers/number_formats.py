"""Numbers of a workbook as its cells show them, where the format says more than how many digits are shown.

``00045`` is a code, ``12%`` a share, ``$4.50`` an amount of money; ``1,234.50`` is a number as it stands.
"""

from __future__ import annotations

import re
import unicodedata
import zipfile
from collections.abc import Mapping
from pathlib import Path

from openpyxl import load_workbook
from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format

_STYLES = "xl/styles.xml"
_CODES = re.compile(r'formatCode="([^"]*)"')
_USED = re.compile(r'<xf\b[^>]*numFmtId="(\d+)"')
#: Parts of a format that are not shown: colours and conditions, room for a sign, fillers; and locales of currencies.
_HIDDEN = re.compile(r"\[(?!\$)[^\]]*\]|_.|\*.")
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")
_LITERAL = re.compile(r'"([^"]*)"|\\(.)')
_DIGITS = re.compile(r"[0#?][0#?,.]*")
#: Decimals that are kept, shown or not.
_EXACT = 6
Cell = tuple[int, int]


def read_formatted_numbers(path: Path) -> Mapping[str, Mapping[Cell, str]]:
    """Return by sheet the numbers that are shown as more than numbers, by row and column from 0.

    Only workbooks of Office Open XML (xlsx, xlsm) keep formats where they can be read.
    """
    if not _has_shown_formats(path):
        return {}
    by_sheet: dict[str, dict[Cell, str]] = {}
    book = load_workbook(path, read_only=True, data_only=True)
    try:
        for sheet in book.worksheets:
            cells = by_sheet.setdefault(sheet.title, {})
            for row in sheet.iter_rows():
                for cell in row:
                    number = cell.value
                    if isinstance(number, (int, float)) and not isinstance(number, bool):
                        text = format_number(number, cell.number_format)
                        if text is not None:
                            cells[cell.row - 1, cell.column - 1] = text
    finally:
        book.close()
    return by_sheet


def format_number(number: float, code: str) -> str | None:
    """Return a number as a format shows it; None where it is shown as a plain number, a date or a text.

    Args:
        number: what the cell holds.
        code: the format, such as ``000-00-0000``, ``0.0%`` or ``"$"#,##0.00``.
    """
    section = code.split(";", maxsplit=1)[0]
    if not _has_extra_format(section):
        return None
    plain = _CURRENCY.sub(lambda match: f'"{match[1]}"', _HIDDEN.sub("", section))
    literals: list[str] = []

    def replace_literal(match: re.Match[str]) -> str:
        literals.append(match[1] if match[1] is not None else match[2])
        return "\0"

    plain = _LITERAL.sub(replace_literal, plain)
    shown = _insert_digits(number, plain) if _is_code(plain) else _insert_number(number, plain)
    if shown is None:
        return None
    for literal in literals:
        shown = shown.replace("\0", literal, 1)
    return " ".join(("-" * (number < 0) + shown).split())


def _is_code(plain: str) -> bool:
    """Whether digits of a whole number are parted by other signs than those of decimals and thousands."""
    return len(re.findall(r"[0#?]+", plain)) > 1 and "." not in plain and "," not in plain


def _insert_digits(number: float, plain: str) -> str | None:
    """The digits of a number at the places of a code, from the right; None where there are more digits than places."""
    left = list(f"{abs(round(number)):0{plain.count('0')}d}")
    filled = [char if char not in "0#?" else left.pop() if left else "" for char in reversed(plain)]
    return None if left or number != round(number) else "".join(reversed(filled))


def _insert_number(number: float, plain: str) -> str | None:
    """A number at the place of its digits, with no fewer decimals than it has."""
    places = _DIGITS.search(plain)
    if places is None:
        return None
    integer, _, decimals = places[0].partition(".")
    number = round(abs(number) * (100 if "%" in plain else 1), _EXACT)
    exact = len(f"{number:.{_EXACT}f}".rstrip("0").partition(".")[2])
    count = max(sum(char in "0#?" for char in decimals), exact)
    head, _, tail = f"{number:{',' if ',' in integer else ''}.{count}f}".partition(".")
    head = head.rjust(integer.count("0"), "0")
    return plain[: places.start()] + head + (f".{tail}" if tail else "") + plain[places.end() :]


def _has_shown_formats(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            styles = archive.read(_STYLES).decode(errors="replace") if _STYLES in archive.namelist() else ""
    except (zipfile.BadZipFile, OSError):
        return False
    used = {int(number) for number in _USED.findall(styles)}
    codes = [code.replace("&quot;", '"') for code in _CODES.findall(styles)]
    return any(_has_extra_format(code) for code in [*codes, *(BUILTIN_FORMATS.get(number, "") for number in used)])


def _has_extra_format(code: str) -> bool:
    """Whether a format pads numbers to a length, parts their digits, or writes a unit beside them."""
    if is_date_format(code) or code.startswith("@") or "E+" in code or "E-" in code or "/?" in code:
        return False
    plain = _HIDDEN.sub("", code.split(";", maxsplit=1)[0])
    padded = re.search(r"(?<![#0?.,])0{2,}(?!\s*\.)(?![#0?,.])", _LITERAL.sub("", plain)) is not None
    parted = _is_code(plain)
    literal = any(any(char.isalnum() for char in part) for pair in _LITERAL.findall(plain) for part in pair)
    money = _CURRENCY.search(plain) is not None or any(unicodedata.category(char) == "Sc" for char in plain)
    return padded or parted or literal or money or "%" in plain
