"""A sample of a whole endpoint: of each kind and each relation a few facts, so that a question's words find what they
stand for. What is asked of the whole graph has a limit, so that an endpoint of any size can give it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from retrieval.kg.sparql.endpoint import ResultColumn
from retrieval.kg.sparql.names import FACTS_OF, NAMES_OF, NAMING, EntityNaming, split_batches
from retrieval.kg.sparql.subgraph_cache import Facts

if TYPE_CHECKING:
    import pyoxigraph as ox

KINDS_OF = (
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
    "http://www.wikidata.org/prop/direct/P31",
)
"""Predicates that lead to the kind of a node."""

#: Predicates and kinds that are looked at, the commonest first.
_PREDICATES, _KINDS = 150, 80
#: Facts of each predicate, members of each kind and facts of these, and the least and largest numbers of a predicate.
_FACTS, _MEMBERS, _MEMBER_FACTS, _EXTREMES = 25, 8, 120, 8
#: Nodes whose kind and values are asked for.
_DESCRIBED = 2_000
#: A predicate leads to numbers when so many of its sampled ends are.
_MOSTLY = 0.8
_NAMES = frozenset(part.strip("<>") for part in NAMING.split())


class Sampling(EntityNaming):
    """What an opened endpoint can be asked about the whole of its graph."""

    def sample_overview(self) -> Facts:
        """Facts of every common predicate and of members of every common kind, with the extremes of numbers.

        Raises:
            EndpointError: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
        """
        collected: dict[ox.Triple, None] = {}
        predicates = self._list_commonest("SELECT ?x (COUNT(*) AS ?n) WHERE { ?s ?x ?o }", _PREDICATES)
        spoken = self._write_language_filter("?o", "!isLiteral(?o) || ")
        numbers: list[str] = []
        for predicate, facts in self._sample_each(
            [p for p in predicates if p not in _NAMES],
            f"{{ SELECT ?s ?p ?o WHERE {{ VALUES ?p {{ <%s> }} ?s ?p ?o . {spoken} }} LIMIT {_FACTS} }}",
        ):
            collected.update(dict.fromkeys(facts))
            if sum(map(self._is_number, facts)) >= _MOSTLY * len(facts):
                numbers.append(predicate)
        for order in ("ASC", "DESC"):
            query = (
                f"{{ SELECT ?s ?p ?o WHERE {{ VALUES ?p {{ <%s> }} ?s ?p ?o . FILTER(isNumeric(?o)) }} "
                f"ORDER BY {order}(?o) LIMIT {_EXTREMES} }}"
            )
            for _, facts in self._sample_each(numbers, query):
                collected.update(dict.fromkeys(facts))
        for kind_of in KINDS_OF:
            if kind_of in predicates:
                collected.update(self._sample_members(kind_of))
        collected.update(self.fetch_descriptions(collected))
        return Facts(collected)

    def fetch_descriptions(self, facts: Iterable[ox.Triple]) -> dict[ox.Triple, None]:
        """The kinds and values of the entities of some facts."""
        ends = (term for fact in facts for term in (fact.subject, fact.object))
        nodes = list(dict.fromkeys(str(term) for term in ends if isinstance(term, self._ox.NamedNode)))
        kinds = ", ".join(f"<{iri}>" for iri in KINDS_OF)
        kept = f"FILTER(isLiteral(?o) || ?p IN ({kinds})) {self._write_language_filter('?o', '!isLiteral(?o) || ')}"
        collected: dict[ox.Triple, None] = {}
        for part in split_batches(nodes[:_DESCRIBED], NAMES_OF):
            query = f"SELECT ?s ?p ?o WHERE {{ VALUES ?s {{ {' '.join(part)} }} ?s ?p ?o . {kept} }} LIMIT 10000"
            collected.update(dict.fromkeys(self._select_triples(query)))
        return collected

    def fetch_kinds(self, iris: Sequence[str]) -> dict[ox.Triple, None]:
        """The facts that say of what kind some entities are.

        Raises:
            EndpointError: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
        """
        kinds = " ".join(f"<{iri}>" for iri in KINDS_OF)
        collected: dict[ox.Triple, None] = {}
        for part in split_batches([str(self._ox.NamedNode(iri)) for iri in iris], NAMES_OF):
            query = f"VALUES ?s {{ {' '.join(part)} }} VALUES ?p {{ {kinds} }} ?s ?p ?o"
            collected.update(dict.fromkeys(self._select_triples(f"SELECT ?s ?p ?o WHERE {{ {query} }} LIMIT 10000")))
        return collected

    def fetch_among(self, iris: Sequence[str], texts: Sequence[str], limit: int) -> Facts:
        """Facts from some entities to some entities and values.

        Args:
            texts: values, as they are written; whatever their type or language.
            limit: facts at most; ``truncated`` says that there are more.

        Raises:
            EndpointError: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
        """
        nodes = [str(self._ox.NamedNode(iri)) for iri in iris]
        values = " ".join(str(self._ox.Literal(text)) for text in texts)
        collected: dict[ox.Triple, None] = {}
        for part in split_batches(nodes, NAMES_OF):
            heads = f"VALUES ?s {{ {' '.join(part)} }}"
            for other in split_batches(nodes, NAMES_OF):
                query = f"SELECT ?s ?p ?o WHERE {{ {heads} VALUES ?o {{ {' '.join(other)} }} ?s ?p ?o }}"
                collected.update(dict.fromkeys(self._select_triples(f"{query} LIMIT {limit + 1}")))
            if values:
                kept = f"FILTER(isLiteral(?o) && STR(?o) = ?text) {self._write_language_filter('?o')}"
                query = f"SELECT ?s ?p ?o WHERE {{ {heads} ?s ?p ?o . VALUES ?text {{ {values} }} {kept} }}"
                collected.update(dict.fromkeys(self._select_triples(f"{query} LIMIT {limit + 1}")))
        kept_facts = dict.fromkeys(sorted(collected, key=str)[:limit])
        return Facts(kept_facts, truncated=len(collected) > limit)

    def _sample_members(self, kind_of: str) -> dict[ox.Triple, None]:
        kinds = self._list_commonest(f"SELECT ?x (COUNT(*) AS ?n) WHERE {{ ?s <{kind_of}> ?x }}", _KINDS)
        spoken = self._write_language_filter("?o", "!isLiteral(?o) || ")
        query = (
            f"{{ SELECT ?s ?p ?o WHERE {{ {{ SELECT ?s WHERE {{ ?s <{kind_of}> <%s> }} LIMIT {_MEMBERS} }} "
            f"?s ?p ?o . {spoken} }} LIMIT {_MEMBER_FACTS} }}"
        )
        return dict.fromkeys(fact for _, facts in self._sample_each(kinds, query) for fact in facts)

    def _list_commonest(self, query: str, limit: int) -> list[str]:
        rows = self._endpoint.select(
            f"{query} GROUP BY ?x ORDER BY DESC(?n) LIMIT {limit}", x=ResultColumn.TERM, n=ResultColumn.MAYBE_NUMBER
        )
        return [row["x"].value for row in rows if isinstance(row["x"], self._ox.NamedNode)]

    def _sample_each(self, iris: Sequence[str], query: str) -> Iterable[tuple[str, list[ox.Triple]]]:
        """The facts that a query gives for each IRI in it, and that of each predicate among them."""
        for part in split_batches(iris, FACTS_OF):
            by_predicate: dict[str, list[Any]] = {}
            parts = [query.replace("%s", self._ox.NamedNode(iri).value) for iri in part]
            for fact in self._select_triples(f"SELECT ?s ?p ?o WHERE {{ {' UNION '.join(parts)} }}"):
                by_predicate.setdefault(fact.predicate.value, []).append(fact)
            yield from by_predicate.items()

    def _select_triples(self, query: str) -> list[ox.Triple]:
        """The facts that a query gives, but for names and blank nodes."""
        rows = self._endpoint.select(query, s=ResultColumn.TERM, p=ResultColumn.IRI, o=ResultColumn.TERM)
        return [
            self._ox.Triple(row["s"], row["p"], row["o"])
            for row in rows
            if row["p"].value not in _NAMES and not any(isinstance(row[end], self._ox.BlankNode) for end in ("s", "o"))
        ]

    def _is_number(self, fact: ox.Triple) -> bool:
        end = fact.object
        return isinstance(end, self._ox.Literal) and end.datatype.value.rpartition("#")[2] in _NUMERIC


_NUMERIC = frozenset(
    ("integer", "decimal", "double", "float", "int", "long", "short", "nonNegativeInteger", "positiveInteger")
)
