"""The graph that the questions of a set bring with them: every question's own subgraph, put together.

``graph`` of RoG's files, ``triples`` of Clew's own, ``subgraph.tuples`` of GraftNet's. A fact that several questions
bring is one fact.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from retrieval.kg.readers.file_contents import FACT_SCHEMA, FactFile
from retrieval.kg.readers.input_file import InputFile
from retrieval.kg.readers.json_rows import read_json_rows
from retrieval.kg.readers.problems import ProblemLog
from retrieval.kg.readers.question_files import BadRow, parse_subgraph
from retrieval.kg.table import LABEL_LIMIT

#: Facts that become columns together.
_CHUNK = 200_000


def read_subgraphs(file: InputFile, log: ProblemLog) -> FactFile:
    """Read the subgraphs of a question set in JSON."""
    return read_subgraph_rows(read_json_rows(file.source, log.add), log)


def read_subgraph_rows(rows: Iterable[tuple[int, Any]], log: ProblemLog) -> FactFile:
    """The subgraphs that rows of a question set bring.

    Args:
        rows: line and value of each question.
        log: takes the bad rows.
    """
    frames: list[pl.DataFrame] = []
    held: set[tuple[str, str, str]] = set()
    for line, row in rows:
        try:
            facts = parse_subgraph(row)
        except BadRow as error:
            log.add(line, str(error), str(row)[:200])
            continue
        for fact in facts:
            if not all(fact):
                log.add(line, "a name in a triple is empty", " | ".join(fact), "blank")
            elif any(len(part.encode(errors="replace")) > LABEL_LIMIT or "\0" in part for part in fact):
                log.add(line, "a name in a triple is too long, or holds a NUL character", " | ".join(fact))
            else:
                held.add(fact)
        if len(held) >= _CHUNK:
            frames.append(pl.DataFrame(sorted(held), schema=FACT_SCHEMA, orient="row"))
            held = set()
    frames.append(pl.DataFrame(sorted(held), schema=FACT_SCHEMA, orient="row"))
    return FactFile(log.file, pl.concat(frames).unique(maintain_order=True), log.count)
