"""Diagnosis of answerers of relation paths: which path the question asks for, and how far it leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retrieval.diagnosis.facts import build_hop, find_missing_fact, find_targets
from retrieval.diagnosis.findings import LostAt, Remedy, WhyNot
from retrieval.diagnosis.paths import Leading, Path, PathWalks
from retrieval.programs.algebra.operations import Entities, Program, Walk
from retrieval.programs.rendering.names import to_named_json
from retrieval.results import NoAnswerReason
from retrieval.types import Hop, Node, RelationStep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retrieval.answering.paths import PathAnswerer
    from retrieval.diagnosis.case import Case

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
_REFUSED = frozenset({NoAnswerReason.NOT_IN_GRAPH, NoAnswerReason.NOT_UNDERSTOOD, NoAnswerReason.REASONER_DECLINED})


def explain_loss(case: Case, answerer: PathAnswerer, hops: int | None) -> WhyNot:
    """Where an answerer of relation paths loses the expected answer.

    Args:
        hops: from the nearest topic; None where nothing leads there.
    """
    walks = PathWalks(case, answerer)
    if not walks.topics:
        names = " and ".join(linked.entity.label for linked in case.record.linked)
        return case.build_diagnosis(LostAt.FACT, f"The graph has no fact of {names}.", [])
    longest = answerer.retriever.max_hops
    if hops is not None and hops <= longest:
        case.add_check(LostAt.HOPS, f"{case.name} is {_format_hops(hops)} from the topics; up to {longest} are walked.")
    refused = _explain_withheld(case, walks)
    if refused is not None:
        return refused
    lacking = _explain_topics(case, walks)
    if lacking is not None:
        return lacking
    return _explain_path(case, walks, hops)


def propose_facts(case: Case, answerer: PathAnswerer) -> list[Remedy]:
    """The fact that would bring an entity that the graph lacks."""
    walks = PathWalks(case, answerer)
    if not walks.topics:
        return []
    topic = walks.topics[0]
    for path, _ in walks.rank_intended(topic):
        sources = np.array([topic], np.int64)
        for relation in path[:-1]:
            sources = find_targets(case.snapshot, sources, relation)
        if len(sources):
            inverse, forward = divmod(path[-1], case.snapshot.num_relations)
            step = case.snapshot.get_relation_step(forward, bool(inverse))
            fact = Hop(case.snapshot.get_node(int(sources[0])), step, Node(-1, case.expected), verified=False)
            return [_propose_fact(case, fact)]
    return []


def _explain_withheld(case: Case, walks: PathWalks) -> WhyNot | None:
    """Where the best path leads to the expected answer and no answer was given."""
    no_answer = case.record.final.no_answer
    if no_answer is None or no_answer.reason not in _REFUSED:
        return None
    for topic in walks.topics:
        ranked = walks.list_paths(topic)
        if ranked and case.node in walks.walk_path(topic, ranked[0].relations).targets:
            best = Leading(topic, ranked[0].relations, 1, 1.0)
            summary = f"The most likely path leads to {case.name}, and no answer was given: {no_answer.message}"
            return case.build_diagnosis(LostAt.WITHHELD, summary, [_propose_label(case, best)])
    return None


def _explain_topics(case: Case, walks: PathWalks) -> WhyNot | None:
    """Where one of several topics leads to the expected answer, and another does not."""
    if len(walks.topics) < 2:
        return None
    best = {topic: [path.relations for path in walks.list_paths(topic)[:BEST]] for topic in walks.topics}
    leads = {
        topic: next((path for path in paths if case.node in walks.walk_path(topic, path).targets), None)
        for topic, paths in best.items()
    }
    from_some = [topic for topic, path in leads.items() if path is not None]
    without = [topic for topic, path in leads.items() if path is None]
    if not from_some:
        return None
    leading_topic = case.snapshot.get_entity_label(from_some[0])
    if not without:
        summary = f"{case.name} follows from each topic by itself, and another combination was thought more likely."
        path = leads[from_some[0]]
        assert path is not None
        return case.build_diagnosis(
            LostAt.JOIN, summary, [_propose_label(case, Leading(from_some[0], path, None, 0.0))]
        )
    lacking_topic = case.snapshot.get_entity_label(without[0])
    remedies = []
    for path, _ in walks.rank_intended(without[0])[:3]:
        reach = walks.walk_path(without[0], path).targets
        fact = find_missing_fact(case.snapshot, without[0], path, case.node)
        if fact is not None and (not len(reach) or walks.is_kin(reach)):
            remedies.append(_propose_fact(case, build_hop(case.snapshot, *fact)))
            break
    summary = f"{case.name} follows from {leading_topic}, and not from {lacking_topic}: a fact is missing there."
    return case.build_diagnosis(LostAt.FACT if remedies else LostAt.JOIN, summary, remedies)


def _explain_path(case: Case, walks: PathWalks, hops: int | None) -> WhyNot:
    """Of one topic: whether the path that is asked for lacks a fact, or another one should have been taken."""
    topic, longest = walks.topics[0], walks.answerer.retriever.max_hops
    label = case.snapshot.get_entity_label(topic)
    leading = walks.find_leading(topic, max(hops, longest)) if hops is not None and hops <= ASKED else []
    intended = walks.rank_intended(topic)
    weights = dict(intended)
    near = max(leading, key=lambda way: _compute_worth(way, weights), default=None)
    lacking = [
        (weighted_path, fact)
        for weighted_path in intended
        if (fact := find_missing_fact(case.snapshot, topic, weighted_path[0], case.node))
    ]
    fitting = [
        (weighted_path, fact) for weighted_path, fact in lacking if _is_fitting(case, walks, topic, weighted_path[0])
    ]
    unseen = near is None or (near.rank is None and len(near.path) <= longest)
    # Nothing that was looked at leads there: what the retriever is sure of lacks the fact, whatever it leads to.
    sure = [(weighted_path, fact) for weighted_path, fact in lacking if unseen and _is_sure(walks, near, weighted_path)]
    goes_on = not any(weighted_path[1] >= SURER for weighted_path, _ in fitting) and next(
        (way for way in leading if _is_extension(way, walks)), None
    )
    if goes_on:
        return _explain_hops(case, goes_on, longest)
    for wanted, fact in [*sure[:1], *fitting[:1]]:
        if near is None or (unseen and _is_sure(walks, near, wanted)) or _is_less_likely(walks, near, wanted, weights):
            path = _format_path(case, wanted[0])
            summary = f"The question asks for {label} → {path}, and no fact leads to {case.name} there."
            remedies = [_propose_fact(case, build_hop(case.snapshot, *fact))]
            if near is not None and near.rank is not None:
                remedies.append(_propose_label(case, near))
            return case.build_diagnosis(LostAt.FACT, summary, remedies)
    if hops is None or near is None:
        return case.build_diagnosis(LostAt.FACT, f"Nothing that was asked for leads from {label} to {case.name}.", [])
    if len(near.path) > longest:
        return _explain_hops(case, near, longest)
    return _explain_rank(case, walks, topic, near)


def _explain_hops(case: Case, way: Leading, longest: int) -> WhyNot:
    label = case.snapshot.get_entity_label(way.topic)
    summary = f"{case.name} is {_format_hops(len(way.path))} from {label}, and this method walks {longest} at most."
    return case.build_diagnosis(LostAt.HOPS, summary, [_propose_label(case, way)])


def _is_extension(way: Leading, walks: PathWalks) -> bool:
    """Whether a path is what the retriever believes in most, gone on with beyond what it walks."""
    ranked, longest = walks.list_paths(way.topic), walks.answerer.retriever.max_hops
    return len(way.path) > longest and bool(ranked) and way.path[: len(ranked[0].relations)] == ranked[0].relations


def _is_sure(walks: PathWalks, near: Leading | None, wanted: tuple[Path, float]) -> bool:
    """Whether a retriever is sure enough of a path, for all that the words of another may say."""
    path, weight = wanted
    if near is None or weight < SURE or weight >= FIRM:
        return weight >= SURE
    return near.likeness - float(walks.compute_likeness(near.topic, [path])[0]) < FARTHER


def _is_less_likely(walks: PathWalks, near: Leading, wanted: tuple[Path, float], weights: Mapping[Path, float]) -> bool:
    """Whether a path that leads to the expected answer is less what was asked for than another one.

    Each hop more costs likeness, for it must be asked for too; what the retriever believes counts beside the words.
    """
    path, weight = wanted
    like = float(walks.compute_likeness(near.topic, [path])[0])
    doubted = near.rank not in (None, 1) and weights.get(near.path, 0.0) < DOUBTED
    if doubted and weight >= FIRM and near.likeness - like < APART:
        return True
    if len(near.path) > len(path) and _is_detour(path, near.path):
        return True
    wanted_score = _score_path(path, like, weights)
    if len(near.path) > walks.answerer.retriever.max_hops and near.likeness < LIKE:
        return True
    return _compute_worth(near, weights) < wanted_score


def _is_detour(short: Path, long: Path) -> bool:
    """Whether a path makes a detour of another: it has the same hops, some of them again."""
    return set(long) == set(short)


def _compute_worth(way: Leading, weights: Mapping[Path, float]) -> float:
    """How much a path that leads to the expected answer seems to be what was asked for."""
    return _score_path(way.path, way.likeness, weights) + RANKED * (way.rank is not None and way.rank <= BEST)


def _score_path(path: Path, likeness: float, weights: Mapping[Path, float]) -> float:
    return likeness + BELIEF * weights.get(path, 0.0) - CLOSE * len(path)


def _is_fitting(case: Case, walks: PathWalks, topic: int, path: Path) -> bool:
    """Whether the expected answer is of the kind that a path leads to, from the topic or where it leads anywhere."""
    targets = walks.walk_path(topic, path).targets
    if len(targets):
        return walks.is_kin(targets)
    others = sample_targets(case, path[-1])
    return walks.is_kin(others) or case.snapshot.get_degree(case.node) == 0


def sample_targets(case: Case, relation: int) -> np.ndarray:
    """What a directed relation leads to from anywhere, a sample, int64."""
    inverse, forward = divmod(relation, case.snapshot.num_relations)
    facts = np.flatnonzero(case.snapshot.relations == forward)[:200]
    ends = (case.snapshot.heads if inverse else case.snapshot.tails)[facts]
    return np.unique(ends).astype(np.int64)


def _explain_rank(case: Case, walks: PathWalks, topic: int, near: Leading) -> WhyNot:
    ranked, answerer = walks.list_paths(topic), walks.answerer
    label = case.snapshot.get_entity_label(topic)
    path_text = f"{label} → {_format_path(case, near.path)}"
    remedies = [_propose_label(case, near)]
    if near.rank is None or near.rank > answerer.settings.relation_paths:
        trial = case.run_trial(case.copy_with_settings(relation_paths=WIDER))
        wider = f"Look at {WIDER} relation paths of each topic instead of {answerer.settings.relation_paths}."
        remedies.append(Remedy("settings", wider, trial))
        summary = f"{path_text} leads to {case.name}, and was not among the {len(ranked)} paths that were looked at."
        return case.build_diagnosis(LostAt.WINDOW, summary, remedies)
    case.add_check(LostAt.WINDOW, f"{path_text} leads to {case.name}, and was looked at.")
    first = _format_path(case, ranked[0].relations) if ranked else ""
    summary = f"{path_text} leads to {case.name}, and came in place {near.rank}; the first was {label} → {first}."
    return case.build_diagnosis(LostAt.RANK, summary, remedies)


def _propose_label(case: Case, way: Leading) -> Remedy:
    """That a path is right for the question; tried by running it alone."""
    program: Program = Entities((way.topic,))
    for relation in way.path:
        program = Walk(program, relation)
    data = to_named_json(case.snapshot, program)
    path_text = f"{case.snapshot.get_entity_label(way.topic)} → {_format_path(case, way.path)}"
    return Remedy(
        "label",
        f"Say that {path_text} answers the question, and train with it.",
        case.run_trial(program=data),
        path=_list_steps(case, way.path),
        program=data,
    )


def _propose_fact(case: Case, fact: Hop) -> Remedy:
    ends = (fact.source.label, fact.target.label)
    head, tail = reversed(ends) if fact.step.inverse else ends
    return Remedy("fact", f"Add the fact {head} → {fact.step.label} → {tail}.", case.run_trial_with(fact), fact=fact)


def _list_steps(case: Case, path: Path) -> tuple[RelationStep, ...]:
    forward = case.snapshot.num_relations
    return tuple(case.snapshot.get_relation_step(r % forward, r >= forward) for r in path)


def _format_path(case: Case, path: Path) -> str:
    return " → ".join(f"{step.label}{' (backwards)' if step.inverse else ''}" for step in _list_steps(case, path))


def _format_hops(count: int) -> str:
    return f"{count} hop{'' if count == 1 else 's'}"
