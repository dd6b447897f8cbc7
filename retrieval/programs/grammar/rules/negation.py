"""What is left out, and what is the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

import numpy as np

from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.amounts import Comparison
from retrieval.programs.algebra.operations import (
    And,
    Constant,
    Entities,
    Except,
    Filter,
    Having,
    Key,
    Or,
    Program,
    Walk,
    walk,
)
from retrieval.programs.grammar.constituents import Made, Part, make_comparison, mark_rule
from retrieval.programs.grammar.rules.base import Rules
from retrieval.programs.grounding.anchors.anchor import Comparing, Features


class NegationRules(Rules):
    """See the module."""

    @mark_rule("XS")
    def _make_exclusion(self, cue: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        del cue, gap
        if forward:
            yield "Y", of.expression, of.extra, (("not", 1.0), (f"not.{of.extra}", 1.0))

    @mark_rule("XR")
    def _make_relation_exclusion(self, cue: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        del cue, gap
        if forward:
            relation = relating.extra.relation
            if self._can_be_zero(relation):
                some = Filter(Having(relation), Key((relation,)), Comparison.NOT_EQUAL, Constant(0.0))
                yield "Y", some, "having", (("not.relation", 1.0), ("not.zero", 1.0))
                return
            for directed in (relation, self.schema.get_inverse(relation)):
                way = "value" if directed == relation else "owner"
                yield "Y", Having(directed), "having", (("not.relation", 1.0), (f"not.relation.{way}", 1.0))

    def _can_be_zero(self, relation: int) -> bool:
        """Whether "no goals" may be nought goals."""
        return bool(np.any(self.executor.columns.get_column(relation).values == 0.0))

    @mark_rule("XH")
    def _make_kin_exclusion(self, cue: Part, kin: Part, forward: bool, gap: str) -> Iterator[Made]:
        del cue, gap
        if forward and len(kin.extra.steps) == 1:
            having: list[Program] = [Having(directed) for directed in kin.extra.steps[0]]
            yield "Y", reduce(Or, having), "having", (("not.relation", 1.0), ("not.kin", 1.0))

    def find_all_but(self, without: Part) -> Iterator[Made]:
        """Where nothing is said of whom: all of the sort of those that have a relation, but these."""
        program = without.expression
        relation = next((node.relation for node in walk(program) if isinstance(node, Having)), None)
        if relation is None and isinstance(program, Walk) and isinstance(program.source, Entities):
            relation = self.schema.get_inverse(
                program.relation
            )  # who does not speak English, of those who speak anything
        every = self.schema.find_peers(relation) if relation is not None else None
        if every is not None:
            yield "S", Except(every, program), "except", (("not.all", 1.0),)

    @mark_rule("XT", "XN")
    def _make_negated_comparison(self, cue: Part, compared: Part, forward: bool, gap: str) -> Iterator[Made]:
        del cue, gap
        valued = compared.extra if compared.category == "T" else make_comparison(compared)
        comparison = valued.comparing.comparison or (Comparison.EQUAL if valued.exact else None)
        if forward and comparison is not None and valued.upper is None:
            yield (
                "T",
                None,
                replace(valued, comparing=Comparing(comparison.negated), exact=False),
                (("not.value", 1.0),),
            )

    @mark_rule("XP")
    def _make_negated_count(self, cue: Part, compared: Part, forward: bool, gap: str) -> Iterator[Made]:
        for made in self._make_negated_comparison(cue, Part("T", 0, 0, None, compared.extra, 0.0, ()), forward, gap):
            yield "P", compared.expression, made[2], made[3]

    @mark_rule("YS")
    def _remove_from_set(self, without: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        order = "YS" if forward else "SY"
        nodes, left_out = self.compute_nodes(of.expression), self.compute_nodes(without.expression)
        shared = len(find_common(nodes, left_out))
        if shared:
            features: Features = (
                ("except", 1.0),
                (f"except.{order}.{gap}", 1.0),
                ("except.all", float(shared == len(nodes))),
            )
            yield "S", Except(of.expression, without.expression), "except", features
        if without.extra == "having" and not shared and len(nodes):
            yield "S", Except(of.expression, without.expression), "except", (("except.none", 1.0),)
            for relation, _ in self.find_bridges(without.expression, of.expression)[:2]:  # nobody bought: of no order
                program = Except(of.expression, Walk(without.expression, relation))
                yield "S", program, "except", (("except.rows", 1.0),)
        alike = self._make_parallel_set(of.expression, without.expression) if without.extra == "node" else None
        if alike is not None:
            yield "S", Except(of.expression, alike), "except", (("except.alike", 1.0),)
        if without.extra != "having":
            for relation, share in self.find_bridges(without.expression, of.expression):
                program = Except(of.expression, Walk(without.expression, relation))
                if len(self.compute_nodes(program)):
                    features = self.compute_bridge_features(relation, share, "except", without, of)
                    yield "S", program, "except", (*features, (f"except.bridge.{order}", 1.0))

    def _make_parallel_set(self, program: Program, name: Program) -> Program | None:
        """What is said of a name by what is said of another: who speaks Spanish but not German."""
        if isinstance(program, And):
            return self._make_parallel_set(program.right, name) or self._make_parallel_set(program.left, name)
        if not isinstance(program, Walk) or not isinstance(program.source, Entities):
            return None
        walked = Walk(name, program.relation)
        return walked if program.source != name and len(self.compute_nodes(walked)) else None

    @mark_rule("YS")
    def _resolve_owned_exclusion(self, without: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "Meetings that Alice is not attending": but for those that are hers."""
        del gap
        having = without.expression
        if forward or without.extra != "having" or of.extra != "node" or not isinstance(having, Having):
            return
        for directed in (having.relation, self.schema.get_inverse(having.relation)):
            program = Walk(of.expression, directed)
            if len(self.compute_nodes(program)):
                yield "Y", program, "walk", (("not.whose", 1.0),)

    @mark_rule("RY")
    def _make_value_exclusion(self, relating: Part, without: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "Whose country is not Chile": but for those of which it is."""
        if not forward or gap not in ("be", "none", "preposition") or without.extra not in ("node", "hub"):
            return
        program = Walk(without.expression, self.schema.get_inverse(relating.extra.relation))
        if len(self.compute_nodes(program)):
            yield "Y", program, "walk", (("not.of_relation", 1.0),)

    @mark_rule("MR")
    def _make_sameness(self, cue: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        del cue, gap
        yield "V", None, relating.extra.relation, (("same", 1.0), ("same.order", float(forward)))

    @mark_rule("VS")
    def _find_same(self, same: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        relation = same.extra
        program = Walk(Walk(of.expression, relation), self.schema.get_inverse(relation))
        if forward and len(self.compute_nodes(program)):
            yield (
                "S",
                program,
                "walk",
                (("same.as", 1.0), (f"same.as.{gap}", 1.0), (f"same.as.{of.extra}", 1.0)),
            )
