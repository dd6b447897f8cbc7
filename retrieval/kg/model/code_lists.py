"""Tables that say what codes of other tables mean: ``field,code,meaning`` with a row for each code of a field."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from retrieval.kg.model.source_table import SourceTable
from retrieval.lexicon import get_words

_FIELDS = get_words("code_list_field_headings")
#: Headings of codes, and of what each means.
CODES = get_words("code_headings")
MEANINGS = get_words("code_meaning_headings")


@dataclass(frozen=True)
class CodeList:
    """The rows of a list of codes: by field, in words, and by code, in lower case.

    ``field`` and ``meaning`` are positions of its columns.
    """

    field: int
    meaning: int
    rows: dict[str, dict[str, int]]


def find_code_list(table: SourceTable) -> CodeList | None:
    """The list of codes that a table is, if it has nothing but fields, codes and what they mean."""
    field = next((p.position for p in table.profiles if " ".join(p.heading_words) in _FIELDS), None)
    code = next((p.position for p in table.profiles if set(p.heading_words) & CODES and p.position != field), None)
    taken = (field, code)
    meaning = next(
        (p.position for p in table.profiles if {*p.heading_words} & MEANINGS and p.position not in taken), None
    )
    if field is None or code is None or meaning is None or len(table.header) != 3:
        return None
    rows: dict[str, dict[str, int]] = defaultdict(dict)
    for number, cells in enumerate(table.rows):
        if cells[field] and cells[code]:
            rows[normalise(str(cells[field]))][str(cells[code]).casefold()] = number
    return CodeList(field, meaning, dict(rows))


def normalise(heading: str) -> str:
    """A heading or the name of a field in lower case, its words parted by spaces."""
    return " ".join(heading.replace("_", " ").casefold().split())
