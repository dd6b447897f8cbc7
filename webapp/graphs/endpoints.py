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
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.sparql.graph import Probe, SparqlGraph
from retrieval.kg.sparql.options import SparqlOptions
from retrieval.kg.sparql.subgraph_cache import SubgraphCache, get_term
from webapp.accounts.models import User
from webapp.api.concurrency import release_connection
from webapp.api.errors import BusyError
from webapp.api.failures import NO_ERROR, build_error_columns
from webapp.graphs import announce, browse, pictures, services
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


def get_connection(endpoint: GraphEndpoint) -> Connection:
    """How an endpoint is asked."""
    values = {each.name: getattr(endpoint, each.name) for each in dataclasses.fields(Connection)}
    return Connection(**{**values, "languages": tuple(values["languages"])})


@cache
def get_subgraph_cache() -> SubgraphCache:
    """What this process pulled lately. It lies where uploads arrive, which is emptied at the start."""
    return SubgraphCache(Path(settings.FILE_UPLOAD_TEMP_DIR))


@contextmanager
def open_endpoint(
    connection: Connection, *, cancelled: Callable[[], bool] = lambda: False, **options: Any
) -> Iterator[SparqlGraph]:
    """An endpoint opened for asking.

    Args:
        connection: where.
        options: that differ from the connection's.

    Raises:
        NotAllowedError: the operator has not listed its host (any more).
        ConfigError: an option makes no sense.
    """
    remote_sources.require_host(connection.url, "Graphs may not be asked at")
    chosen = dataclasses.replace(connection.options, **options)
    with SparqlGraph(connection.url, chosen, cancelled=cancelled, pulls=get_subgraph_cache()) as remote:
        yield remote


@contextmanager
def _open_for_request(connection: Connection, **options: Any) -> Iterator[SparqlGraph]:
    """An endpoint opened while a request waits. No connection to the database is held meanwhile.

    Raises:
        BusyError: too many wait already.
    """
    if not _waiting.acquire(blocking=False):
        raise BusyError("Many are waiting for endpoints just now.", hint="Try again in a moment.")
    try:
        release_connection()
        with open_endpoint(connection, timeout=min(connection.timeout, PATIENCE_S), **options) as remote:
            yield remote
    finally:
        _waiting.release()


def _run_probe(connection: Connection) -> Probe:
    with _open_for_request(connection) as remote:
        return remote.check_connection()


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
    probe = _run_probe(connection)
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
            services.release_name(name, user=user)
            graph.save(force_insert=True)
            GraphEndpoint.objects.create(graph=graph, **dataclasses.asdict(connection), **_build_health(probe))
            announce.notify_graph_on_commit(graph.pk)
    except IntegrityError:
        raise services.make_name_error(name) from None
    return graph


def update_endpoint(*, endpoint: GraphEndpoint, connection: Connection) -> GraphEndpoint:
    """Ask a graph elsewhere, or otherwise, from now on; nothing changes unless that answers.

    Raises:
        NotAllowedError, SourceError: as :func:`connect`.
    """
    return _save_values(endpoint, **dataclasses.asdict(connection), **_build_health(_run_probe(connection)))


def check(*, endpoint: GraphEndpoint) -> GraphEndpoint:
    """Try the endpoint now, and keep what came of it."""
    try:
        health = _build_health(_run_probe(get_connection(endpoint)))
    except ClewError as error:
        health = {
            "checked_at": timezone.now(),
            "took_ms": None,
            **build_error_columns(error),
        }
    return _save_values(endpoint, **health)


def _build_health(probe: Probe) -> dict[str, Any]:
    return {"checked_at": timezone.now(), "took_ms": probe.took_ms, "named": probe.named, **NO_ERROR}


def _save_values(endpoint: GraphEndpoint, **values: Any) -> GraphEndpoint:
    for name, value in values.items():
        setattr(endpoint, name, value)
    endpoint.save(update_fields=list(values))
    announce.notify_graph_on_commit(endpoint.graph_id)
    return endpoint


# --- numbers of entities ------------------------------------------------------------------------------


def assign_numbers(graph_id: int, terms: Sequence[str]) -> dict[str, int]:
    """The number of each term, given now where it has none yet. Terms are spelt as :class:`EndpointTerm` says."""
    keys = {term: hashlib.sha256(term.encode()).hexdigest() for term in terms}
    known = _find_numbers(graph_id, keys.values())
    missing = [term for term, key in keys.items() if key not in known]
    if missing:
        rows = [EndpointTerm(graph_id=graph_id, key=keys[term], term=term) for term in missing]
        EndpointTerm.objects.bulk_create(rows, batch_size=1000, ignore_conflicts=True)
        known |= _find_numbers(graph_id, [keys[term] for term in missing])
    return {term: known[key] for term, key in keys.items()}


def _find_numbers(graph_id: int, keys: Iterable[str]) -> dict[str, int]:
    rows = EndpointTerm.objects.filter(graph=graph_id, key__in=list(keys))
    return dict(rows.values_list("key", "pk"))


def require_iris(graph_id: int, wanted: Sequence[int]) -> list[str]:
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
            what = f"“{known[1:]}” is a value" if known.startswith('"') else "This node has no name of its own"
            raise UnknownEntityError(
                f"{what}: an endpoint cannot be asked about it.", hint="Look around from an entity beside it."
            )
    return [terms[number][1:] for number in wanted]


def find_iris(graph_id: int, wanted: Iterable[int]) -> dict[int, str]:
    """The IRIs of those numbers that have one."""
    rows = EndpointTerm.objects.filter(graph=graph_id, pk__in=set(wanted), term__startswith="<")
    return {number: term[1:] for number, term in rows.values_list("pk", "term")}


# --- looking around -----------------------------------------------------------------------------------


