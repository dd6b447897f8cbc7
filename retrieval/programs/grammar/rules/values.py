"""Comparisons: with numbers and dates, with another node, of how many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.amounts import Comparison, Folding, ValueKind
from retrieval.language.words import Quantity
from retrieval.programs.algebra.operations import (
    EVERY,
    Constant,
    Entities,
    Filter,
    Fold,
    Having,
    Key,
    KeyOf,
    Or,
    Program,
    Top,
    Walk,
)
from retrieval.programs.grammar.constituents import Made, Part, Valued, make_comparison, make_valued, mark_rule
from retrieval.programs.grammar.rules.base import Rules, get_own_relation, make_own_value
from retrieval.programs.grounding.anchors.anchor import Comparing, Features

#: Relations that a value may be of, where none is named.
_VALUES = 6


class ValueRules(Rules):
    """See the module."""

    @mark_rule("NR", "TR")
    def _filter_relation_by_comparison(self, compared: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        valued = make_comparison(compared)
        yield from self.filter_relation(valued, relating.extra.relation, forward, gap)
        yield from self._find_dated_rows(valued, relating, forward, gap)

    def _find_dated_rows(self, valued: Valued, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "Who worked on April 2": whom the rows of that day have as their employee."""
        relation, value = relating.extra.relation, valued.value
        dated = isinstance(value, Constant) and value.kind in (ValueKind.DATE, ValueKind.MONTH_DAY)
        kind = self.executor.columns.get_value_type(relation)
        if not dated or (kind is not None and (kind.kind is not ValueKind.NUMBER or kind.year)):
            return
        rows = Part("S", relating.first, relating.last, Having(relation), "domain", 0.0, ())
        for category, program, _, features in self.filter_set(valued, rows, not forward, gap):
            if category != "S" or program is None or not len(self.compute_nodes(program)):
                continue
            if kind is None:
                yield "S", Walk(program, relation), "walk", (*features, ("when.rows", 1.0))
            elif self.asked in ("how many", "how much"):  # "how many miles in February": of all rows of then
                yield "F", Fold(Folding.SUM, program, Key((relation,))), None, (*features, ("when.sum", 1.0))

    @mark_rule("CN")
    def _compare_with_number(self, cue: Part, number: Part, forward: bool, gap: str) -> Iterator[Made]:
        quantity: Quantity = number.extra
        features = (("compare.number", 1.0), ("compare.order", float(forward)), (f"compare.{gap}", 1.0))
        valued = make_valued(cue.extra, quantity)
        if quantity.comparison is not None:
            return
        yield "T", None, valued, features

    @mark_rule("CS")
    def _compare_with_set(self, cue: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        if forward and len(self.compute_nodes(of.expression)) == 1 and not self._is_number(of):
            yield ("T", None, Valued(cue.extra, of.expression), (("compare.node", 1.0), (f"compare.node.{gap}", 1.0)))

    def _is_number(self, of: Part) -> bool:
        """Whether a set is a number that is written so: what compares with it compares with a number."""
        program = of.expression
        return isinstance(program, Entities) and bool(self.executor.columns.kinds[self.compute_nodes(program)].all())

    @mark_rule("CA")
    def _compare_with_average(self, cue: Part, folding: Part, forward: bool, gap: str) -> Iterator[Made]:
        del gap
        if forward:
            yield ("T", None, Valued(cue.extra, Entities(()), folding=folding.extra), (("compare.average", 1.0),))

    @mark_rule("CF")
    def _compare_with_computed(self, cue: Part, number: Part, forward: bool, gap: str) -> Iterator[Made]:
        if not forward or number.expression is None:
            return
        yield "T", None, Valued(cue.extra, number.expression), (("compare.program", 1.0),)
        if (
            isinstance(number.expression, Fold)
            and not number.expression.key.counted
            and len(number.expression.key.path) == 1
        ):
            valued = Valued(cue.extra, number.expression)
            relation = number.expression.key.path[0]
            program = self.filter_by_value(Having(relation), relation, valued)
            if program is not None:
                yield "S", program, "filter", (("filter.fold", 1.0), (f"filter.fold.{gap}", 1.0))

    @mark_rule("CR")
    def _compare_by_relation(self, cue: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        features = (
            ("compare.relation", 1.0),
            ("compare.relation.order", float(forward)),
            (f"compare.relation.{gap}", 1.0),
        )
        yield "K", None, (cue.extra, relating.extra.relation), features

    @mark_rule("CR")
    def _compare_with_own_value(self, cue: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "Below their reorder level": what compares with another value of the same thing."""
        relation = relating.extra.relation
        if forward and self.executor.columns.get_value_type(relation) is not None:
            features = (("compare.own", 1.0), (f"compare.own.{gap}", 1.0))
            yield "T", None, Valued(cue.extra, make_own_value(relation)), features

    @mark_rule("KR")
    def _filter_by_own_value(self, compared: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "A higher price than cost": two values of the same thing."""
        comparing, relation = compared.extra
        other = relating.extra.relation
        if forward and gap == "than" and self.executor.columns.get_value_type(other) is not None:
            program = self.filter_by_value(Having(relation), relation, Valued(comparing, make_own_value(other)))
            if program is not None:
                yield "S", program, "filter", (("filter.own", 1.0),)

    @mark_rule("KN")
    def _filter_by_number(self, compared: Part, number: Part, forward: bool, gap: str) -> Iterator[Made]:
        if not forward:
            return
        comparing, relation = compared.extra
        valued = replace(make_comparison(number), comparing=comparing, exact=False)
        yield from self.filter_relation(valued, relation, True, gap)

    @mark_rule("KS")
    def _filter_by_node(self, compared: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        comparing, relation = compared.extra
        if not forward or of.expression is None or len(self.compute_nodes(of.expression)) != 1:
            return
        program = self.filter_by_value(Having(relation), relation, Valued(comparing, of.expression))
        if program is not None:
            yield "S", program, "filter", (("filter.node", 1.0), (f"filter.node.{gap}", 1.0))
            return
        if self.executor.columns.get_value_type(relation) is None and comparing.adjective is not None:
            comparison = Comparison.MORE if comparing.up else Comparison.LESS
            for directed in (relation, self.schema.get_inverse(relation)):
                key = Key((directed,), counted=True)
                program = Filter(Having(directed), key, comparing.comparison or comparison, KeyOf(of.expression, key))
                if len(self.compute_nodes(program)):
                    yield "S", program, "filter", (("filter.node.count", 1.0),)

    @mark_rule("NS", "TS")
    def _filter_set_by_comparison(self, compared: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        valued = make_comparison(compared)
        yield from self.filter_set(valued, of, forward, gap)
        if valued.comparing == Comparing(None) and not forward and gap == "preposition":
            yield from self.filter_spans(valued, of)

    def filter_set(self, valued: Valued, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        """Those of a set whose value compares so, by each relation that may be meant."""
        value = valued.value
        counts = isinstance(value, Constant) and value.kind is ValueKind.NUMBER and not value.dimension
        if (
            counts
            and self.can_count(valued)
            and forward
            and isinstance(value, Constant)
            and value.value == int(value.value)
        ):
            made: Features = (
                ("count.compared", 1.0), (f"count.compared.{gap}", 1.0), (f"count.compared.{of.extra}", 1.0),
                ("count.exact", float(valued.exact)),
            )  # fmt: skip
            yield "P", of.expression, valued, made
        ranked = of.expression if self.asked != "yes/no" and isinstance(of.expression, Top) else None
        if ranked is not None and ranked.count == EVERY:
            ranked = None
        among = of if ranked is None else replace(of, program=ranked.source)  # the dearest of those of 2021
        filtered = list(self._iter_filtered(valued, among, forward, gap))
        for program, made in filtered:
            if ranked is None:
                yield "S", program, "filter", made
            else:
                yield "S", replace(ranked, source=program), "top", (*made, ("top.compared", 1.0))
        rows, column = (None, 0) if filtered else self._find_column_rows(of.expression)
        if rows is not None:  # "candidates in 1980": those of the rows of 1980
            for program, made in self._iter_filtered(valued, replace(of, program=rows), forward, gap):
                yield "S", Walk(program, column), "filter", made

    def _iter_filtered(self, valued: Valued, of: Part, forward: bool, gap: str) -> Iterator[tuple[Program, Features]]:
        """Those of a set whose value compares so, by each relation that may be meant, with what speaks for it."""
        order = "TS" if forward else "ST"
        for relation, features in self._find_value_relations(valued, of):
            program = self.filter_by_value(of.program, relation, valued)
            if program is not None:
                empty = float(not len(self.compute_nodes(program)))
                yield program, (*features, (f"value.{order}.{gap}", 1.0), ("value.empty", empty))

    def _find_column_rows(self, program: Program) -> tuple[Program | None, int]:
        """The unnamed rows whose column a set is, and the column's relation; only columns headed with a noun."""
        rows, column = None, 0
        if isinstance(program, Walk) and program.relation < self.schema.snapshot.num_relations:
            rows, column = program.source, program.relation
        elif isinstance(program, Having) and program.relation >= self.schema.snapshot.num_relations:
            column = self.schema.get_inverse(program.relation)
            rows = Having(column)
        is_noun = rows is not None and self.schema.relations[column].form == "noun"
        nodes = self.compute_nodes(rows) if rows is not None and is_noun else ()
        return (rows, column) if len(nodes) and self.schema.surrogates[0][nodes].all() else (None, 0)

    def filter_all(self, valued: Valued) -> Iterator[Made]:
        """ "Who is older than Rosa": of all that has an age."""
        adjective = valued.comparing.adjective
        if adjective is None or not adjective.nouns:
            yield from self._filter_by_unit(valued)
            return
        for tried, (relation, _, quality) in enumerate(self.anchors.adjectives.find_relations(adjective)[:3]):
            program = self.filter_by_value(Having(relation), relation, valued)
            if program is not None:
                empty = float(not len(self.compute_nodes(program)))
                features = (
                    ("bare", 1.0),
                    ("value.adjective", quality),
                    ("top.tried", float(tried)),
                    ("value.empty", empty),
                )
                yield "S", program, "filter", features

    def _filter_by_unit(self, valued: Valued) -> Iterator[Made]:
        """ "Anything under £22": of all that has a value in this unit, what most things have first."""
        dimension = valued.value.dimension if isinstance(valued.value, Constant) else ""
        columns = self.executor.columns
        kinds = [(info, columns.get_value_type(info.id)) for info in self.schema.measures.numbers]
        alike = [info for info, kind in kinds if dimension and kind is not None and kind.dimension == dimension]
        alike.sort(key=lambda info: (-info.facts, info.id))
        for tried, info in enumerate(alike[:2]):
            program = self.filter_by_value(Having(info.id), info.id, valued)
            if program is not None:
                empty = float(not len(self.compute_nodes(program)))
                yield ("S", program, "filter", (("bare", 1.0), ("top.tried", float(tried)), ("value.empty", empty)))

    def _find_value_relations(self, valued: Valued, of: Part) -> list[tuple[int, Features]]:
        """Relations with values that a set has and that a comparison may mean, with what speaks for each."""
        columns = self.executor.columns
        adjective = valued.comparing.adjective
        known = (
            {r: q for r, _, q in self.anchors.adjectives.find_relations(adjective)}
            if adjective and adjective.nouns
            else {}
        )
        nodes = self.compute_nodes(of.expression)
        candidates: list[tuple[float, int, Features]] = []
        in_year = not known and self.can_be_year(valued)
        for relation in self.schema.value_relations:
            kind = columns.get_value_type(relation)
            if kind is None or (known and relation not in known):
                continue
            if isinstance(valued.value, Constant) and self.fit_constant(valued.value, relation) is None:
                continue
            if not known and valued.folding is not None:
                continue
            other_relation = get_own_relation(valued.value)
            if other_relation is not None and not self.is_comparable(relation, other_relation):
                continue
            having = columns.list_sources(relation)
            if not len(find_common(nodes, having)):
                continue
            year = isinstance(valued.value, Constant) and (
                1000 <= valued.value.value <= 2100 or valued.value.kind is ValueKind.MONTH_DAY
            )
            dated = kind.year or kind.kind is ValueKind.DATE
            fits = 1.0 if year == dated else 0.0
            if isinstance(valued.value, Constant) and valued.value.dimension:
                named_unit = None if kind.dimension else columns.parse_named_unit(relation)
                unit = kind.dimension if named_unit is None else named_unit.dimension
                fits = 1.0 if valued.value.dimension == unit else 0.3
            similar = float(self.similar[relation]) if len(self.similar) else 0.0
            quality = known.get(relation, 0.0)
            features: Features = (
                ("value", 1.0), ("value.fits", fits), ("value.similar", similar), ("value.adjective", quality),
                ("value.named", float(bool(known))), ("value.exact", float(valued.exact)),
                ("value.no_year", float(in_year and not dated)),
                ("value.stock", float(other_relation is not None and relation in self.schema.measures.stocks)),
                (f"lex:value>{self.schema.relations[relation].label}", 1.0),
            )  # fmt: skip
            candidates.append((2 * quality + fits + similar, relation, features))
        candidates.sort(key=lambda item: (-item[0], item[1]))
        return [(relation, features) for _, relation, features in candidates[:_VALUES]]

    @mark_rule("WS")
    def _filter_set_by_either(self, either: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        del forward, gap
        first, second = either.extra
        for relation, features in self._find_value_relations(first, of):
            left, right = (self.filter_by_value(of.expression, relation, valued) for valued in (first, second))
            if left is not None and right is not None:
                yield "S", Or(left, right), None, (*features, ("or.value", 1.0))
