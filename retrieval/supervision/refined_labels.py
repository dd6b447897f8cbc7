"""What a rationalizer selected besides paths to the answers: single facts around topics and answers.

With the triples on the labelled paths they are G+, the refined supervision of ReG (4.1): its triples are the
positives of eq. 33, its entities those of eq. 34; the relation paths are the targets of eq. 35.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrieval.kg import search
from retrieval.kg.snapshot import Snapshot
from retrieval.supervision.labels import Label, to_directed_path


def select_facts(snapshot: Snapshot, topic: int, answers: np.ndarray, labels: Sequence[Label]) -> np.ndarray:
    """The arcs of the facts that labels of one question select around a topic (P_q) and its answers (P_a).

    Merging let one answer stand for all (D.2), so an ``answer-fact`` is undone for every answer.

    Args:
        topic: entity id.
        answers: entity ids.
        labels: of the question, any roles; rejected ones and relations that the graph lacks are left out.

    Returns:
        Arc ids, int64, ascending.
    """
    arcs = [np.zeros(0, np.int64)]
    name = snapshot.get_entity_label(topic)
    for label in labels:
        path = to_directed_path(snapshot, label.path)
        if path is None or label.verdict == "rejected":
            continue
        if label.role == "topic-fact" and label.topic == name:
            starts = np.array([topic], np.int64)
        elif label.role == "answer-fact":
            starts = np.asarray(answers, np.int64)
        else:
            continue
        relation, inverse = path[0] % snapshot.num_relations, path[0] >= snapshot.num_relations
        arcs.append(search.walk_relation(snapshot, starts, relation, inverse)[2])
    return np.unique(np.concatenate(arcs))
