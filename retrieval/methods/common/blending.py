"""Rankings of relation paths by a checkpoint and by the zero-shot retriever, put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.errors import check
from retrieval.language.question import Question
from retrieval.validation import score_paths

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.retriever import Retriever
    from retrieval.supervision.grounding import Grounded
    from retrieval.types import RelationPath

SHARES = (0.5, 0.75, 1.0, 0.25, 0.0)
"""Shares of the checkpoint that are compared; of equal ones the first is taken."""
#: Relation paths of each topic that are put together, and dev questions on which a share is chosen, at most and at
#: least.
_PATHS, _MOST, _LEAST = 16, 100, 20


def merge_rankings(
    by_words: Iterable[RelationPath], learned: Iterable[RelationPath], share: float
) -> list[RelationPath]:
    """Average two rankings of the relation paths of some topics.

    A path that both rank is doubted where both doubt it; its support is the checkpoint's.

    Args:
        by_words: of the zero-shot retriever.
        share: of the checkpoint, in [0, 1].

    Returns:
        Topics in the order in which they come, the paths of each most probable first.
    """
    merged = {(path.topic, path.relations): replace(path, score=share * path.score) for path in learned}
    for path in by_words:
        score, known = (1 - share) * path.score, merged.get((path.topic, path.relations))
        if known is None:
            merged[path.topic, path.relations] = replace(path, score=score)
        else:
            doubted = path.doubted if known.doubted is None else known.doubted and path.doubted is not False
            merged[path.topic, path.relations] = replace(known, score=known.score + score, doubted=doubted)
    order = {topic: place for place, topic in enumerate(dict.fromkeys(topic for topic, _ in merged))}
    return sorted(
        (path for path in merged.values() if path.score > 0),
        key=lambda path: (order[path.topic], -path.score, path.relations),
    )


def select_share(
    learned: Retriever,
    by_words: Callable[[], Retriever],
    snapshot: Snapshot,
    dev: Sequence[Grounded],
    cancelled: Callable[[], bool],
) -> float:
    """Choose the checkpoint's share by the F1 of what the best relation path reaches on dev questions."""
    if len(dev) < _LEAST:
        return SHARES[0]
    gained = dict.fromkeys(SHARES, 0.0)
    others = by_words()
    for question in dev[:: -(-len(dev) // _MOST)]:
        check(cancelled)
        asked = Question(question.question.question)
        paths, trained = (
            retriever.rank_relation_paths(asked, question.topics, limit=_PATHS, mentions=question.names)
            for retriever in (others, learned)
        )
        for share in SHARES:
            best = {path.topic: path for path in reversed(merge_rankings(paths, trained, share))}
            gained[share] += score_paths(snapshot, question, list(best.values()), simple=learned.simple).f1
    return max(SHARES, key=lambda share: round(gained[share], 6))
