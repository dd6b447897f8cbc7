"""Conditions that "both" and "but not" repeat, over four flights."""

import pytest

from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import Entities, Except, Or, Walk
from retrieval.programs.constructions.conjunctions import convert_either_to_both, move_exception

FLIGHTS = [
    ("F1", "Alfa", "Oslo"),
    ("F2", "Alfa", "Bergen"),
    ("F3", "Bravo", "Oslo"),
    ("F4", "Cargo", "Bergen"),
]


@pytest.fixture(scope="module")
def executor(tmp_path_factory):
    rows = [[flight, "airline", airline] for flight, airline, _ in FLIGHTS]
    rows += [[flight, "leaves", town] for flight, _, town in FLIGHTS]
    return Executor(build_snapshot(TripleTable.from_facts(rows), tmp_path_factory.mktemp("flights") / "graph"))


def airlines(executor, towns):
    """What a program of towns leads to: their flights, and whose these are."""
    snapshot = executor.snapshot
    airline, leaves = (list(snapshot.relation_names).index(name) for name in ("airline", "leaves"))
    return Walk(Walk(towns, leaves + snapshot.num_relations), airline)


def named(executor, program):
    return None if program is None else [executor.snapshot.get_entity_label(n) for n in executor.compute_nodes(program)]


def towns(executor):
    return [Entities((executor.snapshot.find_entity(name),)) for name in ("Oslo", "Bergen")]


def test_both_is_said_of_airlines(executor):
    program = airlines(executor, Or(*towns(executor)))
    assert named(executor, program) == ["Alfa", "Bravo", "Cargo"]
    assert named(executor, convert_either_to_both(program, executor)) == ["Alfa"]


def test_but_not_is_said_of_airlines(executor):
    program = airlines(executor, Except(*towns(executor)))
    assert named(executor, program) == ["Alfa", "Bravo"]
    assert named(executor, move_exception(program, executor)) == ["Bravo"]


def test_an_exception_that_takes_something_away_stays(executor):
    oslo, bergen = (airlines(executor, town) for town in towns(executor))
    assert named(executor, Except(oslo, bergen)) == ["Bravo"]
    assert move_exception(Except(oslo, bergen), executor) is None
