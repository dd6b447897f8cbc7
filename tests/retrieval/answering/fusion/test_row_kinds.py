"""Outcomes over numbered rows of one kind, and of several that say different things."""

import numpy as np
import pytest

from retrieval.answering.fusion.outcomes import CandidateOutcome
from retrieval.answering.fusion.row_kinds import mixes_row_kinds
from retrieval.evidence.reach import Reach
from tests.retrieval.programs.asking import reader_of

FACTS = [
    ("Ida", "type", "nurse"), ("Una", "type", "nurse"),
    ("shift 1", "type", "shift"), ("shift 1", "nurse", "Ida"), ("shift 1", "ward", "Maple"),
    ("shift 2", "type", "shift"), ("shift 2", "nurse", "Una"), ("shift 2", "ward", "Maple"),
    ("head 1", "type", "head"), ("head 1", "nurse", "Una"), ("head 1", "ward", "Maple"),
    ("head 2", "type", "head"), ("head 2", "nurse", "Ida"), ("head 2", "ward", "Cedar"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("nurse", "rows", "wards", "is_mixed"),
    [("Ida", ("shift 1", "head 2"), ("Maple", "Cedar"), True), ("Una", ("shift 2", "head 1"), ("Maple",), False)],
)
def test_rows_of_two_kinds_are_mixed_where_they_lead_elsewhere(tmp_path, nurse, rows, wards, is_mixed):
    reader = reader_of(FACTS, tmp_path)
    find, schema = reader.snapshot.find_entity, reader.parser.schema
    levels = [np.sort(np.array([find(label) for label in labels], np.int64)) for labels in (rows, wards)]
    relations = {info.label: info.id for info in schema.relations}
    path = (relations["nurse"] + len(relations), relations["ward"])
    outcome = CandidateOutcome(levels[1], reaches=[Reach(find(nurse), path, 0.9, tuple(levels))])
    assert mixes_row_kinds(schema, outcome, None) is is_mixed
