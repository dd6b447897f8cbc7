"""Graphs that live in a SPARQL endpoint: connecting and checking them, and looking around in them by queries."""

from __future__ import annotations

import dataclasses
import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from retrieval.errors import ClewError, UnknownEntityError
from retrieval.kg.sparql.graph import Probe, SparqlGraph
from retrieval.kg.sparql.options import SparqlOptions
from retrieval.kg.sparql.subgraph_cache import SubgraphCache, term
from webapp.accounts.models import User
from webapp.api.concurrency import release_connection
from webapp.api.errors import BusyError, NameTakenError
from webapp.api.failures import NO_ERROR, error_columns
from webapp.graphs import announce, browse, pictures
from webapp.graphs.models import EndpointTerm, Graph, GraphEndpoint, GraphState, Visibility
from webapp.uploads import remote_sources

PATIENCE_S = 20.0
"""The longest that a request waits for one query, in seconds; runs wait as long as their graph says."""

_waiting = threading.BoundedSemaphore(8)
"""Requests that may wait for endpoints at once: a slow endpoint must not take the others' threads."""

FOUND_MAX = 50


@dataclasses.dataclass(frozen=True, slots=True)
class Connection:
    """Where a graph lives, and how it is asked there."""

    url: str
    named_graph: str
    languages: tuple[str, ...]
    hops: int
    max_triples: int
    per_entity: int
    timeout: float

    @property
    def options(self) -> SparqlOptions:
        """For the engine."""
        return SparqlOptions(
            timeout=self.timeout,
            hops=self.hops,
            max_triples=self.max_triples,
            per_entity=self.per_entity,
            languages=self.languages,
            graph=self.named_graph or None,
        )


def connection_of(endpoint: GraphEndpoint) -> Connection:
    """How an endpoint is asked."""
    values = {each.name: getattr(endpoint, each.name) for each in dataclasses.fields(Connection)}
    return Connection(**{**values, "languages": tuple(values["languages"])})


@cache
def pulls() -> SubgraphCache:
    """What this process pulled lately. It lies where uploads arrive, which is emptied at the start."""
    return SubgraphCache(Path(settings.FILE_UPLOAD_TEMP_DIR))


@contextmanager
def opened(
    connection: Connection, *, cancelled: Callable[[], bool] = lambda: False, **options: Any
) -> Iterator[SparqlGraph]:
    """An endpoint opened for asking.

    Args:
        connection: where.
        cancelled: asked while an answer is waited for.
        options: that differ from the connection's.

    Raises:
        NotAllowedError: the operator has not listed its host (any more).
        ConfigError: an option makes no sense.
    """
    remote_sources.require_host(connection.url, "Graphs may not be asked at")
    chosen = dataclasses.replace(connection.options, **options)
    with SparqlGraph(connection.url, chosen, cancelled=cancelled, pulls=pulls()) as remote:
        yield remote


@contextmanager
def _waited_for(connection: Connection, **options: Any) -> Iterator[SparqlGraph]:
    """An endpoint opened while a request waits. No connection to the database is held meanwhile.

    Raises:
        BusyError: too many wait already.
    """
    if not _waiting.acquire(blocking=False):
        raise BusyError("Many are waiting for endpoints just now.", hint="Try again in a moment.")
    try:
        release_connection()
        with opened(connection, timeout=min(connection.timeout, PATIENCE_S), **options) as remote:
            yield remote
    finally:
        _waiting.release()


def _tried(connection: Connection) -> Probe:
    with _waited_for(connection) as remote:
        return remote.probe()


def connect(
    *,
    name: str,
    description: str,
    visibility: str = Visibility.PRIVATE,
    connection: Connection,
    user: User,
) -> Graph:
    """Make a graph of an endpoint that answers.

    Raises:
        NotAllowedError: the operator has not listed its host.
        SourceError: it cannot be reached, is too slow, is no endpoint, or holds nothing.
        NameTakenError: there is a graph of this name.
    """
    probe = _tried(connection)
    graph = Graph(
        name=name,
        description=description,
        visibility=visibility,
        created_by=user,
        owner=user,
        state=GraphState.READY,
    )
    try:
        with transaction.atomic():
            graph.save(force_insert=True)
            GraphEndpoint.objects.create(graph=graph, **dataclasses.asdict(connection), **_healthy(probe))
            announce.graph_changed_on_commit(graph.pk)
    except IntegrityError:
        raise NameTakenError(f"There is a graph named {name}.", hint="Choose another name.") from None
    return graph


