"""What a look at a file says of it. Plain Python, for those who only show it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from retrieval.types import Problem

Kind = Literal["graph", "questions"]


@dataclass(frozen=True, slots=True)
class Preview:
    """What a file is taken for. ``format``, ``delimiter``, ``header``, ``encoding`` and ``columns`` may be given back
    to :func:`retrieval.kg.readers.read_graph`, corrected or not.

    Attributes:
        name: what its owner calls it.
        kind: ``graph`` or ``questions``.
        format: one of the formats of that kind; empty where it is none of them.
        header: of tables, whether the first row names columns.
        columns: of rows of facts: the position of ``head``, ``relation`` and ``tail``.
        header_cells: of tables, the first row's cells, or ``column 1``, ``column 2`` where it is no header.
        titles: what the columns of ``rows`` are.
        rows: the first rows as they would be read.
        raw: the first lines as they stand.
        alternatives: other formats that it may be meant as.
        notes: what a person should know, in sentences.
        problems: rows among the first that could not be used.
        refused: whether an import of it, as it stands, fails for sure.
        members: of an archive, the files in it (name, bytes); the guess is of the first that is read.
    """

    name: str
    kind: Kind
    format: str
    delimiter: str | None = None
    header: bool | None = None
    encoding: str = "utf-8"
    columns: dict[str, int] = field(default_factory=dict)
    header_cells: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    raw: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    refused: bool = False
    members: tuple[tuple[str, int], ...] = ()
