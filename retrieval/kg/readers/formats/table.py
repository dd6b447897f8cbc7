"""Tables: a thing on each row, what is said of it in columns; as spreadsheets save them, or in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.kg.readers.format import Certainty, Format
from retrieval.kg.readers.formats.properties import has_property_header
from retrieval.kg.readers.json_layout import is_row, parse_first_objects
from retrieval.kg.readers.table_layout import find_table

if TYPE_CHECKING:
    from retrieval.kg.readers.input_file import InputFile


def _detect(file: InputFile) -> Certainty:
    """The header names columns, and the rows below it are no facts; or rows of more columns have no header."""
    if file.begins_json or file.options.columns is not None or has_property_header(file):
        return Certainty.NO
    return Certainty.LIKELY if find_table(file.head, sure=False, has_header=file.options.header) else Certainty.NO


def _detect_json(file: InputFile) -> Certainty:
    """The first objects are rows."""
    rows = parse_first_objects(file.head) if file.begins_json else []
    return Certainty.LIKELY if rows and all(map(is_row, rows)) else Certainty.NO


FORMATS = (
    Format(
        name="table",
        label="Table (CSV), a thing on each row",
        holds="things and what columns say of them",
        family="properties",
        read="retrieval.kg.readers.table_rows:read_table",
        detect=_detect,
        options=("delimiter", "header", "encoding"),
        alternatives=("delimited", "tsv", "csv", "psv", "property-csv"),
    ),
    Format(
        name="json-table",
        label="Table (JSON), a thing in each object",
        holds="things and what their keys say of them",
        family="properties",
        read="retrieval.kg.readers.json_table:read_json_table",
        detect=_detect_json,
        alternatives=("property-jsonl", "passages", "jsonld"),
    ),
)
