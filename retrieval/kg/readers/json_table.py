"""Tables as JSON objects: each object is a row, each value a cell under its key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from retrieval.kg.model.kind_nouns import infer_noun
from retrieval.kg.model.source_table import Cell, SourceTable
from retrieval.kg.readers.compression import get_plain_name
from retrieval.kg.readers.file_contents import FactFile
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.json_layout import is_thing
from retrieval.kg.readers.json_rows import read_json_rows
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.property_rows import format_value
from retrieval.kg.readers.table_layout import is_missing


def read_json_table(file: InputFile, log: ProblemLog) -> FactFile:
    """Read the objects of an array, or of lines; what names them is inferred when all files are read."""
    entries = list(_read_rows(file, log))
    header = tuple(dict.fromkeys(heading for _, row in entries for heading in row))
    table = SourceTable(file.name, infer_noun(get_plain_name(file.name)), header, is_ordered=False)
    for line, row in entries:
        if any(row.values()):
            table.rows.append([row.get(heading) or None for heading in header])
            table.lines.append(line)
        else:
            log.add(line, "the row holds nothing", "", "blank")
    return FactFile(log.file, None, log.count, table=table, log=log)


def _read_rows(file: InputFile, log: ProblemLog) -> Iterator[tuple[int, dict[str, Cell]]]:
    """Line and values of each object: text, or several."""
    for line, row in read_json_rows(file.source, log.add):
        if is_thing(row):
            yield line, dict(_extract_values(row))
        else:
            why = (
                "no row of a table: read the file as nodes and edges" if isinstance(row, dict) else "not a JSON object"
            )
            log.add(line, why, json.dumps(row, ensure_ascii=False))


def _extract_values(row: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Cell]]:
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
