"""The facts of an endpoint by which a program gave what it gave, as far as they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from retrieval.kg.sparql.endpoint import Column
from retrieval.kg.sparql.names import batches
from retrieval.programs.algebra import Filter, Fold, Having, KeyOf, Program, Top, Walk, walk

if TYPE_CHECKING:
    import pyoxigraph as ox

    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.remote.queries import Asked, Select

#: Nodes of a set, and of all, whose facts are shown; nodes of one query, and facts of one answer.
_OF_A_SET, _NODES, _ASKED, _FACTS = 50, 300, 100, 2_000


class Evidence:
    """Pulls the facts of a program.

    Args:
        select: asks the endpoint.
        sample: the program's ids are of it.
        ox: pyoxigraph.
    """

    def __init__(self, select: Select, sample: Snapshot, ox: Any) -> None:
        self._select, self._sample, self._ox = select, sample, ox

    def of(self, program: Program, asked: Asked) -> dict[ox.Triple, None]:
        """The facts that join the first nodes of a program's sets, and those that lead to their values.

        Args:
            program: over the sample.
            asked: what its parts gave, outermost first.

        Raises:
            EndpointError, Cancelled: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
        """
        shown = self._shown(program, asked)
        found: dict[ox.Triple, None] = {}
        walked = {node.relation for node in walk(program) if isinstance(node, Walk)}
        if walked and shown:
            found.update(dict.fromkeys(self._joining(shown, walked)))
        for path in self._paths(program):
            front = shown
            for relation in path:
                facts = list(self._leaving(front, relation))
                found.update(dict.fromkeys(facts))
                inverse = relation >= self._sample.num_relations
                ends = dict.fromkeys(fact.subject if inverse else fact.object for fact in facts)
                front = [end for end in ends if isinstance(end, self._ox.NamedNode)][:_NODES]
        return found

    def _shown(self, program: Program, asked: Asked) -> list[Any]:
        """Terms of the program's entities and of the first nodes of its sets, the outermost sets' first."""
        terms: dict[Any, None] = {}
        for ranked in asked.keys.values():
            terms.update((term, None) for term, _ in ranked[:_OF_A_SET])
        for part in walk(program):
            known = asked.parts.get(part)
            if known is not None:
                terms.update(dict.fromkeys(known.terms[:_OF_A_SET]))
            for node in getattr(part, "ids", ())[:_OF_A_SET]:
                if iri := self._sample.entity_iri(node):
                    terms[self._ox.NamedNode(iri)] = None
        return [term for term in terms if not isinstance(term, self._ox.BlankNode)][:_NODES]

    def _paths(self, program: Program) -> Iterator[tuple[int, ...]]:
        """The paths that a program reads values along, each once."""
        found: dict[tuple[int, ...], None] = {}
        for node in walk(program):
            if isinstance(node, Having):
                found[node.relation,] = None
            elif isinstance(node, Filter | Top | Fold | KeyOf):
                found[node.key.path] = None
                if beside := node.key.times or node.key.less:
                    found[*node.key.path[:-1], *beside] = None
            if isinstance(node, Top) and node.per is not None:
                found[node.per] = None
        return iter(found)

    def _joining(self, shown: Sequence[Any], relations: Iterable[int]) -> Iterator[ox.Triple]:
        """Facts of some relations between the nodes that are shown."""
        forward = {relation % self._sample.num_relations for relation in relations}
        predicates = " ".join(f"<{self._sample.relation_name(relation)}>" for relation in sorted(forward))
        ends = " ".join(map(str, shown))
        subjects = [str(term) for term in shown if isinstance(term, self._ox.NamedNode)]
        for part in batches(subjects, _ASKED):
            yield from self._facts(
                f"VALUES ?s {{ {' '.join(part)} }} VALUES ?p {{ {predicates} }} ?s ?p ?o . VALUES ?o {{ {ends} }}"
            )

    def _leaving(self, front: Sequence[Any], relation: int) -> Iterator[ox.Triple]:
        """Facts of a directed relation from some nodes."""
        inverse, forward = divmod(relation, self._sample.num_relations)
        side = "?o" if inverse else "?s"
        terms = [str(term) for term in front if inverse or isinstance(term, self._ox.NamedNode)]
        for part in batches(terms, _ASKED):
            name = self._sample.relation_name(forward)
            yield from self._facts(
                f"VALUES {side} {{ {' '.join(part)} }} VALUES ?p {{ <{name}> }} ?s ?p ?o ."
            )

    def _facts(self, where: str) -> Iterator[ox.Triple]:
        columns = {"s": Column.TERM, "p": Column.IRI, "o": Column.TERM}
        for row in self._select(f"SELECT ?s ?p ?o WHERE {{ {where} }} LIMIT {_FACTS}", **columns):
            if not any(isinstance(row[end], self._ox.BlankNode) for end in ("s", "o")):
                yield self._ox.Triple(row["s"], row["p"], row["o"])
