"""A table as spreadsheets save it: a thing on each row, what is said of it in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.kg.readers.format import Certainty, Format
from retrieval.kg.readers.formats.properties import names_properties
from retrieval.kg.readers.table_layout import find_table

if TYPE_CHECKING:
    from retrieval.kg.readers.input_file import InputFile


def _detect(file: InputFile) -> Certainty:
    """The header names columns, and the rows below it are no facts."""
    if file.begins_json or file.options.header is False or file.options.columns is not None:
        return Certainty.NO
    if names_properties(file):
        return Certainty.NO
    return Certainty.LIKELY if find_table(file.head, file.name, sure=False) else Certainty.NO


FORMATS = (
    Format(
        name="table",
        label="Table (CSV), a thing on each row",
        holds="things and what columns say of them",
        family="properties",
        read="retrieval.kg.readers.table_rows:read_table",
        detect=_detect,
        options=("delimiter", "encoding"),
        alternatives=("delimited", "tsv", "csv", "psv", "property-csv"),
    ),
)
