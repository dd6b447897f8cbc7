"""Reports are compared question by question, and only when they are of the same thing."""

from copy import deepcopy

import pytest

from retrieval.answering.paths import PathAnswerer
from retrieval.errors import EvaluationError
from retrieval.evaluation.compare import build_blocks, compare, require_comparable
from retrieval.evaluation.evaluator import evaluate_answerer
from retrieval.evaluation.pages import render_markdown
from retrieval.evaluation.report import build_report
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.types import QuestionRecord
from tests.retrieval.world import LabelLinker, ScriptedRetriever, build

QUESTIONS = [
    QuestionRecord("jaws", "who directed it?", ("Jaws",), ("Spielberg",)),
    QuestionRecord("munich", "what genre is it?", ("Munich",), ("Drama",)),
    QuestionRecord("austria", "what does it border?", ("Austria",), ("Italy",)),
    QuestionRecord("italy", "what is spoken there?", ("Italy",), ("Italian",)),
]
WORSE = {
    "Jaws": [("directed_by", 0.9)],
    "Munich": [("directed_by", 0.9)],
    "Austria": [("official_language", 0.9)],
    "Italy": [("official_language", 0.9)],
}
BETTER = WORSE | {"Munich": [("in_genre", 0.9)], "Austria": [("borders", 0.9)], "Jaws": [("in_genre", 0.8)]}


@pytest.fixture
def graph(tmp_path):
    return build(tmp_path / "world")


def report(graph, script, questions=QUESTIONS, **settings):
    answerer = PathAnswerer(graph, ScriptedRetriever(graph, script), LabelLinker(graph), ExtractiveReasoner())
    asked = {"budget": 50, "seed": 0, **settings}
    return build_report(evaluate_answerer(answerer, questions, **asked), split="test")


def test_gained_lost_and_the_difference(graph):
    found = compare({"worse": report(graph, WORSE), "better": report(graph, BETTER)})
    (pair,) = found["pairs"]
    assert (pair["a"], pair["b"], pair["gained"], pair["lost"], pair["changed"]) == (
        "worse",
        "better",
        2,
        1,
        3,
    )
    assert pair["metrics"]["exact_set"]["value"] == pytest.approx(0.25)
    assert pair["metrics"]["exact_set"]["low"] < 0 < pair["metrics"]["exact_set"]["high"]
    values = {row["name"]: [v["value"] for v in row["values"]] for row in found["metrics"]}
    assert values["hit_at_1"] == [0.5, 0.75]
    page = render_markdown("Comparison", build_blocks(found))
    assert "| metric | worse | better |" in page
    assert "2 questions gained, 1 lost, 3 answered differently." in page


def test_the_order_of_the_questions_does_not_matter(graph):
    one, two = report(graph, WORSE), report(graph, BETTER, QUESTIONS[::-1])
    first = compare({"a": one, "b": report(graph, BETTER)})
    assert compare({"a": one, "b": two})["pairs"] == first["pairs"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"budget": 5}, r"the budget differs \(50 and 5\)"),
        ({"topics": "linked"}, r"the topics differs \(given and linked\)"),
        ({"subgraphs": "whole"}, r"the subgraphs differs \(own and whole\)"),
    ],
)
def test_reports_asked_otherwise_are_refused(graph, change, said):
    with pytest.raises(EvaluationError, match=rf"mine and yours cannot be compared: {said}"):
        require_comparable({"mine": report(graph, WORSE), "yours": report(graph, WORSE, **change)})


def test_other_graphs_questions_and_splits_are_refused(graph, tmp_path):
    mine = report(graph, WORSE)
    other = build(tmp_path / "other", [("Jaws", "directed_by", "Spielberg"), ("Jaws", "in_genre", "Horror")])
    for yours, said in (
        (report(other, WORSE, QUESTIONS[:1]), "snapshot"),
        (report(graph, WORSE, QUESTIONS[:3]), "question set"),
        (deepcopy(mine), "split"),
    ):
        if said == "split":
            yours["manifest"]["config"]["split"] = "dev"
        with pytest.raises(EvaluationError, match=f"the {said} differs"):
            compare({"mine": mine, "yours": yours})


def test_one_report_is_nothing_to_compare(graph):
    with pytest.raises(EvaluationError, match="nothing to compare"):
        compare({"alone": report(graph, WORSE)})
