"""Spider's databases as graphs with questions and answers, in the form of the operator suites.

``python -m tests.benchmarks.spider_graphs SPIDER OUT`` reads the published folder (``tables.json``,
``train_spider.json``, ``database/NAME/NAME.sqlite``; github.com/taoyds/spider, CC BY-SA 4.0) and writes two folders:
``OUT/dev`` and ``OUT/test``, each with half of the databases as ``NAME.tsv`` and ``dev.jsonl``, questions with the
answers that executing their SQL gives. A row becomes a node with a kind, a column a relation, a foreign key a relation
between nodes. Questions that ask for several columns, that nothing or more than 50 things answer, or whose answers the
graph does not hold are left out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: Larger databases and answers are left out.
_CELLS, _ANSWERS, _TIED = 250_000, 50, 20
#: Steps of SQLite's machine that one query may take, in ten thousands.
_PATIENCE = 3000
#: Columns that name rows: so many have a value, so many of the values differ.
_NAMED, _DIFFERENT = 0.9, 0.6
_FIRST_NAMES = ("first name", "fname", "forename")
_LAST_NAMES = ("last name", "lname", "surname", "family name")
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
Fact = tuple[str, str, str]


@dataclass(slots=True)
class Table:
    """A table: its columns by their number in the database, as they are called in words, and its rows."""

    title: str
    columns: list[int]
    names: list[str]
    types: list[str]
    key: list[int]
    rows: list[tuple[Any, ...]]
    labels: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """What one row is."""
        return _singular(self.title)

    def at(self, column: int) -> int:
        """The place of a column in a row."""
        return self.columns.index(column)

    def row_key(self, number: int) -> str | None:
        """The value of the primary key where it is a single column."""
        if len(self.key) != 1:
            return None
        value = self.rows[number][self.at(self.key[0])]
        return None if value is None else text(value)


def text(value: Any) -> str:
    """A value of a cell as it is written."""
    if isinstance(value, float) and value == int(value):
        value = int(value)
    return re.sub(r"\s+", " ", str(value)).strip()


def tables_of(connection: sqlite3.Connection, schema: dict[str, Any]) -> list[Table]:
    """The tables of a database with all their rows."""
    found = []
    for number, original in enumerate(schema["table_names_original"]):
        own = [at for at, (table, _) in enumerate(schema["column_names_original"]) if table == number]
        names = ",".join(f'"{schema["column_names_original"][at][1]}"' for at in own)
        rows = connection.execute(f'SELECT {names} FROM "{original}"').fetchall()
        words = [schema["column_names"][at][1].lower() for at in own]
        types = [schema["column_types"][at] for at in own]
        key = [at for at in own if at in schema["primary_keys"]]
        found.append(Table(schema["table_names"][number], own, words, types, key, rows))
    return found


def facts_of(tables: Sequence[Table], keys: dict[int, int]) -> list[Fact]:
    """The facts of a database, ``keys`` its foreign keys: what a column refers to."""
    things = [table for table in tables if not _joins(table, keys)]
    _name(things, keys)
    ends: dict[int, dict[str, str]] = defaultdict(dict)
    owner = {column: table for table in tables for column in table.columns}
    for column in set(keys.values()):
        table = owner[column]
        for row, label in zip(table.rows, table.labels, strict=False):
            if row[table.at(column)] is not None:
                ends[column].setdefault(text(row[table.at(column)]).casefold(), label)
    found = dict[Fact, None]()
    for table in tables:
        if _joins(table, keys):
            one, other = table.columns
            for row in table.rows:
                head, tail = (
                    ends[keys[at]].get(text(cell).casefold()) for at, cell in zip((one, other), row, strict=True)
                )
                if head and tail:
                    found[head, table.title.replace("_", " ").lower(), tail] = None
            continue
        naming = _naming(table, keys)
        for row, label in zip(table.rows, table.labels, strict=True):
            found[label, "type", table.kind] = None
            for at, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
                if cell is None or not text(cell) or (naming == (at,) and table.names[at] in ("name", "title")):
                    continue
                if column not in keys:
                    found[label, table.names[at], text(cell)] = None
                    continue
                end = ends[keys[column]].get(text(cell).casefold())
                called = re.sub(r"\s*(id|code|number)$", "", table.names[at]).strip()
                if end is not None:
                    found[label, called or owner[keys[column]].kind, end] = None
    return list(found)


def questions_of(
    connection: sqlite3.Connection, asked: Sequence[dict[str, Any]], labels: frozenset[str], name: str
) -> Iterator[dict[str, Any]]:
    """Questions with the answers that their SQL gives, as rows of an operator suite.

    Args:
        connection: of the database.
        asked: Spider's questions of it.
        labels: of the nodes of its graph, in lower case, without what tells namesakes apart.
        name: of the graph.
    """
    seen = set[str]()
    for number, one in enumerate(asked):
        question, query = one["question"].strip(), one["query"]
        answers = _answers(connection, query)
        folded = re.match(r"select\s+(distinct\s+)?(count|sum|avg|max|min)\s*\(", query, re.IGNORECASE)
        held = folded or all(answer.casefold() in labels for answer in answers)
        if not answers or len(answers) > _ANSWERS or not held or question.casefold() in seen:
            continue
        seen.add(question.casefold())
        tied = _tied(connection, query)
        yield {
            "id": f"{name}-{number:04}",
            "question": question,
            "answers": answers,
            "operators": [own for own, form in _OPERATORS if re.search(form, query.lower())] or ["path"],
            "graph": name,
            **({"also": [tied]} if tied and set(tied) != set(answers) and len(tied) <= _TIED else {}),
        }


def _answers(connection: sqlite3.Connection, query: str) -> list[str]:
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
    return _distinct(row[0] for row in rows)


def _tied(connection: sqlite3.Connection, query: str) -> list[str]:
    """All that share the place of the single one that a query keeps."""
    match = _TIES.fullmatch(query)
    if match is None or "select" in match["by"].lower():
        return []
    every = f"select {match['what']}, {match['by']} {match['of']} order by {match['by']} {match['how'] or ''}"
    try:
        rows = connection.execute(every).fetchall()
    except sqlite3.Error:
        return []
    return _distinct(row[0] for row in rows if row[-1] == rows[0][-1])


def _distinct(values: Iterator[Any]) -> list[str]:
    rounded = (round(own, 4) if isinstance(own, float) else own for own in values if own is not None)
    return list(dict.fromkeys(map(text, rounded)))


def _joins(table: Table, keys: dict[int, int]) -> bool:
    """Whether a table only says which rows of two others belong together."""
    return len(table.columns) == 2 and all(column in keys for column in table.columns)


def _naming(table: Table, keys: dict[int, int]) -> tuple[int, ...]:
    """The places of the columns that name rows: first and last name, or one; none where the key must do."""
    first, last = ([at for at, name in enumerate(table.names) if name in some] for some in (_FIRST_NAMES, _LAST_NAMES))
    if first and last:
        return first[0], last[0]
    free = [at for at, column in enumerate(table.columns) if column not in keys and _tells_apart(table, at)]
    kind = table.kind.split()[-1:]
    for at in free:
        name = table.names[at]
        if name in ("name", "title", table.kind) or name.endswith(" title"):
            return (at,)
        if name.endswith(" name") and kind and kind[0] in name:
            return (at,)
    for at in free:
        if table.types[at] == "text" and ("name" in table.names[at] or "description" in table.names[at]):
            return (at,)
    return ()


def _tells_apart(table: Table, at: int) -> bool:
    values = [row[at] for row in table.rows if row[at] not in (None, "")]
    return bool(values) and len(values) >= _NAMED * len(table.rows) and len(set(values)) >= _DIFFERENT * len(values)


def _name(tables: Sequence[Table], keys: dict[int, int]) -> None:
    """Gives every row a label of its own; namesakes are told apart by their kind, else by their key."""
    called: dict[str, list[tuple[Table, int, str]]] = defaultdict(list)
    for table in tables:
        naming = _naming(table, keys)
        table.labels = [""] * len(table.rows)
        for number, row in enumerate(table.rows):
            label = " ".join(text(row[at]) for at in naming if row[at] is not None).strip()
            label = label or f"{table.kind} {table.row_key(number) or number + 1}"
            called[label.casefold()].append((table, number, label))
    for namesakes in called.values():
        kinds, taken = Counter(table.kind for table, _, _ in namesakes), set[str]()
        for place, (table, number, own) in enumerate(namesakes):
            label = own
            if len(kinds) > 1 and kinds[table.kind] == 1:
                label = f"{own} ({table.kind})" if place else own
            elif len(namesakes) > 1:
                label = f"{own} ({table.row_key(number) or number + 1})"
            while label.casefold() in taken:
                label += " #2"
            taken.add(label.casefold())
            table.labels[number] = label


def _singular(title: str) -> str:
    word = title.replace("_", " ").lower().strip()
    if word.endswith(("uses", "sses", "xes", "ches", "shes")) and not word.endswith(("houses", "causes")):
        return word[:-2]
    if word.endswith("ies") and len(word) > len("ties"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.spider_graphs", description=__doc__)
    parser.add_argument("spider", type=Path, help="Spider's folder, as published")
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    schemas = {own["db_id"]: own for own in json.loads((args.spider / "tables.json").read_text("utf-8"))}
    by_database: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in json.loads((args.spider / "train_spider.json").read_text("utf-8")):
        by_database[one["db_id"]].append(one)
    written: dict[str, list[dict[str, Any]]] = {"dev": [], "test": []}
    for name, asked in sorted(by_database.items()):
        schema = schemas[name]
        connection = sqlite3.connect(args.spider / "database" / name / f"{name}.sqlite")
        connection.text_factory = lambda own: own.decode("utf-8", "replace")
        tables = tables_of(connection, schema)
        cells = sum(len(table.rows) * len(table.columns) for table in tables)
        if not 0 < cells <= _CELLS:
            continue
        facts = facts_of(tables, dict(schema["foreign_keys"]))
        labels = frozenset(_plain(own) for head, _, tail in facts for own in (head, tail))
        half = "test" if int(hashlib.sha1(name.encode()).hexdigest(), 16) % 2 else "dev"
        (args.out / half).mkdir(parents=True, exist_ok=True)
        rows = ["head\trelation\ttail", *map("\t".join, facts)]
        (args.out / half / f"{name}.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        written[half] += questions_of(connection, asked, labels, name)
    for half, questions in written.items():
        (args.out / half).mkdir(parents=True, exist_ok=True)
        lines = "".join(json.dumps(own, ensure_ascii=False) + "\n" for own in questions)
        (args.out / half / "dev.jsonl").write_text(lines, encoding="utf-8")
        print(half, len(questions), "questions over", len({own["graph"] for own in questions}), "graphs")


def _plain(label: str) -> str:
    return re.sub(r"\s*\([^()]*\)( #2)*$", "", label).casefold()


if __name__ == "__main__":
    main()
