"""What the readers of graphs know of question sets: how to tell them, and the subgraphs that they bring."""

from __future__ import annotations

import re
from typing import Any

#: What marks the topic in MetaQA's questions.
MARK = re.compile(r"\[([^\[\]]+)\]")


class BadRow(ValueError):
    """Why a row cannot be used."""


def is_question_list(text: str) -> bool:
    """Whether lines are questions: with a [marked] topic, a tab, and answers, as MetaQA's, or as PathQuestion's."""
    lines = [line for line in text.splitlines() if line.strip()][:50]
    marked = sum(line.count("\t") == 1 and " " in line and bool(MARK.search(line.split("\t")[0])) for line in lines)
    listed = sum(len(cells := line.split("\t")) > 1 and cells[1].rstrip().endswith("/)") for line in lines)
    return bool(lines) and 10 * max(marked, listed) >= 9 * len(lines)


def parse_subgraph(row: Any) -> list[tuple[str, str, str]]:
    """The labelled triples that a question brings with it: ``graph``, ``triples``, or ``subgraph.tuples``.

    Raises:
        BadRow: they are not triples of names.
    """
    if not isinstance(row, dict):
        raise BadRow("not a JSON object")
    value = row.get("graph", row.get("triples", row.get("subgraph")))
    if isinstance(value, dict):
        value = value.get("tuples")
    if not isinstance(value, list) or not all(isinstance(t, (list, tuple)) and len(t) == 3 for t in value):
        raise BadRow("there is no subgraph of [head, relation, tail] lists")
    return [(parse_subgraph_name(h), parse_subgraph_name(r), parse_subgraph_name(t)) for h, r, t in value]


def parse_subgraph_name(value: Any) -> str:
    """A name that stands alone, or in an object of GraftNet's (``text``, ``kb_id``, ``rel_id``)."""
    if isinstance(value, dict):
        value = value.get("text") or value.get("kb_id") or value.get("rel_id")
    if not isinstance(value, str):
        raise BadRow("the subgraph names entities by number: replace the numbers by the names they stand for")
    return value.strip()
