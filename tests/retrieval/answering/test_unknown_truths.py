"""A yes or no is unknown where the graph lacks the facts that would decide it, and else what it says."""

import pytest

from retrieval.answering.unknown_truths import explain_unknown
from retrieval.language.amounts import Comparison
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import And, Constant, Exists, Filter, Holds, KeyOf, Walk
from tests.retrieval.programs import land


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> land.Land:
    return land.Land(land.build(tmp_path_factory.mktemp("truths") / "graph"))


def test_a_missing_fact_is_unknown_and_another_one_is_a_no(atlas):
    population, e, more = atlas.key("population"), atlas.e, Comparison.MORE

    def is_capital(city: str, country: str) -> Exists:
        return Exists(And(e(city), Walk(e(country), atlas.r("capital"))))

    cases = {
        is_capital("Cairo", "Egypt"): None,
        is_capital("Paris", "Egypt"): None,
        is_capital("Paris", "Chad"): None,  # it is the capital of France
        is_capital("Africa", "Chad"): "Unknown: the graph has no “capital” for Chad.",
        Exists(Walk(e("Chad"), atlas.r("capital"))): None,  # asks whether it has one
        Exists(And(e("Paris"), atlas.countries)): None,
        Exists(
            And(e("Arabic"), atlas.walk(e("Chad"), "capital", "coast"))
        ): "Unknown: the graph has no “capital” for Chad.",
        Exists(
            Filter(e("Africa"), population, more, Constant(5.0))
        ): "Unknown: the graph has no “population” for Africa.",
        Exists(Filter(e("Chad"), population, more, Constant(5e9))): None,
        Holds(KeyOf(e("Africa"), population), more, KeyOf(e("Kenya"), population)): (
            "Unknown: the graph has no “population” for Africa."
        ),
    }
    for program, message in cases.items():
        unknown = explain_unknown(Executor(atlas.snapshot), program)
        assert (unknown and unknown.message) == message
