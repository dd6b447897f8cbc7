"""Kinds of a graph that says none: told by its relations, its names and by what is said of them."""

import numpy as np
import pytest

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.grounding.relation_types import detect_form
from retrieval.programs.reader import ProgramReader

SHOP = [
    ("Acme", "customer type", "business"),
    ("Jane", "customer type", "private"),
    ("Order 1", "placed by", "Acme"),
    ("Order 2", "placed by", "Acme"),
    ("Order 3", "placed by", "Jane"),
    ("Lamp", "price", "20"),
    ("Lamp", "stock", "4"),
    ("Chair", "price", "55"),
    ("Chair", "stock", "9"),
    ("Order 1", "contains", "Lamp"),
    ("Order 2", "contains", "Chair"),
    ("Order 3", "contains", "Lamp"),
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    snapshot = build_snapshot(TripleTable.from_facts(map(list, SHOP)), tmp_path_factory.mktemp("shop") / "graph")
    return ProgramReader(snapshot, None, PROGRAMS)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many customers are there?", 2.0),
        ("How many orders are there?", 3.0),
        ("How many products are there?", 2.0),
        ("Which customers are there?", {"Acme", "Jane"}),
        ("What are the orders of Acme?", {"Order 1", "Order 2"}),
        ("Which product has the highest price?", {"Chair"}),
    ],
)
def test_kinds_are_told_without_a_relation_for_them(reader, question, expected):
    found = reader.read(Question(question))
    assert found is not None
    result = found.best.result
    if isinstance(result, np.ndarray):
        result = {reader.snapshot.get_entity_label(node) for node in result.tolist()}
    assert result == expected


@pytest.mark.parametrize(
    ("label", "form"),
    [
        ("capital", "noun"),
        ("members", "noun"),
        ("mother of", "of"),
        ("directed by", "by"),
        ("depends on", "verb"),
        ("borders", "verb"),
    ],
)
def test_names_of_relations_have_a_form(label, form):
    assert detect_form(label) == form
