"""Dev metrics of a trained checkpoint: real retrieval, and the set that the best relation path reaches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from retrieval.evaluation.metrics import Scored, aggregate, score_question
from retrieval.kg.snapshot import Snapshot
from retrieval.retrievers.base import Retriever, check
from retrieval.supervision.candidate_paths import reached
from retrieval.supervision.grounding import Grounded

#: Questions looked at: enough for two digits, done in seconds.
_MOST = 300


def validate(
    retriever: Retriever, snapshot: Snapshot, questions: Sequence[Grounded], cancelled: Callable[[], bool]
) -> dict[str, float]:
    """Hit, Hit@1, F1 and exact-set on at most 300 questions, evenly taken.

    Raises:
        Cancelled: ``cancelled()`` said so.
    """
    scores = []
    for question in questions[:: -(-len(questions) // _MOST) or 1]:
        check(cancelled)
        found = predict(retriever, snapshot, question.question.question, question.topics, question.names)
        scores.append(score_question([Scored(int(e), 1.0) for e in found], question.answers))
    return aggregate(scores)


def predict(
    retriever: Retriever,
    snapshot: Snapshot,
    question: str,
    topics: Sequence[int],
    mentions: Sequence[str] = (),
) -> np.ndarray:
    """What the most probable relation path of each topic reaches, intersected; entity ids, ascending.

    Where the intersection is empty, the set of the topic whose path is most probable.
    """
    paths = retriever.relation_paths(question, topics, limit=1, mentions=mentions)
    sets = [
        (path.score, reached(snapshot, path.topic, path.relations, simple=retriever.simple)) for path in paths
    ]
    if not sets:
        return np.zeros(0, np.int64)
    common = sets[0][1]
    for _, other in sets[1:]:
        common = np.intersect1d(common, other, assume_unique=True)
    return common if len(common) else max(sets, key=lambda item: item[0])[1]
