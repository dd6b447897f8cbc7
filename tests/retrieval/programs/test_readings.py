"""Other readings: told as people say them, and only where they give something else."""

import numpy as np
import pytest

from retrieval.language.amounts import Comparison, Folding
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import And, Constant, Count, Exists, Filter, Fold, KeyOf, Program, Top, Walk
from retrieval.programs.grammar.constituents import Part
from retrieval.programs.rendering.program_wording import ProgramDescriber
from retrieval.programs.rendering.readings import describe_reading, iter_other_readings
from retrieval.programs.scoring.candidates import Candidate
from tests.retrieval.programs import land


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> land.Land:
    return land.Land(land.build(tmp_path_factory.mktemp("readings") / "graph"))


@pytest.fixture(scope="module")
def describer(atlas: land.Land) -> ProgramDescriber:
    return ProgramDescriber(Executor(atlas.snapshot), atlas.r("type"))


def test_each_operation_is_told_as_people_say_it(atlas, describer):
    arabic = And(atlas.countries, atlas.walk(atlas.e("Arabic"), "-language"))
    large = Filter(atlas.african, atlas.key("population"), Comparison.MORE, Constant(5e7, text="50 million"))
    told = {
        "countries whose language is Arabic": arabic,
        "how many countries in Africa": Count(atlas.african),
        "how many countries in Africa with a population over 50 million": Count(large),
        "the average population of countries in Africa": Fold(Folding.AVERAGE, atlas.african, atlas.key("population")),
        "the population of Egypt": KeyOf(atlas.e("Egypt"), atlas.key("population")),
        "the country with the largest population": Top(atlas.countries, atlas.key("population"), largest=True),
        "whether Egypt has a population over 50 million": Exists(
            Filter(atlas.e("Egypt"), atlas.key("population"), Comparison.MORE, Constant(5e7, text="50 million"))
        ),
        "the capital of Egypt": Walk(atlas.e("Egypt"), atlas.r("capital")),
    }
    assert {text: describe_reading(describer, program) for text, program in told.items()} == {t: t for t in told}


def test_readings_that_give_the_same_or_nothing_or_are_unlikely_are_not_offered(atlas, describer):
    def read(program: Program, probability: float) -> Candidate:
        result = describer.executor.run(program)
        return Candidate(program, result, 0.0, probability, {}, Part("S", 0, 0, program, None, 0.0, ()))

    best, african = read(atlas.countries, 0.6), read(atlas.african, 0.2)
    others = [
        best,
        read(And(atlas.countries, atlas.countries), 0.3),
        african,
        read(And(atlas.african, atlas.african), 0.1),
        read(And(atlas.african, atlas.e("Paris")), 0.1),
        read(Count(atlas.african), 0.001),
    ]
    assert list(iter_other_readings(describer, best, others)) == [(african, "countries in Africa")]
    assert isinstance(best.result, np.ndarray)
