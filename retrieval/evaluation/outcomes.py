"""What happened to each question, kept on disk while a long evaluation runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from retrieval.metrics.scores import Fact
from retrieval.metrics.table_rows import Cell
from retrieval.questions.files import to_json
from retrieval.types import QuestionRecord, Usage


@dataclass(slots=True)
class Outcome:
    """One question asked.

    Attributes:
        topics: labels of the linked topic entities.
        linked: whether Clew's linker found them: the question names none, none that the graph holds, or the
            linker was to be measured.
        predicted: answers' labels with their scores, best first.
        facts: retrieved facts as (head, relation, tail).
        chains: evidence chains as text with their probability, best first.
        no_answer: reason of a typed no-answer.
        error: code of a failed run.
        latency_ms: from asking to the last event.
        retrieval_ms: of that, what the retriever took, from the question's text to its last path; on a question's
            own subgraph also what it computed from that.
        own_facts: facts of the question's own subgraph that it was asked on; None when it was asked on the whole
            graph.
        passages: names of the retrieved passages, the best first.
        support: for each passage that supports the answer, its place among them, from 1; 0 where it is not.
        route: the method that answered, where a router chose it; None otherwise.
        program: that was run, by names of the graph; None where none was.
        values: of a ranking, what each answer was ranked by: its label, and the value as it is shown.
        rows: of an answer that is a table, the text and value of each cell.
        read: lines of evidence that a language model was shown; empty where none was asked.
        unknown: triples of the own subgraph that the graph lacks: their ``entity``, ``relation`` or ``fact``.
    """

    question: QuestionRecord
    topics: tuple[str, ...] = ()
    linked: bool = False
    predicted: tuple[tuple[str, float], ...] = ()
    facts: set[Fact] = field(default_factory=set)
    chains: tuple[tuple[str, float], ...] = ()
    no_answer: str | None = None
    error: str | None = None
    usage: Usage = field(default_factory=Usage)
    latency_ms: float = 0.0
    retrieval_ms: float = 0.0
    own_facts: int | None = None
    unknown: dict[str, int] = field(default_factory=dict)
    passages: tuple[str, ...] = ()
    support: tuple[int, ...] = ()
    route: str | None = None
    program: dict[str, Any] | None = None
    values: tuple[tuple[str, str], ...] = ()
    read: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()


def to_row(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain JSON, its question by id."""
    row = {name: getattr(outcome, name) for name in Outcome.__dataclass_fields__}
    return {
        **row,
        "question": outcome.question.id,
        "facts": sorted(outcome.facts),
        "usage": asdict(outcome.usage),
    }


def from_row(row: Mapping[str, Any], question: QuestionRecord) -> Outcome:
    """Inverse of :func:`to_row`."""
    return Outcome(
        **{
            **row,
            "question": question,
            "topics": tuple(row["topics"]),
            "predicted": tuple((str(label), float(score)) for label, score in row["predicted"]),
            "chains": tuple((str(text), float(score)) for text, score in row["chains"]),
            "facts": {(str(h), str(r), str(t)) for h, r, t in row["facts"]},
            "usage": Usage(**row["usage"]),
            "passages": tuple(row.get("passages", ())),
            "support": tuple(row.get("support", ())),
            "read": tuple(row.get("read", ())),
            "rows": tuple(tuple((str(text), value) for text, value in cells) for cells in row.get("rows", ())),
            "values": tuple((str(label), str(value)) for label, value in row.get("values", ())),
        }
    )


class Journal:
    """Outcomes on disk, one JSON line each, so that a stopped evaluation goes on where it was.

    Args:
        path: the file; made when missing.
        key: names everything that the outcomes depend on. A file of another key, or a damaged one, is begun anew;
            a line that was cut off by a crash is asked again.
        questions: those to be asked.
    """

    def __init__(self, path: Path, key: str, questions: Iterable[QuestionRecord]) -> None:
        self._path, self._key = path, key
        self.done: dict[str, Outcome] = {}
        by_id = {question.id: question for question in questions}
        for row in self._read():
            if (question := by_id.get(str(row.get("question")))) is not None:
                self.done[question.id] = from_row(row, question)
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [{"key": key}, *(to_row(outcome) for outcome in self.done.values())]
        part = path.with_name(f"{path.name}.part")
        part.write_text("".join(_format_line(row) for row in lines), encoding="utf-8")
        part.replace(path)

    def add(self, outcome: Outcome) -> None:
        """Keep one more."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_format_line(to_row(outcome)))

    def remove(self) -> None:
        """Forget all: the report is written."""
        self._path.unlink(missing_ok=True)

    def _read(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        try:
            with self._path.open(encoding="utf-8") as file:
                for line in file:
                    rows.append(json.loads(line))
        except (OSError, ValueError):
            pass
        return rows[1:] if rows and rows[0] == {"key": self._key} else []


def compute_fingerprint(questions: Sequence[QuestionRecord]) -> str:
    """sha256 over what is asked and expected, in any order; splits, hops and gold paths do not count."""
    counted = ("id", "question", "topic_entities", "answers", "triples", "passages", "also", "rows")
    rows = [
        {name: value for name, value in to_json(question).items() if name in counted}
        for question in sorted(questions, key=lambda question: question.id)
    ]
    return hashlib.sha256(json.dumps(rows, ensure_ascii=False).encode()).hexdigest()


def _format_line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"
