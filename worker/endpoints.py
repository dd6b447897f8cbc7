"""Asking graphs that live in a SPARQL endpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from retrieval.events import Event, from_plain
from retrieval.language.question import Question
from retrieval.types import Turn
from webapp.answers.models import Run
from webapp.graphs import endpoints
from webapp.graphs.models import GraphEndpoint
from webapp.vocabulary.selectors import load_edited_vocabulary
from worker import answerers, language_models

if TYPE_CHECKING:
    from retrieval.programs.remote.conversation import TurnThere


def _make_numbering(graph_id: int) -> Callable[[Sequence[str]], Mapping[str, int]]:
    """The numbers of terms, each asked of the database once: most paths of a run are about the same entities."""
    known: dict[str, int] = {}

    def get_numbers(terms: Sequence[str]) -> Mapping[str, int]:
        missing = [term for term in terms if term not in known]
        if missing:
            known.update(endpoints.assign_numbers(graph_id, missing))
        return known

    return get_numbers


def _convert_turn(graph_id: int, turn: Turn) -> TurnThere:
    """The question before, by IRIs in place of numbers; values are left out."""
    from retrieval.programs.remote.conversation import DenotedThere, TurnThere  # noqa: PLC0415 - as below

    numbered = (
        *turn.topics,
        *turn.answers,
        *(node for denotation in turn.denoted for node in denotation.ids),
    )
    known = endpoints.find_iris(graph_id, numbered)

    def list_iris(of: Iterable[int]) -> tuple[str, ...]:
        return tuple(known[node] for node in of if node in known)

    denoted = (DenotedThere(denotation.start, denotation.end, list_iris(denotation.ids)) for denotation in turn.denoted)
    return TurnThere(
        Question(turn.question),
        list_iris(turn.topics),
        list_iris(turn.answers),
        tuple(denotation for denotation in denoted if denotation.iris),
    )


def stream_endpoint_events(run: Run, endpoint: GraphEndpoint, *, cancelled: Callable[[], bool]) -> Iterator[Event]:
    """The events of a run on a graph in an endpoint, with the entities' numbers of that graph.

    Raises:
        NotAllowedError: the operator has not listed the endpoint's host any more.
        UnknownEntityError: an entity that was given is none.
    """
    from retrieval.answering.endpoint import EndpointAnswerer  # noqa: PLC0415 - loads torch
    from retrieval.answering.endpoint_request import EndpointRequest  # noqa: PLC0415 - loads torch

    topics = tuple(endpoints.require_iris(run.graph_id, run.entities))
    follows = None if run.context is None else _convert_turn(run.graph_id, from_plain(Turn, run.context))
    request = EndpointRequest(Question(run.question), topics, run.budget, run.seed, run.program, follows)
    with endpoints.open_endpoint(endpoints.get_connection(endpoint), cancelled=cancelled) as remote:
        asking = EndpointAnswerer(
            remote,
            run.method,
            answerers.get_encoder(),
            _make_numbering(run.graph_id),
            run.reasoner,
            language_models.get_settings(run.llm) if run.llm is not None else None,
            options=tuple(sorted(run.options.items())),
            vocabulary=load_edited_vocabulary(run.graph),
        )
        yield from asking.run(request, cancelled=cancelled)
