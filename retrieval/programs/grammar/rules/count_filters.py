"""Sets filtered by how many of something each has."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval.kg.snapshot.arrays import find_common
from retrieval.programs.algebra.operations import Having
from retrieval.programs.grammar.constituents import Made, Part, mark_rule
from retrieval.programs.grammar.rules.base import Rules


class CountFilterRules(Rules):
    """Filter by a comparison of which the counted set is known."""

    @mark_rule("PS")
    def _filter_set_by_count(self, compared: Part, of: Part, forward: bool, gap: str) -> Iterator[Made]:
        ways: list[tuple[tuple[int, ...], float]] = [
            ((relation,), share) for relation, share in self.find_bridges(compared.expression, of.expression)
        ]
        for path, share in ways or self.find_far_bridges(compared.expression, of.expression):
            onward = tuple(self.schema.get_inverse(relation) for relation in reversed(path))
            program = self.filter_by_count(of.expression, onward, compared.expression, compared.extra)
            if program is not None:
                order = "PS" if forward else "SP"
                features = self.compute_bridge_features(path[-1], share, "count", compared, of)
                far = ("bridge.two", float(len(path) > 1))
                yield "S", program, "filter", (*features, far, (f"count.{order}.{gap}", 1.0))

    @mark_rule("PR")
    def _filter_by_relation_count(self, compared: Part, relating: Part, forward: bool, gap: str) -> Iterator[Made]:
        """ "Acted in more than one film": as many of the set as a relation that is named leads to."""
        del gap
        relation, order = relating.extra.relation, "PR" if forward else "RP"
        for directed, way in ((relation, "value"), (self.schema.get_inverse(relation), "owner")):
            if not len(
                find_common(
                    self.compute_nodes(compared.expression),
                    self.compute_nodes(Having(self.schema.get_inverse(directed))),
                )
            ):
                continue
            program = self.filter_by_count(Having(directed), (directed,), compared.expression, compared.extra)
            if program is not None:
                features = (("count.through", 1.0), (f"count.through.{way}.{order}", 1.0),
                            ("count.empty", float(not len(self.compute_nodes(program)))))  # fmt: skip
                yield "S", program, "filter", features
