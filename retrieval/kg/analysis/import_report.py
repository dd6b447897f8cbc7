"""What became of the files of a graph, as a report and as a table of the rows that were left out."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING

import numpy as np

from retrieval.types import ImportReport, Problem, SourceReport

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot

#: What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
#: Facts compared at a time, so that a large graph is not read into memory.
_FACTS = 1 << 22


def build_report(snapshot: Snapshot, sources: Sequence[SourceReport]) -> ImportReport:
    """What was read of the files, and what is odd about the graph that was built from them.

    Args:
        sources: what was read of each file, as a table has them (``TripleTable.reports``).
    """
    kinds = [dict(source.kinds) for source in sources]
    counts = snapshot.manifest
    return ImportReport(
        triples=counts.triples,
        entities=counts.entities,
        relations=counts.relations,
        passages=counts.passages,
        duplicates=counts.duplicates,
        self_loops=sum(
            int(np.count_nonzero(snapshot.heads[start : start + _FACTS] == snapshot.tails[start : start + _FACTS]))
            for start in range(0, counts.triples, _FACTS)
        ),
        dangling=int(np.count_nonzero((np.diff(snapshot.out_offsets) == 0) & (np.diff(snapshot.in_offsets) == 0))),
        blank_labels=sum(source_kinds.get("blank", 0) for source_kinds in kinds),
        odd_encodings=sum(
            source.encoding != "utf-8" or "encoding" in source_kinds
            for source, source_kinds in zip(sources, kinds, strict=True)
        ),
        problems=sum(source.problems for source in sources),
        files=tuple(sources),
    )


def make_cell_safe(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula: such text gets an apostrophe before it."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def write_problems(file: IO[str], problems: Iterable[Problem]) -> None:
    """Write rows that could not be used as CSV: file, line (empty where it is the whole file), reason, text.

    Args:
        file: open for text, without translation of line ends (``newline=""``).
    """
    rows = csv.writer(file)
    rows.writerow(("file", "line", "reason", "text"))
    for problem in problems:
        cells = (problem.file, problem.line or "", problem.message, problem.text)
        rows.writerow([make_cell_safe(cell) for cell in cells])
