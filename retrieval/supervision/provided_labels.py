"""Labels that come with the data: gold reasoning paths, and label files."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrieval.kg.snapshot import Snapshot
from retrieval.supervision.candidate_paths import compute_f1, execute_path
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label, select_usable, to_directed_path, to_named_path


def collect_gold_labels(snapshot: Snapshot, questions: Sequence[Grounded]) -> list[Label]:
    """Labels from the gold ``paths`` of the questions; those without, or whose facts are unknown, have none.

    A path is a list of (head, relation, tail) facts that are walked from a topic in either direction.
    """
    labels: list[Label] = []
    for question in questions:
        seen: set[str] = set()
        for path in question.question.paths:
            walked = walk_facts(snapshot, question.topics, path)
            if walked is None:
                continue
            topic, relations = walked
            name = snapshot.get_entity_label(topic)
            if name not in seen:
                seen.add(name)
                labels.append(Label(question.question.id, name, to_named_path(snapshot, relations), "given"))
    return labels


def walk_facts(
    snapshot: Snapshot, topics: Sequence[int], path: Sequence[tuple[str, str, str]]
) -> tuple[int, tuple[int, ...]] | None:
    """The topic a gold path starts at and its directed relations; None when it does not hold together."""
    if not path:
        return None
    facts = [
        (snapshot.find_entity(head), snapshot.find_relation(relation), snapshot.find_entity(tail))
        for head, relation, tail in path
    ]
    for topic in topics:
        entity, relations = topic, list[int]()
        for head, relation, tail in facts:
            if head is None or relation is None or tail is None:
                return None
            if entity == head:
                entity = tail
                relations.append(relation)
            elif entity == tail:
                entity = head
                relations.append(snapshot.num_relations + relation)
            else:
                break
        if len(relations) == len(facts):
            return topic, tuple(relations)
    return None


def should_use_simple_walks(
    snapshot: Snapshot, questions: Sequence[Grounded], labels: Sequence[Label], *, most: int = 300
) -> bool:
    """Whether the labels' paths fit the answers better by simple walks, which leave the topic out of what they reach.

    It matters for paths that reach the topic besides others; a path that reaches nothing else reaches it either way.
    Decided by the F1 of both on at most ``most`` questions.
    """
    by_id = {question.question.id: question for question in questions}
    known = [label for label in select_usable(labels) if label.question in by_id]
    simple_sum = free_sum = 0.0
    for label in known[:: max(1, len(known) // most)]:
        topic, path = snapshot.find_entity(label.topic), to_directed_path(snapshot, label.path)
        if topic is None or path is None:
            continue
        answers = np.array(by_id[label.question].answers, np.int64)
        simple_sum += compute_f1(execute_path(snapshot, topic, path, simple=True), answers)
        free_sum += compute_f1(execute_path(snapshot, topic, path, simple=False), answers)
    return simple_sum >= free_sum
