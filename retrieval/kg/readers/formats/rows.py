"""Facts as rows of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.kg.readers.format import Certainty, Format

if TYPE_CHECKING:
    from retrieval.kg.readers.input_file import InputFile

_NAMES = ("delimited", "tsv", "csv", "psv", "property-csv")


def _detect(file: InputFile) -> Certainty:
    """What is nothing else is read as rows, and its bad rows say what it is."""
    del file
    return Certainty.POSSIBLE


def _make_row_format(name: str, label: str, delimiter: str | None = None) -> Format:
    return Format(
        name=name,
        label=label,
        holds="facts: head, relation, tail on each line",
        family="rows",
        read="retrieval.kg.readers.delimited:read_delimited",
        detect=_detect,
        options=("delimiter", "header", "encoding", "columns"),
        delimiter=delimiter,
        alternatives=_NAMES,
    )


FORMATS = (
    _make_row_format("delimited", "Triples as text"),
    _make_row_format("tsv", "Triples, tab separated", "\t"),
    _make_row_format("csv", "Triples, comma separated", ","),
    _make_row_format("psv", "Triples, | separated", "|"),
)
