"""Outcomes over rows of several kinds, and of yes-or-no columns that are only near to a word."""

import numpy as np
import pytest

from retrieval.answering.fusion.doubts import is_doubtful
from retrieval.answering.fusion.outcomes import CandidateOutcome
from retrieval.evidence.reach import Reach
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.linking.encoder import load
from retrieval.pretrained import PROGRAMS
from retrieval.programs.reader import ProgramReader
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
    assert is_doubtful(schema, outcome, None) is is_mixed


@pytest.mark.parametrize(("word", "is_guess"), [("successful", False), ("failed", True)])
def test_a_yes_of_a_column_that_is_only_near_to_a_word_is_a_guess(tmp_path, word, is_guess):
    facts = [("Apollo", "successful", "yes"), ("Luna", "successful", "no"), ("Mars", "successful", "yes")]
    facts += [(flight, "type", "flight") for flight in ("Apollo", "Luna", "Mars")]
    snapshot = build_snapshot(TripleTable.from_facts(facts), tmp_path / "flights")
    reader = ProgramReader(snapshot, load().encode, PROGRAMS)
    read = reader.read(Question(f"Which flights were {word}?"))
    outcome = CandidateOutcome(read.meanings[0].candidate.result, programs=[0])
    assert is_doubtful(reader.parser.schema, outcome, read) is is_guess
