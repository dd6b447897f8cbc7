"""Numbers: counts, sums, averages, least and most values."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.amounts import Folding, ValueKind
from retrieval.programs.algebra.operations import (
    And,
    Arithmetic,
    Count,
    Entities,
    Fold,
    Having,
    Key,
    KeyOf,
    Operation,
    Or,
    Program,
    Walk,
)
from retrieval.programs.grammar.constituents import Made, Part, mark_rule
from retrieval.programs.grammar.rules.base import Rules

#: Words of questions for how much of something is there.
_STOCKED = frozenset({"available", "hand", "have", "left", "remaining", "stock"})
#: Relations by which two things may differ.
_DIFFERENCES = 3


#: What asks how often something was.
_TIMES = frozenset({"often", "times"})


class NumberRules(Rules):
    """See the module."""

    @mark_rule("QS")
    def _count_set(self, cue: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        del cue
        if isinstance(of.expression, Entities) and len(of.expression.ids) < 2:
            # What is named is one thing: how many there are of it is told by a stock, if at all.
            ways = self.schema.measures.stocks if _STOCKED & self.said else []
            stocks = [Walk(of.expression, relation) for relation in ways]
            for program in (stock for stock in stocks if len(self.compute_nodes(stock))):
                yield "S", program, "walk", (("count.stock", 1.0),)
            if self.said & _TIMES:
                for rows in self._find_rows(of.expression):
                    yield "F", Count(rows), None, (("count.QS", 1.0), ("count.walk", 1.0))
            return
        nodes = self.compute_nodes(of.expression)
        either = (of.expression.left, of.expression.right) if isinstance(of.expression, And) else ()
        if len(nodes) == 1 and Entities in map(type, either):
            return  # what is named is one of these
        kinds = self.executor.columns.kinds[nodes]
        order = "QS" if forward else "SQ"
        features = (
            (f"count.{order}", 1.0), (f"count.{gap}", 1.0), (f"count.{of.extra}", 1.0),
            ("count.empty", float(not len(nodes))), ("count.one", float(len(nodes) == 1)),
            ("count.values", float(len(nodes) > 0 and bool(kinds.all()))),
        )  # fmt: skip
        yield "F", Count(of.expression), None, features
        if len(nodes) and bool((kinds == 1).all()) and isinstance(of.expression, Walk):
            if len(self.compute_nodes(of.expression.source)) > 1 and self._can_fold(
                Folding.SUM, of.expression.relation
            ):
                total = Fold(Folding.SUM, of.expression.source, Key((of.expression.relation,)))
                yield (
                    "F",
                    total,
                    None,
                    (
                        (f"count.as_value.{order}", 1.0),
                        ("count.as_sum", 1.0),
                        ("count.adds", float(of.expression.relation in self.schema.measures.added)),
                    ),
                )
            yield (
                "S",
                of.expression,
                "walk",
                ((f"count.as_value.{order}", 1.0), ("count.as_value.one", float(len(nodes) == 1))),
            )

    def _find_rows(self, target: Program) -> list[Program]:
        """Rows without names that have something: how many times it was."""
        ways = [
            r
            for r in self.schema.find_shared_relations(self.compute_nodes(target))
            if r >= self.schema.snapshot.num_relations
        ]
        walked: list[Program] = [Walk(target, r) for r in ways]
        return [rows for rows in walked if self.schema.surrogates[0][self.compute_nodes(rows)].all()]

    @mark_rule("QR")
    def _count_relation(self, cue: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        del cue, gap
        kind = self.executor.columns.get_value_type(relating.extra.relation)
        if forward and kind is not None and kind.kind is ValueKind.NUMBER and not kind.year:
            yield "R", None, relating.extra, (("count.value", 1.0),)
            if relating.extra.relation in self.schema.measures.added and relating.extra.quality >= 1.0:
                key = Key((relating.extra.relation,))
                total = Fold(Folding.SUM, Having(relating.extra.relation), key)
                yield "F", total, None, (("count.as_sum", 1.0), ("count.adds", 1.0))

    @mark_rule("AS")
    def _reduce_set(self, folding: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        program = of.expression
        if isinstance(program, Walk) and self._can_fold(folding.extra, program.relation):
            features = (
                (f"fold.{'AS' if forward else 'SA'}", 1.0),
                (f"fold.{gap}", 1.0),
                ("fold.one", float(len(self.compute_nodes(program.source)) == 1)),
            )
            yield "F", Fold(folding.extra, program.source, Key((program.relation,))), None, features
            for key in self._list_rate_keys(folding.extra, program.relation):
                yield "F", Fold(folding.extra, program.source, key), None, (*features, ("fold.rate", 1.0))
            return
        amount = self._find_amount(program)
        if amount is not None:
            fold = Fold(folding.extra, program, Key((amount,)))
            summed = float(folding.extra is Folding.SUM)
            yield (
                "F",
                fold,
                None,
                (("fold.amount", 1.0), ("fold.amount.sum", summed), (f"fold.amount.{of.extra}", 1.0)),
            )
        if (
            folding.extra is Folding.SUM
            and forward
            and not self.executor.columns.kinds[self.compute_nodes(program)].all()
        ):
            yield "F", Count(program), None, (("fold.count", 1.0), (f"fold.count.{of.extra}", 1.0))

    def _find_amount(self, of: Program) -> int | None:
        """How much money each of a set was, where one relation says so: of an "average expense"."""
        nodes, columns = self.compute_nodes(of), self.executor.columns
        if len(nodes) < 2:
            return None
        return next(
            (
                r
                for r in self.schema.measures.amounts
                if len(find_common(nodes, columns.list_sources(r))) > len(nodes) / 2
            ),
            None,
        )

    @mark_rule("AR")
    def _reduce_relation(self, folding: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        relation = relating.extra.relation
        if self._can_fold(folding.extra, relation):
            features = ((f"fold.{'AR' if forward else 'RA'}", 1.0), (f"fold.{gap}", 1.0))
            yield "F", Fold(folding.extra, Having(relation), Key((relation,))), None, features
            for key in self._list_rate_keys(folding.extra, relation):
                yield (
                    "F",
                    Fold(folding.extra, Having(key.path[0]), key),
                    None,
                    (*features, ("fold.rate", 1.0)),
                )

    def _list_rate_keys(self, how: Folding, relation: int) -> Iterator[Key]:
        """What the sum of a rate is of: the weight of a wheel, of all wheels."""
        products = self.schema.measures.computed.products if how is Folding.SUM else ()
        yield from (
            product.key for product in products if product.rate == relation and product.key.times == (relation,)
        )

    def _can_fold(self, how: Folding, relation: int) -> bool:
        """Whether there are values to fold; dates and years have no sum."""
        kind = self.executor.columns.get_value_type(relation)
        return kind is not None and (how is not Folding.SUM or (kind.kind is ValueKind.NUMBER and not kind.year))

    @mark_rule("AF")
    def _reduce_number(self, folding: Part, number: Part, forward: bool, gap: str) -> Iterator[Made]:
        del gap
        program = number.expression
        if forward and isinstance(program, Fold) and program.how is not folding.extra:
            yield "F", replace(program, how=folding.extra), None, (("fold.again", 1.0),)

    @mark_rule("LR")
    def _set_difference_relation(self, cue: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "The price difference", "how many more rooms": what differs is named beside."""
        del forward, gap
        if cue.extra is None and self._can_fold(Folding.AVERAGE, relating.extra.relation):
            yield "L", None, relating.extra.relation, (("difference.named", 1.0),)

    @mark_rule("LS")
    def _compute_difference(self, cue: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "The difference between the salaries of A and B", "how much heavier is A than B"."""
        del gap
        source, relations = of.expression, list[tuple[int, float]]()
        if isinstance(source, Walk):
            relations, source = [(source.relation, 1.0)], source.source
        elif isinstance(cue.extra, int):
            relations = [(cue.extra, 1.0)]
        elif cue.extra is not None:
            relations = [(r, quality) for r, _, quality in self.anchors.adjectives.find_relations(cue.extra)]
        if not isinstance(source, Or):
            return
        for relation, quality in relations[:_DIFFERENCES]:
            key = Key((relation,))
            program = Arithmetic(Operation.DIFFERENCE, KeyOf(source.left, key), KeyOf(source.right, key))
            if not math.isnan(self.executor.compute_number(program)):
                yield "F", program, None, (("difference", 1.0), ("difference.quality", quality),
                                           ("difference.order", float(forward)))  # fmt: skip

    @mark_rule("FS")
    def _apply_fold(self, number: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        program = number.expression
        if not isinstance(program, Fold) or not isinstance(program.source, Having):
            return
        source = find_common(self.compute_nodes(of.expression), self.compute_nodes(program.source))
        order = "FS" if forward else "SF"
        if len(source):
            share = len(source) / max(1, len(self.compute_nodes(of.expression)))
            features = (
                ("fold.over", 1.0), (f"fold.over.{order}.{gap}", 1.0), ("fold.share", share),
                (f"fold.over.{of.extra}", 1.0), ("fold.over.one", float(len(source) == 1)),
            )  # fmt: skip
            yield "F", replace(program, source=of.expression), None, features
            return
        ways = [((relation,), share) for relation, share in self.find_bridges(of.expression, program.source)]
        for path, share in ways or self.find_far_bridges(of.expression, program.source):
            relation, over = path[-1], of.expression
            for step in path:
                over = Walk(over, step)
            yield (
                "F",
                replace(program, source=over),
                None,
                (
                    *self.compute_bridge_features(relation, share, "fold", of, number),
                    ("sum.over", float(any(name in ("sum.word", "sum.bare") for name, _ in number.features))),
                    (f"fold.over.{order}.{gap}", 1.0),
                    ("bridge.two", float(len(path) > 1)),
                ),
            )

    @mark_rule("QF")
    def _skip_count_cue(self, cue: Part, number: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "The number of final tables at most": the number is said already."""
        del cue, gap
        if forward:
            yield "F", number.expression, None, (("count.number", 1.0),)
