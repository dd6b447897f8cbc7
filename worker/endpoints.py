"""Asking graphs that live in a SPARQL endpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from retrieval.events import Event, from_plain
from retrieval.types import Turn
from webapp.answers.models import Run
from webapp.graphs import endpoints
from webapp.graphs.models import GraphEndpoint
from worker import engines, language_models

if TYPE_CHECKING:
    from retrieval.programs.remote.conversation import TurnThere


def _numbering(graph_id: int) -> Callable[[Sequence[str]], Mapping[str, int]]:
    """The numbers of terms, each asked of the database once: most paths of a run are about the same entities."""
    known: dict[str, int] = {}

    def numbers(terms: Sequence[str]) -> Mapping[str, int]:
        missing = [term for term in terms if term not in known]
        if missing:
            known.update(endpoints.numbers(graph_id, missing))
        return known

    return numbers


def _there(graph_id: int, turn: Turn) -> TurnThere:
    """The question before, by IRIs in place of numbers; values are left out."""
    from retrieval.programs.remote.conversation import DenotedThere, TurnThere  # noqa: PLC0415 - as below

    numbered = (*turn.topics, *turn.answers, *(node for own in turn.denoted for node in own.ids))
    known = endpoints.known_iris(graph_id, numbered)

    def iris(of: Iterable[int]) -> tuple[str, ...]:
        return tuple(known[node] for node in of if node in known)

    denoted = (DenotedThere(own.start, own.end, iris(own.ids)) for own in turn.denoted)
    return TurnThere(
        turn.question, iris(turn.topics), iris(turn.answers), tuple(own for own in denoted if own.iris)
    )


def events_of(run: Run, endpoint: GraphEndpoint, *, cancelled: Callable[[], bool]) -> Iterator[Event]:
    """The events of a run on a graph in an endpoint, with the entities' numbers of that graph.

    Raises:
        NotAllowedError: the operator has not listed the endpoint's host any more.
        UnknownEntityError: an entity that was given is none.
    """
    from retrieval.methods._shared.endpoint_engine import EndpointAsking, EndpointRequest  # noqa: PLC0415 - loads torch

    given = tuple(endpoints.iris(run.graph_id, run.entities))
    follows = None if run.context is None else _there(run.graph_id, from_plain(Turn, run.context))
    request = EndpointRequest(run.question, given, run.budget, run.seed, run.program, follows)
    with endpoints.opened(endpoints.connection_of(endpoint), cancelled=cancelled) as remote:
        asking = EndpointAsking(
            remote,
            run.method,
            engines.encoder(),
            _numbering(run.graph_id),
            run.reasoner,
            language_models.settings_of(run.llm) if run.llm is not None else None,
            options=tuple(sorted(run.options.items())),
        )
        yield from asking.run(request, cancelled=cancelled)
