"""Spider's training split as suites: its databases as graphs, its questions with the answers of their SQL.

Reads the published folder (``tables.json``, ``train_spider.json``, ``database/NAME/NAME.sqlite``;
github.com/taoyds/spider, CC BY-SA 4.0). Questions that ask for several columns, that nothing or more than 50 things
answer, or whose answers the graph does not hold are left out.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from retrieval.weights.spider_graphs import build_facts, format_cell, read_tables

#: Larger databases and answers are left out.
_CELLS, _ANSWERS, _TIED = 250_000, 50, 20
#: Steps of SQLite's machine that one query may take, in ten thousands.
_PATIENCE = 3000
_TIES = re.compile(
    r"\s*select\s+(?:distinct\s+)?(?P<what>.*?)\s+(?P<of>from\b.*)\border by\s+(?P<by>.*?)"
    r"(?P<how>\s+desc|\s+asc)?\s+limit\s+1\s*;?\s*",
    re.DOTALL | re.IGNORECASE,
)
_OPERATORS = (
    ("count", r"^select\s+(?:distinct\s+)?count\("),
    ("superlative", r"limit 1|=\s*\(\s*select (?:max|min)|(?:max|min)\("),
    ("aggregate", r"(?:avg|sum)\("),
    ("filter", r"[<>]=? *[\d'\"]|between|having count|having sum|having avg| like "),
    ("negation", r"not in|except|!=|<>|not like"),
    ("conjunction", r"intersect| and | or |union"),
    ("comparison", r"[<>] *\( *select"),
    ("group", r"group by"),
)


def write_suites(spider: Path, out: Path) -> list[Path]:
    """Write the databases of Spider's training split as two suites, once; one is learned from, one measured on.

    Args:
        spider: the published folder.
        out: gets ``spider_train_dev`` and ``spider_train_test``, each with half of the databases.

    Returns:
        The suite that is learned from.
    """
    folders = {half: out / f"spider_train_{half}" for half in ("dev", "test")}
    if folders["dev"].is_dir():
        return [folders["dev"]]
    schemas = {schema["db_id"]: schema for schema in json.loads((spider / "tables.json").read_text("utf-8"))}
    by_database: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in json.loads((spider / "train_spider.json").read_text("utf-8")):
        by_database[row["db_id"]].append(row)
    written: dict[str, list[dict[str, Any]]] = {"dev": [], "test": []}
    for folder in folders.values():
        folder.mkdir(parents=True)
    for name, rows in sorted(by_database.items()):
        connection = sqlite3.connect(spider / "database" / name / f"{name}.sqlite")
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        tables = read_tables(connection, schemas[name])
        cells = sum(len(table.rows) * len(table.columns) for table in tables)
        if not 0 < cells <= _CELLS:
            continue
        facts = build_facts(tables, dict(schemas[name]["foreign_keys"]))
        labels = frozenset(_remove_suffix(label) for head, _, tail in facts for label in (head, tail))
        half = "test" if int(hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest(), 16) % 2 else "dev"
        lines = ["head\trelation\ttail", *map("\t".join, facts)]
        (folders[half] / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        written[half] += build_questions(connection, rows, labels, name)
    for half, questions in written.items():
        lines = [json.dumps(question, ensure_ascii=False) for question in questions]
        (folders[half] / "dev.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [folders["dev"]]


def _remove_suffix(label: str) -> str:
    return re.sub(r"\s*\([^()]*\)( #2)*$", "", label).casefold()


def build_questions(
    connection: sqlite3.Connection, rows: Sequence[dict[str, Any]], labels: frozenset[str], name: str
) -> Iterator[dict[str, Any]]:
    """Questions with the answers that their SQL gives, as rows of an operator suite.

    Args:
        connection: of the database.
        rows: Spider's questions of it.
        labels: of the nodes of its graph, in lower case, without what tells namesakes apart.
        name: of the graph.
    """
    seen = set[str]()
    for number, row in enumerate(rows):
        question, query = row["question"].strip(), row["query"]
        answers = _query_answers(connection, query)
        folded = re.match(r"select\s+(distinct\s+)?(count|sum|avg|max|min)\s*\(", query, re.IGNORECASE)
        held = folded or all(answer.casefold() in labels for answer in answers)
        if not answers or len(answers) > _ANSWERS or not held or question.casefold() in seen:
            continue
        seen.add(question.casefold())
        tied = _query_ties(connection, query)
        yield {
            "id": f"{name}-{number:04}",
            "question": question,
            "answers": answers,
            "operators": [name for name, form in _OPERATORS if re.search(form, query.lower())] or ["path"],
            "graph": name,
            **({"also": [tied]} if tied and set(tied) != set(answers) and len(tied) <= _TIED else {}),
        }


def _query_answers(connection: sqlite3.Connection, query: str) -> list[str]:
    """The distinct values of the only column that a query gives; none where it fails or gives several."""
    left = iter(range(_PATIENCE))
    connection.set_progress_handler(lambda: int(next(left, None) is None), 10_000)
    try:
        cursor = connection.execute(query)
        rows = cursor.fetchall()
    except sqlite3.Error:
        return []
    if len(cursor.description) != 1:
        return []
    return _list_distinct(row[0] for row in rows)


def _query_ties(connection: sqlite3.Connection, query: str) -> list[str]:
    """All that share the place of the single one that a query keeps."""
    match = _TIES.fullmatch(query)
    if match is None or "select" in match["by"].lower():
        return []
    every = f"select {match['what']}, {match['by']} {match['of']} order by {match['by']} {match['how'] or ''}"
    try:
        rows = connection.execute(every).fetchall()
    except sqlite3.Error:
        return []
    return _list_distinct(row[0] for row in rows if row[-1] == rows[0][-1])


def _list_distinct(values: Iterator[Any]) -> list[str]:
    rounded = (round(value, 4) if isinstance(value, float) else value for value in values if value is not None)
    return list(dict.fromkeys(map(format_cell, rounded)))
