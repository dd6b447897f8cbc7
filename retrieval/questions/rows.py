"""A question of Clew's own form read from a JSON object, and the parts that other forms share with it."""

from __future__ import annotations

import json
from typing import Any

from retrieval.kg.readers.question_files import BadRow
from retrieval.types import QuestionRecord

#: What people call the topics and the answers of a question in Clew's own form; the first is how it is written.
TOPIC_KEYS = ("topic_entities", "topics", "topic_entity", "topic")


ANSWER_KEYS = ("answers", "answer")


def read_texts(row: dict[str, Any], key: str) -> tuple[str, ...]:
    """A list of strings (one string is taken as a list of one); trimmed, empty ones and repeats dropped."""
    value = row.get(key)
    if value is None:
        return ()
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, (str, int, float)) for item in items):
        raise BadRow(f"{key} must be a list of strings")
    return tuple(dict.fromkeys(text for item in items if (text := str(item).strip())))


def _read_first_texts(row: dict[str, Any], keys: tuple[str, ...]) -> tuple[str, ...]:
    """The strings of the first of these keys that the row has any of."""
    return next((texts for key in keys if (texts := read_texts(row, key))), ())


def parse_triples(value: Any, key: str) -> tuple[tuple[str, str, str], ...]:
    """Lists of head, relation and tail, trimmed."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(t, (list, tuple)) and len(t) == 3 for t in value):
        raise BadRow(f"{key} must hold [head, relation, tail] lists")
    return tuple((str(h).strip(), str(r).strip(), str(t).strip()) for h, r, t in value)


def require_object(row: Any) -> dict[str, Any]:
    """The row, when it is an object with a question.

    Raises:
        BadRow: it is not.
    """
    if not isinstance(row, dict):
        raise BadRow("not a JSON object")
    if not isinstance(row.get("question"), str):
        raise BadRow("there is no question")
    return row


def from_json(row: Any, default_id: str, hops: int | None) -> QuestionRecord:
    """Clew's own form."""
    body = require_object(row)
    paths = body.get("paths") or []
    if not isinstance(paths, list):
        raise BadRow("paths must be a list of lists of [head, relation, tail]")
    own_hops = body.get("hops", hops)
    if own_hops is not None and (not isinstance(own_hops, int) or isinstance(own_hops, bool)):
        raise BadRow("hops must be a number")
    topics, answers = _read_first_texts(body, TOPIC_KEYS), _read_first_texts(body, ANSWER_KEYS)
    plans, table = _parse_relation_paths(body), _parse_table(body.get("rows"))
    answers = answers or tuple(dict.fromkeys(row[0] for row in table))
    # Nothing of a question without topic and answers can be measured: it is there to learn from.
    learned_from = "train" if plans and not topics and not answers else None
    return QuestionRecord(
        id=str(body.get("id") or default_id),
        question=body["question"].strip(),
        topic_entities=topics,
        answers=answers,
        paths=tuple(parse_triples(path, "paths") for path in paths),
        triples=parse_triples(body.get("triples"), "triples"),
        relation_paths=plans,
        passages=read_texts(body, "passages") or read_texts(body, "supporting_passages"),
        hops=own_hops,
        split=body.get("split", learned_from),
        program=_parse_program(body.get("program")),
        operators=read_texts(body, "operators"),
        also=_answer_sets(body.get("also")),
        rows=table,
    )


def _parse_table(value: Any) -> tuple[tuple[str, ...], ...]:
    """The rows of a table: lists of texts or numbers, all of one length."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(
        isinstance(row, list) and row and all(isinstance(cell, str | int | float) for cell in row) for row in value
    ):
        raise BadRow("rows must be a list of lists of texts or numbers")
    if len({len(row) for row in value}) > 1:
        raise BadRow("rows must all have the same number of cells")
    return tuple(tuple(str(cell).strip() for cell in row) for row in value)


def _parse_program(value: Any) -> dict[str, Any] | None:
    """A program by names, or its JSON; one in another language, which has no ``op``, is left out."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) and isinstance(value.get("op"), str) else None


def _answer_sets(value: Any) -> tuple[tuple[str, ...], ...]:
    """Other answer sets that count as right; one answer is taken as a set of one."""
    if value is None:
        return ()
    if not isinstance(value, list):
        raise BadRow("also must be a list of answer sets")
    return tuple(
        dict.fromkeys(
            read_texts({"also": [answers] if not isinstance(answers, list) else answers}, "also") for answers in value
        )
    )


def _parse_relation_paths(body: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Lists of relation names; empty ones and repeats dropped."""
    value = body.get("relation_paths") or []
    if not isinstance(value, list) or not all(
        isinstance(path, list) and all(isinstance(name, str) for name in path) for path in value
    ):
        raise BadRow("relation_paths must be a list of lists of relation names")
    return tuple(dict.fromkeys(tuple(path) for path in value if path))


def from_plans(row: Any, default_id: str, hops: int | None) -> QuestionRecord:
    """RoG's planning data: a question and its relation paths, neither topic nor answers."""
    question = from_json(row, default_id, hops)
    if not question.relation_paths:
        raise BadRow("there are no relation_paths")
    return question