def change(*, endpoint: GraphEndpoint, connection: Connection) -> GraphEndpoint:
    """Ask a graph elsewhere, or otherwise, from now on; nothing changes unless that answers.

    Raises:
        NotAllowedError, SourceError: as :func:`connect`.
    """
    return _updated(endpoint, **dataclasses.asdict(connection), **_healthy(_tried(connection)))


def check(*, endpoint: GraphEndpoint) -> GraphEndpoint:
    """Try the endpoint now, and keep what came of it."""
    try:
        found = _healthy(_tried(connection_of(endpoint)))
    except ClewError as error:
        found = {
            "checked_at": timezone.now(),
            "took_ms": None,
            **error_columns(error),
        }
    return _updated(endpoint, **found)


def _healthy(probe: Probe) -> dict[str, Any]:
    return {"checked_at": timezone.now(), "took_ms": probe.took_ms, "named": probe.named, **NO_ERROR}


def _updated(endpoint: GraphEndpoint, **values: Any) -> GraphEndpoint:
    for name, value in values.items():
        setattr(endpoint, name, value)
    endpoint.save(update_fields=list(values))
    announce.graph_changed_on_commit(endpoint.graph_id)
    return endpoint


# --- numbers of entities ------------------------------------------------------------------------------


def numbers(graph_id: int, terms: Sequence[str]) -> dict[str, int]:
    """The number of each term, given now where it has none yet. Terms are spelt as :class:`EndpointTerm` says."""
    keys = {term: hashlib.sha256(term.encode()).hexdigest() for term in terms}
    known = _known(graph_id, keys.values())
    missing = [term for term, key in keys.items() if key not in known]
    if missing:
        rows = [EndpointTerm(graph_id=graph_id, key=keys[term], term=term) for term in missing]
        EndpointTerm.objects.bulk_create(rows, batch_size=1000, ignore_conflicts=True)
        known |= _known(graph_id, [keys[term] for term in missing])
    return {term: known[key] for term, key in keys.items()}


def _known(graph_id: int, keys: Iterable[str]) -> dict[str, int]:
    rows = EndpointTerm.objects.filter(graph=graph_id, key__in=list(keys))
    return dict(rows.values_list("key", "pk"))


def iris(graph_id: int, wanted: Sequence[int]) -> list[str]:
    """The IRIs behind some numbers.

    Raises:
        UnknownEntityError: a number was given to nothing, or to what is no entity that an endpoint can be asked for.
    """
    rows = EndpointTerm.objects.filter(graph=graph_id, pk__in=wanted)
    terms: Mapping[int, str] = dict(rows.values_list("pk", "term"))
    for number in wanted:
        known = terms.get(number)
        if known is None:
            raise UnknownEntityError(
                f"The graph has no entity number {number}.", hint="Look the entity up by its name first."
            )
        if not known.startswith("<"):
            what = (
                f"“{known[1:]}” is a value" if known.startswith('"') else "This node has no name of its own"
            )
            raise UnknownEntityError(
                f"{what}: an endpoint cannot be asked about it.", hint="Look around from an entity beside it."
            )
    return [terms[number][1:] for number in wanted]


def known_iris(graph_id: int, wanted: Iterable[int]) -> dict[int, str]:
    """The IRIs of those numbers that have one."""
    rows = EndpointTerm.objects.filter(graph=graph_id, pk__in=set(wanted), term__startswith="<")
    return {number: term[1:] for number, term in rows.values_list("pk", "term")}


# --- looking around -----------------------------------------------------------------------------------


def entities(endpoint: GraphEndpoint, text: str, limit: int) -> list[dict[str, Any]]:
    """The entities of exactly this name or IRI; none for no text.

    Raises:
        EndpointError: the endpoint does not answer.
        BusyError: too many wait for one already.
    """
    with _waited_for(connection_of(endpoint)) as remote:
        found = remote.search(text)[: min(limit, FOUND_MAX)]
        labels = remote.names(one.iri for one in found)
    ids = numbers(endpoint.graph_id, ["<" + one.iri for one in found])
    return [
        {
            "id": ids["<" + one.iri],
            "label": labels.get(one.iri, one.iri),
            "kind": "entity",
            "about": one.iri,
            "degree": one.facts,
            "score": 1.0,
            "source": "exact",
        }
        for one in found
    ]


