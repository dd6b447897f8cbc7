"""What the rules of composition share: sets filtered by values and counts that fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.amounts import Comparison, Folding, ValueKind
from retrieval.programs.algebra.operations import Constant, Count, Filter, Fold, Having, Key, KeyOf, Program, Top
from retrieval.programs.algebra.units import convert_constant
from retrieval.programs.grammar.rules.bridges import BridgeFinder
from retrieval.programs.grounding.anchors.anchor import Comparing
from retrieval.programs.grounding.relation_types import load_stems

if TYPE_CHECKING:
    from retrieval.programs.grammar.constituents import Made, Part, Valued

#: Numbers of things that somebody compares with.
_MOST_COUNTED = 100_000
#: Larger numbers are years or amounts where nothing is counted so high.
_COUNTABLE = 1000
#: Stems of numbers that say when something was.
_TIMELY = load_stems("order_relation_words")
#: What adjectives of numbers of things measure.
_NUMBERS = frozenset({"number", "amount", "size"})
#: Numbers that are years if they may be, and how far beyond all values of something they are none of them.
_YEARS, _FAR = (1500, 2100), 0.5


class Rules(BridgeFinder):
    """What the rules of one question share; made as :class:`.bridges.BridgeFinder` is."""

    def is_keyless(self, program: Program) -> bool:
        """Whether a filter or ranking counts what nothing of its source has."""
        if not isinstance(program, Filter | Top) or not program.key.counted:
            return False
        having = self.executor.columns.list_sources(program.key.path[0])
        return not len(find_common(self.compute_nodes(program.source), having))

    def filter_by_value(self, source: Program | None, relation: int, valued: Valued) -> Program | None:
        """Those of ``source`` whose value of a relation compares; None where the types do not fit."""
        kind = self.executor.columns.get_value_type(relation)
        if kind is None or source is None:
            return None
        if valued.comparing.when and kind.kind is ValueKind.NUMBER and not kind.year and self._is_amount(relation):
            return None
        key = Key((relation,))
        comparison = self.resolve_comparison(valued.comparing, relation, valued.exact)
        if comparison is None:
            return None
        value = valued.value
        if valued.folding is not None:
            value = Fold(valued.folding, Having(relation), key)
        if isinstance(value, Constant):
            fitted = self.fit_constant(value, relation)
            upper = self.fit_constant(valued.upper, relation) if valued.upper else None
            if fitted is None or (valued.upper is not None and upper is None):
                return None
            if upper is not None and upper.value > fitted.value:
                return self._filter_range(source, key, valued, fitted, upper)
            return Filter(source, key, comparison, fitted)
        other_relation = get_own_relation(value)
        if other_relation is not None:
            less = Key((relation,), less=(other_relation,))
            return (
                Filter(source, less, comparison, Constant(0.0))
                if self.is_comparable(relation, other_relation)
                else None
            )
        if isinstance(value, Count | Fold | KeyOf):
            return Filter(source, key, comparison, value)
        if len(self.compute_nodes(value)) == 1:
            inside = KeyOf(value, key)
            if self.executor.compute_number(inside) == self.executor.compute_number(inside):
                return Filter(source, key, comparison, inside)
            if self.executor.compute_number(value) == self.executor.compute_number(value):
                return Filter(source, key, comparison, value)
        return None

    def _is_amount(self, relation: int) -> bool:
        """Whether numbers tell how much or how many, and not when: nothing weighs 300 kg before 1800."""
        unit, kind = (self.executor.columns.parse_named_unit(relation), self.executor.columns.get_value_type(relation))
        dimension = (unit and unit.dimension) or (kind and kind.dimension)
        timely = dimension == "duration" or bool(_TIMELY & set(self.schema.relations[relation].stems))
        return not timely and (bool(dimension) or relation in self.schema.measures.added)

    def is_comparable(self, relation: int, other: int) -> bool:
        """Whether things have values of both relations that compare: what is in stock, and the least that should be."""
        columns = self.executor.columns
        kinds = columns.get_value_type(relation), columns.get_value_type(other)
        if relation == other or kinds[0] is None or kinds[1] is None:
            return False
        first, second = ((kind.kind, kind.year, kind.dimension) for kind in kinds if kind is not None)
        units = columns.parse_named_unit(relation), columns.parse_named_unit(other)
        owners = columns.list_sources(relation), columns.list_sources(other)
        alike = first == second and (units[0] and units[0].dimension) == (units[1] and units[1].dimension)
        return alike and 2 * len(find_common(*owners)) >= min(map(len, owners))

    def _filter_range(self, source: Program, key: Key, valued: Valued, low: Constant, high: Constant) -> Program:
        """Those within a range, or before or after it: "in the 1990s", "before May 2001"."""
        bare = valued.comparing.comparison is None and valued.comparing.adjective is None
        comparison = None if bare else self.resolve_comparison(valued.comparing, key.path[0], valued.exact)
        inside, beyond = (
            (Comparison.AT_MOST, Comparison.MORE) if valued.upper_included else (Comparison.LESS, Comparison.AT_LEAST)
        )
        match comparison:
            case Comparison.LESS:
                return Filter(source, key, Comparison.LESS, low)
            case Comparison.MORE:
                return Filter(source, key, beyond, high)
            case Comparison.AT_LEAST:
                return Filter(source, key, Comparison.AT_LEAST, low)
            case Comparison.AT_MOST:
                return Filter(source, key, inside, high)
        return Filter(Filter(source, key, Comparison.AT_LEAST, low), key, inside, high)

    def resolve_comparison(self, comparing: Comparing, relation: int, exact: bool) -> Comparison | None:
        """The operator of a comparison for a relation: of "older", less where the relation is a year of birth."""
        if (comparing.comparison is not None and comparing.adjective is None) or exact:
            return comparing.comparison or Comparison.EQUAL
        along = True
        if comparing.adjective is not None:
            ways = self.anchors.adjectives.find_relations(comparing.adjective)
            along = next((noun_up for known, noun_up, _ in ways if known == relation), True)
        if comparing.comparison is not None:
            return comparing.comparison if along else comparing.comparison.mirrored
        return Comparison.MORE if comparing.up == along else Comparison.LESS

    def fit_constant(self, constant: Constant, relation: int) -> Constant | None:
        """The constant in the unit of a relation's values; None where they do not compare."""
        return convert_constant(self.executor.columns, constant, relation)

    def filter_by_count(
        self, source: Program, path: tuple[int, ...], among_set: Program | None, valued: Valued
    ) -> Program | None:
        """Those of ``source`` from which so many paths lead on; None where no number is compared."""
        if not self.can_count(valued):
            return None
        comparison = valued.comparing.comparison
        if valued.exact and comparison is None:
            comparison = Comparison.EQUAL
        elif comparison is None:
            comparison = Comparison.MORE if valued.comparing.up else Comparison.LESS
        value = valued.value
        if not isinstance(value, Constant) or value.dimension or value.kind is not ValueKind.NUMBER:
            return None
        key = Key(path, counted=True, among=among_set)
        if value.value >= _COUNTABLE:
            most = self.executor.compute_number(Fold(Folding.MOST, Having(path[0]), Key(path, counted=True)))
            if most < value.value:
                return None
        if valued.upper is not None:
            low = Filter(source, key, Comparison.AT_LEAST, value)
            return Filter(low, key, Comparison.AT_MOST, valued.upper)
        return Filter(source, key, comparison, value)

    def can_count(self, valued: Valued) -> bool:
        """Whether a comparison may be with a number of things: nobody is younger or cheaper than 45 of them."""
        adjective = valued.comparing.adjective
        return adjective is None or not adjective.nouns or any(noun in _NUMBERS for noun, _ in adjective.nouns)

    def filter_relation(self, valued: Valued, relation: int, forward: bool, gap: str) -> Iterator[Made]:
        """Sets of what has a value of a relation, or so many of it, that compares."""
        order = "TR" if forward else "RT"
        exact = "exact" if valued.exact else "compared"
        if self.executor.columns.get_value_type(relation) is not None:
            program = self.filter_by_value(Having(relation), relation, valued)
            if program is not None:
                yield "S", program, "filter", ((f"filter.{exact}.{order}", 1.0), (f"filter.{gap}", 1.0),
                                               ("filter.year", float(self._is_out_of_range(valued, relation))),
                                               ("filter.empty",
                                               float(not len(self.compute_nodes(program)))))  # fmt: skip
            return
        value = valued.value
        if not isinstance(value, Constant) or not 0 <= value.value < _MOST_COUNTED or value.value % 1:
            return
        for directed in (relation, self.schema.get_inverse(relation)):
            program = self.filter_by_count(Having(directed), (directed,), None, valued)
            if program is not None:
                way = "value" if directed == relation else "owner"
                yield "S", program, "filter", ((f"filter.count.{exact}.{way}.{order}", 1.0),)

    def can_be_year(self, valued: Valued) -> bool:
        """Whether what is compared with looks like a year."""
        value = valued.value
        if not isinstance(value, Constant) or value.kind is not ValueKind.NUMBER or value.dimension:
            return False
        return _YEARS[0] <= value.value <= _YEARS[1]

    def _is_out_of_range(self, valued: Valued, relation: int) -> bool:
        """Whether what looks like a year is far beyond all values of a relation: no id, price or weight."""
        value = valued.value
        if not self.can_be_year(valued) or not isinstance(value, Constant):
            return False
        values = self.executor.columns.get_column(relation).values
        return bool(len(values)) and not _FAR * values.min() <= value.value <= values.max() / _FAR

    def filter_spans(self, valued: Valued, of: Part) -> Iterator[Made]:
        """ "The presidents in 1975": those that had begun by then and had not ended before."""
        if not isinstance(valued.value, Constant) or valued.value.dimension:
            return
        begun_by, ended_from = (
            replace(valued, comparing=Comparing(comparison), exact=False)
            for comparison in (Comparison.AT_MOST, Comparison.AT_LEAST)
        )
        for lasting in self.schema.measures.computed.lasting:
            end = lasting.key.path[0]
            for begin in lasting.key.less or ():
                begun = self.filter_by_value(of.expression, begin, begun_by)
                program = begun and self.filter_by_value(begun, end, ended_from)
                if program is not None and len(self.compute_nodes(program)):
                    yield "S", program, "filter", (("value.ST.preposition", 1.0), ("filter.span", 1.0))


def make_own_value(relation: int) -> KeyOf:
    """Another value of each thing that is compared, as what it is compared with; see :meth:`Rules.filter_by_value`."""
    return KeyOf(Having(relation), Key((relation,)))


def get_own_relation(value: Program) -> int | None:
    """The relation of what :func:`make_own_value` made."""
    if not isinstance(value, KeyOf) or not isinstance(value.source, Having):
        return None
    relation = value.source.relation
    return relation if value.key == Key((relation,)) else None
