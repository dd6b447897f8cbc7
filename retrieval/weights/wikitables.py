"""WikiTableQuestions' training split as a suite: tables of Wikipedia as graphs, people's questions with their answers.

Reads the published folder (``csv/``, ``data/training.tsv``; github.com/ppasupat/WikiTableQuestions, Pasupat and Liang
2015, CC BY-SA 4.0). The tables of the test split are not among those of the training split.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LEARNED = slice(300)
"""Tables that are learned from, in the order of a hash: 2,585 of the split's 14,152 questions."""

CROSS_ENCODER_TABLES = slice(300, 1000)
"""Tables that the cross-encoder learns from."""

_ESCAPES = {"n": " ", "p": "|"}
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}\b)")


def write_suite(wikitables: Path, folder: Path, tables: slice = LEARNED) -> Path:
    """Write tables of the training split as a suite, once.

    Args:
        wikitables: the published folder.
        folder: of the suite.
        tables: which of the tables, in the order of a hash.

    Returns:
        The folder of the suite.
    """
    if folder.is_dir():
        return folder
    by_table: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _read_questions(wikitables / "data" / "training.tsv"):
        by_table[row["context"]].append(row)
    drawn = sorted(by_table, key=lambda table: hashlib.md5(table.encode(), usedforsecurity=False).digest())[tables]
    folder.mkdir(parents=True)
    questions = []
    for table in sorted(drawn):
        graph = table.removeprefix("csv/").removesuffix(".csv").replace("-csv/", "-")
        _write_table(wikitables / table, folder / f"{graph}.csv")
        questions += [_build_question(row, graph) for row in by_table[table]]
    lines = "".join(json.dumps(question, ensure_ascii=False) + "\n" for question in questions)
    (folder / "dev.jsonl").write_text(lines, encoding="utf-8")
    return folder


def _read_questions(file: Path) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, dialect="excel-tab", quoting=csv.QUOTE_NONE)


def _write_table(source: Path, out: Path) -> None:
    """Write a table whose quotes are escaped by backslashes in the form that other programs read, a line per row."""
    with source.open(encoding="utf-8", newline="") as lines, out.open("w", encoding="utf-8", newline="") as written:
        rows = csv.reader(lines, escapechar="\\", doublequote=False)
        csv.writer(written).writerows([" ".join(cell.split()) for cell in row] for row in rows)


def _build_question(row: dict[str, str], graph: str) -> dict[str, Any]:
    answers = [_unescape(answer) for answer in row["targetValue"].split("|")]
    plain = [_GROUPED.sub("", answer) for answer in answers]
    return {
        "id": row["id"],
        "question": _unescape(row["utterance"]),
        "answers": answers,
        "operators": ["table"],
        "graph": graph,
        **({"also": [plain]} if plain != answers else {}),
    }


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text)
