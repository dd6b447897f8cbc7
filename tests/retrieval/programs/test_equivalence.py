"""Programs that ask for the same, and programs that only give the same."""

from retrieval.language.amounts import Comparison
from retrieval.programs.algebra.equivalence import is_equivalent, normalize_program
from retrieval.programs.algebra.operations import (
    And,
    Arithmetic,
    Constant,
    Count,
    Entities,
    Filter,
    Having,
    Holds,
    Key,
    Operation,
    Or,
    Walk,
)

A, B, C = Having(1), Having(2), Walk(Entities((3,)), 4)
ONE, TWO = Count(A), Count(B)


def test_the_order_of_what_has_none_does_not_count():
    assert is_equivalent(And(A, And(B, C)), And(And(C, A), B))
    assert is_equivalent(Count(Or(A, B)), Count(Or(B, Or(A, A))))
    assert is_equivalent(Arithmetic(Operation.DIFFERENCE, ONE, TWO), Arithmetic(Operation.DIFFERENCE, TWO, ONE))
    assert is_equivalent(Holds(ONE, Comparison.MORE, TWO), Holds(TWO, Comparison.LESS, ONE))
    assert is_equivalent(Holds(ONE, Comparison.EQUAL, TWO), Holds(TWO, Comparison.EQUAL, ONE))
    assert is_equivalent(
        Filter(A, Key((1,), counted=True, among=And(A, B)), Comparison.MORE, Constant(2.0)),
        Filter(A, Key((1,), counted=True, among=And(B, A)), Comparison.MORE, Constant(2.0)),
    )


def test_how_a_constant_was_spelt_does_not_count():
    meant = Filter(A, Key((1,)), Comparison.MORE, Constant(8500.0, dimension="length", text="8500 m"))
    spelt = Constant(8500.0, dimension="length", text="8.5 km", factor=1000.0)
    assert is_equivalent(meant, Filter(A, Key((1,)), Comparison.MORE, spelt))
    assert not is_equivalent(meant, Filter(A, Key((1,)), Comparison.MORE, Constant(8500.0)))


def test_what_asks_otherwise_is_not_equivalent():
    assert not is_equivalent(And(A, B), Or(A, B))
    assert not is_equivalent(Holds(ONE, Comparison.LESS, TWO), Holds(TWO, Comparison.LESS, ONE))
    assert not is_equivalent(Walk(Entities((3,)), 4), Walk(Entities((3,)), 5))
    assert normalize_program(And(A, A)) is A
