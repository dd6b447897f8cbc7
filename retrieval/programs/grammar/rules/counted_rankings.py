"""Rankings by how many of something each has, or by what it all comes to: who won the most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.adjectives import SUPERLATIVES
from retrieval.language.amounts import Folding
from retrieval.programs.algebra.operations import Fold, Having, Key, Program, Top, Walk
from retrieval.programs.grammar.constituents import Made, Part, has_sum_word, mark_rule
from retrieval.programs.grammar.rules.group_rows import GroupRowRules
from retrieval.programs.grounding.anchors.anchor import Ranking

#: What "highest" and "lowest" say of places; of a sum or average they say that it is.
_HIGH = SUPERLATIVES["highest"][0].nouns


class CountedRankingRules(GroupRowRules):
    """Rank a set by a count, or by a sum or average."""

    @mark_rule("UQ")
    def _rank_bare_count(self, ranking: Part, cue: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "The highest number of": the count cue adds nothing."""
        del cue, gap
        if forward:
            rank: Ranking = ranking.extra
            yield (
                "U",
                None,
                replace(rank, adjective=type(rank.adjective)(()), met=False, value=False),
                (("most.number", 1.0),),
            )

    @mark_rule("BS")
    def _rank_by_count(self, most: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        rank, through = most.extra
        order = "BS" if forward else "SB"
        if len(self.compute_nodes(of.expression)) < 2:
            return
        if through is not None:
            ways = [(relation, 1.0) for relation in (through, self.schema.get_inverse(through))]
            ways = [
                (r, share)
                for r, share in ways
                if len(find_common(self.compute_nodes(of.expression), self.compute_nodes(Walk(most.expression, r))))
            ]
        else:
            ways = self.find_bridges(most.expression, of.expression)
        paths: list[tuple[tuple[int, ...], float]] = [((relation,), share) for relation, share in ways]
        if not paths and through is None:
            paths = self.find_far_bridges(most.expression, of.expression)
        for path, share in paths:
            relation = path[-1]
            key = Key(tuple(self.schema.get_inverse(r) for r in reversed(path)), counted=True, among=most.expression)
            places = min(rank.count, self._count_owners(of.expression, most.expression, path))
            program = Top(of.expression, key, rank.largest, rank.rank, places)
            features = (
                *self.compute_bridge_features(relation, share, "most", most, of),
                ("bridge.two", float(len(path) > 1)),
            )
            yield (
                "S",
                program,
                "top",
                (*features, (f"most.by.{order}.{gap}", 1.0), ("most.through", float(through is not None))),
            )

    def _count_owners(self, owners: Program, counted: Program, path: tuple[int, ...]) -> int:
        """How many have any of what is counted, at least 1: of two that do, three have no most."""
        return max(1, len(find_common(self.compute_nodes(owners), self.compute_nodes(reduce(Walk, path, counted)))))

    @mark_rule("BR")
    def _rank_through_relation(self, most: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        rank, through = most.extra
        if through is not None:
            return
        relation = relating.extra.relation
        order = "BR" if forward else "RB"
        for directed in (relation, self.schema.get_inverse(relation)):
            owners = self.compute_nodes(Walk(most.expression, directed))
            if not len(owners):
                continue
            back = self.schema.get_inverse(directed)
            key = Key((back,), counted=True, among=most.expression)
            program = Top(Having(back), key, rank.largest, rank.rank, rank.count)
            way = "value" if directed == relation else "owner"
            yield (
                "S",
                program,
                "top",
                (("most.relation", 1.0), (f"most.relation.{order}.{way}", 1.0), (f"most.relation.{gap}", 1.0)),
            )

    @mark_rule("BR")
    def _rank_by_value(self, most: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "The top 3 products by unit price"."""
        (rank, through), relation = most.extra, relating.extra.relation
        if not forward or through is not None or self.executor.columns.get_value_type(relation) is None:
            return
        if gap == "by" and len(
            find_common(self.compute_nodes(most.expression), self.executor.columns.list_sources(relation))
        ):
            largest = rank.largest != (relation in self.schema.placings)
            yield (
                "S",
                Top(most.expression, Key((relation,)), largest, rank.rank, rank.count),
                "top",
                (("top.by", 1.0),),
            )

    @mark_rule("UF")
    def _rank_fold(self, ranking: Part, number: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "The highest average price": of what, is said by the set that follows or went before."""
        del gap
        rank: Ranking = ranking.extra
        if (
            (forward or has_sum_word(number))  # "paid the most"
            and isinstance(number.expression, Fold)
            and number.expression.how in (Folding.AVERAGE, Folding.SUM)
            and (not rank.adjective.nouns or (forward and rank.adjective.nouns == _HIGH))
        ):
            yield "D", number.expression, rank, (("rank.folded", 1.0),)

    @mark_rule("DS")
    def _rank_by_fold(self, ranked: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        del forward
        fold, rank = ranked.expression, ranked.extra
        if not isinstance(fold, Fold) or len(self.compute_nodes(of.expression)) < 2:
            return
        if len(find_common(self.compute_nodes(of.expression), self.compute_nodes(fold.source))):
            paths: list[tuple[tuple[int, ...], float]] = [(fold.key.path, 1.0)]
        else:
            paths = [
                ((self.schema.get_inverse(r), *fold.key.path), s)
                for r, s in self.find_bridges(fold.source, of.expression)
            ]
        for path, share in paths:
            key = self.build_group_key(fold, path[: len(path) - len(fold.key.path)], of.expression)
            if key is None:
                continue
            program = Top(of.expression, key, rank.largest, rank.rank, rank.count)
            yield (
                "S",
                program,
                "top",
                (
                    ("top.fold", 1.0),
                    ("top.fold.share", share),
                    ("top.fold.far", float(len(path) > 1)),
                    (f"top.fold.{gap}", 1.0),
                ),
            )