def fetch_sample(endpoint: GraphEndpoint) -> Snapshot:
    """Facts of each common relation and kind, pulled now or lately.

    Raises:
        EmptySourceError: the endpoint holds nothing.
        EndpointError, BusyError: as :func:`search_entities`.
    """
    with _open_for_request(get_connection(endpoint)) as remote:
        return remote.fetch_overview().snapshot


def search_entities(endpoint: GraphEndpoint, text: str, limit: int) -> list[dict[str, Any]]:
    """The entities of exactly this name or IRI; none for no text.

    Raises:
        EndpointError: the endpoint does not answer.
        BusyError: too many wait for one already.
    """
    with _open_for_request(get_connection(endpoint)) as remote:
        matches = remote.search(text)[: min(limit, FOUND_MAX)]
        labels = remote.get_names(match.iri for match in matches)
    ids = assign_numbers(endpoint.graph_id, ["<" + match.iri for match in matches])
    return [
        {
            "id": ids["<" + match.iri],
            "label": labels.get(match.iri, match.iri),
            "kind": "entity",
            "about": match.iri,
            "degree": match.facts,
            "score": 1.0,
            "source": "exact",
        }
        for match in matches
    ]


def list_neighbours(endpoint: GraphEndpoint, *, entity: int, **query: Any) -> dict[str, Any]:
    """What lies around an entity, as :func:`browse.list_neighbours`: of a hub the first facts only, which ``cut`` says.

    Raises:
        UnknownEntityError: the number is no entity's, or the endpoint has no facts of it.
        EndpointError, BusyError: as :func:`search_entities`.
    """
    (iri,) = require_iris(endpoint.graph_id, [entity])
    with _open_for_request(get_connection(endpoint), hops=1) as remote:
        subgraph = remote.fetch_subgraph([iri])
    graph = subgraph.snapshot
    (topic,) = subgraph.topics
    shown = browse.list_neighbours(graph, entity=topic, **query)
    terms = {node["id"]: get_term(graph, node["id"]) for node in _list_nodes(shown)}
    number_by_term = assign_numbers(endpoint.graph_id, list(terms.values()))
    for node in _list_nodes(shown):
        node["id"] = number_by_term[terms[node["id"]]]
    return {**shown, "cut": subgraph.truncated}


def draw_picture(endpoint: GraphEndpoint, wanted: Sequence[int]) -> dict[str, Any]:
    """Entities and values with the facts among them, as :func:`pictures.draw_picture`; a value without a fact is
    missing.

    Raises:
        EndpointError, BusyError: as :func:`search_entities`.
    """
    rows = EndpointTerm.objects.filter(graph=endpoint.graph_id, pk__in=wanted)
    terms: Mapping[int, str] = dict(rows.values_list("pk", "term"))
    entity_iris = sorted(term[1:] for term in terms.values() if term.startswith("<"))
    texts = sorted(term[1:] for term in terms.values() if term.startswith('"'))
    if not entity_iris:
        return {"nodes": [], "hops": [], "total": 0, "missing": sorted(set(wanted)), "kinds": []}
    with _open_for_request(get_connection(endpoint), hops=1) as remote:
        facts = remote.fetch_among(entity_iris, texts, pictures.FACTS_MAX)
        graph = remote.build_subgraph(
            remote.add_names(facts, remote.fetch_kinds(entity_iris), alone=entity_iris)
        ).snapshot
    here = {get_term(graph, entity): entity for entity in range(graph.num_entities)}
    number_of = {here[known]: number for number, known in terms.items() if known in here}
    shown = pictures.draw_picture(graph, list(number_of))
    for node in (*shown["nodes"], *(hop[end] for hop in shown["hops"] for end in ("source", "target"))):
        node["id"] = number_of[node["id"]]
    for node in shown["nodes"]:
        node["degree"] = None  # the endpoint was not asked for all its facts
    return {
        **shown,
        "nodes": sorted(shown["nodes"], key=_get_number),
        "missing": sorted(set(wanted) - set(number_of.values())),
        "total": shown["total"] + facts.truncated,
    }


def _get_number(node: dict[str, Any]) -> int:
    number: int = node["id"]
    return number


def find_paths(endpoint: GraphEndpoint, source: int, target: int, max_hops: int) -> dict[str, Any]:
    """The shortest paths between two entities in what is pulled around both, as :func:`pictures.find_paths`.

    ``truncated`` also where a limit cut off some of that.

    Raises:
        UnknownEntityError: a number is no entity's, or the endpoint has no facts of it.
        EndpointError, BusyError: as :func:`search_entities`.
    """
    ends = require_iris(endpoint.graph_id, [source, target])
    with _open_for_request(get_connection(endpoint), hops=-(-max_hops // 2)) as remote:
        subgraph = remote.fetch_subgraph(ends)
    graph = subgraph.snapshot
    here = {get_term(graph, topic): topic for topic in subgraph.topics}
    if any("<" + iri not in here for iri in ends):
        return {"paths": [], "truncated": subgraph.truncated}
    shown = pictures.find_paths(graph, here["<" + ends[0]], here["<" + ends[1]], max_hops)
    nodes = [hop[end] for path in shown["paths"] for hop in path for end in ("source", "target")]
    terms = {node["id"]: get_term(graph, node["id"]) for node in nodes}
    number_by_term = assign_numbers(endpoint.graph_id, list(terms.values()))
    for node in nodes:
        node["id"] = number_by_term[terms[node["id"]]]
    return {**shown, "truncated": shown["truncated"] or subgraph.truncated}


def _list_nodes(shown: dict[str, Any]) -> list[dict[str, Any]]:
    return [shown["node"], *(hop[end] for hop in shown["hops"] for end in ("source", "target"))]
