"""Diagnosis of engines of relation paths: which path the question asks for, and how far it leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retrieval.diagnosis.facts import as_hop, leads_on, missing
from retrieval.diagnosis.findings import LostAt, Remedy, WhyNot
from retrieval.diagnosis.paths import Leading, Path, Walks
from retrieval.programs.algebra import Entities, Program, Walk
from retrieval.programs.rendering.names import named
from retrieval.types import Hop, NoAnswerReason, Node, RelationStep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retrieval.diagnosis.case import Case
    from retrieval.methods._shared.path_engine import PathEngine

WIDER = 64
"""Relation paths of each topic that are taken where those of the settings were not enough."""
ASKED = 4
"""Hops of the longest path that a question asks for."""
SURE, LIKE = 0.3, 0.3
"""From which probability a retriever is sure, and from which cosine a path is like a question."""
CLOSE, BELIEF, RANKED = 0.05, 0.15, 0.15
"""What a hop costs in cosine; what the retriever's probability counts beside it, and that it ranked the path at all."""
FIRM, SURER = 0.5, 0.7
"""From which weight a path is asked for whatever words say, and whatever the best path could go on to."""
FARTHER, APART = 0.15, 0.2
"""By how much less like the question than a path to the expected answer it may be, where nothing like that was looked
at and where it was."""
DOUBTED = 0.1
"""Below which weight a path is hardly what is asked for."""
BEST = 4
"""Relation paths of each of several topics that count."""
_REFUSED = frozenset(
    {NoAnswerReason.NOT_IN_GRAPH, NoAnswerReason.NOT_UNDERSTOOD, NoAnswerReason.REASONER_DECLINED}
)


def diagnosed(case: Case, engine: PathEngine, hops: int | None) -> WhyNot:
    """Where an engine of relation paths loses the expected answer.

    Args:
        case: see there.
        engine: that answered.
        hops: from the nearest topic; None where nothing leads there.
    """
    walks = Walks(case, engine)
    if not walks.topics:
        names = " and ".join(linked.entity.label for linked in case.record.linked)
        return case.found(LostAt.FACT, f"The graph has no fact of {names}.", [])
    longest = engine.retriever.max_hops
    if hops is not None and hops <= longest:
        case.passed(LostAt.HOPS, f"{case.name} is {_hops(hops)} from the topics; up to {longest} are walked.")
    refused = _withheld(case, walks)
    if refused is not None:
        return refused
    lacking = _of_topics(case, walks)
    if lacking is not None:
        return lacking
    return _of_path(case, walks, hops)


def of_unknown(case: Case, engine: PathEngine) -> list[Remedy]:
    """The fact that would bring an entity that the graph lacks."""
    walks = Walks(case, engine)
    if not walks.topics:
        return []
    topic = walks.topics[0]
    for path, _ in walks.intended(topic):
        sources = np.array([topic], np.int64)
        for relation in path[:-1]:
            sources = leads_on(case.snapshot, sources, relation)
        if len(sources):
            inverse, forward = divmod(path[-1], case.snapshot.num_relations)
            step = case.snapshot.relation_step(forward, bool(inverse))
            fact = Hop(case.snapshot.node(int(sources[0])), step, Node(-1, case.expected), verified=False)
            return [_fact_remedy(case, fact)]
    return []


def _withheld(case: Case, walks: Walks) -> WhyNot | None:
    """Where the best path leads to the expected answer and no answer was given."""
    no_answer = case.record.final.no_answer
    if no_answer is None or no_answer.reason not in _REFUSED:
        return None
    for topic in walks.topics:
        ranked = walks.of(topic)
        if ranked and case.node in walks.reach(topic, ranked[0].relations).targets:
            best = Leading(topic, ranked[0].relations, 1, 1.0)
            said = f"The most likely path leads to {case.name}, and no answer was given: {no_answer.message}"
            return case.found(LostAt.WITHHELD, said, [_label(case, best)])
    return None


