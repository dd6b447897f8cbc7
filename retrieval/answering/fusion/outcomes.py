"""What a question may be answered with: each distinct outcome, with the programs and relation paths that give it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from retrieval.programs.algebra.numbers import get_result_nodes
from retrieval.programs.algebra.rows import Rows

if TYPE_CHECKING:
    from retrieval.evidence.reach import Reach
    from retrieval.programs.algebra.numbers import Result
    from retrieval.programs.understanding import Understanding
    from retrieval.reasoning.base import Conclusion

#: Relation paths that are looked at, the likeliest.
_PATHS = 10


@dataclass(slots=True, eq=False)
class CandidateOutcome:
    """What some programs and relation paths give alike.

    Attributes:
        result: nodes (int64, ascending), a number or a truth.
        programs: positions of the programs among those that were read, the best first.
        reaches: relation paths that lead there, the likeliest first.
        by_paths: it is what all relation paths together answer.
    """

    result: Result
    programs: list[int] = field(default_factory=list)
    reaches: list[Reach] = field(default_factory=list)
    by_paths: bool = False

    @property
    def nodes(self) -> np.ndarray | None:
        """The nodes that answer, None where a number or a truth does."""
        return get_result_nodes(self.result)


def collect_outcomes(
    read: Understanding | None,
    topics: Sequence[int] = (),
    reaches: Sequence[Reach] = (),
    verdict: Conclusion | None = None,
) -> list[CandidateOutcome]:
    """The distinct outcomes: those of programs first, the best first, then those of relation paths alone.

    Args:
        read: the programs that a question may mean; those that are no answer are left out.
        topics: entities that somebody picked: what is not about them answers nothing.
        reaches: relation paths with what they lead to.
    """
    by_result: dict[object, CandidateOutcome] = {}

    def ensure_outcome(result: Result) -> CandidateOutcome:
        # A truth is no number, and no set: True == 1.0 would be one key.
        key = (
            result.tobytes()
            if isinstance(result, np.ndarray)
            else (type(result).__name__, result.content if isinstance(result, Rows) else result)
        )
        return by_result.setdefault(key, CandidateOutcome(result))

    for position, meaning in enumerate(read.meanings if read is not None else ()):
        if not meaning.refused and set(topics) <= {entity for entity, _, _ in meaning.named}:
            ensure_outcome(meaning.candidate.result).programs.append(position)
    if verdict is not None and verdict.answers:
        nodes = [answer.entity.id for answer in verdict.answers if answer.entity is not None]
        ensure_outcome(np.array(sorted(nodes), np.int64)).by_paths = True
    for reach in sorted(reaches, key=lambda reach: -reach.probability)[:_PATHS]:
        targets = np.asarray(reach.targets, np.int64)
        # What two topics lead to together is the verdict's, or nobody's.
        if not reach.partners or targets.tobytes() in by_result:
            ensure_outcome(targets).reaches.append(reach)
    return list(by_result.values())
