"""The figures of a report as a table for spreadsheets: the whole, then each group of each breakdown. Plain Python."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from retrieval.kg.analysis.import_report import make_cell_safe

Figures = Mapping[str, float | None]


def render_csv(n: int, metrics: Figures, breakdowns: Mapping[str, Mapping[str, Figures]]) -> str:
    """CSV with a row for all questions and one for each group; cells of figures that do not apply are empty.

    Args:
        n: questions of the report.
        metrics: of the whole report; their names and order are those of the columns.
        breakdowns: by what questions are grouped, then by group: ``n`` and the same metrics.
    """
    names, file = list(metrics), io.StringIO(newline="")
    rows = csv.writer(file)
    rows.writerow(("by", "group", "n", *names))
    rows.writerow(("all", "all", n, *_format_cells(metrics, names)))
    for by, groups in breakdowns.items():
        for group, figures in groups.items():
            rows.writerow((by, make_cell_safe(group), int(figures.get("n") or 0), *_format_cells(figures, names)))
    return file.getvalue()


def _format_cells(figures: Figures, names: list[str]) -> list[str]:
    return ["" if (value := figures.get(name)) is None else f"{value:.6g}" for name in names]