def _of_topics(case: Case, walks: Walks) -> WhyNot | None:
    """Where one of several topics leads to the expected answer, and another does not."""
    if len(walks.topics) < 2:
        return None
    best = {topic: [path.relations for path in walks.of(topic)[:BEST]] for topic in walks.topics}
    leads = {
        topic: next((path for path in paths if case.node in walks.reach(topic, path).targets), None)
        for topic, paths in best.items()
    }
    from_some = [topic for topic, path in leads.items() if path is not None]
    without = [topic for topic, path in leads.items() if path is None]
    if not from_some:
        return None
    one = case.snapshot.entity_label(from_some[0])
    if not without:
        said = (
            f"{case.name} follows from each topic by itself, and another combination was thought more likely."
        )
        path = leads[from_some[0]]
        assert path is not None
        return case.found(LostAt.JOIN, said, [_label(case, Leading(from_some[0], path, None, 0.0))])
    other = case.snapshot.entity_label(without[0])
    remedies = []
    for path, _ in walks.intended(without[0])[:3]:
        reach = walks.reach(without[0], path).targets
        fact = missing(case.snapshot, without[0], path, case.node)
        if fact is not None and (not len(reach) or walks.is_kin(reach)):
            remedies.append(_fact_remedy(case, as_hop(case.snapshot, *fact)))
            break
    said = f"{case.name} follows from {one}, and not from {other}: a fact is missing there."
    return case.found(LostAt.FACT if remedies else LostAt.JOIN, said, remedies)


def _of_path(case: Case, walks: Walks, hops: int | None) -> WhyNot:
    """Of one topic: whether the path that is asked for lacks a fact, or another one should have been taken."""
    topic, longest = walks.topics[0], walks.engine.retriever.max_hops
    label = case.snapshot.entity_label(topic)
    leading = walks.leading(topic, max(hops, longest)) if hops is not None and hops <= ASKED else []
    intended = walks.intended(topic)
    weights = dict(intended)
    near = max(leading, key=lambda way: _worth(way, weights), default=None)
    lacking = [(own, fact) for own in intended if (fact := missing(case.snapshot, topic, own[0], case.node))]
    fitting = [(own, fact) for own, fact in lacking if _fits(case, walks, topic, own[0])]
    unseen = near is None or (near.rank is None and len(near.path) <= longest)
    # Nothing that was looked at leads there: what the retriever is sure of lacks the fact, whatever it leads to.
    sure = [(own, fact) for own, fact in lacking if unseen and _is_sure(walks, near, own)]
    goes_on = not any(own[1] >= SURER for own, _ in fitting) and next(
        (way for way in leading if _goes_on(way, walks)), None
    )
    if goes_on:
        return _of_hops(case, goes_on, longest)
    for wanted, fact in [*sure[:1], *fitting[:1]]:
        if (
            near is None
            or (unseen and _is_sure(walks, near, wanted))
            or _says_less(walks, near, wanted, weights)
        ):
            said = f"The question asks for {label} → {_told(case, wanted[0])}, and no fact leads to {case.name} there."
            remedies = [_fact_remedy(case, as_hop(case.snapshot, *fact))]
            if near is not None and near.rank is not None:
                remedies.append(_label(case, near))
            return case.found(LostAt.FACT, said, remedies)
    if hops is None or near is None:
        return case.found(LostAt.FACT, f"Nothing that was asked for leads from {label} to {case.name}.", [])
    if len(near.path) > longest:
        return _of_hops(case, near, longest)
    return _of_rank(case, walks, topic, near)


def _of_hops(case: Case, way: Leading, longest: int) -> WhyNot:
    label = case.snapshot.entity_label(way.topic)
    said = f"{case.name} is {_hops(len(way.path))} from {label}, and this method walks {longest} at most."
    return case.found(LostAt.HOPS, said, [_label(case, way)])


def _goes_on(way: Leading, walks: Walks) -> bool:
    """Whether a path is what the retriever believes in most, gone on with beyond what it walks."""
    ranked, longest = walks.of(way.topic), walks.engine.retriever.max_hops
    return (
        len(way.path) > longest
        and bool(ranked)
        and way.path[: len(ranked[0].relations)] == ranked[0].relations
    )


def _is_sure(walks: Walks, near: Leading | None, wanted: tuple[Path, float]) -> bool:
    """Whether a retriever is sure enough of a path, for all that the words of another may say."""
    path, weight = wanted
    if near is None or weight < SURE or weight >= FIRM:
        return weight >= SURE
    return near.likeness - float(walks.likeness(near.topic, [path])[0]) < FARTHER


