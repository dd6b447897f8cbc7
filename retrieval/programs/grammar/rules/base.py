"""What the rules of composition share: the relations that join two sets, and values that fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.search.walks import find_arcs
from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.amounts import Comparison, Folding, ValueKind
from retrieval.language.english import NUMBERING
from retrieval.lexicon import get_table
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import Constant, Count, Filter, Fold, Having, Key, KeyOf, Program, Top, Walk
from retrieval.programs.algebra.units import convert_constant
from retrieval.programs.grammar.constituents import Made, Part, Valued
from retrieval.programs.grounding.anchors.anchor import Comparing, Features
from retrieval.programs.grounding.anchors.finder import Anchors
from retrieval.programs.grounding.relation_types import LOCATING, load_stems

if TYPE_CHECKING:
    from retrieval.programs.grounding.schema import Schema

_WAYS = get_table("direction_words")
"""Prepositions, and the first words of relations that lead to what stands behind them."""


#: Sets larger than this are not searched for the relations that leave them.
_BRIDGED = 3_000
#: Relations that may join two parts with none between them.
_BRIDGES = 5
#: Steps from one node to things of a kind, and ways that are tried.
_DISTANT, _MOST_DISTANT = 3, 60
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


class Rules:
    """What the rules of one question share.

    Args:
        schema: of the graph.
        executor: runs what is composed.
        anchors: knows what adjectives compare.
        relation_similarity: of the whole question with each relation, float32 [R]; empty without a text encoder.
        answer_sort: the sort of answer that is asked for.
        words: of the question, in order.
    """

    def __init__(
        self,
        schema: Schema,
        executor: Executor,
        anchors: Anchors,
        relation_similarity: np.ndarray,
        *,
        answer_sort: str = "list",
        words: Sequence[str] = (),
    ) -> None:
        self.schema = schema
        self.executor = executor
        self.anchors = anchors
        self.similar = relation_similarity
        self.asked = answer_sort
        self.words, self.said = words, frozenset(words)
        self._arcs: dict[Program, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
        self._far: dict[tuple[Program, Program], list[tuple[tuple[int, ...], float]]] = {}
        self._bridged: dict[tuple[Program, Program], list[tuple[int, float]]] = {}
        self._numbered: dict[Program, bool] = {}

    def get_similarity(self, relation: int) -> float:
        """The cosine of the question and a relation's name."""
        return float(self.similar[relation]) if len(self.similar) else 0.0

    def compute_nodes(self, program: Program) -> np.ndarray:
        """What a set denotes, int64 ascending."""
        return self.executor.compute_nodes(program)

    def find_bridges(self, source: Program | None, target: Program | None) -> list[tuple[int, float]]:
        """Directed relations that lead from a set into another, with the share of arcs that do, most first."""
        if source is None or target is None:
            return []
        if (source, target) not in self._bridged:
            self._bridged[source, target] = self._compute_bridges(source, target)
        return self._bridged[source, target]

    def _compute_bridges(self, source: Program, target: Program) -> list[tuple[int, float]]:
        ends_of = self.compute_nodes(target)
        size = len(self.compute_nodes(source))
        if not size or not len(ends_of):
            return []
        if size > _BRIDGED and len(ends_of) < size:
            return [(self.schema.get_inverse(r), share) for r, share in self._compute_bridges(target, source)]
        relations, ends, every = self._get_leaving_arcs(source)
        hits = np.bincount(relations[self.executor.test_membership(ends, ends_of)], minlength=len(every))
        if not NUMBERING & self.said:
            hits[self.schema.measures.numbering] = 0
        if self.schema.listing is not None:
            hits[[self.schema.listing, self.schema.get_inverse(self.schema.listing)]] = 0
        hits[self._list_number_relations(source, target, hits)] = 0
        joining = np.flatnonzero(hits)
        if not len(joining):
            return []
        shares = hits[joining] / every[joining]
        order = np.lexsort((joining, -shares * np.log1p(hits[joining])))
        return [(int(joining[i]), float(shares[i])) for i in order[:_BRIDGES]]

    def _list_number_relations(self, source: Program, target: Program, hits: np.ndarray) -> list[int]:
        """Directed relations to or from numbers that are the names of rows: 17 miles, and visit 17."""
        total = self.schema.snapshot.num_relations
        to_rows = [r for r in self.schema.numbers if hits[r]]
        from_rows = [r + total for r in self.schema.numbers if hits[r + total]]
        return [
            *(to_rows if to_rows and self._has_facts(target) else ()),
            *(from_rows if from_rows and self._has_facts(source) else ()),
        ]

    def _has_facts(self, program: Program) -> bool:
        """Whether a set holds anything that something is said of."""
        nodes, offsets = self.compute_nodes(program), self.schema.snapshot.out_offsets
        return bool((offsets[nodes + 1] > offsets[nodes]).any())

    def _get_leaving_arcs(self, source: Program) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The arcs that leave a set: directed relations and ends, and how many there are of each relation."""
        if source not in self._arcs:
            nodes = self.compute_nodes(source)
            nodes = nodes[:: max(1, len(nodes) // _BRIDGED)]
            _, relations, ends, _ = find_arcs(self.schema.snapshot, nodes)
            every = np.bincount(relations, minlength=2 * self.schema.snapshot.num_relations)
            self._arcs[source] = relations, ends, every
        return self._arcs[source]

    def is_keyless(self, program: Program) -> bool:
        """Whether a filter or ranking counts what nothing of its source has."""
        if not isinstance(program, Filter | Top) or not program.key.counted:
            return False
        having = self.executor.columns.list_sources(program.key.path[0])
        return not len(find_common(self.compute_nodes(program.source), having))

    def find_far_bridges(self, source: Program | None, target: Program | None) -> list[tuple[tuple[int, ...], float]]:
        """Paths of two relations from a set into another, best first."""
        if source is None or target is None or not len(self.compute_nodes(source)):
            return []
        if (source, target) not in self._far:
            self._far[source, target] = self._compute_far_bridges(source, target)
        return self._far[source, target]

    def _compute_far_bridges(self, source: Program, target: Program) -> list[tuple[tuple[int, ...], float]]:
        every = self._get_leaving_arcs(source)[2]
        paths: list[tuple[tuple[int, ...], float]] = []
        onward = [r for r in np.argsort(-every, kind="stable").tolist() if every[r] and not self._has_values(r)]
        onward.sort(key=self._is_terminal)
        for first in onward[:_BRIDGES]:
            middle = Walk(source, first)
            if len(self.compute_nodes(middle)) <= _BRIDGED:
                paths += [
                    ((first, second), share)
                    for second, share in self.find_bridges(middle, target)[:2]
                    if second != self.schema.get_inverse(first)
                ]
        return sorted(paths, key=lambda item: -item[1])[:3]

    def _has_values(self, directed: int) -> bool:
        """Whether a directed relation leads to numbers and dates: from most columns of a table nothing leads on."""
        return self.schema.columns.get_value_type(directed) is not None

    def _is_terminal(self, directed: int) -> bool:
        """Whether nothing is said of what a directed relation leads to."""
        inverse, forward = divmod(directed, self.schema.snapshot.num_relations)
        return not inverse and self.schema.relations[forward].leaves == 1

    def find_distant_bridges(self, source: Program, kind: Program) -> list[tuple[tuple[int, ...], float]]:
        """Paths of three relations from one node to things of a kind, each of which has one of each on the way.

        "Wines from Spain" are made by a winery, which is in a region, which lies there. Ways by places come first.
        """
        schema = self.schema
        ways: list[tuple[tuple[int, ...], Program]] = [((), kind)]
        for _ in range(_DISTANT):
            onward: list[tuple[tuple[int, ...], Program]] = []
            for path, reached in ways:
                nodes = self.compute_nodes(reached)
                onward += [
                    ((*path, relation), Walk(reached, relation))
                    for relation in schema.single
                    if len(find_common(nodes, self.executor.columns.list_sources(relation)))
                ]
            ways = onward[:_MOST_DISTANT]
        wanted = self.compute_nodes(source)
        met = [path for path, reached in ways if len(find_common(self.compute_nodes(reached), wanted))]
        places = [sum(bool(set(schema.relations[r].stems) & LOCATING) for r in path) / _DISTANT for path in met]
        paths = [
            (tuple(schema.get_inverse(relation) for relation in reversed(path)), share)
            for path, share in zip(met, places, strict=True)
        ]
        return sorted(paths, key=lambda item: -item[1])[:2]

    def compute_bridge_features(self, relation: int, share: float, how: str, source: Part, target: Part) -> Features:
        """What speaks for a relation that no word names; ``how`` tells the occasion."""
        forward = relation % self.schema.snapshot.num_relations
        return (
            ("bridge", 1.0), (f"bridge.{how}", 1.0), ("bridge.share", share),
            ("bridge.similar", self.get_similarity(forward)),
            ("bridge.inverse", float(relation != forward)), (f"bridge.{_get_sort(target)}.{_get_sort(source)}", 1.0),
            ("bridge.type", float(forward == self.schema.type_relation)),
            ("bridge.said", float(self._is_said(forward, source))),
            (f"lex:bridge>{self.schema.relations[forward].label}", 1.0),
        )  # fmt: skip

    def _is_said(self, relation: int, source: Part) -> bool:
        """Whether the preposition before a name says a relation: "to Lisbon" the destination."""
        start = source.anchored[0] if source.anchored else 0
        before = [word for word in self.words[max(0, start - 2) : start] if word != "the"]
        label = self.schema.relations[relation].label.casefold().split()
        return bool(before) and bool(label) and label[0] in _WAYS.get(before[-1], ())

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
        unit, kind = (
            self.executor.columns.parse_named_unit(relation),
            self.executor.columns.get_value_type(relation),
        )
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


def make_own_value(relation: int) -> KeyOf:
    """Another value of each thing that is compared, as what it is compared with; see :meth:`Rules.filter_by_value`."""
    return KeyOf(Having(relation), Key((relation,)))


def get_own_relation(value: Program) -> int | None:
    """The relation of what :func:`make_own_value` made."""
    if not isinstance(value, KeyOf) or not isinstance(value.source, Having):
        return None
    relation = value.source.relation
    return relation if value.key == Key((relation,)) else None


def _get_sort(part: Part) -> str:
    """What sort of part one is, in the name of a feature: numbers that are compared are not told apart."""
    return str(part.extra) if part.extra is None or isinstance(part.extra, str) else part.category
