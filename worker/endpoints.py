"""Asking graphs that live in a SPARQL endpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from retrieval.events import Event
from retrieval.types import Method
from webapp.answers.models import Run
from webapp.graphs import endpoints
from webapp.graphs.models import Endpoint
from worker import engines, language_models


def events_of(run: Run, endpoint: Endpoint, *, cancelled: Callable[[], bool]) -> Iterator[Event]:
    """The events of a run on a graph in an endpoint, with the entities' numbers of that graph.

    Raises:
        NotAllowedError: the operator has not listed the endpoint's host any more.
        UnknownEntityError: an entity that was given is none.
    """
    from retrieval.engines.endpoint import EndpointAsking, EndpointRequest  # noqa: PLC0415 - loads torch

    given = tuple(endpoints.iris(run.graph_id, run.entities))
    request = EndpointRequest(run.question, given, run.budget, run.seed)
    with endpoints.opened(endpoints.connection_of(endpoint), cancelled=cancelled) as remote:
        asking = EndpointAsking(
            remote,
            Method(run.method),
            engines.encoder(),
            partial(endpoints.numbers, run.graph_id),
            run.reasoner,
            language_models.settings_of(run.llm) if run.llm is not None else None,
        )
        yield from asking.run(request, cancelled=cancelled)
