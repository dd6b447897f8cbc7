"""The rows behind a number of each of some things: which of them are summed up or counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.amounts import Folding
from retrieval.programs.algebra.operations import EVERY, And, Fold, Key, Program, Top, Walk
from retrieval.programs.grammar.constituents import Made, Part, make_comparison, mark_rule
from retrieval.programs.grammar.rules.values import ValueRules


class GroupRowRules(ValueRules):
    """Restrict what is behind groups."""

    def build_group_key(self, fold: Fold, back: tuple[int, ...], owners: Program) -> Key | None:
        """What a sum or average comes to of the nodes behind each owner; None where none of them is meant.

        Args:
            fold: of the nodes behind all owners, or some of these.
            back: leads from an owner to nodes.
            owners: denotes them.
        """
        key = replace(fold.key, path=(*back, *fold.key.path), folding=fold.how)
        behind = reduce(Walk, back, owners)
        if self._is_complete_fold(behind, fold):
            return key
        some = len(fold.key.path) == 1 and len(find_common(self.compute_nodes(behind), self.compute_nodes(fold.source)))
        return replace(key, among=fold.source) if some else None

    def _is_complete_fold(self, owned: Program, fold: Fold) -> bool:
        """Whether a sum or average is of all that owners have and that has a value."""
        valued = find_common(self.compute_nodes(owned), self.executor.columns.list_sources(fold.key.path[0]))
        return len(find_common(valued, self.compute_nodes(fold.source))) == len(valued)

    @mark_rule("NF", "TF", "NS", "TS")
    def _compare_group_rows(self, compared: Part, groups: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "Sales per region in 2020", "the region with the highest sales in 2020": of the orders of then."""
        rows = self._find_group_rows(groups)
        if rows is None:
            return
        behind = Part("S", groups.first, groups.last, rows, "walk", 0.0, ())
        for category, program, _, features in self.filter_set(make_comparison(compared), behind, not forward, gap):
            if category == "S" and program is not None:
                yield from self._filter_group_rows(groups, program, features)

    @mark_rule("SF")
    def _join_group_rows(self, of: Part, groups: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "Sales of chairs per region", "number of orders per customer shipped to Rome": of these rows alone."""
        del forward
        rows = self._find_group_rows(groups)
        if rows is None:
            return
        for relation, share in self.find_bridges(of.expression, rows):
            features = self.compute_bridge_features(relation, share, f"rows.{gap}", of, groups)
            yield from self._filter_group_rows(groups, And(rows, Walk(of.expression, relation)), features)

    def _find_group_rows(self, groups: Part) -> Program | None:
        """What is summed up or counted behind each of some things; None where nothing is."""
        program = groups.expression
        if not isinstance(program, Top) or program.per is not None:
            return None
        key = program.key
        summed = key.folding in (Folding.SUM, Folding.AVERAGE) and len(key.path) > 1
        if not (summed or (key.counted and program.count == EVERY)):
            return None
        return key.among or reduce(Walk, key.path if key.counted else key.path[:-1], program.source)

    def _filter_group_rows(
        self, groups: Part, rows: Program, features: tuple[tuple[str, float], ...]
    ) -> Iterator[Made]:
        program = groups.expression
        assert isinstance(program, Top), "groups are ranked"
        if len(self.compute_nodes(rows)):
            key = replace(program.key, among=rows)
            made = (*features, ("each.rows", 1.0))
            yield groups.category, replace(program, key=key), groups.extra, made
