"""What an evaluation has asked so far, on disk, so that a stopped one goes on where it was.

One JSON object a line: first a key that names everything the outcomes depend on, then one outcome each. A line that
a crash cut off is not read, and the questions behind it are asked again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from retrieval.evaluation.outcomes import Outcome, as_row, from_row
from retrieval.types import Question


class Journal:
    """The outcomes of one evaluation, in the order they were asked.

    Args:
        path: the file; made when it is not there.
        key: names the questions and what they are asked of; a journal of another key is begun anew.
    """

    def __init__(self, path: Path, key: str) -> None:
        self._path = path
        self._key = key
        self._kept: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        """Read what is there, and open the file to go on behind it."""
        self._kept = list(self._read())
        self._path.parent.mkdir(parents=True, exist_ok=True)
        lines = [{"key": self._key}, *self._kept]
        with self._path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        self._file = self._path.open("a", encoding="utf-8", buffering=1)  # a line at a time reaches the disk
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._file.close()

    def outcomes(self, questions: Sequence[Question]) -> list[Outcome]:
        """The outcomes that were kept, as far as they are of these questions in this order."""
        found = []
        for question, line in zip(questions, self._kept, strict=False):
            if line["question"] != question.id:
                break
            found.append(from_row(line, question))
        return found

    def add(self, outcome: Outcome) -> None:
        """Keep one more."""
        self._file.write(json.dumps(as_row(outcome), ensure_ascii=False) + "\n")

    def _read(self) -> Iterator[dict[str, Any]]:
        if not self._path.exists():
            return
        with self._path.open(encoding="utf-8", errors="replace") as file:
            for number, text in enumerate(file):
                try:
                    line = json.loads(text)
                except ValueError:
                    return
                if number == 0 and line.get("key") != self._key:
                    return
                if number:
                    yield line
