"""Sums of money: what a verb such as "spent" sums, of whom, for what and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from retrieval.programs.algebra.operations import And, Fold, Having, Key, Top, Walk
from retrieval.programs.grammar.constituents import Made, Part, has_sum_word, make_comparison, mark_rule
from retrieval.programs.grammar.rules.values import ValueRules
from retrieval.programs.grounding.relation_types import parse_stems

#: Stems of relations that lead to who paid.
_PAYING = parse_stems("paid spent spender payer buyer donor investor")


class SumRules(ValueRules):
    """See the module."""

    @mark_rule("FS")
    def _apply_fold_to_both(self, number: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "How much did Ben pay for transport": of what Ben paid, what was for transport."""
        del forward, gap
        fold = number.expression
        if not isinstance(fold, Fold) or isinstance(fold.source, Having) or not has_sum_word(number):
            return
        for relation, share in self.find_bridges(of.expression, fold.source):
            both = And(fold.source, Walk(of.expression, relation))
            features = (("sum.both", 1.0), ("sum.both.share", share))
            yield "F", replace(fold, source=both), None, features

    @mark_rule("TF", "NF", "TD", "ND")
    def _filter_fold_by_time(self, compared: Part, number: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "Spending in March", "total profit in 2021", "the highest total profit in 2021": of what was then."""
        fold = number.expression
        if not isinstance(fold, Fold):
            return
        when = "sum.when" if has_sum_word(number) else "fold.when"
        rows = Part("S", number.first, number.last, fold.source, "walk", 0.0, ())
        for category, program, _, features in self.filter_set(make_comparison(compared), rows, not forward, gap):
            if category == "S" and program is not None:
                yield number.category, replace(fold, source=program), number.extra, (*features, (when, 1.0))

    def find_payers(self, ranked: Part) -> Iterator[Made]:
        """ "Who paid the most": of all whom a relation of the verb, or of people, leads to from what was paid."""
        fold, rank = ranked.expression, ranked.extra
        if not isinstance(fold, Fold) or self.asked != "who":
            return
        rows, people = self.compute_nodes(fold.source), self.schema.somebody
        for relation in self.schema.find_shared_relations(rows):
            is_payment = bool(set(self.schema.relations[relation % len(self.schema.relations)].stems) & _PAYING)
            reached = self.compute_nodes(Walk(fold.source, relation))
            if relation < len(self.schema.relations) and (is_payment or people[reached].all()):
                back = self.schema.get_inverse(relation)
                key = replace(fold.key, path=(back, *fold.key.path), folding=fold.how)
                program = Top(Having(back), key, rank.largest, rank.rank, rank.count)
                yield "S", program, "top", (("sum.payers", 1.0), ("sum.payers.named", float(is_payment)))

    def find_doers(self, most: Part) -> Iterator[Made]:
        """ "Who placed the most orders": of the people that all such rows have."""
        (rank, through), rows = most.extra, self.compute_nodes(most.expression)
        if self.asked != "who" or through is not None or not self.schema.surrogates[0][rows].all():
            return
        for relation in self.schema.find_shared_relations(rows):
            reached = self.compute_nodes(Walk(most.expression, relation))
            if relation < len(self.schema.relations) and self.schema.somebody[reached].all():
                back = self.schema.get_inverse(relation)
                key = Key((back,), counted=True, among=most.expression)
                yield (
                    "S",
                    Top(Having(back), key, rank.largest, rank.rank, rank.count),
                    "top",
                    (("most.doers", 1.0),),
                )
