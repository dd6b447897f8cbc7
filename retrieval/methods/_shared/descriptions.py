"""Answers to questions about an entity itself, "Who is X?": its kinds, its description and its main facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from retrieval.events import ChainsBuilt, Event, PathRetrieved
from retrieval.evidence.chains import build_chain, distinct_facts
from retrieval.evidence.reach import walk
from retrieval.kg.snapshot import KINDS
from retrieval.kg.snapshot.labels import normalise
from retrieval.reasoning.base import Conclusion
from retrieval.types import Answer, Beside, EvidenceChain, LinkedEntity

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.snapshot.groups import Groups
    from retrieval.pipeline import Linked, PipelineRun
    from retrieval.programs.schema import Schema

DESCRIBED = 0.95
"""How sure an answer is that says of an entity what the graph says of it."""

#: Relations whose facts are told, kinds that answer, and values that are told of a relation.
_RELATIONS, _KINDS, _VALUES = 6, 5, 3
_BE = r"(?:['’]?s|\s+(?:is|are|was|were))"
_ASKS = re.compile(
    rf"\W*(?:(?:what|who){_BE}|what\s+(?:kind|sort|type)\s+of\s+(?:thing|entity){_BE})\s+(?P<name>.+?)[\s?!.]*",
    re.IGNORECASE | re.DOTALL,
)
_ARTICLE = re.compile(r"(?:the|an?)\s+", re.IGNORECASE)


def find_described(question: str, linked: Linked, schema: Schema) -> LinkedEntity | None:
    """Return the entity that a question asks about as a whole; None where it asks for something of one."""
    match = _ASKS.fullmatch(question)
    if match is None:
        return None
    start, end = match.span("name")
    article = _ARTICLE.match(question, start, end)
    starts = [start, article.end()] if article else [start]
    covering = [own for own in linked.entities if own.start in starts and own.end >= end]
    found = covering or [own for at in starts for own in _look_up(schema.snapshot, question[at:end], at, end)]
    named = (own for own in found if _is_described(schema, own.entity.id))
    return next(named, None)


def _look_up(snapshot: Snapshot, text: str, start: int, end: int) -> list[LinkedEntity]:
    matches = snapshot.labels.lookup(normalise(text))
    return [LinkedEntity(own.node, text, start, end, own.score, "exact") for own in matches[:1]]


def _is_described(schema: Schema, entity: int) -> bool:
    """Whether facts are told of an entity: it is no kind of others, and no word for a relation."""
    snapshot = schema.snapshot
    named = normalise(snapshot.entity_label(entity))
    relations = {normalise(info.label) for info in schema.relations}
    told = snapshot.degree(entity) > 0 or bool(snapshot.entity_attributes(entity))
    return told and entity not in schema.kinds and named not in relations


def describe(
    run: PipelineRun, named: LinkedEntity, schema: Schema, warnings: tuple[str, ...]
) -> Iterator[Event]:
    """Stream what the graph tells of an entity as the run's answer."""
    snapshot, entity = schema.snapshot, named.entity
    chains = _find_chains(schema, entity.id)
    for chain in chains:
        run.paths += 1
        yield PathRetrieved(run.paths, chain.hops[:1], DESCRIBED, run.ms())
    yield ChainsBuilt(tuple(chains), run.paths, distinct_facts(chains), run.ms())
    attributes = snapshot.entity_attributes(entity.id)
    kinds = [node for chain in chains if _says_kind(schema, chain) for node in chain.levels[-1]][:_KINDS]
    said = [attributes[key] for key in ("type", "description") if attributes.get(key)]
    facts = [_as_fact(chain) for chain in chains if not _says_kind(schema, chain)]
    every = tuple(range(len(chains)))
    if kinds:
        answers = tuple(Answer(kind.label, DESCRIBED, kind, (0,), verified=True) for kind in kinds)
    elif said:
        answers = (Answer(said[0], DESCRIBED, None, every, verified=True),)
    else:
        answers = (Answer(entity.label, DESCRIBED, entity, every, verified=True, beside=tuple(facts)),)
    told = [", ".join(kind.label for kind in kinds), *said, *(f"{fact.name}: {fact.value}" for fact in facts)]
    told = list({part.casefold(): part for part in told if part}.values())
    text = f"{entity.label}: {'; '.join(told)}."
    yield run.final(Conclusion(answers=answers, text=text, warnings=warnings))


def _find_chains(schema: Schema, entity: int) -> list[EvidenceChain]:
    """Chains of one step from an entity: to its kinds, to what is said of it, to what it is said of."""
    snapshot = schema.snapshot
    count, mediator = snapshot.num_relations, KINDS.index("cvt")
    leading = [
        relation for relation in _relations_of(snapshot.out_groups, entity) if relation != schema.listing
    ]
    leading.sort(key=lambda relation: relation != schema.type_relation)
    directed = [*leading, *(count + relation for relation in _relations_of(snapshot.in_groups, entity))]
    chains: list[EvidenceChain] = []
    for relation in directed:
        reach = walk(snapshot, entity, (relation,), DESCRIBED, simple=False)
        if not (snapshot.kinds[reach.targets] == mediator).any():
            chains.append(build_chain(snapshot, reach))
        if len(chains) == _RELATIONS:
            break
    return chains


def _relations_of(groups: Groups, entity: int) -> list[int]:
    relations: list[int] = groups.of_entity(entity)[0].tolist()
    return relations


def _says_kind(schema: Schema, chain: EvidenceChain) -> bool:
    typed, step = schema.type_relation, chain.steps[0]
    return typed is not None and not step.inverse and step.name == schema.snapshot.relation_name(typed)


def _as_fact(chain: EvidenceChain) -> Beside:
    values, more = chain.levels[0][:_VALUES], chain.level_counts[0] - _VALUES
    text = ", ".join(node.label for node in values) + (f" and {more:,} more" if more > 0 else "")
    step = chain.steps[0]
    return Beside(f"{step.label} of" if step.inverse else step.label, text)
