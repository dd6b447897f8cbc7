"""The bad rows of one file, told as they are found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from retrieval.errors import EmptySourceError
from retrieval.types import Problem, SourceReport

#: Bad rows of one file that are named one by one; the rest are counted in one last problem.
PROBLEM_LIMIT = 1000
#: How much of a bad row is shown.
TEXT_LIMIT = 200


class ProblemLog:
    """Reports the bad rows of one file, at most ``PROBLEM_LIMIT`` of them singly."""

    def __init__(self, file: str, report: Callable[[Problem], None]) -> None:
        self.file = file
        self.count = 0
        self.kinds: Counter[str] = Counter()
        self.format, self.encoding, self.same_as = "", "utf-8", ""
        self.kept: list[Problem] = []
        self._counted = 0
        self._report = report

    def add(self, line: int, message: str, text: str = "", kind: str = "row") -> None:
        """Report one bad row; ``kind`` is one of ``PROBLEM_KINDS``."""
        self.count += 1
        self.kinds[kind] += 1
        # Neither databases nor spreadsheets take the NUL character.
        shown = text[: 2 * TEXT_LIMIT].strip()[:TEXT_LIMIT].replace("\0", "\u2400")
        problem = Problem(self.file, line, message, shown, kind)
        if self.count <= PROBLEM_LIMIT:
            self.kept.append(problem)
            self._report(problem)

    def close(self) -> None:
        """Report how many more there were since it was closed before."""
        more = self.count - PROBLEM_LIMIT - self._counted
        if more > 0:
            self._counted += more
            self._report(Problem(self.file, 0, f"{more:,} more rows of this file could not be used"))

    def mark_repeated(self, other: str) -> None:
        """Say that the file has the content of another, which is read in its place."""
        self.same_as = other
        self.add(0, f"the same content as {other}; it is read once", kind="repeat")

    def build_report(self, rows: int) -> SourceReport:
        """What was read of the file, with so many good rows."""
        kinds = tuple(sorted(self.kinds.items()))
        return SourceReport(self.file, self.format, rows, self.count, kinds, self.encoding, self.same_as)

    def require_rows(self, rows: int) -> None:
        """Raise EmptySourceError when the file had no good row, with the reasons of the first bad ones."""
        if rows:
            return
        if not self.kept:
            raise EmptySourceError(f"{self.file} holds no fact.", hint="Give a file with at least one fact.")
        reasons = "; ".join(f"line {p.line}: {p.message}" for p in self.kept[:3])
        raise EmptySourceError(
            f"No row of {self.file} could be used ({reasons}).",
            hint="Each row needs three columns: head, relation, tail. Check the format and the delimiter.",
        )
