"""Which stage lost an answer, on a graph of a few facts."""

import pytest

from retrieval.evaluation.causes import find_cause
from retrieval.evaluation.outcomes import Outcome
from retrieval.evaluation.report import score
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.types import QuestionRecord

FACTS = [
    ("Germany", "capital", "Berlin"),
    ("Germany", "borders", "France"),
    ("France", "capital", "Paris"),
    ("Mars", "moon", "Phobos"),
]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    return build_snapshot(TripleTable.from_facts(FACTS), tmp_path_factory.mktemp("g") / "graph")


def why(snapshot, answers, predicted, *, facts=(), topics=("Germany",), named=("Germany",), **more):
    question = QuestionRecord(
        "q", "?", named, answers, operators=more.pop("operators", ()), triples=more.pop("triples", ())
    )
    outcome = Outcome(question, topics, predicted=tuple((one, 1.0) for one in predicted), facts=set(facts), **more)
    return find_cause(outcome, score(outcome), snapshot)


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ({"answers": ("Berlin",), "predicted": ["Berlin"]}, None),
        ({"answers": ("Berlin",), "predicted": [], "error": "broke"}, "failed"),
        ({"answers": ("Berlin",), "predicted": ["Paris"], "topics": ("France",)}, "linking"),
        ({"answers": ("Berlin",), "predicted": [], "named": ("Atlantis",)}, "linking"),
        ({"answers": ("Phobos",), "predicted": ["Berlin"]}, "candidates"),
        ({"answers": ("Atlantis",), "predicted": ["Berlin"]}, "candidates"),
        ({"answers": ("Paris",), "predicted": ["Berlin"], "facts": FACTS[:1]}, "retrieval"),
        ({"answers": ("Paris",), "predicted": ["Berlin"], "facts": FACTS[:3]}, "reasoning"),
        ({"answers": ("Berlin",), "predicted": ["Berlin", "Paris"]}, "reasoning"),
        ({"answers": (), "predicted": ["Berlin"]}, "reasoning"),
        ({"answers": ("2",), "predicted": ["Berlin"], "operators": ("count",)}, "reasoning"),
        (
            {"answers": ("Paris",), "predicted": ["Berlin"], "triples": (FACTS[0],), "own_facts": 1},
            "candidates",
        ),
    ],
)
def test_the_first_stage_that_lost_an_answer(snapshot, case, expected):
    assert why(snapshot, **case) == expected
