"""Which of a relation path and a program answers a question that either may read, on a graph without a checkpoint."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retrieval.types import NoAnswerReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.programs.reader import Understanding
    from retrieval.reasoning.base import Conclusion
    from retrieval.types import RelationPath

SURE, SURELY_READ, LIKELY_READ = 0.95, 0.8, 0.5
"""How sure a relation path, or a program, is: to be told apart from nothing, from likely and from possible."""
DOUBTED, LEAST = 0.3, 0.1
"""Where the program that was read is less likely than this, a path that is not surely read is no likelier than it;
below the second no program is anything like what was asked."""
BOTH_DOUBT = 0.5
"""Where that is so and untrained relation paths are supported less, too, the graph lacks what is asked."""
ALL_READ, PART_READ = 0.3, 0.5
"""Where untrained relation paths answer nothing, a program this sure does: one that reads every word, and another."""
NARROWER = 0.6
"""A program this sure that walks as the likeliest path does, to some of its ends, has the kind that was asked for."""
SUPPORTED, WELL_SUPPORTED = 0.9, 0.93
"""How much the words of a question must support a relation path that a likely program has to give way to."""
HARDLY_SUPPORTED, GUESS = 0.2, 0.25
"""Where the words of a question support relation paths less than this, what was read in part is a guess, this sure."""
SURELY_WALKED = 0.9
"""A path this likely goes before a program that left words out."""


def ceiling(read: Understanding) -> float:
    """No relation path that is not surely read is likelier than this."""
    return max(read.confidence, LEAST) if read.confidence < DOUBTED else 1.0


def lacks(read: Understanding, paths: Sequence[RelationPath]) -> bool:
    """Whether programs and relation paths that are not surely read say both that the graph lacks what is asked."""
    support = max((path.support or 0.0 for path in paths), default=0.0)
    return read.says_nothing or (read.confidence < LEAST and support < BOTH_DOUBT)


def is_lacking(verdict: Conclusion) -> bool:
    """Whether relation paths say that the graph lacks what is asked."""
    return verdict.no_answer is not None and verdict.no_answer.reason is NoAnswerReason.NOT_IN_GRAPH


def doubts(read: Understanding, verdict: Conclusion) -> tuple[str, ...]:
    """What is said of a guess at what relation paths say that the graph lacks."""
    if verdict.no_answer is None or not is_lacking(verdict) or read.confidence >= DOUBTED:
        return ()
    return (f"{verdict.no_answer.message} This is the closest to it.",)


_GENITIVE = re.compile(r"\bof\b|['’]s\b")


def genitives(question: str, named: Sequence[tuple[int, int, int]]) -> int:
    """How often a question goes on by "of" or "'s" outside of names, given with their characters [start, end)."""
    return sum(
        not any(start <= match.start() < end for _, start, end in named)
        for match in _GENITIVE.finditer(question)
    )


_SHARED = re.compile(
    r"\b(?:same|shar\w+|also|others?|another|else|together|similar|alike|like|too|common|both|co-?\w+)\b",
    re.IGNORECASE,
)


def comes_back(question: str, path: Sequence[int], relations: int) -> bool:
    """Whether a relation path ends at all that have what its topic has, though nothing is said of the same.

    Args:
        question: as asked.
        path: directed relations.
        relations: of the graph.
    """
    there_and_back = len(path) > 1 and path[-2] < relations and path[-1] == path[-2] + relations
    return there_and_back and _SHARED.search(question) is None


@dataclass(frozen=True, slots=True)
class Either:
    """A question that both a program and relation paths read, on a graph without a checkpoint.

    Attributes:
        read: the program.
        verdict: of the relation paths, before anything of the program weighs on it.
        paths: they, with the probability and support of each.
        answered: nodes that the program gives; None where it gives a number or a truth.
        of_another_sort: the paths answer another sort of question, "who" with a date.
        asks_gender: the question asks for a gender, which is how many graphs tell sons from daughters.
        genitives: so often it goes on from one thing to another by "of" or "'s".
    """

    read: Understanding
    verdict: Conclusion
    paths: Sequence[RelationPath]
    answered: frozenset[int] | None
    of_another_sort: bool
    asks_gender: bool = False
    genitives: int = 0

    @property
    def program(self) -> Understanding | None:
        """The program, where it answers and not the paths; a guess where these say that the graph lacks it."""
        if not is_lacking(self.verdict):
            return self.read if self.is_program else None
        if self.read.confidence < LEAST or not (self.is_program or self._walks_enough):
            return None
        doubted = not self.read.reads_all and self._support < HARDLY_SUPPORTED
        return replace(self.read, confidence=min(self.read.confidence, GUESS)) if doubted else self.read

    @property
    def is_program(self) -> bool:
        """Whether the program answers, and not the relation paths.

        Chosen on questions over 110 graphs: sets of relation paths (MetaQA, PathQuestion, the demo's), suites of
        operators, and databases and small graphs whose questions were written by others.
        """
        sure = self.read.confidence
        if not self.verdict.answers:
            return self._walks_enough and sure >= (ALL_READ if self.read.reads_all else PART_READ)
        best = self.verdict.answers[0].score
        if self.of_another_sort:
            return sure >= LEAST
        if self.asks_gender and best >= LIKELY_READ:
            return False
        if self._is_narrower and sure >= NARROWER:
            return True
        if self.read.reads_all and sure >= LIKELY_READ:
            return self._support <= WELL_SUPPORTED or (best <= SURELY_WALKED and not self._says_more)
        if best < LIKELY_READ:
            return sure >= DOUBTED
        if LIKELY_READ <= sure > best < SURELY_READ:
            return True
        return self._support < SUPPORTED and sure >= (LIKELY_READ if best < SURELY_WALKED else SURELY_READ)

    @property
    def _walks_enough(self) -> bool:
        """Whether the program goes on as often as is said: "his son's gender" is not his son."""
        return self.read.reads_all or self.genitives <= len(self.read.walked)

    @property
    def _support(self) -> float:
        return max((path.support or 0.0 for path in self.paths), default=0.0)

    @property
    def _walked(self) -> tuple[int, ...]:
        return max(self.paths, key=lambda path: path.score).relations if self.paths else ()

    @property
    def _says_more(self) -> bool:
        """Whether the likeliest path walks further than the program: "X's child's child", read in part."""
        return len(self._walked) > len(self.read.walked)

    @property
    def _is_narrower(self) -> bool:
        """Whether the program keeps some of what the likeliest path leads to, by one thing more: its kind."""
        ends = {answer.entity.id for answer in self.verdict.answers if answer.entity is not None}
        more = Counter(self.read.walked) - Counter(self._walked)
        within = not Counter(self._walked) - Counter(self.read.walked)
        kept = self.answered or ends
        return kept < ends and within and more.total() == 1
