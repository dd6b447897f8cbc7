"""A graph from another graph's passages: what is missing for it, and starting it."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import IntegrityError, transaction

from webapp.accounts.models import User
from webapp.api.errors import InvalidError, NoPassagesError, NotConfiguredError
from webapp.api.failures import NO_ERROR
from webapp.graphs import announce, services, snapshots
from webapp.graphs.models import Graph, GraphState
from webapp.jobs import services as jobs
from webapp.jobs.models import Job, JobKind
from webapp.language_models import selectors as language_models

INSTEAD = "ask the passages as they are, with the method text-rag, or upload a graph that has facts"
MERGE = 0.93
"""Cosine from which two names become one entity, unless another is chosen."""
FORMS = ("own", "graphrag", "kggen")
"""Whose questions a language model is asked: Clew's own, or in GraphRAG's or KGGen's form."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An extraction as it was asked for. The limits are of this job; None is no limit."""

    name: str
    llm: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    merge: float = MERGE
    form: str = FORMS[0]


def count_passages(graph: Graph) -> int:
    """How many passages a graph has.

    Raises:
        GraphNotReadyError: it has no snapshot.
    """
    table = snapshots.open_current(graph).passages
    return 0 if table is None else len(table)


def find_obstacle(graph: Graph) -> NoPassagesError | NotConfiguredError | None:
    """Why nothing can be extracted from a graph's passages, and what can be done; None when something can.

    Raises:
        GraphNotReadyError: it has no snapshot.
    """
    try:
        _require(graph, None)
    except (NoPassagesError, NotConfiguredError) as error:
        return error
    return None


def _require(graph: Graph, llm: int | None) -> language_models.LanguageModel:
    if not count_passages(graph):
        raise NoPassagesError(
            f"The graph {graph.name} holds no passages to read facts in.",
            hint="Choose one that was made from documents.",
        )
    return language_models.resolve_model(llm, INSTEAD)


def start_extraction(*, source: Graph, wanted: Wanted, user: User) -> tuple[Graph, Job]:
    """Make a graph and queue the job that fills it.

    An extraction from the same graph that failed under the same name is gone on with: what was paid for is kept.

    Raises:
        GraphNotReadyError: the source has no snapshot.
        NoPassagesError: it has no text.
        NotConfiguredError: no language model is set up.
        InvalidError: there is no such language model.
        NameTakenError: another graph has this name.
    """
    model = _require(source, wanted.llm)
    if not 0 < wanted.merge <= 1:
        raise InvalidError(f"Names cannot be merged from {wanted.merge:g} on.", hint="Choose more than 0, at most 1.")
    try:
        with transaction.atomic():
            graph = _reset_failed(source, wanted.name)
            if graph is None:
                services.release_name(wanted.name, user=user)
                graph = Graph.objects.create(name=wanted.name, created_by=user, owner=user)
            job = jobs.create(
                kind=JobKind.EXTRACT,
                title=f"Read facts of {source.name}",
                graph=graph,
                user=user,
                params={
                    "source": source.pk,
                    "llm": model.id,
                    "max_tokens": wanted.max_tokens,
                    "max_cost": wanted.max_cost,
                    "merge": wanted.merge,
                    "form": wanted.form,
                },
            )
            announce.notify_graph_on_commit(graph.pk)
    except IntegrityError:
        raise services.make_name_error(wanted.name) from None
    return graph, job


def _reset_failed(source: Graph, name: str) -> Graph | None:
    """The graph of a failed extraction, ready to be filled again."""
    failed = Graph.objects.filter(name=name, state=GraphState.FAILED, snapshot=None, deleted_at=None)
    graph = failed.select_for_update().first()
    last = graph.jobs.filter(kind=JobKind.EXTRACT).first() if graph else None
    if graph is None or last is None or last.params["source"] != source.pk:
        return None
    for column, value in {"state": GraphState.IMPORTING, **NO_ERROR}.items():
        setattr(graph, column, value)
    graph.save(update_fields=["state", *NO_ERROR])
    return graph
