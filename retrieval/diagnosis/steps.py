"""Diagnosis of a run that a program answered: the step that leaves the expected answer out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.diagnosis import topics
from retrieval.diagnosis.facts import as_hop
from retrieval.diagnosis.findings import LostAt, Remedy, WhyNot
from retrieval.diagnosis.programs import Loss, lost, without, without_side
from retrieval.programs.columns import Columns
from retrieval.programs.execution import Executor
from retrieval.programs.rendering.names import named, resolved
from retrieval.programs.rendering.wording import Wording

if TYPE_CHECKING:
    from retrieval.diagnosis.case import Case
    from retrieval.events import ProgramExecuted
    from retrieval.programs.algebra import Program
    from retrieval.types import Hop

READINGS = 3
"""Other readings of the question that are tried."""


def diagnosed(case: Case, told: ProgramExecuted) -> WhyNot:
    """Where a program loses the expected answer, and what changes that."""
    snapshot = case.snapshot
    program = resolved(snapshot, told.read.program)
    executor = Executor(snapshot, Columns(snapshot), case.tools.cancelled)
    case.passed(LostAt.TOPIC, f"The question was read as: {told.read.text}.")
    other_topic = _topic(case)
    if other_topic is not None:
        return other_topic
    loss = lost(executor, program, case.node)
    others = _readings(case, told)
    if loss is None:
        return case.found(LostAt.WITHHELD, f"The program gives {case.name}, and no answer was given.", others)
    step = _step_of(told, loss.path)
    number = next((i for i, one in enumerate(told.steps) if one.path == step), None)
    text = told.steps[number].text if number is not None else told.read.text
    fact = _fact(executor, loss)
    remedies = [*_facts(case, loss, fact), *_dropped(case, program, loss, text), *others]
    for before in told.steps[: number or 0]:
        case.passed(LostAt.STEP, f"{before.text}: {before.value or f'{before.count:,} kept'}")
    said = _said(case, executor, loss, text)
    stage = LostAt.FACT if loss.cause == "fact" else LostAt.STEP
    return case.found(stage, said, remedies, step=number)


def _topic(case: Case) -> WhyNot | None:
    """Where a name of the question was taken for an entity of another spelling."""
    linker = getattr(case.engine, "linker", None)
    unmatched = () if linker is None or case.request.given else linker.link(case.record.question).unmatched
    phrase = next(iter(unmatched), None) or topics.misspelt(case)
    if phrase is None:
        return None
    remedy = topics.another(case, phrase)
    if remedy is not None and remedy.entity is not None:
        said = f"“{phrase}” was not taken for {remedy.entity.label}."
        return case.found(LostAt.TOPIC, said, [remedy])
    taken = [one for one in case.record.linked if topics.is_part(one.mention, phrase)]
    if not taken or not unmatched:
        return None
    said = f"The graph has no entity named “{phrase}”, and “{taken[0].mention}” was taken for {taken[0].entity.label}."
    return case.found(LostAt.TOPIC, said, [])


def _said(case: Case, executor: Executor, loss: Loss, text: str) -> str:
    name = case.snapshot.entity_label(loss.node)
    words = Wording(executor.columns)
    via = "" if loss.node == case.node else f" It would lead to {case.name}."
    noun = words.noun(loss.relation) if loss.relation is not None else ""
    said = {
        "fact": f"{name} does not come out of the step “{text}”: the graph lacks the fact ({noun}).",
        "value": f"{name} has no {noun}, so the step “{text}” leaves it out.",
        "compared": f"{name} does not pass the step “{text}”.",
        "ranked": f"{name} is in place {loss.place} at the step “{text}”.",
        "left out": f"The step “{text}” takes {name} away.",
        "other": f"The program names other things than {name} at “{text}”.",
        "number": f"The question was read as asking for a number or for yes or no, and {name} is neither.",
    }[loss.cause]
    return said + via


def _step_of(told: ProgramExecuted, path: tuple[str, ...]) -> tuple[str, ...]:
    """The path of the step that tells a part of a program: its own, or the nearest one above it."""
    own = {step.path for step in told.steps}
    while path and path not in own:
        path = path[:-1]
    return path


def _fact(executor: Executor, loss: Loss) -> Hop | None:
    """The fact that would keep the node, where it is one between two entities that are known."""
    if loss.cause != "fact" or loss.relation is None or not loss.sources or loss.sources[0] == loss.node:
        return None
    return as_hop(executor.snapshot, loss.sources[0], loss.relation, loss.node)


def _facts(case: Case, loss: Loss, fact: Hop | None) -> list[Remedy]:
    if fact is not None:
        shown = f"{fact.source.label} → {fact.step.label} → {fact.target.label}"
        if fact.step.inverse:
            shown = f"{fact.target.label} → {fact.step.label} → {fact.source.label}"
        return [Remedy("fact", f"Add the fact {shown}.", case.tried_with(fact), fact=fact)]
    if loss.cause in ("value", "fact") and loss.relation is not None:
        _, forward = divmod(loss.relation, case.snapshot.num_relations)
        relation, name = case.snapshot.relation_label(forward), case.snapshot.entity_label(loss.node)
        return [Remedy("fact", f"Add what the graph lacks of {name}: its {relation}.")]
    return []


def _dropped(case: Case, program: Program, loss: Loss, text: str) -> list[Remedy]:
    """The program without the step."""
    shorter = without(program, loss.path) or without_side(program, loss.path)
    if shorter is None:
        return []
    data = named(case.snapshot, shorter)
    return [Remedy("program", f"Leave out the step “{text}”.", case.tried(program=data), program=data)]


def _readings(case: Case, told: ProgramExecuted) -> list[Remedy]:
    """Other readings of the question that give the expected answer."""
    found = []
    for other in told.others[:READINGS]:
        trial = case.tried(program=other.program)
        if trial is not None and trial.works:
            found.append(
                Remedy("program", f"Read the question as: {other.text}.", trial, program=other.program)
            )
    return found
