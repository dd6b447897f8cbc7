"""One question over several graphs: each is asked for itself, their answers are joined when somebody looks at them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction

from retrieval.errors import ClewError, DamagedError, EndpointError
from retrieval.events import AnswerFinal, ChainsBuilt, from_payload
from retrieval.kg.analysis.joining import Joined, Named, join
from retrieval.kg.snapshot import Snapshot
from retrieval.results import Answer
from retrieval.types import EvidenceChain, Hop
from webapp.accounts.models import User
from webapp.answers import selectors, services
from webapp.answers.models import ACTIVE, AcrossQuestion, Run, RunEvent, RunState
from webapp.api.access import Person, filter_visible
from webapp.api.errors import GraphNotReadyError, InvalidError, NotAllowedError
from webapp.graphs import endpoints, snapshots
from webapp.graphs import selectors as graph_selectors
from webapp.graphs.models import Graph
from webapp.graphs.selectors import get_endpoint

GRAPHS_MIN, GRAPHS_MAX = 2, 5
FACTS_MAX = 12
"""Facts that are told of one answer of one graph."""

_OF_THE_GRAPH = (GraphNotReadyError, DamagedError, EndpointError, NotAllowedError)
"""What is wrong with one graph and does not keep the others from answering."""

REFUSED, DELETED, HIDDEN = "refused", "deleted", "hidden"
"""Why a graph of the question has no run to show: it could not be asked, is gone with its run, or may not be seen."""


def ask(*, graphs: Sequence[Graph], ask: services.Ask, user: User) -> AcrossQuestion:
    """Ask one question of several graphs. One that cannot be asked is kept with the reason.

    Raises:
        InvalidError: too few graphs, too many, or one twice.
        ClewError: as :func:`services.create_run`; where every graph refuses, as the first does.
    """
    if not GRAPHS_MIN <= len(graphs) <= GRAPHS_MAX or len({graph.pk for graph in graphs}) < len(graphs):
        raise InvalidError(
            f"A question is asked of {GRAPHS_MIN} to {GRAPHS_MAX} different graphs at once.",
            hint="Choose other graphs, or ask one alone.",
        )
    question = services.check_question(ask.question)
    with transaction.atomic():
        across = AcrossQuestion.objects.create(question=question, user=user)
        entries: list[dict[str, Any]] = []
        refusals: list[ClewError] = []
        for graph in graphs:
            entry: dict[str, Any] = {"graph": graph.pk, "name": graph.name, "run": None, "error": None}
            try:
                run = services.create_run(graph=graph, ask=ask, user=user)
            except _OF_THE_GRAPH as error:
                refusals.append(error)
                entry["error"] = {"code": error.code, "message": error.message, "hint": error.hint}
            else:
                Run.objects.filter(pk=run.pk).update(across=across)
                entry["run"] = str(run.pk)
            entries.append(entry)
        if len(refusals) == len(graphs):
            raise refusals[0]
        across.entries = entries
        across.save(update_fields=["entries"])
    return across


def render_question(across: AcrossQuestion, user: Person) -> dict[str, Any]:
    """A question over several graphs as a person may see it, with what is found by now."""
    runs = {run.pk: run for run in filter_visible(selectors.list_runs().filter(across=across), user)}
    seen = set(filter_visible(Graph.objects.all(), user).values_list("pk", flat=True))
    is_own = across.user_id is not None and across.user_id == user.pk
    entries = [_render_entry(entry, runs, seen, is_own=is_own) for entry in across.entries]
    graph_answers = [_load_answer(entry["run"]) for entry in entries]
    return {
        "id": across.pk,
        "question": across.question,
        "created_at": across.created_at,
        "going": any(run.state in (*ACTIVE, RunState.PAUSED) for run in runs.values()),
        "graphs": [
            {**entry, "text": "" if graph_answer is None else graph_answer.text}
            for entry, graph_answer in zip(entries, graph_answers, strict=True)
        ],
        "answers": [
            _render_joined(answer, graph_answers)
            for answer in join([[] if graph_answer is None else graph_answer.named for graph_answer in graph_answers])
        ],
    }


def _render_entry(entry: dict[str, Any], runs: dict[UUID, Run], seen: set[int], *, is_own: bool) -> dict[str, Any]:
    """A graph of the question: its run, or why there is none."""
    run = None if entry["run"] is None else runs.get(UUID(entry["run"]))
    graph = Graph.objects.filter(pk=entry["graph"], deleted_at=None).first()
    state = HIDDEN
    if run is not None:
        state = run.state
    elif graph is None or (graph.pk in seen and entry["run"] is not None):
        state = DELETED
    elif graph.pk in seen:
        state = REFUSED
    may_name = graph is not None and graph.pk in seen
    return {
        "graph": entry["graph"] if may_name else None,
        "name": graph.name if graph is not None and may_name else entry["name"] if is_own else "",
        "state": state,
        "run": run,
        "error": entry["error"] if state == REFUSED else None,
    }


@dataclasses.dataclass(frozen=True, slots=True)
class _GraphAnswer:
    """What one graph answers."""

    text: str
    answers: tuple[Answer, ...]
    named: list[Named]
    chains: tuple[EvidenceChain, ...]


def _load_answer(run: Run | None) -> _GraphAnswer | None:
    """What a run that is done found, as its log tells it."""
    if run is None or run.state != RunState.DONE:
        return None
    rows = RunEvent.objects.filter(run=run, type__in=[ChainsBuilt.type, AnswerFinal.type]).order_by("seq")
    chains: tuple[EvidenceChain, ...] = ()
    final: AnswerFinal | None = None
    for payload in rows.values_list("payload", flat=True):
        event = from_payload(payload)
        if isinstance(event, ChainsBuilt):
            chains = event.chains
        elif isinstance(event, AnswerFinal):
            final = event
    if final is None:
        return None
    iris = _find_iris(run, [answer.entity.id for answer in final.answers if answer.entity is not None])
    names = [
        Named(
            answer.label,
            answer.score,
            "" if answer.entity is None else iris.get(answer.entity.id, ""),
            answer.guess,
        )
        for answer in final.answers
    ]
    return _GraphAnswer(final.text, final.answers, names, chains)


def _find_iris(run: Run, entities: Iterable[int]) -> dict[int, str]:
    """The IRIs of entities that have one, of the version that the run asked."""
    if get_endpoint(run.graph) is not None:
        return endpoints.find_iris(run.graph_id, entities)
    version = graph_selectors.find_version(run.graph, run.snapshot_hash)
    if version is None:
        return {}
    try:
        snapshot: Snapshot = snapshots.open_snapshot(version.path)
    except DamagedError:
        return {}
    return {entity: snapshot.get_entity_iri(entity) for entity in entities if entity < snapshot.num_entities}


def _render_joined(joined: Joined, graph_answers: Sequence[_GraphAnswer | None]) -> dict[str, Any]:
    """A joined answer, with what each graph says for it."""
    members = []
    for member in joined.members:
        graph_answer = graph_answers[member.graph]
        assert graph_answer is not None  # only what was found is joined
        answer, name = graph_answer.answers[member.answer], graph_answer.named[member.answer]
        facts = _collect_facts(answer, graph_answer.chains)
        members.append(
            {
                "place": member.graph,
                "by": member.by,
                "label": answer.label,
                "entity": None if answer.entity is None else answer.entity.id,
                "iri": name.iri,
                "score": answer.score,
                "verified": answer.verified,
                "facts": [dataclasses.asdict(hop) for hop in facts[:FACTS_MAX]],
                "facts_total": len(facts),
            }
        )
    return {**dataclasses.asdict(joined), "members": members}


def _collect_facts(answer: Answer, chains: Sequence[EvidenceChain]) -> list[Hop]:
    """The hops of its chains that lead to an answer, in their order, each fact once."""
    facts: dict[tuple[int, str, int], Hop] = {}
    for chain in (chains[number] for number in answer.chains if number < len(chains)):
        hops = list(chain.hops)
        if answer.entity is not None:
            reached, leading = {answer.entity.id}, []
            for hop in reversed(hops):
                if hop.target.id in reached:
                    leading.append(hop)
                    reached.add(hop.source.id)
            hops = leading[::-1]
        for hop in hops:
            head, tail = (hop.target, hop.source) if hop.step.inverse else (hop.source, hop.target)
            facts.setdefault((head.id, hop.step.name, tail.id), hop)
    return list(facts.values())