def neighbours(endpoint: GraphEndpoint, *, entity: int, **query: Any) -> dict[str, Any]:
    """What lies around an entity, as :func:`browse.neighbours`: of a hub the first facts only, which ``cut`` says.

    Raises:
        UnknownEntityError: the number is no entity's, or the endpoint has no facts of it.
        EndpointError, BusyError: as :func:`entities`.
    """
    (iri,) = iris(endpoint.graph_id, [entity])
    with _waited_for(connection_of(endpoint), hops=1) as remote:
        found = remote.subgraph([iri])
    graph = found.snapshot
    (topic,) = found.topics
    shown = browse.neighbours(graph, entity=topic, **query)
    terms = {node["id"]: term(graph, node["id"]) for node in _nodes(shown)}
    given = numbers(endpoint.graph_id, list(terms.values()))
    for node in _nodes(shown):
        node["id"] = given[terms[node["id"]]]
    return {**shown, "cut": found.truncated}


def picture(endpoint: GraphEndpoint, wanted: Sequence[int]) -> dict[str, Any]:
    """Entities and values with the facts among them, as :func:`pictures.picture`; a value without a fact is missing.

    Raises:
        EndpointError, BusyError: as :func:`entities`.
    """
    rows = EndpointTerm.objects.filter(graph=endpoint.graph_id, pk__in=wanted)
    terms: Mapping[int, str] = dict(rows.values_list("pk", "term"))
    named = sorted(term[1:] for term in terms.values() if term.startswith("<"))
    texts = sorted(term[1:] for term in terms.values() if term.startswith('"'))
    if not named:
        return {"nodes": [], "hops": [], "total": 0, "missing": sorted(set(wanted)), "kinds": []}
    with _waited_for(connection_of(endpoint), hops=1) as remote:
        facts = remote.among(named, texts, pictures.FACTS_MAX)
        graph = remote.built(remote.named(facts, remote.kinds_of(named), alone=named)).snapshot
    here = {term(graph, entity): entity for entity in range(graph.num_entities)}
    number_of = {here[known]: number for number, known in terms.items() if known in here}
    shown = pictures.picture(graph, list(number_of))
    for node in (*shown["nodes"], *(hop[end] for hop in shown["hops"] for end in ("source", "target"))):
        node["id"] = number_of[node["id"]]
    for node in shown["nodes"]:
        node["degree"] = None  # the endpoint was not asked for all its facts
    return {
        **shown,
        "nodes": sorted(shown["nodes"], key=_number),
        "missing": sorted(set(wanted) - set(number_of.values())),
        "total": shown["total"] + facts.truncated,
    }


def _number(node: dict[str, Any]) -> int:
    number: int = node["id"]
    return number


def paths(endpoint: GraphEndpoint, source: int, target: int, max_hops: int) -> dict[str, Any]:
    """The shortest paths between two entities in what is pulled around both, as :func:`pictures.paths`.

    ``truncated`` also where a limit cut off some of that.

    Raises:
        UnknownEntityError: a number is no entity's, or the endpoint has no facts of it.
        EndpointError, BusyError: as :func:`entities`.
    """
    ends = iris(endpoint.graph_id, [source, target])
    with _waited_for(connection_of(endpoint), hops=-(-max_hops // 2)) as remote:
        found = remote.subgraph(ends)
    graph = found.snapshot
    here = {term(graph, topic): topic for topic in found.topics}
    if any("<" + iri not in here for iri in ends):
        return {"paths": [], "truncated": found.truncated}
    shown = pictures.paths(graph, here["<" + ends[0]], here["<" + ends[1]], max_hops)
    nodes = [hop[end] for path in shown["paths"] for hop in path for end in ("source", "target")]
    terms = {node["id"]: term(graph, node["id"]) for node in nodes}
    given = numbers(endpoint.graph_id, list(terms.values()))
    for node in nodes:
        node["id"] = given[terms[node["id"]]]
    return {**shown, "truncated": shown["truncated"] or found.truncated}


def _nodes(shown: dict[str, Any]) -> list[dict[str, Any]]:
    return [shown["node"], *(hop[end] for hop in shown["hops"] for end in ("source", "target"))]
