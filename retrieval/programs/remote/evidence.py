"""The facts of an endpoint by which a program gave what it gave, as far as they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from retrieval.errors import ProgramError
from retrieval.kg.sparql.endpoint import ResultColumn
from retrieval.kg.sparql.names import split_batches
from retrieval.programs.algebra.operations import Filter, Fold, Having, KeyOf, Program, Top, Walk, walk
from retrieval.programs.algebra.table_operations import Table, list_table_paths

if TYPE_CHECKING:
    import pyoxigraph as ox

    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.remote.queries import ProgramResults, Select

#: Nodes of a set, and of all, whose facts are shown; nodes of one query, and facts of one answer.
_OF_A_SET, _NODES, _ASKED, _FACTS = 50, 300, 100, 2_000
#: Facts of one answer where all are needed: endpoints commonly give 10,000 rows at most.
_ALL_FACTS = 5_000


class EndpointEvidence:
    """Pulls the facts of a program.

    Args:
        sample: the program's ids are of it.
        ox: pyoxigraph.
    """

    def __init__(self, select: Select, sample: Snapshot, ox: Any) -> None:
        self._select, self._sample, self._ox = select, sample, ox

    def collect_facts(self, program: Program, results: ProgramResults) -> dict[ox.Triple, None]:
        """The facts that join the first nodes of a program's sets, and those that lead to their values.

        Args:
            results: what its parts gave, outermost first.

        Raises:
            ProgramError: it is a table of too many facts.
            EndpointError, Cancelled: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
        """
        shown = self._select_terms(program, results)
        triples: dict[ox.Triple, None] = {}
        walked = {node.relation for node in walk(program) if isinstance(node, Walk)}
        if walked and shown:
            triples.update(dict.fromkeys(self._find_joining_facts(shown, walked)))
        for path in self._list_paths(program):
            for facts in self._walk_path(shown, path):
                triples.update(dict.fromkeys(facts))
        if isinstance(program, Table):
            members = results.parts[program.source].terms
            for path in list_table_paths(program):
                for facts in self._walk_path(members, path, complete=True):
                    triples.update(dict.fromkeys(facts))
        return triples

    def _walk_path(
        self, front: Sequence[Any], path: Iterable[int], *, complete: bool = False
    ) -> Iterator[list[ox.Triple]]:
        """The facts of each step of a path of directed relations.

        Args:
            front: the terms that it leads from.
            complete: all of them, not only those that are shown.

        Raises:
            ProgramError: all are too many.
        """
        for relation in path:
            facts = list(self._find_leaving_facts(front, relation, complete=complete))
            yield facts
            inverse = relation >= self._sample.num_relations
            ends = dict.fromkeys(fact.subject if inverse else fact.object for fact in facts)
            front = [end for end in ends if isinstance(end, self._ox.NamedNode)]
            front = front if complete else front[:_NODES]

    def _select_terms(self, program: Program, results: ProgramResults) -> list[Any]:
        """Terms of the program's entities and of the first nodes of its sets, the outermost sets' first."""
        terms: dict[Any, None] = {}
        for ranked in results.keys.values():
            terms.update((term, None) for term, _ in ranked[:_OF_A_SET])
        for part in walk(program):
            known = results.parts.get(part)
            if known is not None:
                terms.update(dict.fromkeys(known.terms[:_OF_A_SET]))
            for node in getattr(part, "ids", ())[:_OF_A_SET]:
                if iri := self._sample.get_entity_iri(node):
                    terms[self._ox.NamedNode(iri)] = None
        return [term for term in terms if not isinstance(term, self._ox.BlankNode)][:_NODES]

    def _list_paths(self, program: Program) -> Iterator[tuple[int, ...]]:
        """The paths that a program reads values along, each once."""
        paths: dict[tuple[int, ...], None] = {}
        for node in walk(program):
            if isinstance(node, Having):
                paths[node.relation,] = None
            elif isinstance(node, Filter | Top | Fold | KeyOf):
                paths[node.key.path] = None
                if extra := node.key.times or node.key.less:
                    paths[*node.key.path[:-1], *extra] = None
            if isinstance(node, Top) and node.per is not None:
                paths[node.per] = None
        return iter(paths)

    def _find_joining_facts(self, shown: Sequence[Any], relations: Iterable[int]) -> Iterator[ox.Triple]:
        """Facts of some relations between the nodes that are shown."""
        forward = {relation % self._sample.num_relations for relation in relations}
        predicates = " ".join(f"<{self._sample.get_relation_name(relation)}>" for relation in sorted(forward))
        ends = " ".join(map(str, shown))
        subjects = [str(term) for term in shown if isinstance(term, self._ox.NamedNode)]
        for part in split_batches(subjects, _ASKED):
            yield from self._query_facts(
                f"VALUES ?s {{ {' '.join(part)} }} VALUES ?p {{ {predicates} }} ?s ?p ?o . VALUES ?o {{ {ends} }}"
            )

    def _find_leaving_facts(self, front: Sequence[Any], relation: int, *, complete: bool) -> Iterator[ox.Triple]:
        """Facts of a directed relation from some nodes."""
        inverse, forward = divmod(relation, self._sample.num_relations)
        side = "?o" if inverse else "?s"
        terms = [str(term) for term in front if inverse or isinstance(term, self._ox.NamedNode)]
        predicate = f"<{self._sample.get_relation_name(forward)}>"
        for part in split_batches(terms, _ASKED):
            where = f"VALUES {side} {{ {' '.join(part)} }} VALUES ?p {{ {predicate} }} ?s ?p ?o ."
            yield from self._query_facts(where, complete=complete)

    def _query_facts(self, where: str, *, complete: bool = False) -> Iterator[ox.Triple]:
        columns = {"s": ResultColumn.TERM, "p": ResultColumn.IRI, "o": ResultColumn.TERM}
        most = _ALL_FACTS if complete else _FACTS
        rows = self._select(f"SELECT ?s ?p ?o WHERE {{ {where} }} LIMIT {most}", **columns)
        if complete and len(rows) == most:
            raise ProgramError(
                "A column of the table is computed of more facts than an endpoint is asked for.",
                hint="Ask about fewer things, or import what you need of the endpoint as a graph.",
            )
        for row in rows:
            if not any(isinstance(row[end], self._ox.BlankNode) for end in ("s", "o")):
                yield self._ox.Triple(row["s"], row["p"], row["o"])
