"""A small graph asked by the programs that come with Clew, without an encoder."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader
from retrieval.programs.rendering.formatting import format_result


def reader_of(facts: Iterable[tuple[str, str, str]], folder: Path) -> ProgramReader:
    """A reader over a graph of some facts."""
    snapshot = build_snapshot(TripleTable.from_facts([list(row) for row in facts]), folder / "graph")
    return ProgramReader(snapshot, None, PROGRAMS)


def answers(reader: ProgramReader, question: str) -> list[str]:
    """What the likeliest program gives: labels in alphabetical order, or a number or truth as it is written."""
    found = reader.read(Question(question))
    assert found is not None, question
    result = found.best.result
    if isinstance(result, np.ndarray):
        return sorted(map(reader.snapshot.get_entity_label, result.tolist()))
    return [format_result(found.executor.columns, found.best.program, result)]
