"""Answers to questions about an entity itself, "Who is X?": its kinds, its description and its main facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from retrieval.events import ChainsBuilt, Event, PathRetrieved
from retrieval.evidence.chains import build_chain, count_facts
from retrieval.evidence.reach import walk
from retrieval.kg.snapshot import KINDS
from retrieval.kg.snapshot.labels import normalize_name
from retrieval.language.question import Question
from retrieval.reasoning.base import Conclusion
from retrieval.results import Answer, Beside
from retrieval.thresholds import DESCRIPTION
from retrieval.types import EvidenceChain, LinkedEntity

if TYPE_CHECKING:
    from retrieval.answering.run import Linked, PipelineRun
    from retrieval.kg.snapshot import Snapshot
    from retrieval.kg.snapshot.groups import Groups
    from retrieval.programs.grounding.schema import Schema

#: Relations whose facts are told, kinds that answer, and values that are told of a relation.
_RELATIONS, _KINDS, _VALUES = 6, 5, 3
_BE = r"(?:['’]?s|\s+(?:is|are|was|were))"
_ASKS = re.compile(
    rf"\W*(?:(?:what|who){_BE}|what\s+(?:kind|sort|type)\s+of\s+(?:thing|entity){_BE})\s+(?P<name>.+?)[\s?!.]*",
    re.IGNORECASE | re.DOTALL,
)
_ARTICLE = re.compile(r"(?:the|an?)\s+", re.IGNORECASE)


def find_described(question: Question, linked: Linked, schema: Schema) -> LinkedEntity | None:
    """Return the entity that a question asks about as a whole; None where it asks for something of one."""
    match = _ASKS.fullmatch(question.text)
    if match is None:
        return None
    start, end = match.span("name")
    article = _ARTICLE.match(question.text, start, end)
    starts = [start, article.end()] if article else [start]
    covering = [entity for entity in linked.entities if entity.start in starts and entity.end >= end]
    candidates = covering or [
        entity
        for position in starts
        for entity in _find_exact_entities(schema.snapshot, question.text[position:end], position, end)
    ]
    described = (entity for entity in candidates if _is_described(schema, entity.entity.id))
    return next(described, None)


def _find_exact_entities(snapshot: Snapshot, text: str, start: int, end: int) -> list[LinkedEntity]:
    matches = snapshot.labels.find_exact(normalize_name(text))
    return [LinkedEntity(match.node, text, start, end, match.score, "exact") for match in matches[:1]]


def _is_described(schema: Schema, entity: int) -> bool:
    """Whether facts are told of an entity: it is no kind of others, and no word for a relation."""
    snapshot = schema.snapshot
    label = normalize_name(snapshot.get_entity_label(entity))
    relations = {normalize_name(info.label) for info in schema.relations}
    has_facts = snapshot.get_degree(entity) > 0 or bool(snapshot.get_entity_attributes(entity))
    return has_facts and entity not in schema.kinds and label not in relations


def describe(run: PipelineRun, topic: LinkedEntity, schema: Schema, warnings: tuple[str, ...]) -> Iterator[Event]:
    """Stream what the graph tells of an entity as the run's answer."""
    snapshot, entity = schema.snapshot, topic.entity
    chains = _find_chains(schema, entity.id)
    for chain in chains:
        run.paths += 1
        yield PathRetrieved(run.paths, chain.hops[:1], DESCRIPTION, run.measure_ms())
    yield ChainsBuilt(tuple(chains), run.paths, count_facts(chains), run.measure_ms())
    attributes = snapshot.get_entity_attributes(entity.id)
    kinds = [node for chain in chains if _is_kind_chain(schema, chain) for node in chain.levels[-1]][:_KINDS]
    texts = [attributes[key] for key in ("type", "description") if attributes.get(key)]
    facts = [_make_fact(chain) for chain in chains if not _is_kind_chain(schema, chain)]
    every = tuple(range(len(chains)))
    if kinds:
        answers = tuple(Answer(kind.label, DESCRIPTION, kind, (0,), verified=True) for kind in kinds)
    elif texts:
        answers = (Answer(texts[0], DESCRIPTION, None, every, verified=True),)
    else:
        answers = (Answer(entity.label, DESCRIPTION, entity, every, verified=True, beside=tuple(facts)),)
    parts = [
        ", ".join(kind.label for kind in kinds),
        *texts,
        *(f"{fact.name}: {fact.value}" for fact in facts),
    ]
    parts = list({part.casefold(): part for part in parts if part}.values())
    text = f"{entity.label}: {'; '.join(parts)}."
    yield run.build_final(Conclusion(answers=answers, text=text, warnings=warnings))


def _find_chains(schema: Schema, entity: int) -> list[EvidenceChain]:
    """Chains of one step from an entity: to its kinds, to what is said of it, to what it is said of."""
    snapshot = schema.snapshot
    count, mediator = snapshot.num_relations, KINDS.index("cvt")
    leading = [relation for relation in _list_relations(snapshot.out_groups, entity) if relation != schema.listing]
    leading.sort(key=lambda relation: relation != schema.type_relation)
    directed = [*leading, *(count + relation for relation in _list_relations(snapshot.in_groups, entity))]
    chains: list[EvidenceChain] = []
    for relation in directed:
        reach = walk(snapshot, entity, (relation,), DESCRIPTION, simple=False)
        if not (snapshot.kinds[reach.targets] == mediator).any():
            chains.append(build_chain(snapshot, reach))
        if len(chains) == _RELATIONS:
            break
    return chains


def _list_relations(groups: Groups, entity: int) -> list[int]:
    relations: list[int] = groups.get_entity_groups(entity)[0].tolist()
    return relations


def _is_kind_chain(schema: Schema, chain: EvidenceChain) -> bool:
    typed, step = schema.type_relation, chain.steps[0]
    return typed is not None and not step.inverse and step.name == schema.snapshot.get_relation_name(typed)


def _make_fact(chain: EvidenceChain) -> Beside:
    values, more = chain.levels[0][:_VALUES], chain.level_counts[0] - _VALUES
    text = ", ".join(node.label for node in values) + (f" and {more:,} more" if more > 0 else "")
    step = chain.steps[0]
    return Beside(f"{step.label} of" if step.inverse else step.label, text)
