"""A graph that stays in a SPARQL 1.1 endpoint: names are looked up there, and what is near them is pulled on demand.

What is pulled becomes a snapshot like any other, of some thousand facts, kept in a temporary directory while it is
young; every engine that needs no index can be asked of it.
"""

from __future__ import annotations

import shutil
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from retrieval.errors import EmptySourceError, EndpointError, UnknownEntityError
from retrieval.kg.snapshot.relation_names import get_local_name
from retrieval.kg.sparql.endpoint import Endpoint, ResultColumn
from retrieval.kg.sparql.names import FACTS_OF, NAMING, RDFS, split_batches
from retrieval.kg.sparql.options import SparqlOptions, check
from retrieval.kg.sparql.sampling import Sampling
from retrieval.kg.sparql.subgraph_cache import Facts, Subgraph, SubgraphCache

if TYPE_CHECKING:
    import pyoxigraph as ox

    from retrieval.kg.snapshot import Snapshot

_CLAIM = "http://wikiba.se/ontology#directClaim"
_NOTHING: Mapping[ox.Triple, None] = {}


@dataclass(frozen=True, slots=True)
class Probe:
    """What a trial query found: whether anything has a name in the languages asked for, and how long it took."""

    named: bool
    took_ms: float


class SparqlGraph(Sampling):
    """An endpoint opened for asking. Use as a context, or call :meth:`close`.

    Args:
        endpoint: its address, http or https.
        options: see :class:`SparqlOptions`.
        cancelled: asked while an answer is waited for; every method then raises ``Cancelled``.
        pulls: where subgraphs are kept; None keeps them until this graph is closed.

    Attributes:
        rename: gives the view of a snapshot that questions are read over, see ``retrieval.answering.wordings``.

    Raises:
        ConfigError: the address or an option makes no sense.
    """

    def __init__(
        self,
        endpoint: str,
        options: SparqlOptions | None = None,
        *,
        cancelled: Callable[[], bool] = lambda: False,
        pulls: SubgraphCache | None = None,
    ) -> None:
        import pyoxigraph  # noqa: PLC0415 - the web process imports this module

        self.endpoint, self.options = endpoint, options or SparqlOptions()
        check(self.options)
        self._endpoint = Endpoint(endpoint, timeout=self.options.timeout, graph=self.options.graph, cancelled=cancelled)
        self._ox = pyoxigraph
        self._own, self._pulls = pulls is None, pulls or SubgraphCache()
        self._closed = False
        self.rename: Callable[[Snapshot], Snapshot] = lambda snapshot: snapshot

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ask no more. What it kept itself goes as soon as nobody holds it."""
        self._closed = True
        if self._own:
            self._pulls.clear()

    def check_connection(self) -> Probe:
        """Ask for one fact, and for one name in the languages of the options.

        Raises:
            EmptySourceError: there are no facts.
            EndpointError: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
        """
        began = time.perf_counter()
        fact = {"s": ResultColumn.TERM, "p": ResultColumn.IRI, "o": ResultColumn.TERM}
        if not list(self._endpoint.select("SELECT ?s ?p ?o WHERE { ?s ?p ?o } LIMIT 1", **fact)):
            where = f" in the graph {self.options.graph}" if self.options.graph else ""
            raise EmptySourceError(
                f"{self.endpoint} answers, and has no facts{where}.",
                hint="Check the name of the graph; an endpoint without a default graph needs one."
                if self.options.graph
                else "Name the graph that holds them, if they are in a named one.",
            )
        names = self._endpoint.select(
            f"SELECT ?l WHERE {{ VALUES ?p {{ {NAMING} }} ?e ?p ?l . {self._write_language_filter('?l')} }} LIMIT 1",
            l=ResultColumn.LITERAL,
        )
        has_names = bool(list(names))
        return Probe(has_names, round((time.perf_counter() - began) * 1000, 1))

    def fetch_subgraph(self, topics: Sequence[str]) -> Subgraph:
        """What lies near the topics, pulled now or lately.

        Args:
            topics: IRIs.

        Raises:
            UnknownEntityError: the endpoint knows nothing of any topic.
            EndpointError: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
            Cancelled: it was.
        """
        if self._closed:
            raise EndpointError(f"{self.endpoint} was closed.", hint="Open it again.")
        key = tuple(sorted(set(topics)))
        kept = self._pulls.get((self.endpoint, self.options, key))
        if kept is not None:
            return self.rename_subgraph(kept)
        before = self._endpoint.queries
        pulled = self._fetch_near(key)
        if not pulled.triples:
            raise UnknownEntityError(
                f"{self.endpoint} knows no facts of {', '.join(key) or 'nothing'}.",
                hint="Check the IRI, or name another entity.",
            )
        subgraph = self.build_subgraph(self.add_names(pulled), key, before)
        self._pulls.keep((self.endpoint, self.options, key), subgraph)
        return self.rename_subgraph(subgraph)

    def sample(self, topics: Sequence[str]) -> Facts:
        """What lies near the topics with the kinds and values of what lies there, and a sample of the whole graph.

        It shows what a question may speak of, not all that there is of it.

        Args:
            topics: IRIs; may be none.

        Raises:
            EndpointError: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
            Cancelled: it was.
        """
        key = tuple(sorted(set(topics)))
        kept = self._pulls.facts.get((self.endpoint, self.options, "sample", key))
        if kept is not None:
            return kept
        every = self._fetch_overview()
        near = self._fetch_near(key) if key else Facts({})
        facts = self.add_names(every, {**near.triples, **self.fetch_descriptions(near.triples)})
        facts = replace(facts, truncated=near.truncated)
        self._pulls.facts.keep((self.endpoint, self.options, "sample", key), facts)
        return facts

    def _fetch_overview(self) -> Facts:
        """The sample of the whole graph, as far as the endpoint gives one: nothing where it takes too long."""
        kept = self._pulls.facts.get((self.endpoint, self.options, "overview"))
        if kept is None:
            try:
                kept = self.add_names(self.sample_overview())
            except EndpointError:
                kept = Facts({}, truncated=True)
            self._pulls.facts.keep((self.endpoint, self.options, "overview"), kept)
        return kept

    @property
    def queries(self) -> int:
        """How many were sent."""
        return self._endpoint.queries

    @property
    def is_overseen(self) -> bool:
        """Whether the endpoint gave a sample of the whole of its graph."""
        return not self._fetch_overview().truncated

    def fetch_sample(self, topics: Sequence[str]) -> Subgraph:
        """What :meth:`sample` gives as a snapshot.

        Raises:
            EmptySourceError: the endpoint said nothing of the whole of its graph in time, and there are no topics.
            EndpointError, Cancelled: as there.
        """
        key = (self.endpoint, self.options, "sample", tuple(sorted(set(topics))))
        subgraph = self._pulls.get(key)
        if subgraph is None:
            before = self._endpoint.queries
            facts = self.sample(topics)
            if not facts.triples:
                raise EmptySourceError(
                    f"{self.endpoint} did not say in time what it holds.",
                    hint="Name an entity in the question.",
                )
            subgraph = self.build_subgraph(facts, topics, before)
            self._pulls.keep(key, subgraph)
        return self.rename_subgraph(subgraph)

    def fetch_overview(self) -> Subgraph:
        """The sample of the whole graph as a snapshot, pulled now or lately; one that failed is tried again.

        Raises:
            EmptySourceError: the endpoint holds nothing.
            EndpointError: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
        """
        key = (self.endpoint, self.options, "overview")
        subgraph = self._pulls.get(key)
        if subgraph is None:
            facts = self._fetch_overview()
            subgraph = self.build_subgraph(facts if facts.triples else self.add_names(self.sample_overview()))
            self._pulls.keep(key, subgraph)
        return subgraph

    def rename_subgraph(self, subgraph: Subgraph) -> Subgraph:
        """A subgraph as questions are read over it."""
        renamed = self.rename(subgraph.snapshot)
        return subgraph if renamed is subgraph.snapshot else replace(subgraph, snapshot=renamed)

    def add_names(self, facts: Facts, more: Mapping[ox.Triple, None] = _NOTHING, alone: Iterable[str] = ()) -> Facts:
        """Facts and more of them, with the names of what they speak of.

        Args:
            facts: of this endpoint; what they name already is not asked for again.
            more: others.
            alone: IRIs of entities that need not be in any of them.

        Raises:
            EndpointError: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
        """
        known = set() if facts.names is None else {*self._list_ends(facts.triples), *_list_relations(facts.triples)}
        triples = {**facts.triples, **more}
        lonely = {str(self._ox.NamedNode(iri)) for iri in alone}
        ends = (self._list_ends(triples) | lonely) - known
        names = self._fetch_names(ends, _list_relations(triples) - known)
        unnamed = lonely - known - {str(fact.subject) for fact in names}
        for term in sorted(unnamed):
            iri = term[1:-1]
            names[
                self._ox.Triple(
                    self._ox.NamedNode(iri),
                    self._ox.NamedNode(f"{RDFS}label"),
                    self._ox.Literal(get_local_name(iri)),
                )
            ] = None
        return Facts(triples, facts.truncated, {**(facts.names or {}), **names})

    def build_subgraph(self, facts: Facts, topics: Sequence[str] = (), since: int | None = None) -> Subgraph:
        """Facts with their names as a snapshot.

        Args:
            facts: from :meth:`add_names`.
            topics: IRIs.
            since: how many queries had been sent before those that the facts came by; None for all until now.
        """
        pulled_at = datetime.now(UTC).isoformat(timespec="seconds")
        snapshot, ids = self._build(topics, facts.triples, facts.names or {})
        query_count = 0 if since is None else self._endpoint.queries - since
        return Subgraph(snapshot, ids, facts.truncated, query_count, pulled_at)

    def select(self, query: str, **columns: ResultColumn) -> list[Any]:
        """The rows of a query.

        Raises:
            EndpointError, Cancelled: see :meth:`retrieval.kg.sparql.endpoint.Endpoint.select`.
        """
        return list(self._endpoint.select(query, **columns))

    def _fetch_near(self, topics: tuple[str, ...]) -> Facts:
        """Facts within the hops of the topics, pulled now or lately."""
        kept = self._pulls.facts.get((self.endpoint, self.options, "near", topics))
        if kept is None:
            kept = Facts(*self._collect_facts(topics))
            self._pulls.facts.keep((self.endpoint, self.options, "near", topics), kept)
        return kept

    def _collect_facts(self, topics: Sequence[str]) -> tuple[dict[ox.Triple, None], bool]:
        """Facts within the hops, nearest first, and whether a limit cut some off."""
        facts: dict[ox.Triple, None] = {}
        seen, front = set(topics), list(topics)
        truncated, limit = False, 5 * self.options.per_entity
        for _ in range(self.options.hops):
            reached: dict[str, None] = {}
            for part in split_batches(front, FACTS_OF):
                shares: dict[tuple[str, str], int] = {}
                for row in self._select_facts(part, limit + 1):
                    if any(self._is_over_share(row[end], end, shares, part, limit) for end in ("s", "o")):
                        truncated = True
                        continue
                    if len(facts) >= self.options.max_triples:
                        return facts, True
                    facts[
                        self._ox.Triple(self._rename_blank_node(row["s"]), row["p"], self._rename_blank_node(row["o"]))
                    ] = None
                    for end in ("s", "o"):
                        if isinstance(row[end], self._ox.NamedNode):
                            reached[row[end].value] = None
            front = sorted(reached.keys() - seen)
            seen.update(front)
            limit = self.options.per_entity
        return facts, truncated

    def _rename_blank_node(self, term: Any) -> Any:
        """A term of the last answer. A blank node's name is that answer's own: the next may mean another by it."""
        if isinstance(term, self._ox.BlankNode):
            return self._ox.BlankNode(f"{term.value}q{self._endpoint.queries}")
        return term

    def _is_over_share(
        self, term: Any, end: str, shares: dict[tuple[str, str], int], requested: Sequence[str], limit: int
    ) -> bool:
        """Whether an entity that was asked about has given its share already in this direction."""
        if not isinstance(term, self._ox.NamedNode) or term.value not in requested:
            return False
        count = shares[term.value, end] = shares.get((term.value, end), 0) + 1
        return count > limit

    def _list_ends(self, facts: Iterable[ox.Triple]) -> set[str]:
        ends = (term for fact in facts for term in (fact.subject, fact.object))
        return {str(term) for term in ends if isinstance(term, self._ox.NamedNode)}

    def _fetch_names(self, ends: set[str], relations: set[str]) -> dict[ox.Triple, None]:
        """What names entities and relations."""
        name_pattern = self._write_name_pattern()
        languages = self._write_language_filter("?l")
        claimed = f"{{ {name_pattern} }} UNION {{ ?q <{_CLAIM}> ?e ; <{RDFS}label> ?l . {languages} }}"
        every = [
            *self._select_names(sorted(ends), name_pattern),
            *self._select_names(sorted(relations - ends), claimed),
        ]
        return dict.fromkeys(every)

    def _build(
        self, topics: Sequence[str], facts: dict[ox.Triple, None], names: dict[ox.Triple, None]
    ) -> tuple[Snapshot, tuple[int, ...]]:
        """The facts as a snapshot, and the topics' ids in it."""
        from retrieval.kg.build import build_snapshot  # noqa: PLC0415 - loads polars
        from retrieval.kg.readers.combining import merge_files  # noqa: PLC0415 - loads polars
        from retrieval.kg.readers.problems import ProblemLog  # noqa: PLC0415 - loads polars
        from retrieval.kg.readers.rdf import collect  # noqa: PLC0415 - loads polars

        log = ProblemLog(self.endpoint, lambda _: None)
        table = merge_files([collect(((fact, 0) for fact in [*facts, *names]), log, "b")])
        place = self._pulls.make_folder()
        try:
            built = build_snapshot(replace(table, sources=(self.endpoint,)), place / "graph")
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        weakref.finalize(built, shutil.rmtree, place, ignore_errors=True)
        labels = {} if table.nodes is None else dict(table.nodes.select("iri", "label").iter_rows())
        ids = [built.find_entity(labels[iri]) for iri in topics if iri in labels]
        return built, tuple(entity for entity in ids if entity is not None)


def _list_relations(facts: Iterable[ox.Triple]) -> set[str]:
    return {str(fact.predicate) for fact in facts}
