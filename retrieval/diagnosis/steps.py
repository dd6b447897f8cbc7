"""Diagnosis of a run that a program answered: the step that leaves the expected answer out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.diagnosis import topics
from retrieval.diagnosis.facts import build_hop
from retrieval.diagnosis.findings import LostAt, Remedy, WhyNot
from retrieval.diagnosis.programs import Loss, find_loss, remove_side, remove_step
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.rendering.names import from_named_json, to_named_json
from retrieval.programs.rendering.wording import Wording

if TYPE_CHECKING:
    from retrieval.diagnosis.case import Case
    from retrieval.events import ProgramExecuted
    from retrieval.programs.algebra.operations import Program
    from retrieval.types import Hop

READINGS = 3
"""Other readings of the question that are tried."""


def explain_loss(case: Case, executed: ProgramExecuted) -> WhyNot:
    """Where a program loses the expected answer, and what changes that."""
    snapshot = case.snapshot
    program = from_named_json(snapshot, executed.read.program)
    executor = Executor(snapshot, Columns(snapshot), case.tools.cancelled)
    case.add_check(LostAt.TOPIC, f"The question was read as: {executed.read.text}.")
    other_topic = _explain_topic(case)
    if other_topic is not None:
        return other_topic
    loss = find_loss(executor, program, case.node)
    others = _propose_readings(case, executed)
    if loss is None:
        return case.build_diagnosis(LostAt.WITHHELD, f"The program gives {case.name}, and no answer was given.", others)
    step = _find_step(executed, loss.path)
    number = next((i for i, candidate in enumerate(executed.steps) if candidate.path == step), None)
    text = executed.steps[number].text if number is not None else executed.read.text
    fact = _find_fact(executor, loss)
    remedies = [*_propose_facts(case, loss, fact), *_propose_shorter(case, program, loss, text), *others]
    for before in executed.steps[: number or 0]:
        case.add_check(LostAt.STEP, f"{before.text}: {before.value or f'{before.count:,} kept'}")
    summary = _describe_loss(case, executor, loss, text)
    stage = LostAt.FACT if loss.cause == "fact" else LostAt.STEP
    return case.build_diagnosis(stage, summary, remedies, step=number)


def _explain_topic(case: Case) -> WhyNot | None:
    """Where a name of the question was taken for an entity of another spelling."""
    linker = getattr(case.answerer, "linker", None)
    unmatched = () if linker is None or case.request.given else linker.link(case.record.question).unmatched
    phrase = next(iter(unmatched), None) or topics.find_misspelling(case)
    if phrase is None:
        return None
    remedy = topics.find_alias(case, phrase)
    if remedy is not None and remedy.entity is not None:
        summary = f"“{phrase}” was not taken for {remedy.entity.label}."
        return case.build_diagnosis(LostAt.TOPIC, summary, [remedy])
    taken = [linked for linked in case.record.linked if topics.is_part(linked.mention, phrase)]
    if not taken or not unmatched:
        return None
    summary = (
        f"The graph has no entity named “{phrase}”, and “{taken[0].mention}” was taken for {taken[0].entity.label}."
    )
    return case.build_diagnosis(LostAt.TOPIC, summary, [])


def _describe_loss(case: Case, executor: Executor, loss: Loss, text: str) -> str:
    name = case.snapshot.get_entity_label(loss.node)
    words = Wording(executor.columns)
    via = "" if loss.node == case.node else f" It would lead to {case.name}."
    noun = words.get_noun(loss.relation) if loss.relation is not None else ""
    sentence = {
        "fact": f"{name} does not come out of the step “{text}”: the graph lacks the fact ({noun}).",
        "value": f"{name} has no {noun}, so the step “{text}” leaves it out.",
        "compared": f"{name} does not pass the step “{text}”.",
        "ranked": f"{name} is in place {loss.place} at the step “{text}”.",
        "left out": f"The step “{text}” takes {name} away.",
        "other": f"The program names other things than {name} at “{text}”.",
        "number": f"The question was read as asking for a number or for yes or no, and {name} is neither.",
    }[loss.cause]
    return sentence + via


def _find_step(executed: ProgramExecuted, path: tuple[str, ...]) -> tuple[str, ...]:
    """The path of the step that tells a part of a program: its own, or the nearest one above it."""
    paths = {step.path for step in executed.steps}
    while path and path not in paths:
        path = path[:-1]
    return path


def _find_fact(executor: Executor, loss: Loss) -> Hop | None:
    """The fact that would keep the node, where it is one between two entities that are known."""
    if loss.cause != "fact" or loss.relation is None or not loss.sources or loss.sources[0] == loss.node:
        return None
    return build_hop(executor.snapshot, loss.sources[0], loss.relation, loss.node)


def _propose_facts(case: Case, loss: Loss, fact: Hop | None) -> list[Remedy]:
    if fact is not None:
        shown = f"{fact.source.label} → {fact.step.label} → {fact.target.label}"
        if fact.step.inverse:
            shown = f"{fact.target.label} → {fact.step.label} → {fact.source.label}"
        return [Remedy("fact", f"Add the fact {shown}.", case.run_trial_with(fact), fact=fact)]
    if loss.cause in ("value", "fact") and loss.relation is not None:
        _, forward = divmod(loss.relation, case.snapshot.num_relations)
        relation, name = case.snapshot.get_relation_label(forward), case.snapshot.get_entity_label(loss.node)
        return [Remedy("fact", f"Add what the graph lacks of {name}: its {relation}.")]
    return []


def _propose_shorter(case: Case, program: Program, loss: Loss, text: str) -> list[Remedy]:
    """The program without the step."""
    shorter = remove_step(program, loss.path) or remove_side(program, loss.path)
    if shorter is None:
        return []
    data = to_named_json(case.snapshot, shorter)
    return [Remedy("program", f"Leave out the step “{text}”.", case.run_trial(program=data), program=data)]


def _propose_readings(case: Case, executed: ProgramExecuted) -> list[Remedy]:
    """Other readings of the question that give the expected answer."""
    remedies = []
    for other in executed.others[:READINGS]:
        trial = case.run_trial(program=other.program)
        if trial is not None and trial.works:
            remedies.append(Remedy("program", f"Read the question as: {other.text}.", trial, program=other.program))
    return remedies
