"""Questions with programs, written from a graph's schema: what the ranker of programs learns structure from."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retrieval.programs.algebra import (
    And,
    Comparison,
    Constant,
    Count,
    Entities,
    Except,
    Exists,
    Filter,
    Fold,
    Folding,
    Having,
    Key,
    Program,
    Top,
    Walk,
)  # fmt: skip
from retrieval.programs.rendering.wording import plural

if TYPE_CHECKING:
    from retrieval.programs.execution import Executor
    from retrieval.programs.schema import Schema


@dataclass(frozen=True, slots=True)
class ProgramQuestion:
    """A question and the program that it was written from."""

    question: str
    program: Program


def write(schema: Schema, executor: Executor, count: int, seed: int = 0) -> list[ProgramQuestion]:
    """Questions over one graph; those whose program keeps nothing are left out, but for yes and no.

    Args:
        schema: of the graph.
        executor: runs the programs.
        count: how many at most.
        seed: of the draws.
    """
    writer = _Writer(schema, executor, random.Random(seed))
    found: dict[str, ProgramQuestion] = {}
    for _ in range(4 * count):
        if len(found) == count:
            break
        made = writer.one()
        if made is not None:
            found.setdefault(made.question, made)
    return list(found.values())


class _Writer:
    def __init__(self, schema: Schema, executor: Executor, rng: random.Random) -> None:
        self.schema = schema
        self.executor = executor
        self.rng = rng
        label = schema.snapshot.entity_label
        if schema.type_relation is not None:
            back = schema.inverse(schema.type_relation)
            self.kinds: list[tuple[str, Program]] = [
                (label(node), Walk(Entities((node,)), back))
                for node, size in schema.kinds.items()
                if size > 2
            ]
        else:
            nouns = (
                (schema.relations[r % schema.snapshot.num_relations].label, r)
                for r in schema.induced.values()
            )
            self.kinds = [(_noun(name, r >= schema.snapshot.num_relations), Having(r)) for name, r in nouns]
        self.named = [info for info in schema.relations if schema.columns.value_type(info.id) is None]
        self.valued = schema.value_relations
        self.ways: tuple[Callable[[], tuple[str, Program] | None], ...] = (
            self._check, self._check, self._count, self._top, self._more, self._without, self._value, self._fold,
            self._most, self._joined, self._lacking, self._claim,
        )  # fmt: skip

    def one(self) -> ProgramQuestion | None:
        made = self.rng.choice(self.ways)()
        if made is None:
            return None
        question, program = made
        result = self.executor.run(program)
        if isinstance(result, np.ndarray) and not 0 < len(result) <= 100:
            return None
        if not isinstance(result, np.ndarray) and math.isnan(result):
            return None
        opening = self.rng.choice((str.capitalize, str.lower, str))
        return ProgramQuestion(opening(question[0]) + question[1:], program)

    def _fact(self) -> tuple[int, int, int] | None:
        if not self.named:
            return None
        info = self.rng.choice(self.named)
        heads, tails = self.schema.columns.arcs(info.id)
        at = self.rng.randrange(len(heads))
        return int(heads[at]), info.id, int(tails[at])

    def _kind_of(self, nodes: np.ndarray) -> tuple[str, Program] | None:
        fitting = [
            (noun, kind) for noun, kind in self.kinds if np.isin(self.executor.nodes(kind), nodes).sum() >= 2
        ]
        return self.rng.choice(fitting) if fitting else None

    def _label(self, node: int) -> str:
        return self.schema.snapshot.entity_label(node)

    def _check(self) -> tuple[str, Program] | None:
        fact = self._fact()
        if fact is None:
            return None
        head, relation, tail = fact
        if self.rng.random() < 0.5:
            tail = int(self.rng.choice(self.schema.columns.targets(relation)))
        h, r, t = self._label(head), self.schema.relations[relation].label, self._label(tail)
        forms = (
            f"Is {t} the {r} of {h}?", f"Is {t} a {r} of {h}?", f"Does {h} have the {r} {t}?",
            f"Is the {r} of {h} {t}?",
            f"Does {h} {r.removesuffix('s')} {t}?", f"Is {h} {r} {t}?", f"was {h} {r} {t}", f"is {t} {h}'s {r}",
        )  # fmt: skip
        return self.rng.choice(forms), Exists(And(Entities((tail,)), Walk(Entities((head,)), relation)))

    def _condition(self) -> tuple[str, Program, str, Program] | None:
        fact = self._fact()
        if fact is None or fact[1] == self.schema.type_relation:
            return None
        _, relation, tail = fact
        walked = Walk(Entities((tail,)), self.schema.inverse(relation))
        kind = self._kind_of(self.executor.nodes(walked))
        if kind is None:
            return None
        r, t = self.schema.relations[relation].label, self._label(tail)
        return (
            kind[0],
            kind[1],
            self.rng.choice((f"with {r} {t}", f"whose {r} is {t}", f"that have the {r} {t}")),
            walked,
        )

    def _count(self) -> tuple[str, Program] | None:
        made = self._condition()
        if made is None:
            return None
        noun, kind, condition, walked = made
        many = plural(noun)
        forms = (
            f"How many {many} {condition}?", f"number of {many} {condition}", f"count the {many} {condition}",
            f"How many {many} are there {condition}?",
        )  # fmt: skip
        return self.rng.choice(forms), Count(And(kind, walked))

    def _joined(self) -> tuple[str, Program] | None:
        made = self._condition()
        if made is None:
            return None
        noun, kind, condition, walked = made
        form = self.rng.choice(
            (
                f"Which {plural(noun)} {condition}?",
                f"{plural(noun)} {condition}",
                f"List all {plural(noun)} {condition}",
            )
        )
        return form, And(kind, walked)

    def _without(self) -> tuple[str, Program] | None:
        made = self._condition()
        if made is None:
            return None
        noun, kind, condition, walked = made
        form = self.rng.choice(
            (
                f"Which {plural(noun)} are not those {condition}?",
                f"{plural(noun)} not {condition}",
                f"all {plural(noun)} except those {condition}",
            )
        )
        return form, Except(kind, walked)

    def _lacking(self) -> tuple[str, Program] | None:
        relation = self.rng.choice(self.schema.relations).id
        r, having = self.schema.relations[relation].label, Having(relation)
        every = self.schema.fellows(relation)
        if every is not None and self.rng.random() < 0.3:
            return self.rng.choice((f"Who has no {r}?", f"what has no {r}", f"which have no {r}")), Except(
                every, having
            )
        kind = self._kind_of(self.executor.nodes(having))
        if kind is None:
            return None
        many = plural(kind[0])
        forms = (
            f"Which {many} have no {r}?",
            f"{many} without a {r}",
            f"{many} without {r}",
            f"Which {kind[0]} has no {r}?",
        )
        return self.rng.choice(forms), Except(kind[1], having)

    def _claim(self) -> tuple[str, Program] | None:
        made = self._condition()
        if made is None:
            return None
        noun, kind, condition, walked = made
        inside = self.executor.nodes(And(kind, walked))
        among = inside if len(inside) and self.rng.random() < 0.5 else self.executor.nodes(kind)
        node = int(self.rng.choice(among))
        value = (
            walked.source.ids[0] if isinstance(walked, Walk) and isinstance(walked.source, Entities) else node
        )
        forms = (
            f"Is {self._label(node)} a {self._label(value)} {noun}?", f"is {self._label(node)} a {noun} {condition}",
            f"Is {self._label(node)} one of the {plural(noun)} {condition}?",
        )  # fmt: skip
        return self.rng.choice(forms), Exists(And(Entities((node,)), And(kind, walked)))

    def _valued_kind(self) -> tuple[str, Program, int, str] | None:
        if not self.valued:
            return None
        relation = self.rng.choice(self.valued)
        kind = self._kind_of(self.schema.columns.sources(relation))
        return None if kind is None else (*kind, relation, self.schema.relations[relation].label)

    def _top(self) -> tuple[str, Program] | None:
        made = self._valued_kind()
        if made is None:
            return None
        noun, kind, relation, r = made
        largest = self.rng.random() < 0.6
        word = self.rng.choice(
            ("largest", "highest", "greatest", "maximum")
            if largest
            else ("smallest", "lowest", "least", "minimum")
        )
        rank = self.rng.choice((1, 1, 1, 2, 3))
        order = ("", "second ", "third ")[rank - 1]
        forms = (
            f"Which {noun} has the {order}{word} {r}?", f"{noun} with the {order}{word} {r}",
            f"What is the {noun} with the {order}{word} {r}?", f"{order}{word} {noun} by {r}",
        )  # fmt: skip
        return self.rng.choice(forms), Top(kind, Key((relation,)), largest, rank)

    def _more(self) -> tuple[str, Program] | None:
        made = self._valued_kind()
        if made is None:
            return None
        noun, kind, relation, r = made
        column = self.schema.columns.column(relation)
        value_type = self.schema.columns.value_type(relation)
        if not len(column.values) or value_type is None:
            return None
        at = self.rng.randrange(len(column.values))
        text = self._label(int(column.nodes[at]))
        word, comparison = self.rng.choice(
            (("more than", Comparison.MORE), ("over", Comparison.MORE), ("less than", Comparison.LESS),
             ("under", Comparison.LESS), ("at least", Comparison.AT_LEAST), ("at most", Comparison.AT_MOST))
        )  # fmt: skip
        if value_type.year:
            word, comparison = self.rng.choice(
                (("after", Comparison.MORE), ("before", Comparison.LESS), ("since", Comparison.AT_LEAST))
            )
        form = self.rng.choice(
            (
                f"Which {plural(noun)} have a {r} {word} {text}?",
                f"{plural(noun)} with {r} {word} {text}",
                f"{plural(noun)} whose {r} is {word} {text}",
            )
        )
        value = Constant(float(column.values[at]), value_type.kind, value_type.dimension, text)
        return form, Filter(kind, Key((relation,)), comparison, value)

    def _value(self) -> tuple[str, Program] | None:
        relation = self.rng.choice(self.schema.relations).id
        heads, _ = self.schema.columns.arcs(relation)
        head = int(self.rng.choice(heads))
        r, h = self.schema.relations[relation].label, self._label(head)
        return self.rng.choice((f"What is the {r} of {h}?", f"{h}'s {r}", f"{r} of {h}")), Walk(
            Entities((head,)), relation
        )

    def _fold(self) -> tuple[str, Program] | None:
        made = self._valued_kind()
        if made is None:
            return None
        noun, kind, relation, r = made
        word, how = self.rng.choice(
            (
                ("average", Folding.AVERAGE),
                ("total", Folding.SUM),
                ("maximum", Folding.MOST),
                ("minimum", Folding.LEAST),
            )
        )
        form = self.rng.choice(
            (f"What is the {word} {r} of all {plural(noun)}?", f"{word} {r} of {plural(noun)}")
        )
        return form, Fold(how, kind, Key((relation,)))

    def _most(self) -> tuple[str, Program] | None:
        fact = self._fact()
        if fact is None or fact[1] == self.schema.type_relation:
            return None
        relation = self.rng.choice((fact[1], self.schema.inverse(fact[1])))
        owners, counted = self.schema.columns.sources(relation), self.schema.columns.targets(relation)
        kind, among = self._kind_of(owners), self._kind_of(counted)
        if kind is None or among is None or kind == among:
            return None
        word, largest = self.rng.choice((("most", True), ("fewest", False)))
        number = self.rng.choice((2, 3))
        key = Key((relation,), counted=True, among=among[1])
        if self.rng.random() < 0.5:
            return f"Which {kind[0]} has the {word} {plural(among[0])}?", Top(kind[1], key, largest)
        value = Constant(float(number), text=str(number))
        return f"{plural(kind[0])} with at least {number} {plural(among[0])}", Filter(
            kind[1], key, Comparison.AT_LEAST, value
        )


def _noun(label: str, inverse: bool) -> str:
    """The noun of one side of a relation's name."""
    for word in (" in ", " of ", " on ", " at ", " by "):
        before, found, after = label.partition(word)
        if found:
            return after if inverse else before
    return label


def same_result(left: object, right: object) -> bool:
    """Whether two programs gave the same."""
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return isinstance(left, np.ndarray) and isinstance(right, np.ndarray) and np.array_equal(left, right)
    return type(left) is type(right) and left == right
