"""Questions that are hard to read right: numbers in words, ties, units, empty filters, hubs, contradictions."""

import numpy as np
import pytest

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.amounts import Comparison, Folding
from retrieval.language.quantities import find
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import (
    And,
    Arithmetic,
    Constant,
    Count,
    Entities,
    Except,
    Filter,
    Fold,
    Having,
    Key,
    KeyOf,
    Operation,
    Top,
    Walk,
)
from retrieval.programs.reader import ProgramReader
from retrieval.programs.rendering.formatting import format_result

FACTS = [
    ("Ox", "type", "animal"), ("Ox", "weight", "0.9 t"), ("Ox", "born", "2015-03-01"),
    ("Cow", "type", "animal"), ("Cow", "weight", "900 kg"), ("Cow", "born", "1 March 2016"),
    ("Hen", "type", "animal"), ("Hen", "weight", "2,000 g"), ("Hen", "born", "03/05/2017"),
    ("Farm", "type", "place"), ("Ox", "lives_in", "Farm"), ("Cow", "lives_in", "Farm"),
]  # fmt: skip


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    return build_snapshot(TripleTable.from_facts(FACTS), tmp_path_factory.mktemp("farm") / "graph")


@pytest.fixture(scope="module")
def reader(snapshot):
    return ProgramReader(snapshot, None, PROGRAMS)


def labels(snapshot, nodes):
    return [snapshot.get_entity_label(node) for node in nodes.tolist()]


def answers(reader, question):
    found = reader.read(Question(question))
    assert found is not None, question
    result = found.best.result
    if isinstance(result, np.ndarray):
        return labels(reader.snapshot, result)
    return [format_result(found.executor.columns, found.best.program, result)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("two dozen", 24), ("a dozen", 12), ("half a million", 500_000), ("1,500,000", 1_500_000),
        ("1.5 million", 1_500_000), ("three hundred", 300), ("2.5k", 2_500),
    ],
)  # fmt: skip
def test_numbers_as_people_write_them(text, value):
    assert [spelt.amount.value for spelt in find(f"more than {text}")] == [value]


def test_an_hour_is_a_time_that_passes():
    spelt, *more = find("longer than an hour")
    assert not more
    assert (spelt.amount.dimension, spelt.amount.text) == ("duration", "an hour")


def test_an_article_before_a_thing_counts_nothing():
    assert find("a lion is an animal") == []


def test_units_are_compared_and_all_ties_are_said(reader):
    assert answers(reader, "Which animal has the largest weight?") == ["Cow", "Ox"]
    assert answers(reader, "Which animals have a weight of more than 5 kg?") == ["Cow", "Ox"]


def test_dates_in_three_forms_are_in_one_order(snapshot):
    executor = Executor(snapshot)
    key = Key((snapshot.find_relation("born"),))
    having = Having(key.path[0])
    assert [labels(snapshot, executor.run(Top(having, key, False, rank))) for rank in (1, 2, 3)] == [
        ["Ox"],
        ["Cow"],
        ["Hen"],
    ]


def test_a_filter_that_keeps_nothing_gives_the_empty_set(reader):
    found = reader.read(Question("Which animals have a weight of more than 5000 kg?"))
    assert found.best.result.tolist() == []


def test_the_second_of_one_is_nobody_and_the_average_of_none_no_number(snapshot):
    executor = Executor(snapshot)
    key = Key((snapshot.find_relation("weight"),))
    one = Entities((snapshot.find_entity("Hen"),))
    assert executor.run(Top(one, key, True, 2)).tolist() == []
    nothing = Except(one, one)
    assert executor.run(Count(nothing)) == 0
    assert np.isnan(executor.run(Fold(Folding.AVERAGE, nothing, key)))
    assert np.isnan(executor.run(Arithmetic(Operation.DIFFERENCE, KeyOf(nothing, key), KeyOf(one, key))))


def test_contradictory_filters_keep_nothing(snapshot):
    executor = Executor(snapshot)
    key = Key((snapshot.find_relation("weight"),))
    heavy = Filter(Having(key.path[0]), key, Comparison.MORE, Constant(800_000.0))
    light = Filter(heavy, key, Comparison.LESS, Constant(1_000.0))
    assert executor.run(light).tolist() == []
    assert executor.run(And(heavy, Except(heavy, heavy))).tolist() == []


def test_a_difference_and_who_is_heavier(reader):
    assert answers(reader, "How much heavier is Cow than Hen?") == ["898 kg"]
    assert answers(reader, "Who is heavier than Hen?") == ["Cow", "Ox"]


def test_what_is_named_is_no_answer(reader):
    assert reader.read(Question("Hen")).confidence == 0.0
    assert reader.read(Question("Is Hen a philosopher?")).confidence == 0.0


def test_a_hub_is_counted_whole(tmp_path):
    facts = [(f"m{n}", "member_of", "Club") for n in range(50_000)]
    snapshot = build_snapshot(TripleTable.from_facts(facts), tmp_path / "hub")
    club = Entities((snapshot.find_entity("Club"),))
    inverse = snapshot.find_relation("member_of") + snapshot.num_relations
    assert Executor(snapshot).run(Count(Walk(club, inverse))) == 50_000
