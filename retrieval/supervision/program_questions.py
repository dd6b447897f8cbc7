"""Questions with programs, written from a graph's schema: what the ranker of programs learns structure from."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retrieval.language.amounts import Comparison, Folding
from retrieval.programs.algebra.operations import (
    And,
    Constant,
    Count,
    Entities,
    Except,
    Exists,
    Filter,
    Fold,
    Having,
    Key,
    Program,
    Top,
    Walk,
)
from retrieval.programs.rendering.wording import make_plural

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.schema import Schema


@dataclass(frozen=True, slots=True)
class ProgramQuestion:
    """A question and the program that it was written from."""

    question: str
    program: Program


def write(schema: Schema, executor: Executor, count: int, seed: int = 0) -> list[ProgramQuestion]:
    """Questions over one graph; those whose program keeps nothing are left out, but for yes and no.

    Args:
        count: how many at most.
    """
    writer = _Writer(schema, executor, random.Random(seed))
    questions: dict[str, ProgramQuestion] = {}
    for _ in range(4 * count):
        if len(questions) == count:
            break
        made = writer.generate_question()
        if made is not None:
            questions.setdefault(made.question, made)
    return list(questions.values())


class _Writer:
    def __init__(self, schema: Schema, executor: Executor, rng: random.Random) -> None:
        self.schema = schema
        self.executor = executor
        self.rng = rng
        label = schema.snapshot.get_entity_label
        if schema.type_relation is not None:
            back = schema.get_inverse(schema.type_relation)
            self.kinds: list[tuple[str, Program]] = [
                (label(node), Walk(Entities((node,)), back)) for node, size in schema.kinds.items() if size > 2
            ]
        else:
            nouns = ((schema.relations[r % schema.snapshot.num_relations].label, r) for r in schema.induced.values())
            self.kinds = [(_get_noun(name, r >= schema.snapshot.num_relations), Having(r)) for name, r in nouns]
        self.named = [info for info in schema.relations if schema.columns.get_value_type(info.id) is None]
        self.valued = schema.value_relations
        self.ways: tuple[Callable[[], tuple[str, Program] | None], ...] = (
            self._write_check, self._write_check, self._write_count, self._write_superlative, self._write_comparison,
            self._write_exclusion, self._write_value, self._write_aggregate,
            self._write_most, self._write_conjunction, self._write_lacking, self._write_claim,
        )  # fmt: skip

    def generate_question(self) -> ProgramQuestion | None:
        made = self.rng.choice(self.ways)()
        if made is None:
            return None
        question, program = made
        result = self.executor.run(program)
        if isinstance(result, np.ndarray) and not 0 < len(result) <= 100:
            return None
        if isinstance(result, float) and math.isnan(result):
            return None
        opening = self.rng.choice((str.capitalize, str.lower, str))
        return ProgramQuestion(opening(question[0]) + question[1:], program)

    def _draw_fact(self) -> tuple[int, int, int] | None:
        if not self.named:
            return None
        info = self.rng.choice(self.named)
        heads, tails = self.schema.columns.list_arcs(info.id)
        index = self.rng.randrange(len(heads))
        return int(heads[index]), info.id, int(tails[index])

    def _draw_kind(self, nodes: np.ndarray) -> tuple[str, Program] | None:
        fitting = [
            (noun, kind) for noun, kind in self.kinds if np.isin(self.executor.compute_nodes(kind), nodes).sum() >= 2
        ]
        return self.rng.choice(fitting) if fitting else None

    def _get_label(self, node: int) -> str:
        return self.schema.snapshot.get_entity_label(node)

    def _write_check(self) -> tuple[str, Program] | None:
        fact = self._draw_fact()
        if fact is None:
            return None
        head, relation, tail = fact
        if self.rng.random() < 0.5:
            tail = int(self.rng.choice(self.schema.columns.list_targets(relation)))
        h, r, t = self._get_label(head), self.schema.relations[relation].label, self._get_label(tail)
        forms = (
            f"Is {t} the {r} of {h}?", f"Is {t} a {r} of {h}?", f"Does {h} have the {r} {t}?",
            f"Is the {r} of {h} {t}?",
            f"Does {h} {r.removesuffix('s')} {t}?", f"Is {h} {r} {t}?", f"was {h} {r} {t}", f"is {t} {h}'s {r}",
        )  # fmt: skip
        return self.rng.choice(forms), Exists(And(Entities((tail,)), Walk(Entities((head,)), relation)))

    def _draw_condition(self) -> tuple[str, Program, str, Program] | None:
        fact = self._draw_fact()
        if fact is None or fact[1] == self.schema.type_relation:
            return None
        _, relation, tail = fact
        walked = Walk(Entities((tail,)), self.schema.get_inverse(relation))
        kind = self._draw_kind(self.executor.compute_nodes(walked))
        if kind is None:
            return None
        r, t = self.schema.relations[relation].label, self._get_label(tail)
        return (
            kind[0],
            kind[1],
            self.rng.choice((f"with {r} {t}", f"whose {r} is {t}", f"that have the {r} {t}")),
            walked,
        )

    def _write_count(self) -> tuple[str, Program] | None:
        made = self._draw_condition()
        if made is None:
            return None
        noun, kind, condition, walked = made
        many = make_plural(noun)
        forms = (
            f"How many {many} {condition}?", f"number of {many} {condition}", f"count the {many} {condition}",
            f"How many {many} are there {condition}?",
        )  # fmt: skip
        return self.rng.choice(forms), Count(And(kind, walked))

    def _write_conjunction(self) -> tuple[str, Program] | None:
        made = self._draw_condition()
        if made is None:
            return None
        noun, kind, condition, walked = made
        form = self.rng.choice(
            (
                f"Which {make_plural(noun)} {condition}?",
                f"{make_plural(noun)} {condition}",
                f"List all {make_plural(noun)} {condition}",
            )
        )
        return form, And(kind, walked)

    def _write_exclusion(self) -> tuple[str, Program] | None:
        made = self._draw_condition()
        if made is None:
            return None
        noun, kind, condition, walked = made
        form = self.rng.choice(
            (
                f"Which {make_plural(noun)} are not those {condition}?",
                f"{make_plural(noun)} not {condition}",
                f"all {make_plural(noun)} except those {condition}",
            )
        )
        return form, Except(kind, walked)

    def _write_lacking(self) -> tuple[str, Program] | None:
        relation = self.rng.choice(self.schema.relations).id
        r, having = self.schema.relations[relation].label, Having(relation)
        every = self.schema.find_peers(relation)
        if every is not None and self.rng.random() < 0.3:
            return self.rng.choice((f"Who has no {r}?", f"what has no {r}", f"which have no {r}")), Except(
                every, having
            )
        kind = self._draw_kind(self.executor.compute_nodes(having))
        if kind is None:
            return None
        many = make_plural(kind[0])
        forms = (
            f"Which {many} have no {r}?",
            f"{many} without a {r}",
            f"{many} without {r}",
            f"Which {kind[0]} has no {r}?",
        )
        return self.rng.choice(forms), Except(kind[1], having)

    def _write_claim(self) -> tuple[str, Program] | None:
        made = self._draw_condition()
        if made is None:
            return None
        noun, kind, condition, walked = made
        inside = self.executor.compute_nodes(And(kind, walked))
        among = inside if len(inside) and self.rng.random() < 0.5 else self.executor.compute_nodes(kind)
        node = int(self.rng.choice(among))
        value = walked.source.ids[0] if isinstance(walked, Walk) and isinstance(walked.source, Entities) else node
        forms = (
            f"Is {self._get_label(node)} a {self._get_label(value)} {noun}?",
            f"is {self._get_label(node)} a {noun} {condition}",
            f"Is {self._get_label(node)} one of the {make_plural(noun)} {condition}?",
        )  # fmt: skip
        return self.rng.choice(forms), Exists(And(Entities((node,)), And(kind, walked)))

    def _draw_valued_kind(self) -> tuple[str, Program, int, str] | None:
        if not self.valued:
            return None
        relation = self.rng.choice(self.valued)
        kind = self._draw_kind(self.schema.columns.list_sources(relation))
        return None if kind is None else (*kind, relation, self.schema.relations[relation].label)

    def _write_superlative(self) -> tuple[str, Program] | None:
        made = self._draw_valued_kind()
        if made is None:
            return None
        noun, kind, relation, r = made
        largest = self.rng.random() < 0.6
        word = self.rng.choice(
            ("largest", "highest", "greatest", "maximum") if largest else ("smallest", "lowest", "least", "minimum")
        )
        rank = self.rng.choice((1, 1, 1, 2, 3))
        order = ("", "second ", "third ")[rank - 1]
        forms = (
            f"Which {noun} has the {order}{word} {r}?", f"{noun} with the {order}{word} {r}",
            f"What is the {noun} with the {order}{word} {r}?", f"{order}{word} {noun} by {r}",
        )  # fmt: skip
        return self.rng.choice(forms), Top(kind, Key((relation,)), largest, rank)

    def _write_comparison(self) -> tuple[str, Program] | None:
        made = self._draw_valued_kind()
        if made is None:
            return None
        noun, kind, relation, r = made
        column = self.schema.columns.get_column(relation)
        value_type = self.schema.columns.get_value_type(relation)
        if not len(column.values) or value_type is None:
            return None
        index = self.rng.randrange(len(column.values))
        text = self._get_label(int(column.nodes[index]))
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
                f"Which {make_plural(noun)} have a {r} {word} {text}?",
                f"{make_plural(noun)} with {r} {word} {text}",
                f"{make_plural(noun)} whose {r} is {word} {text}",
            )
        )
        value = Constant(float(column.values[index]), value_type.kind, value_type.dimension, text)
        return form, Filter(kind, Key((relation,)), comparison, value)

    def _write_value(self) -> tuple[str, Program] | None:
        relation = self.rng.choice(self.schema.relations).id
        heads, _ = self.schema.columns.list_arcs(relation)
        head = int(self.rng.choice(heads))
        r, h = self.schema.relations[relation].label, self._get_label(head)
        return self.rng.choice((f"What is the {r} of {h}?", f"{h}'s {r}", f"{r} of {h}")), Walk(
            Entities((head,)), relation
        )

    def _write_aggregate(self) -> tuple[str, Program] | None:
        made = self._draw_valued_kind()
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
            (f"What is the {word} {r} of all {make_plural(noun)}?", f"{word} {r} of {make_plural(noun)}")
        )
        return form, Fold(how, kind, Key((relation,)))

    def _write_most(self) -> tuple[str, Program] | None:
        fact = self._draw_fact()
        if fact is None or fact[1] == self.schema.type_relation:
            return None
        relation = self.rng.choice((fact[1], self.schema.get_inverse(fact[1])))
        owners, counted = (
            self.schema.columns.list_sources(relation),
            self.schema.columns.list_targets(relation),
        )
        kind, among = self._draw_kind(owners), self._draw_kind(counted)
        if kind is None or among is None or kind == among:
            return None
        word, largest = self.rng.choice((("most", True), ("fewest", False)))
        number = self.rng.choice((2, 3))
        key = Key((relation,), counted=True, among=among[1])
        if self.rng.random() < 0.5:
            return f"Which {kind[0]} has the {word} {make_plural(among[0])}?", Top(kind[1], key, largest)
        value = Constant(float(number), text=str(number))
        return f"{make_plural(kind[0])} with at least {number} {make_plural(among[0])}", Filter(
            kind[1], key, Comparison.AT_LEAST, value
        )


def _get_noun(label: str, inverse: bool) -> str:
    """The noun of one side of a relation's name."""
    for word in (" in ", " of ", " on ", " at ", " by "):
        before, separator, after = label.partition(word)
        if separator:
            return after if inverse else before
    return label