def _says_less(
    walks: Walks, near: Leading, wanted: tuple[Path, float], weights: Mapping[Path, float]
) -> bool:
    """Whether a path that leads to the expected answer is less what was asked for than another one.

    Each hop more costs likeness, for it must be asked for too; what the retriever believes counts beside the words.
    """
    path, weight = wanted
    like = float(walks.likeness(near.topic, [path])[0])
    doubted = near.rank not in (None, 1) and weights.get(near.path, 0.0) < DOUBTED
    if doubted and weight >= FIRM and near.likeness - like < APART:
        return True
    if len(near.path) > len(path) and _within(path, near.path):
        return True
    asked = _asked_for(path, like, weights)
    if len(near.path) > walks.engine.retriever.max_hops and near.likeness < LIKE:
        return True
    return _worth(near, weights) < asked


def _within(short: Path, long: Path) -> bool:
    """Whether a path makes a detour of another: it has the same hops, some of them again."""
    return set(long) == set(short)


def _worth(way: Leading, weights: Mapping[Path, float]) -> float:
    """How much a path that leads to the expected answer seems to be what was asked for."""
    return _asked_for(way.path, way.likeness, weights) + RANKED * (way.rank is not None and way.rank <= BEST)


def _asked_for(path: Path, likeness: float, weights: Mapping[Path, float]) -> float:
    return likeness + BELIEF * weights.get(path, 0.0) - CLOSE * len(path)


def _fits(case: Case, walks: Walks, topic: int, path: Path) -> bool:
    """Whether the expected answer is of the kind that a path leads to, from the topic or where it leads anywhere."""
    targets = walks.reach(topic, path).targets
    if len(targets):
        return walks.is_kin(targets)
    others = leads_to(case, path[-1])
    return walks.is_kin(others) or case.snapshot.degree(case.node) == 0


def leads_to(case: Case, relation: int) -> np.ndarray:
    """What a directed relation leads to from anywhere, a sample, int64."""
    inverse, forward = divmod(relation, case.snapshot.num_relations)
    facts = np.flatnonzero(case.snapshot.relations == forward)[:200]
    ends = (case.snapshot.heads if inverse else case.snapshot.tails)[facts]
    return np.unique(ends).astype(np.int64)


def _of_rank(case: Case, walks: Walks, topic: int, near: Leading) -> WhyNot:
    ranked, engine = walks.of(topic), walks.engine
    label = case.snapshot.entity_label(topic)
    told = f"{label} → {_told(case, near.path)}"
    remedies = [_label(case, near)]
    if near.rank is None or near.rank > engine.settings.relation_paths:
        trial = case.tried(case.with_settings(relation_paths=WIDER))
        wider = f"Look at {WIDER} relation paths of each topic instead of {engine.settings.relation_paths}."
        remedies.append(Remedy("settings", wider, trial))
        said = f"{told} leads to {case.name}, and was not among the {len(ranked)} paths that were looked at."
        return case.found(LostAt.WINDOW, said, remedies)
    case.passed(LostAt.WINDOW, f"{told} leads to {case.name}, and was looked at.")
    first = _told(case, ranked[0].relations) if ranked else ""
    said = f"{told} leads to {case.name}, and came in place {near.rank}; the first was {label} → {first}."
    return case.found(LostAt.RANK, said, remedies)


def _label(case: Case, way: Leading) -> Remedy:
    """That a path is right for the question; tried by running it alone."""
    program: Program = Entities((way.topic,))
    for relation in way.path:
        program = Walk(program, relation)
    data = named(case.snapshot, program)
    told = f"{case.snapshot.entity_label(way.topic)} → {_told(case, way.path)}"
    return Remedy(
        "label",
        f"Say that {told} answers the question, and train with it.",
        case.tried(program=data),
        path=_steps(case, way.path),
        program=data,
    )


def _fact_remedy(case: Case, fact: Hop) -> Remedy:
    ends = (fact.source.label, fact.target.label)
    head, tail = reversed(ends) if fact.step.inverse else ends
    return Remedy(
        "fact", f"Add the fact {head} → {fact.step.label} → {tail}.", case.tried_with(fact), fact=fact
    )


def _steps(case: Case, path: Path) -> tuple[RelationStep, ...]:
    forward = case.snapshot.num_relations
    return tuple(case.snapshot.relation_step(r % forward, r >= forward) for r in path)


def _told(case: Case, path: Path) -> str:
    return " → ".join(f"{step.label}{' (backwards)' if step.inverse else ''}" for step in _steps(case, path))


def _hops(count: int) -> str:
    return f"{count} hop{'' if count == 1 else 's'}"
