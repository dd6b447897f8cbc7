"""Which of a relation path and a program answers a question that either may read, on a graph without a checkpoint."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from retrieval.methods._shared.path_reader.idioms import asks_gender
from retrieval.types import NoAnswerReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.programs.reader import Understanding
    from retrieval.reasoning.base import Conclusion
    from retrieval.types import RelationPath

SURE = 0.95
"""An untrained planner that is so sure of each topic's relation path answers alone; programs are not read."""
SURELY_READ, LIKELY_READ = 0.8, 0.5
"""Below that sureness a program that is read so surely goes first, and one read this likely before a path that is less
sure than the former."""
DOUBTED, LEAST = 0.3, 0.1
"""Where the program that was read is less likely than this, a path that is not surely read is no likelier than it;
below the second no program is anything like what was asked."""
BOTH_DOUBT = 0.5
"""Where that is so and untrained relation paths are supported less, too, the graph lacks what is asked."""
HALF_READ = 0.6
"""Where untrained relation paths say that the graph lacks what is asked, another program less sure left words out."""
PARTLY_READ = 0.9
"""A program that walks as relation paths do and is less sure gives way to one that walks what it walks and further,
and, where it left words out, to untrained relation paths that say the graph lacks what is asked."""


def ceiling(read: Understanding) -> float:
    """No relation path that is not surely read is likelier than this."""
    return max(read.confidence, LEAST) if read.confidence < DOUBTED else 1.0


def lacks(read: Understanding, paths: Sequence[RelationPath]) -> bool:
    """Whether programs and relation paths that are not surely read say both that the graph lacks what is asked."""
    support = max((path.support or 0.0 for path in paths), default=0.0)
    return read.says_nothing or (read.confidence < LEAST and support < BOTH_DOUBT)


def is_path_surer(
    question: str, found: Understanding, verdict: Conclusion, paths: Sequence[RelationPath]
) -> bool:
    """Whether relation paths answer, and not a program.

    Or tell that the graph lacks what is asked for, which the program left out.

    Args:
        question: as asked.
        found: the program.
        verdict: of the relation paths.
        paths: they, with the probability of each.
    """
    if not verdict.answers:
        limit = PARTLY_READ if found.is_path else HALF_READ
        return not found.reads_all and is_half_read(found.confidence, verdict, limit)
    best = verdict.answers[0].score
    in_part = found.is_path and found.confidence < PARTLY_READ and says_more(paths, found.walked)
    if best >= LIKELY_READ and (in_part or asks_gender(question)):
        return True
    doubtful = best < SURE and (
        found.confidence >= SURELY_READ or (found.confidence >= LIKELY_READ and best < SURELY_READ)
    )
    return best >= found.confidence and not doubtful


def is_half_read(confidence: float, verdict: Conclusion, limit: float) -> bool:
    """Whether a program answers less than was asked: relation paths miss something, and it is not sure."""
    missed = verdict.no_answer is not None and verdict.no_answer.reason is NoAnswerReason.NOT_IN_GRAPH
    return missed and confidence < limit


def says_more(paths: Sequence[RelationPath], walked: Sequence[int]) -> bool:
    """Whether the likeliest path walks what a program walks, and further: "X's child's child", read in part."""
    path = max(paths, key=lambda path: path.score)
    return len(path.relations) > len(walked) and Counter(walked) <= Counter(path.relations)
