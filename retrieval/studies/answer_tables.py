"""Answers that are tables as files: CSV, JSON and LaTeX. Standard library only."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from retrieval.kg.analysis.import_report import make_cell_safe
from retrieval.results import AnswerTable, TableColumn
from retrieval.studies.tables import convert_to_latex


def format_answer_csv(table: AnswerTable) -> str:
    """A row of heads with their units, then the rows as they are shown."""
    file = io.StringIO(newline="")
    out = csv.writer(file)
    out.writerow([make_cell_safe(_write_head(column)) for column in table.columns])
    for row in table.rows:
        out.writerow([make_cell_safe(cell.text) for cell in row])
    return file.getvalue()


def format_answer_json(table: AnswerTable) -> str:
    """``columns`` with label, kind and unit; ``rows`` of objects by column: text, value and entities; ``total``."""
    rows: list[list[dict[str, Any]]] = [
        [{"text": cell.text, "value": cell.value, "entities": [node.label for node in cell.nodes]} for cell in row]
        for row in table.rows
    ]
    columns = [{"label": column.label, "kind": column.kind, "unit": column.unit} for column in table.columns]
    return json.dumps({"columns": columns, "rows": rows, "total": table.total}, ensure_ascii=False, indent=1) + "\n"


def format_answer_latex(table: AnswerTable, caption: str) -> str:
    """A table for LaTeX with booktabs; numbers are to the right, an empty cell is a dash."""
    sides = "".join("r" if column.kind == "number" else "l" for column in table.columns)
    lines = [" & ".join(convert_to_latex(cell.text) or "--" for cell in row) + r" \\" for row in table.rows]
    more = "" if table.total <= len(table.rows) else f" The first {len(table.rows):,} of {table.total:,} rows."
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{convert_to_latex(caption + more)}}}",
            rf"\begin{{tabular}}{{{sides}}}",
            r"\toprule",
            " & ".join(convert_to_latex(_write_head(column)) for column in table.columns) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _write_head(column: TableColumn) -> str:
    return f"{column.label} ({column.unit})" if column.unit else column.label
