"""How a table of things is laid out: its delimiter, its columns, and which of them names the thing on a row."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePath

from retrieval.kg.readers.compression import get_plain_name
from retrieval.kg.readers.headings import CODES, MEANINGS, clean_headings, is_header, make_distinct_headings
from retrieval.kg.readers.list_cells import find_list_mark
from retrieval.kg.readers.property_rows import NAMES
from retrieval.kg.readers.rows_layout import WIDTH, infer_columns
from retrieval.kg.values import parse
from retrieval.lexicon import get_words
from retrieval.lexicon.nouns import to_singular

MISSING = get_words("missing_value_words") | {""}
"""What cells hold that hold nothing, in lower case."""
#: How programs write that a value is no number; somebody may be called Nan.
_NOT_A_NUMBER = frozenset({"nan", "NaN", "NAN"})
_MARKS = (",", "\t", ";", "|")
#: Words that end the heading of the column that names a thing, or begin it: "Name of site".
_NAMING = re.compile(rf"(?:^|[\s_])(?:{'|'.join(NAMES)})$|^(?:name|title)[\s_]of[\s_]", re.IGNORECASE)
#: Rows that are looked at, the share of them that a column of numbers must have, of names that must be distinct, and of
#: rows that must have one where the heading says that it names them.
SAMPLE, _NUMBERS, _DISTINCT, _NAMED = 200, 0.8, 0.98, 0.5
#: The share of names in the first column of words that must be distinct where each row is told by its number beside.
_NEARLY = 0.9
#: Rows below which little tells what names them, and what share of a second column must differ to be no relation.
_ROWS, _RELATIONS, _MOSTLY = 5, 0.3, 0.7
#: Headings of the two parts of a person's name, without what joins their words.
_GIVEN, _FAMILY = ("firstname", "givenname", "forename"), ("lastname", "surname", "familyname")
#: Words of headings that say what a name is and not what is named, and words that a kind has at most.
_NO_KINDS = get_words("headings_that_name_no_kind")
_KIND_WORDS = 2
#: What headings of numbers of rows end in.
_NUMBERING = frozenset({"code", "id", "key", "no", "nr", "number"})
_NUMBERS_ROWS = frozenset({"no", "nr", "number", "ref", "reference"})
#: Headings of what a fact says, where it is one to a row.
_SAYS = get_words("attribute_headings")
#: Headings of what is measured of each thing, where one number stands on a row; what cells of yes and no hold.
_MEASURING = get_words("measure_headings")
_TRUTHS = frozenset({"yes", "no", "y", "n", "true", "false"})
#: What files are called that does not say what is in them.
_SAYS_NOTHING = get_words("file_name_fillers")

#: Words before what a file says its rows are, and words behind it: "List of lakes in Estonia".
_BEFORE_NAMES = frozenset({"all", "and", "our", "the", "these", "your"})
_BEHIND_NAMES = get_words("words_behind_table_nouns")

#: What lists of things are called behind what they list.
_LISTS = get_words("collection_nouns")
#: Words of headings of what is said of things, beginnings of what was measured, and how many cells must be such.
_HOW = get_words("detail_headings")
_MEASURED, _MEASURES = re.compile(r"[^\w\s]?\d{1,3}[.,:'’]\d"), 0.5

#: Numbers with a decimal comma, and whole ones with points between their thousands; kinds that may be abbreviations.
_COMMA = re.compile(r"[^\w\s]?\s?[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d{1,2}\s?[^\w\s]?")
_POINTS = re.compile(r"[-+]?\d{1,3}(?:\.\d{3})*")
_SHORT = 4
#: How far numbers of rows lie apart on average at most, where nothing but their order says what they are, and no years.
_CLOSE, _YEARS = 3, (1500, 2100)
#: What of those who do business is a name, where nothing else is one, and who they are.
_FIRMS = frozenset({"business", "company", "firm", "institution", "organisation", "organization", "studio"})
_SIDES = get_words("transaction_side_headings")
_PARTIES = get_words("trading_party_headings")

#: A code, "P-104", and what the column is headed that says what has it.
_CODE = re.compile(r"(?=\S*\d)[\w./#-]+")
_DESCRIBING = get_words("describing_headings")


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A table's layout.

    Attributes:
        mark: the delimiter.
        header: what the columns are called.
        key: the columns that name the thing on a row, given and family name or a single one; none where nothing tells
            all rows apart.
        kinds: what the things are called: by the file's name, and by the heading of the column that names them; none
            where these say nothing.
        lists: of columns whose cells hold several values, what parts them.
        number: the column that numbers the rows where no column names them, if any: ``Sale No`` of 1001, 1002.
        points: columns of numbers that have points between their thousands: ``4.176`` beside ``459,36``.
    """

    mark: str
    header: tuple[str, ...]
    key: tuple[int, ...]
    kinds: tuple[str, ...]
    lists: dict[int, str]
    number: int | None = None
    points: frozenset[int] = frozenset()


