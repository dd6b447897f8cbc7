"""Tables as JSON objects: each object is a node called by its name, each other value is said of it under its key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any

from retrieval.kg.readers.file_contents import FactFile
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.json_layout import is_row
from retrieval.kg.readers.json_rows import read_json_rows
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_rows import BadRowError, PropertyRows, format_value
from retrieval.kg.readers.table_layout import SAMPLE, is_missing, layout_of
from retrieval.kg.readers.table_rows import add_row


def read_json_table(file: InputFile, log: ProblemLog) -> FactFile:
    """Read the objects of an array, or of lines; the first of them say which key names them."""
    rows = PropertyRows(log)
    entries = _read_rows(file, log)
    first = list(islice(entries, SAMPLE))
    header = list(dict.fromkeys(heading for _, row in first for heading in row))
    if header:
        cells = [[_format_cell(row.get(heading, "")) for heading in header] for _, row in first]
        table = layout_of(header, cells, file.name)
        for number, (line, row) in enumerate(chain(first, entries), 1):
            try:
                add_row(table, row, number, rows)
            except BadRowError as error:
                log.add(line, str(error), json.dumps(row, ensure_ascii=False), error.kind)
    return FactFile(log.file, None, log.count, properties=rows)


def _read_rows(file: InputFile, log: ProblemLog) -> Iterator[tuple[int, dict[str, object]]]:
    """Line and values of each object: text, or several."""
    for line, row in read_json_rows(file.source, log.add):
        if is_row(row):
            yield line, dict(_extract_values(row))
        else:
            why = (
                "no row of a table: read the file as nodes and edges" if isinstance(row, dict) else "not a JSON object"
            )
            log.add(line, why, json.dumps(row, ensure_ascii=False))


def _extract_values(row: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, object]]:
    for key, value in row.items():
        heading = f"{before} {key}".strip()
        if isinstance(value, dict):
            yield from _extract_values(value, heading)
        elif isinstance(value, list):
            yield heading, [text for item in value if not is_missing(text := _format_text(item))]
        elif not is_missing(text := _format_text(value)):
            yield heading, text


def _format_text(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else format_value(value)


def _format_cell(value: object) -> str:
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)
