"""What the rows of a question file hold beyond a question: keys that are not read, and the graph each is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from retrieval.kg.snapshot.labels import normalize_name
from retrieval.questions.rows import ANSWER_KEYS, TOPIC_KEYS
from retrieval.types import QuestionRecord

#: Keys of Clew's own JSONL; ``graph`` says which of several graphs a question is about.
_READ = frozenset({
    "id", "question", *TOPIC_KEYS, *ANSWER_KEYS, "paths", "triples", "relation_paths", "passages",
    "supporting_passages", "hops", "split", "program", "operators", "also", "rows", "graph",
})  # fmt: skip
_SHOWN = 8


@dataclass(slots=True)
class Leftovers:
    """Counts, row by row, what of a file in Clew's own form is not read.

    Attributes:
        keys: keys that nothing is made of, by rows that have them.
        programs: programs that are none of Clew's: text in another language.
        graphs: by the id of a question, the graph that it names.
    """

    keys: Counter[str] = field(default_factory=Counter)
    programs: int = 0
    graphs: dict[str, str] = field(default_factory=dict)

    def add(self, row: Mapping[str, Any], question: QuestionRecord) -> None:
        """Look at the row of a good question."""
        self.keys.update(key for key in row if key not in _READ and row[key] not in (None, "", [], {}))
        if row.get("program") and question.program is None:
            self.programs += 1
        if isinstance(row.get("graph"), str):
            self.graphs[question.id] = row["graph"]

    def list_notes(self) -> Iterator[str]:
        """What was left out, in words."""
        if self.programs:
            yield (
                f"The program of {_format_count(self.programs)} is in another language and was left out; "
                "answers and operators are used."
            )
        if self.keys:
            listed = ", ".join(f"{key} ({count:,})" for key, count in self.keys.most_common(_SHOWN))
            more = f" and {len(self.keys) - _SHOWN:,} more" if len(self.keys) > _SHOWN else ""
            yield f"Not read: {listed}{more}."


def select_graph_questions(
    questions: Mapping[str, QuestionRecord], graphs: Mapping[str, str], name: str | None
) -> tuple[dict[str, QuestionRecord], str]:
    """The questions about a graph, and what to say of the others.

    Args:
        questions: by id.
        graphs: by id, what a question says that it is about; those that say nothing are about any.
        name: of the graph; where no question names it, all are taken.
    """
    names = sorted(set(graphs.values()))
    listed = ", ".join(names[:_SHOWN]) + (" ..." if len(names) > _SHOWN else "")
    wanted = {
        graph_name for graph_name in names if name is not None and normalize_name(graph_name) == normalize_name(name)
    }
    if not wanted:
        note = f"The questions are about {len(names):,} graphs ({listed}); all were taken." if len(names) > 1 else ""
        return dict(questions), note
    kept = {key: question for key, question in questions.items() if graphs.get(key, name) in {*wanted, name}}
    gone = len(questions) - len(kept)
    return kept, f"{_format_count(gone)} about other graphs ({listed}) left out." if gone else ""


def _format_count(count: int) -> str:
    return f"{count:,} question{'s' if count != 1 else ''}"
