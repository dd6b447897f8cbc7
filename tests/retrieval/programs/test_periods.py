"""Months, decades and sizes in questions, over a few disks that nothing was trained on; no text encoder."""

import numpy as np
import pytest

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.amounts import ValueKind
from retrieval.language.quantities import find
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader
from retrieval.programs.rendering.formatting import format_result

DISKS = [
    (name, relation, value)
    for name, maker, size, bought, faults in (
        ("Alpha", "Acme", "500 GB", "2023-10-02", "0 faults"),
        ("Beta", "Acme", "2 TB", "2023-11-15", "3 faults"),
        ("Gamma", "Bolt", "1 TB", "2023-12-01", "1 faults"),
        ("Delta", "Bolt", "250 GB", "1998-11-20", "0 faults"),
    )
    for relation, value in (
        ("type", "disk"),
        ("made by", maker),
        ("size", size),
        ("bought", bought),
        ("faults", faults),
    )
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    snapshot = build_snapshot(TripleTable.from_facts(map(list, DISKS)), tmp_path_factory.mktemp("disks") / "graph")
    return ProgramReader(snapshot, None, PROGRAMS)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which disks were bought in November 2023?", {"Beta"}),
        ("Which disks were bought in November?", {"Beta", "Delta"}),
        ("Which disks were bought after November 2023?", {"Gamma"}),
        ("Which disks were bought before November 2023?", {"Alpha", "Delta"}),
        ("Which disks were bought in the 1990s?", {"Delta"}),
        ("Which disks were bought between 2 October and 15 November 2023?", {"Alpha", "Beta"}),
        ("disks bought from 3 October to 30 November 2023", {"Beta"}),
        ("disks bought between 10 and 20 November 2023 inclusive", {"Beta"}),
        ("disks bought between January 1998 and the start of November 2023", {"Alpha", "Delta"}),
        ("disks bought between October and November", {"Alpha", "Beta", "Delta"}),
        ("Which disks were bought in the 20th century?", {"Delta"}),
        ("Which disks have a size of more than 900 GB?", {"Beta", "Gamma"}),
        ("Which disks have a size of less than 1 TB?", {"Alpha", "Delta"}),
        ("Which disks have no faults?", {"Alpha", "Delta"}),
        ("What is the total size of the disks made by Bolt?", {"1,250 GB"}),
        ("How many faults do the disks made by Acme have?", {"3 faults"}),
    ],
)
def test_periods_sizes_and_nought_are_read(reader, question, expected):
    found = reader.read(Question(question))
    assert found is not None
    result = found.best.result
    if isinstance(result, np.ndarray):
        assert {reader.snapshot.get_entity_label(node) for node in result.tolist()} == expected
    else:
        assert {format_result(found.executor.columns, found.best.program, result)} == expected


@pytest.mark.parametrize(
    "text",
    ["between 31 February and 3 March 2023", "from 45 March to 3 May 2024", "between 0 May and 3 May 2024"],
)
def test_days_that_no_calendar_has_make_no_period(text):
    assert all(own.upper is None or own.amount.kind is not ValueKind.DATE for own in find(text))