def is_missing(cell: str) -> bool:
    """Return whether a cell holds nothing."""
    return cell in _NOT_A_NUMBER or cell.casefold() in MISSING


def find_table(head: str, name: str, *, sure: bool, mark: str | None = None) -> TableLayout | None:
    """The layout of the table that a text begins.

    Args:
        head: the first lines, the last of them maybe cut.
        name: of the file.
        sure: whether it is known to be a table; else it must not look like facts: one column has numbers under a
            heading of words, or the first is headed as a name.
        mark: the delimiter, where it is known.
    """
    lines = head.splitlines(keepends=True)
    for guess in (mark,) if mark else _MARKS:
        try:
            rows = [row for row in csv.reader(lines[: SAMPLE + 1], delimiter=guess) if any(row)]
        except csv.Error:
            continue
        header = clean_headings(rows[0]) if rows else []
        if not 2 <= len(header) <= WIDTH or len(rows) < 2:
            continue
        below = [[cell.strip() for cell in row] for row in rows[1:] if len(row) == len(header)]
        if not below or not any(header):
            continue
        if not sure and (infer_columns(header) or not _is_table(header, below)):
            continue
        return layout_of(make_distinct_headings(header, below), below, name, guess)
    return None


def layout_of(header: Sequence[str], rows: Sequence[Sequence[str]], name: str, mark: str = "") -> TableLayout:
    """The layout of a table with these headings, and these rows to begin with.

    Args:
        header: what the columns are called.
        rows: the first rows, a cell for each heading; at least one.
        name: of the file.
        mark: what parts the cells in it, if anything does.
    """
    kind = infer_kind(name)
    key = _find_key(header, rows, kind)
    headed = _infer_heading_kind(header[key[0]]) if len(key) == 1 else ""
    marks = [find_list_mark(cells) for cells in _list_columns(header, rows)]
    lists = {index: mark for index, mark in enumerate(marks) if mark and index not in key}
    number = _find_numbering(header, rows)
    if len(key) == 1 and all(row[key[0]].isdecimal() for row in rows):
        number, key = key[0], ()  # a job of 1041 is called so
    elif number is not None and key and _can_be_attribute(header, key, number, kind):
        key = ()
    number = number if not key else None
    numbered = _infer_numbered_kind(header, rows, number or 0)
    kinds = list(dict.fromkeys(filter(None, (kind, headed, numbered) if key else (numbered, kind, headed))))
    kinds = [candidate for candidate in kinds if not any(_is_short(candidate, other) for other in kinds)]
    return TableLayout(mark, tuple(header), key, tuple(kinds), lists, number, _find_pointed_columns(header, rows, mark))


def _is_short(word: str, other: str) -> bool:
    """Whether a kind is short for another: ``inv`` of ``Inv. No`` in ``invoices.csv``."""
    return word != other and len(word) <= _SHORT and other.startswith(word)


