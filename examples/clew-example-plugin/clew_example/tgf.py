"""Trivial Graph Format: lines of nodes (``1 Jaws``), a line ``#``, lines of edges (``1 2 directed by``)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retrieval.kg.readers.format import Certainty, Format

if TYPE_CHECKING:
    from retrieval.kg.readers.file_contents import FactFile
    from retrieval.kg.readers.input_file import InputFile
    from retrieval.kg.readers.problems import ProblemLog

_START = re.compile(r"(?:[^\s#]+ [^\n]+\n)+#[ \t]*\n")


def detect(file: InputFile) -> Certainty:
    """Tell a file by its beginning: nodes, then a line with ``#`` alone."""
    return Certainty.CERTAIN if _START.match(file.head) else Certainty.NO


def read(file: InputFile, log: ProblemLog) -> FactFile:
    """Read every edge as a fact between the labels of its nodes; an edge of unknown nodes is a bad row."""
    import polars as pl  # noqa: PLC0415 - the web process lists formats and reads none

    from retrieval.kg.readers.file_contents import FACT_SCHEMA, FactFile  # noqa: PLC0415

    labels: dict[str, str] = {}
    facts, in_edges = [], False
    for first, block in file.source.read_blocks(log.add):
        for number, line in enumerate(block.decode(errors="replace").splitlines(), first):
            head, _, rest = line.strip().partition(" ")
            tail, _, relation = rest.partition(" ")
            if head == "#":
                in_edges = True
            elif not in_edges and head:
                labels[head] = rest or head
            elif head in labels and tail in labels and relation:
                facts.append((labels[head], relation, labels[tail]))
            elif head:
                log.add(number, "this edge has no label, or no node of that number", line)
    return FactFile(log.file, pl.DataFrame(facts, schema=FACT_SCHEMA, orient="row"), log.count)


FORMAT = Format(
    name="tgf",
    label="Trivial Graph Format",
    holds="numbered nodes, then edges with labels",
    family="rows",
    read=f"{__name__}:read",
    suffixes=(".tgf",),
    detect=detect,
)
