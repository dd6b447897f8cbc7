"""Composes two neighbouring parts of a question by the rules of their categories."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from retrieval.language.amounts import ValueKind
from retrieval.programs.algebra.operations import And, Program, Walk, iter_children
from retrieval.programs.grammar.constituents import Made, Part
from retrieval.programs.grammar.rules.count_filters import CountFilterRules
from retrieval.programs.grammar.rules.counted_rankings import CountedRankingRules
from retrieval.programs.grammar.rules.groups import GroupRules
from retrieval.programs.grammar.rules.negation import NegationRules
from retrieval.programs.grammar.rules.numbers import NumberRules
from retrieval.programs.grammar.rules.rankings import RankingRules
from retrieval.programs.grammar.rules.sets import SetRules
from retrieval.programs.grammar.rules.sums import SumRules


class ProgramComposer(
    SetRules, SumRules, RankingRules, CountFilterRules, CountedRankingRules, GroupRules, NumberRules, NegationRules
):
    """Composes the parts of one question; made for it, see :class:`.rules.base.Rules`."""

    def compose(self, left: Part, right: Part, gap: str) -> Iterator[Made]:
        """What two neighbouring parts may make together.

        Args:
            left: stands first.
            right: stands after it.
            gap: :func:`~retrieval.language.words.get_gap_class` of what stands between.
        """
        for name, forward in _RULES.get((left.category, right.category), ()):
            method: Callable[[Part, Part, bool, str], Iterator[Made]] = getattr(self, name)
            for made in method(left, right, True, gap) if forward else method(right, left, False, gap):
                if made[1] is None or not self._is_joined_by_number(made[1]):
                    yield made

    def _is_joined_by_number(self, program: Program, deep: int = 3) -> bool:
        """Whether things are joined by a number that says different things of them, or by a yes: 40 hours, 40 seats."""
        known = self._numbered.get(program)
        if known is None:
            known = self._numbered[program] = deep > 0 and (
                self._has_number_turn(program)
                or any(self._is_joined_by_number(child, deep - 1) for child in iter_children(program))
            )
        return known

    def _has_number_turn(self, program: Program) -> bool:
        if not isinstance(program, Walk) or program.relation < self.schema.snapshot.num_relations:
            return False
        source, back = program.source, program.relation - self.schema.snapshot.num_relations
        for side in (source.left, source.right) if isinstance(source, And) else (source,):
            if not isinstance(side, Walk) or side.relation == back:
                continue
            kind = self.schema.columns.get_value_type(side.relation)
            if kind is not None:
                return kind.kind is ValueKind.NUMBER and not kind.year
            if side.relation in self.schema.truths:
                return True
        return False

    def generate_completions(self, part: Part) -> Iterator[Made]:
        """What a ranking, comparison or "not" of nothing in particular is of: all that may have the value."""
        if part.category == "U" and part.extra.adjective.nouns:
            yield from self.rank_all(part.extra)
        elif part.category == "T":
            yield from self.filter_all(part.extra)
        elif part.category == "D":
            yield from self.find_payers(part)
        elif part.category == "B":
            yield from self.find_doers(part)
        elif part.category == "Y" and part.extra in ("having", "walk"):
            yield from self.find_all_but(part)

    def can_compose(self, left: str, right: str) -> bool:
        """Whether parts of two categories compose at all."""
        return (left, right) in _RULES


def _collect_rules() -> dict[tuple[str, str], list[tuple[str, bool]]]:
    rules: dict[tuple[str, str], list[tuple[str, bool]]] = {}
    for name in dir(ProgramComposer):
        for first, second in getattr(getattr(ProgramComposer, name), "pairs", ()):
            rules.setdefault((first, second), []).append((name, True))
            if first != second:
                rules.setdefault((second, first), []).append((name, False))
    return rules


_RULES = _collect_rules()
