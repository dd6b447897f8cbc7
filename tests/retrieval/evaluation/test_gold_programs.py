"""How what was read compares with the programs that questions bring."""

import pytest

from retrieval.evaluation import report_page
from retrieval.evaluation.gold_programs import GoldPrograms
from retrieval.evaluation.outcomes import Outcome, from_row, to_row
from retrieval.evaluation.pages import render_markdown
from retrieval.evaluation.report import score
from retrieval.metrics.figures import render_csv
from retrieval.metrics.scores import compute_metrics
from retrieval.programs.algebra.operations import And, Count, Entities, Having
from retrieval.programs.rendering.names import to_named_json
from retrieval.types import QuestionRecord
from tests.retrieval.programs import land


@pytest.fixture
def graph(tmp_path):
    return land.build(tmp_path / "graph")


def _outcome(graph, key, gold, predicted, program=None):
    question = QuestionRecord(key, "?", answers=("Egypt",), program=gold)
    ran = None if program is None else to_named_json(graph, program)
    return Outcome(question, predicted=tuple((label, 0.9) for label in predicted), program=ran)


def test_the_same_program_the_same_answers_and_neither(graph):
    atlas = land.Land(graph)
    capital = graph.find_relation("capital")
    gold = to_named_json(graph, And(atlas.countries, Having(capital)))
    outcomes = [
        _outcome(graph, "same", gold, ["Egypt", "France"], And(Having(capital), atlas.countries)),
        _outcome(graph, "answers", gold, ["France", "EGYPT"], Having(capital)),
        _outcome(graph, "path", gold, ["Egypt", "France"]),
        _outcome(graph, "wrong", gold, ["Egypt"], Count(atlas.countries)),
        _outcome(graph, "unfit", {"op": "Entities", "ids": ["Atlantis"]}, ["Egypt"]),
        _outcome(graph, "without", None, ["Egypt"], Entities(atlas.e("Egypt").ids)),
    ]
    compared = GoldPrograms(graph)
    scores = [compared.score_program(one, score(one)) for one in outcomes]
    assert [(one.program, one.program_answers) for one in scores] == [
        (1, 1), (0, 1), (0, 1), (0, 0), (None, None), (None, None),
    ]  # fmt: skip
    found = compared.count_programs(outcomes, scores)
    assert found == {"given": 5, "unfit": ["unfit"], "exact": 1, "same_answers": 3, "none_run": 1}
    figures = compute_metrics(scores)
    assert (figures["program_exact"], figures["program_answers"]) == (0.25, 0.75)
    page = render_markdown("", [report_page._build_programs_text(found)])
    assert "5 questions bring a program. Of the 4 that fit the graph, 1 were read as just that" in page
    assert "Programs that do not fit the graph: unfit." in page


def test_numbers_are_compared_as_values_and_what_ran_is_kept(graph):
    atlas = land.Land(graph)
    outcome = _outcome(graph, "n", to_named_json(graph, Count(atlas.countries)), ["5.0"], Count(atlas.countries))
    assert from_row(to_row(outcome), outcome.question).program == outcome.program
    found = GoldPrograms(graph).score_program(outcome, score(outcome))
    assert (found.program, found.program_answers) == (1, 1)


def test_figures_as_csv_are_no_formulas():
    groups = {"operators": {"=count": {"n": 2, "hit": 0.5}}}
    assert render_csv(3, {"hit": 1 / 3, "path_recall": None}, groups) == (
        "by,group,n,hit,path_recall\r\nall,all,3,0.333333,\r\noperators,'=count,2,0.5,\r\n"
    )