def _find_pointed_columns(header: Sequence[str], rows: Sequence[Sequence[str]], mark: str) -> frozenset[int]:
    """Columns of whole numbers with points between their thousands, where other numbers have decimal commas."""
    columns = _list_columns(header, rows)
    commas = any(
        _compute_share([_COMMA.fullmatch(cell) is not None for cell in cells]) >= _NUMBERS for cells in columns
    )
    if mark == "," or not commas:
        return frozenset()
    return frozenset(
        index for index, cells in enumerate(columns)
        if any("." in cell for cell in cells) and all(_POINTS.fullmatch(cell) for cell in cells)
    )  # fmt: skip


def infer_kind(name: str) -> str:
    """What the rows of a file are called: ``film`` of ``films.csv``; empty where its name says nothing."""
    stem = PurePath(get_plain_name(name)).stem
    words = [word for word in _split_words(stem) if word not in _SAYS_NOTHING]
    while words and words[0] in _BEFORE_NAMES | _BEHIND_NAMES:
        words = words[1:]
    ends = [index for index, word in enumerate(words) if word in _BEHIND_NAMES and words[index - 1].endswith("s")]
    words = words[: ends[0]] if ends else words
    if len(words) > 1 and words[-1] in _LISTS and words[-2].endswith("s"):
        words = words[:-1]
    return _make_singular(words) if words else ""


def _infer_heading_kind(heading: str) -> str:
    """What things are called whose names have this heading: ``listing``; empty where it says what a name is."""
    words = _split_words(heading)
    plain = 0 < len(words) <= _KIND_WORDS and not set(words) & (_NO_KINDS | set(NAMES))
    return _make_singular(words) if plain and all(word.isalpha() for word in words) else ""


