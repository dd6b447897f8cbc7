"""Why a run did not give an expected answer: where it is lost, and the smallest change that brings it, tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.answering.paths import PathAnswerer
from retrieval.answering.router import RouterAnswerer
from retrieval.diagnosis import budgets, steps, topics, walking
from retrieval.diagnosis.case import Case, Tools
from retrieval.diagnosis.findings import LostAt, Remedy, WhyNot
from retrieval.diagnosis.record import build_record
from retrieval.errors import UnknownEntityError
from retrieval.kg import search
from retrieval.language.question import Question

if TYPE_CHECKING:
    from retrieval.answering.pipeline import Answerer
    from retrieval.answering.run import AskRequest
    from retrieval.diagnosis.record import RunRecord
    from retrieval.events import Event

NEAR = 5
"""Names that are offered for one that the graph lacks."""
FAR = 6
"""Hops within which a way to the expected answer is looked for."""
NEARBY = 3
"""Hops beyond which an entity of another spelling is hardly the one that was meant."""
TEXT_ALONE = ("text-rag", "llm-only", "llm-cot")
"""Methods that walk no facts."""


def explain_missing_answer(
    answerer: Answerer,
    request: AskRequest,
    expected: int | str,
    tools: Tools,
    *,
    events: Iterable[Event] | None = None,
) -> WhyNot:
    """Find the stage at which a run loses an expected answer.

    Args:
        expected: an entity, by id or by name.
        events: what the run told; None asks the answerer again, which gives the same.

    Raises:
        QuestionError: the run broke or was stopped.
        UnknownEntityError: there is no entity of that id.
        Cancelled: ``tools.cancelled`` said so.
    """
    run_events = answerer.run(request, cancelled=tools.cancelled) if events is None else events
    record = build_record(request.question.text, run_events)
    name, node = _resolve_expected(answerer, expected)
    case = Case(_get_engine(answerer, record), request, record, name, node, tools)
    if node < 0:
        return _explain_unknown(case)
    case.add_check(LostAt.ENTITY, f"The graph has {case.name}, with {_count(case.snapshot.get_degree(node), 'fact')}.")
    place = record.find_place(node)
    if place is not None:
        of = len(record.final.answers)
        return case.build_diagnosis(LostAt.ANSWERED, f"{case.name} is answer {place} of {of}.", [])
    case.request = replace(request, question=Question(record.question), denoted=record.denoted, follows=None)
    if record.program is not None:
        return steps.explain_loss(case, record.program)
    return _explain_walk(case)


def _get_engine(answerer: Answerer, record: RunRecord) -> Answerer:
    """The answerer that answered, where a router chose one."""
    if not isinstance(answerer, RouterAnswerer) or record.routed is None:
        return answerer
    parts = [part for part in (answerer.text, answerer.graph) if part is not None]
    return next((part for part in parts if part.method == record.routed), answerer)


def _resolve_expected(answerer: Answerer, expected: int | str) -> tuple[str, int]:
    snapshot = answerer.snapshot
    if isinstance(expected, str):
        entity = snapshot.labels.resolve(expected)
        # "London" does not name London (Ontario), though it is all there is of that name.
        is_qualified = entity is not None and snapshot.get_entity_label(entity).startswith(f"{expected} (")
        return expected, -1 if entity is None or is_qualified else entity
    if not 0 <= expected < snapshot.num_entities:
        raise UnknownEntityError(f"The graph has no entity {expected}.", hint="Choose an entity from the search box.")
    return snapshot.get_entity_label(expected), expected


def _explain_unknown(case: Case) -> WhyNot:
    near = tuple(dict.fromkeys(match.node.label for match in case.snapshot.labels.search(case.expected, NEAR)))
    remedies = []
    answered = {answer.label for answer in case.record.final.answers}
    for label in near:
        if label in answered:
            text = f"Give {label}, which was answered, the other name “{case.expected}”."
            node = case.snapshot.find_entity(label)
            remedies.append(Remedy("alias", text, entity=None if node is None else case.snapshot.get_node(node)))
    if case.record.program is None and isinstance(case.answerer, PathAnswerer) and case.record.topics:
        remedies += walking.propose_facts(case, case.answerer)
    summary = f"The graph has no entity named “{case.expected}”."
    return case.build_diagnosis(LostAt.ENTITY, summary, remedies, near=near)


def _explain_walk(case: Case) -> WhyNot:
    """Of a run that no program answered."""
    record = case.record
    if case.answerer.method in TEXT_ALONE:
        return case.build_diagnosis(
            LostAt.RANK,
            f"{case.answerer.method} reads texts and walks no facts, so no step of it can be named.",
            [],
        )
    hops = (
        int(search.compute_distances(case.snapshot, list(record.topics), FAR)[case.node]) if record.topics else FAR + 1
    )
    lacking = _explain_topic(case, hops)
    if lacking is not None:
        return lacking
    names = " and ".join(linked.entity.label for linked in record.linked)
    case.add_check(LostAt.TOPIC, f"The question is about {names}.")
    if isinstance(case.answerer, PathAnswerer):
        return walking.explain_loss(case, case.answerer, hops if hops <= FAR else None)
    return budgets.explain_loss(case, hops if hops <= FAR else None)


def _explain_topic(case: Case, hops: int) -> WhyNot | None:
    """Where the question was not linked to what it is about."""
    record = case.record
    phrase = next(iter(record.unmatched), None)
    other = topics.find_alias(case, phrase) if phrase else topics.find_homonym(case)
    cut = None if phrase else topics.find_cut_name(case)
    misspelt = None if phrase else (cut or topics.find_misspelling(case))
    if other is None and misspelt:
        other = topics.find_alias(case, misspelt)
    if phrase:
        summary = f"The graph has no entity named “{phrase}”, which the question is about."
    elif other is not None:
        meant = other.entity.label if other.entity else "another"
        summary = f"The question was linked to {record.linked[0].entity.label}, and may mean {meant}."
    elif cut or (misspelt and hops > NEARBY):
        summary = f"“{misspelt}” was taken for {record.linked[0].entity.label}"
        summary += "." if cut else f", which is far from {case.name}."
    elif not record.linked:
        summary = "The question names no entity of the graph."
    else:
        return None
    return case.build_diagnosis(LostAt.TOPIC, summary, [other] if other else [])


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
