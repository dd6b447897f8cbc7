"""Rankings: superlatives, places, the most of something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.adjectives import SUPERLATIVES
from retrieval.language.amounts import Comparison, Folding, ValueKind
from retrieval.language.words import Quantity, get_label_stems
from retrieval.programs.algebra.operations import Constant, Except, Filter, Fold, Having, Key, Program, Top, Walk
from retrieval.programs.grammar.constituents import Made, Part, has_sum_word, mark_rule
from retrieval.programs.grammar.rules.base import Rules
from retrieval.programs.grounding.anchors.anchor import Features, Ranking
from retrieval.programs.grounding.relation_types import load_stems

#: What compares the popular: below this nothing is known of it but how often something is met.
_MEASURED = 0.8

#: What "big" and "great" compare first, and stems of what is big by the money that it was.
_SIZES = frozenset({"area", "size"})
_PAYMENTS = load_stems("payment_nouns")
#: What "highest" and "lowest" say of places; of a sum or average they say that it is.
_HIGH = SUPERLATIVES["highest"][0].nouns


class RankingRules(Rules):
    """See the module."""

    @mark_rule("UR")
    def _rank_relation(self, ranking: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        rank: Ranking = ranking.extra
        relation = relating.extra.relation
        order = "UR" if forward else "RU"
        if self.anchors.adjectives.is_of_another(rank.adjective, relation):
            for known, up, quality in self.anchors.adjectives.find_relations(rank.adjective)[:1]:
                largest = rank.largest == up
                program = Top(Having(relation), Key((known,)), largest, rank.rank, rank.count)
                yield (
                    "S",
                    program,
                    "top",
                    ((f"rank.{order}", 1.0), ("rank.top", 1.0), ("top.adjective", quality)),
                )
            return
        if self.executor.columns.get_value_type(relation) is not None:
            largest = rank.largest
            if rank.adjective.nouns:
                ups = [
                    up for known, up, _ in self.anchors.adjectives.find_relations(rank.adjective) if known == relation
                ]
                largest = rank.largest == ups[0] if ups else rank.largest
            elif relation in self.schema.placings:
                largest = not rank.largest  # at the top is who has the first place
                if rank.count > 1 and rank.largest:
                    within = Filter(Having(relation), Key((relation,)), Comparison.AT_MOST, Constant(float(rank.count)))
                    yield "S", within, "filter", ((f"rank.within.{order}", 1.0), ("rank.within", 1.0))
            if forward and not rank.adjective.nouns and relation in self.schema.measures.added:
                total = Fold(Folding.SUM, Having(relation), Key((relation,)))
                yield "D", total, rank, (("rank.sum", 1.0),)
            key = Key((relation,))
            features: Features = ((f"rank.{order}", 1.0), (f"rank.{order}.{gap}", 1.0),
                                  ("rank.named", float(bool(rank.adjective.nouns))))  # fmt: skip
            yield (
                "S",
                Top(Having(relation), key, largest, rank.rank, rank.count),
                "top",
                (*features, ("rank.top", 1.0)),
            )
            if rank.rank == rank.count == 1:
                how = Folding.MOST if largest else Folding.LEAST
                value = float(forward and gap == "none" and self.asked == "what is")
                extreme = float(rank.value and forward and self.asked not in ("which", "who", "where"))
                yield "F", Fold(how, Having(relation), key), None, (
                    *features, ("rank.fold", 1.0), ("rank.fold.what", value), ("rank.fold.extreme", extreme),
                )  # fmt: skip
            return
        if rank.adjective.nouns and self.anchors.adjectives.find_relations(rank.adjective):
            return  # what is expensive has a price; how many there are of it is another question
        for directed in (relation, self.schema.get_inverse(relation)):
            key = Key((directed,), counted=True)
            way = "value" if directed == relation else "owner"
            features = (
                (f"rank.count.{order}.{way}", 1.0),
                (f"rank.count.{gap}", 1.0),
                ("rank.count.named", float(bool(rank.adjective.nouns))),
            )
            yield "S", Top(Having(directed), key, rank.largest, rank.rank, rank.count), "top", features

    @mark_rule("US")
    def _rank_set(self, ranking: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        rank: Ranking = ranking.extra
        nodes = self.compute_nodes(of.expression)
        order = "US" if forward else "SU"
        columns = self.executor.columns
        known = self.anchors.adjectives.find_relations(rank.adjective)
        common_ones = not known or (rank.met and max(quality for *_, quality in known) < _MEASURED)
        valued = len(nodes) > 0 and bool(columns.kinds[nodes].all())
        common_ones = common_ones and (rank.met or not valued)  # the maximum price is no common one
        met = of.expression.source if isinstance(of.expression, Except) else of.expression
        if of.extra == "walk" and isinstance(met, Walk) and common_ones and len(nodes) > 1:
            yield from self._rank_by_frequency(rank, of.expression, met, f"{order}.{gap}")
        if rank.met and isinstance(of.expression, Having) and of.extra == "ends" and common_ones:
            key = Key((of.expression.relation,), counted=True)
            program: Program = Top(of.expression, key, rank.largest, rank.rank, rank.count)
            yield (
                "S",
                program,
                "top",
                (("top.met", 1.0), (f"top.met.{order}.{gap}", 1.0), ("top.met.all", 1.0)),
            )
        if rank.adjective.nouns:
            tried = 0
            for relation, up, quality in [
                *self._list_amounts(rank, of),
                *self.anchors.adjectives.find_relations(rank.adjective),
            ]:
                share = len(find_common(nodes, columns.list_sources(relation))) / max(1, len(nodes))
                if not share:
                    continue
                program = Top(of.expression, Key((relation,)), rank.largest == up, rank.rank, rank.count)
                features = (
                    ("top", 1.0), (f"top.{order}.{gap}", 1.0), ("top.adjective", quality), ("top.share", share),
                    ("top.tried", float(tried)), ("top.similar", self.get_similarity(relation)), (f"top.{of.extra}",
                    1.0),
                    (f"lex:top>{self.schema.relations[relation].label}", 1.0), ("top.single", float(len(nodes) == 1)),
                )  # fmt: skip
                yield "S", program, "top", features
                tried += 1
                if tried == 3:
                    break
            if not tried:
                yield from self._rank_by_joined_value(rank, of, f"{order}.{gap}")
        counted = not rank.adjective.nouns or (rank.met and common_ones)
        if counted and len(nodes) and not columns.kinds[nodes].any():
            yield (
                "B",
                of.expression,
                (rank, None),
                (("most", 1.0), (f"most.{order}.{gap}", 1.0), (f"most.{of.extra}", 1.0)),
            )
        if (
            not rank.adjective.nouns
            and len(nodes) > 1
            and columns.kinds[nodes].all()
            and isinstance(of.expression, Walk)
        ):
            how = Folding.MOST if rank.largest else Folding.LEAST
            yield (
                "F",
                Fold(how, of.expression.source, Key((of.expression.relation,))),
                None,
                (("fold.rank", 1.0), (f"fold.rank.{order}", 1.0)),
            )

    def _rank_by_frequency(self, rank: Ranking, of: Program, met: Walk, how: str) -> Iterator[Made]:
        """ "The most common country of the players", "the top 3 directors of comedies": by how many have each."""
        key = Key((self.schema.get_inverse(met.relation),), counted=True, among=met.source)
        program = Top(of, key, rank.largest, rank.rank, rank.count)
        yield (
            "S",
            program,
            "top",
            (("top.met", 1.0), (f"top.met.{how}", 1.0), ("top.met.several", float(rank.count > 1))),
        )

    @mark_rule("RS")
    def _rank_by_other_key(self, relating: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "The largest country by population": what follows "by" is compared, not what the adjective measures."""
        ranking, relation = of.expression, relating.extra.relation
        if forward or gap != "by" or not isinstance(ranking, Top) or ranking.key.counted:
            return
        if len(find_common(self.compute_nodes(ranking.source), self.executor.columns.list_sources(relation))) and (
            self.executor.columns.get_value_type(relation) is not None
        ):
            yield "S", replace(ranking, key=Key((relation,))), "top", (("top.by", 1.0),)

    def rank_all(self, rank: Ranking) -> Iterator[Made]:
        """ "Who is the oldest": of all that has an age."""
        for tried, (relation, up, quality) in enumerate(self.anchors.adjectives.find_relations(rank.adjective)[:3]):
            program = Top(Having(relation), Key((relation,)), rank.largest == up, rank.rank, rank.count)
            features = (("bare", 1.0), ("top.adjective", quality), ("top.tried", float(tried)))
            yield "S", program, "top", features

    def _list_amounts(self, rank: Ranking, of: Part) -> list[tuple[int, bool, float]]:
        """How much money something was that is large by it: the biggest invoice, the smallest donation."""
        if of.extra != "kind" or rank.adjective.nouns[0][0] not in _SIZES:
            return []
        stems = {stem for n in range(*(of.anchored or (0, 0))) for stem in get_label_stems(self.words[n])}
        return [(r, True, 1.0) for r in self.schema.measures.amounts[:1]] if stems & _PAYMENTS else []

    def _rank_by_joined_value(self, rank: Ranking, of: Part, how: str) -> Iterator[Made]:
        """By a value of what the set is joined to: "the tallest player", whose height is the person's."""
        if self.executor.columns.kinds[self.compute_nodes(of.expression)].any():
            return  # of values, those themselves are compared
        for relation, up, quality in self.anchors.adjectives.find_relations(rank.adjective)[:2]:
            for bridge, share in self.find_bridges(of.expression, Having(relation))[:1]:
                key = Key((bridge, relation))
                program = Top(of.expression, key, rank.largest == up, rank.rank, rank.count)
                features = (
                    ("top", 1.0),
                    (f"top.{how}", 1.0),
                    ("top.adjective", quality),
                    ("top.far", 1.0),
                    ("top.share", share),
                )
                yield "S", program, "top", features

    @mark_rule("UQ")
    def _rank_bare_count(self, ranking: Part, cue: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "The highest number of": the count cue adds nothing."""
        del cue, gap
        if forward:
            rank: Ranking = ranking.extra
            bare = next(a for a in (rank,))
            yield (
                "U",
                None,
                Ranking(type(bare.adjective)(()), bare.largest, bare.rank, bare.count),
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
                (
                    ("most.relation", 1.0),
                    (f"most.relation.{order}.{way}", 1.0),
                    (f"most.relation.{gap}", 1.0),
                ),
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
            key = replace(fold.key, path=path, folding=fold.how)
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

    @mark_rule("UN")
    def _set_place_count(self, ranking: Part, number: Part, forward: bool, gap: str) -> Iterator[Made]:
        quantity: Quantity = number.extra
        value = quantity.amount
        if (
            value.dimension
            or value.kind is not ValueKind.NUMBER
            or not 1 <= value.value <= 1000
            or value.value % 1
            or quantity.upper
        ):
            return
        features = (("places", 1.0), (f"places.{'UN' if forward else 'NU'}.{gap}", 1.0))
        yield "U", None, replace(ranking.extra, count=int(value.value)), features

    @mark_rule("UO")
    def _set_place(self, ranking: Part, ordinal: Part, forward: bool, gap: str) -> Iterator[Made]:
        del gap
        if not forward and ranking.extra.rank == 1:
            yield "U", None, replace(ranking.extra, rank=ordinal.extra), (("place", 1.0),)