def _find_numbering(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int | None:
    """The column that numbers the rows: the first, or another whose heading says so."""
    columns = [[row[index] for row in rows] for index in range(len(header))]
    if _is_numbering_column(header[0], columns[0]):
        return 0
    headed = [
        index
        for index, heading in enumerate(header)
        if _split_words(heading)[-1:] and _split_words(heading)[-1] in _NUMBERS_ROWS
    ]
    return next((index for index in headed if _is_numbering_column(header[index], columns[index])), None)


def _can_be_attribute(header: Sequence[str], key: tuple[int, ...], number: int, kind: str) -> bool:
    """Whether a column that nothing but its words makes a name stands behind others that follow the row's number."""
    heading = header[key[0]].casefold()
    if len(key) > 1 or (key[0] <= number + 1 and heading not in _SIDES | _PARTIES):
        return False
    called = kind and heading in (kind, kind.rsplit(maxsplit=1)[-1])
    return not (called or _NAMING.search(heading) or heading in NAMES or heading in _DESCRIBING | _FIRMS)


def _infer_numbered_kind(header: Sequence[str], rows: Sequence[Sequence[str]], column: int) -> str:
    """What rows are called that a column numbers, ``member`` of ``member_id``; or nothing."""
    words, numbers = _split_words(header[column]), [row[column] for row in rows]
    if len(words) > 1 and words[-1] in _NUMBERING and len(set(numbers)) == len(numbers):
        words = words[:-1]
    elif not words or not _is_numbering_column(header[column], numbers):
        return ""
    return _make_singular(words) if not set(words) & _NO_KINDS and len(words) <= _KIND_WORDS else ""


def _is_numbering_column(heading: str, cells: Sequence[str]) -> bool:
    """Whether a column numbers the rows, each by another whole number: as its heading says, or one after the other."""
    if not all(cell.isdecimal() for cell in cells) or len(set(cells)) < len(cells):
        return False
    words = _split_words(heading)
    if heading.strip().startswith("#") or heading.strip().endswith("#") or (words and words[-1] in _NUMBERING):
        return True
    numbers = list(map(int, cells))
    close = numbers[-1] - numbers[0] < _CLOSE * len(numbers)
    return (
        len(words) == 1
        and len(cells) >= _ROWS
        and numbers == sorted(numbers)
        and close
        and not _has_years(words, numbers)
    )


def _has_years(words: Sequence[str], numbers: Sequence[int]) -> bool:
    return words[-1].startswith("year") or numbers[0] in range(*_YEARS)


def _split_words(text: str) -> list[str]:
    parted = re.split(r"[\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text))
    return [word.lower() for word in parted if word]


def _make_singular(words: Sequence[str]) -> str:
    last = to_singular(words[-1]) if words[-1].endswith("s") else words[-1]
    return " ".join([*words[:-1], last])


def _is_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows are no facts: of three columns, which facts have, the first must be of names, each given once, or
    the second of values, which no relations are.
    """
    if not is_header(header, rows):
        return False
    columns = _list_columns(header, rows)
    if len(header) == 3 and _compute_share([parse(cell) is not None for cell in columns[1]]) < _NUMBERS:
        distinct = len(set(columns[0])) >= _DISTINCT * len(rows)
        numbers = header[0].endswith("#") or set(_split_words(header[0])[-1:]) & _NUMBERING
        is_specific = _split_words(header[0])[-1:] not in (["id"], ["key"]) or any(
            _NAMING.search(cell) for cell in header[1:]
        )
        numbered = numbers and is_specific
        if header[1].casefold() in _SAYS:
            return False
        if _is_code_list(header) or _is_join_table(header, columns):
            return True
        if not distinct:  # parts that are played are no relations, each is met once
            return _is_described(header, columns, _MOSTLY)
        return bool(_NAMING.search(header[0]) or numbered) or _is_described(header, columns)
    return (
        bool(_NAMING.search(header[0]))
        or any(_compute_share([parse(cell) is not None for cell in cells]) >= _NUMBERS for cells in columns if cells)
        or len(header) != 3
    )


def _is_code_list(header: Sequence[str]) -> bool:
    """Whether headings are those of a list of what codes mean: ``field,code,meaning``."""
    word_sets = [set(_split_words(cell)) for cell in header]
    return any(word_set & CODES for word_set in word_sets) and any(word_set & MEANINGS for word_set in word_sets)


def _is_join_table(header: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Whether three columns say what two things had together, ``Callout,Volunteer,Hours``, or what was when: heads of
    facts are no dates, and where all tails are numbers, or yes and no, relations are no names.
    """
    if _compute_share([parse(cell) is not None for cell in columns[0]]) >= _NUMBERS:
        return not header[0].endswith("#") and not set(_split_words(header[0])[-1:]) & _NUMBERING
    measured = _compute_share([parse(cell) is not None for cell in columns[2]]) >= _NUMBERS
    only_truths = {cell.casefold() for cell in columns[2]} <= _TRUTHS
    has_names = _compute_share([cell[:1].isupper() for cell in columns[1]]) >= _NUMBERS
    measures = set(_split_words(header[1])) & (_SAYS | _MEASURING)
    return bool(columns[2]) and (measured or only_truths) and has_names and not measures


def _is_described(header: Sequence[str], columns: Sequence[Sequence[str]], most: float = _RELATIONS) -> bool:
    """Whether three columns of words are a thing and two things said of it, ``Book,Author,Genre``: facts say the same
    relation of many, of no more than ``most`` of all another, and what they say it with is the head of others.

    Of things that stand on a row each, names in the second column tell a table of any length: relations are written
    small, or as identifiers.
    """
    heads, middle, tails = map(set, columns)
    if heads & tails or {*header} & (heads | middle | tails) or set(_split_words(header[1])) & _SAYS:
        return False
    if len(heads) == len(columns[0]) and _compute_share([_is_capitalised(cell) for cell in columns[1]]) >= _NUMBERS:
        return True
    return len(columns[0]) >= _ROWS and len(middle) > most * len(columns[1])


def _is_capitalised(cell: str) -> bool:
    """Whether a cell is written as a name, not as the identifier of a relation: ``BORN_IN``, ``P31``, ``IsA``."""
    if not cell[:1].isupper() or "_" in cell or _CODE.fullmatch(cell):
        return False
    return not cell.isupper() and not any(a.islower() and b.isupper() for a, b in pairwise(cell))


def _find_key(header: Sequence[str], rows: Sequence[Sequence[str]], kind: str) -> tuple[int, ...]:
    """The column whose heading says so, else the first of words; each row has another value there."""
    columns = _list_columns(header, rows)
    describing = _DESCRIBING | _FIRMS if kind in _PARTIES else _DESCRIBING
    spelt = [re.sub(r"[\s_-]", "", cell).casefold() for cell in header]
    pair = tuple(next((spelt.index(word) for word in words if word in spelt), -1) for words in (_GIVEN, _FAMILY))
    if min(pair) >= 0 and len({tuple(row[index] for index in pair) for row in rows}) >= _DISTINCT * len(rows):
        return pair
    apart = [index for index, cells in enumerate(columns) if cells and len(set(cells)) >= _DISTINCT * len(cells)]
    naming = [index for index in apart if _NAMING.search(header[index]) and len(columns[index]) >= _NAMED * len(rows)]
    apart = [index for index in apart if len(columns[index]) == len(rows)]
    naming = naming or [
        index for index, cells in enumerate(columns)
        if header[index].casefold() in NAMES and _is_nearly_unique(header[index], cells, len(rows))
    ]  # fmt: skip
    naming.sort(key=lambda index: (header[index].casefold() not in NAMES, index))
    called = [index for index in apart if kind and header[index].casefold() in (kind, kind.rsplit(maxsplit=1)[-1])]
    words = [index for index in apart if _compute_share([parse(cell) is None for cell in columns[index]]) >= _NUMBERS]
    words = [index for index in words if index == 0 or not _is_measurement(header[index], columns[index])]
    if words and all(_CODE.fullmatch(cell) for cell in columns[words[0]]):  # people say what a part is, not its number
        words.sort(key=lambda index: header[index].casefold() not in describing)
    first = next(
        (
            index
            for index, cells in enumerate(columns)
            if _compute_share([parse(cell) is None for cell in cells]) >= _NUMBERS
        ),
        None,
    )
    if first is not None and first not in words and _is_nearly_unique(header[first], columns[first], len(rows)):
        words.insert(0, first)
    if len(rows) < _ROWS:
        # So few rows differ in anything.
        words = [index for index in words if index == 0 or header[index].casefold() in describing]
    if called and all(_CODE.fullmatch(cell) for cell in columns[called[0]]):
        # "Drovers Pass" is what people call route C2
        called = [index for index in words if header[index].casefold() in describing] or called
    if _is_code_list(header):
        called = [index for index in apart if set(_split_words(header[index])) & MEANINGS] or called
    return tuple([*naming, *called, *words][:1])


def _is_nearly_unique(heading: str, cells: Sequence[str], rows: int) -> bool:
    """Whether a column of words names rows of which a few share their name, as people and titles do."""
    apart = len(set(cells)) >= max(_ROWS, _NEARLY * rows)
    return len(cells) == rows and apart and not _is_measurement(heading, cells)


def _is_measurement(heading: str, cells: Sequence[str]) -> bool:
    """Whether a column says something of what rows are of, and is no name of it: a score, a note, "4.52m"."""
    measured = _compute_share([_MEASURED.match(cell) is not None for cell in cells])
    return bool(set(_split_words(heading)) & _HOW) or measured >= _MEASURES


def _list_columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The cells of each column that hold something."""
    return [[row[index] for row in rows if not is_missing(row[index])] for index in range(len(header))]


def _compute_share(holds: Sequence[bool]) -> float:
    return sum(holds) / len(holds) if holds else 0.0
