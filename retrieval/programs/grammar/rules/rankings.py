"""Rankings by a value: superlatives, places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.adjectives import SUPERLATIVES
from retrieval.language.amounts import Comparison, Folding, ValueKind
from retrieval.language.words import Quantity
from retrieval.programs.algebra.operations import Constant, Except, Filter, Fold, Having, Key, Program, Top, Walk
from retrieval.programs.grammar.constituents import Made, Part, mark_rule
from retrieval.programs.grammar.rules.base import Rules
from retrieval.programs.grounding.anchors.anchor import Features, Ranking

#: What compares the popular: below this nothing is known of it but how often something is met.
_MEASURED = 0.8

#: What "big" and "great" compare first.
_HIGH = SUPERLATIVES["highest"][0].nouns
_SIZES = frozenset({"area", "size"})


class RankingRules(Rules):
    """Rank a set by a value, or by how often each of it is met."""

    @mark_rule("UR")
    def _rank_relation(self, ranking: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        rank: Ranking = ranking.extra
        relation = relating.extra.relation
        order = "UR" if forward else "RU"
        if self.anchors.adjectives.is_of_another(rank.adjective, relation):
            for known, up, quality in self.anchors.adjectives.find_relations(rank.adjective)[:1]:
                largest = rank.largest == up
                program = Top(Having(relation), Key((known,)), largest, rank.rank, rank.count)
                yield ("S", program, "top", ((f"rank.{order}", 1.0), ("rank.top", 1.0), ("top.adjective", quality)))
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
            if forward and rank.adjective.nouns in ((), _HIGH) and relation in self.schema.measures.added:
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
        valued = columns.are_values(nodes)
        common_ones = common_ones and (rank.met or not valued)  # the maximum price is no common one
        met = of.expression.source if isinstance(of.expression, Except) else of.expression
        if of.extra == "walk" and isinstance(met, Walk) and common_ones and len(nodes) > 1:
            yield from self._rank_by_frequency(rank, of.expression, met, f"{order}.{gap}")
        if rank.met and isinstance(of.expression, Having) and of.extra == "ends" and common_ones:
            key = Key((of.expression.relation,), counted=True)
            program: Program = Top(of.expression, key, rank.largest, rank.rank, rank.count)
            yield ("S", program, "top", (("top.met", 1.0), (f"top.met.{order}.{gap}", 1.0), ("top.met.all", 1.0)))
        if rank.adjective.nouns:
            tried, listed = 0, self._list_amounts(rank, of)
            amounts = {relation for relation, *_ in listed}
            for relation, up, quality in [
                *listed,
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
                if relation in amounts and rank.adjective.nouns == _HIGH and rank.rank == rank.count == 1:
                    how = Folding.MOST if rank.largest else Folding.LEAST
                    value = float(forward and self.asked == "what is")
                    extreme = float(forward and self.asked not in ("which", "who", "where"))
                    yield "F", Fold(how, of.expression, Key((relation,))), None, (
                        ("fold.rank", 1.0), (f"fold.rank.{order}", 1.0),
                        ("rank.fold.what", value), ("rank.fold.extreme", extreme),
                    )  # fmt: skip
                tried += 1
                if tried == 3:
                    break
            if not tried:
                yield from self._rank_by_joined_value(rank, of, f"{order}.{gap}")
        counted = not rank.adjective.nouns or (rank.met and common_ones)
        if counted and len(nodes) and not columns.are_values(nodes):
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
        """The relation by which rows without names are large: to money, or to the only number that each row has. "The
        biggest invoice" is ranked by its total, "the highest salary" by its amount.
        """
        nodes, measures = self.compute_nodes(of.expression), self.schema.measures
        sizes = rank.adjective.nouns[0][0] in _SIZES or rank.adjective.nouns == _HIGH
        if not sizes or not len(nodes) or not self.schema.surrogates[0][nodes].all():
            return []
        shared = set(self.schema.find_shared_relations(nodes)) - set(measures.numbering)
        amounts = [r for r in measures.amounts if r in shared]
        numbers = [info.id for info in measures.numbers if info.id in shared]
        return [(r, True, 1.0) for r in amounts[:1] or (numbers if len(numbers) == 1 else [])]

    def _rank_by_joined_value(self, rank: Ranking, of: Part, how: str) -> Iterator[Made]:
        """By a value of what the set is joined to: "the tallest player", whose height is the person's."""
        if self.executor.columns.are_values(self.compute_nodes(of.expression)):
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
