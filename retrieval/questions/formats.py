"""The formats of question files: each makes questions of rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from retrieval.kg.readers.question_files import BadRow
from retrieval.limits import PROGRAM_LIMIT, QUESTION_LIMIT
from retrieval.questions.published import (
    from_graftnet,
    from_grailqa,
    from_metaqa,
    from_passages,
    from_pathquestion,
    from_rog,
)
from retrieval.questions.rows import from_json, from_plans
from retrieval.questions.splits import SPLITS
from retrieval.types import QuestionRecord

#: A row, the id it gets when it brings none, and the hops of every question of its file.
Parser = Callable[[Any, str, int | None], QuestionRecord]


@dataclass(frozen=True, slots=True)
class QuestionFormat:
    """One format of question files.

    Attributes:
        name: as requests and commands call it.
        label: as lists show it.
        holds: what is in such a file, in a few words.
        parse: makes a question of a row, or raises :class:`BadRow`.
        is_json: its rows are JSON objects; others are lines of text.
        options: which of ``ReadOptions`` beside the format it heeds.
    """

    name: str
    label: str
    holds: str
    parse: Parser
    is_json: bool = True
    options: tuple[str, ...] = ("encoding",)


def validate_question(question: QuestionRecord) -> QuestionRecord:
    """The question, when it can be used.

    Raises:
        BadRow: it cannot.
    """
    if not question.question:
        raise BadRow("the question is empty")
    if len(question.question) > QUESTION_LIMIT:
        raise BadRow(f"the question is longer than {QUESTION_LIMIT} characters")
    texts = (question.id, question.question, *question.topic_entities, *question.answers)
    if any("\0" in text for text in texts):
        raise BadRow("the question, a topic or an answer holds a NUL character")
    _check_program(question.program)
    if question.split is not None and question.split not in SPLITS:
        raise BadRow(f"the split {question.split!r} is not one of {', '.join(SPLITS)}")
    return question


def _check_program(program: dict[str, Any] | None) -> None:
    try:
        text = "" if program is None else json.dumps(program, ensure_ascii=False)
    except RecursionError:
        raise BadRow("the program is nested too deep") from None
    if len(text.encode()) > PROGRAM_LIMIT:
        raise BadRow(f"the program is larger than {PROGRAM_LIMIT:,} bytes")
    if "\\u0000" in text:
        raise BadRow("the program holds a NUL character")


def _map_formats(*formats: QuestionFormat) -> Mapping[str, QuestionFormat]:
    return MappingProxyType({question_format.name: question_format for question_format in formats})


FORMATS = _map_formats(
    QuestionFormat("jsonl", "JSONL", "one question object a line", from_json),
    QuestionFormat("metaqa", "MetaQA", "question with [topic], tab, answers", from_metaqa, is_json=False),
    QuestionFormat("pathquestion", "PathQuestion", "question, answers and path", from_pathquestion, is_json=False),
    QuestionFormat("relation-paths", "Relation paths", "RoG's rational paths", from_plans),
    QuestionFormat("rog", "RoG (WebQSP, CWQ)", "questions with their subgraphs", from_rog),
    QuestionFormat("grailqa", "GrailQA", "questions with query graphs", from_grailqa),
    QuestionFormat("graftnet", "GraftNet", "questions with subgraphs of names", from_graftnet),
    QuestionFormat("hotpotqa", "HotpotQA", "questions with passages", from_passages),
    QuestionFormat("2wiki", "2WikiMultihopQA", "questions with passages", from_passages),
    QuestionFormat("musique", "MuSiQue", "questions with passages", from_passages),
)
"""The formats of question files by name, in the order of lists."""
