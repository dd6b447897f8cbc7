"""Reading files of verdicts: label files (JSON lines) and the table that a queue's export is."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from typing import IO, Any

from retrieval.errors import TrainingDataError
from webapp.api.errors import TooLargeError
from webapp.review.domain import relation_paths
from webapp.review.models import Reason, VerdictKind
from webapp.review.services.exports import NO_PATH, SEPARATOR

LINES_MAX = 100_000
LINE_MAX = 64 * 1024
"""Characters of a line: what reads one holds everybody else up for no longer."""

TEXT_MAX = 200
COMMENT_MAX = 2000
NEEDED = ("question_id", "topic", "path", "verdict")
_OF_LABELS = {"accepted": VerdictKind.RATIONAL, "rejected": VerdictKind.NOT_RATIONAL}


@dataclass(frozen=True, slots=True)
class Line:
    """A verdict on a path, or on a question, as a file has it.

    Attributes:
        number: of the line, from 1.
        question: id of the question.
        topic, path: the path; None for a question that is broken, or was judged without a path.
        kind: of :class:`VerdictKind`, or ``no-path``.
        reasons, comment: as of a verdict.
        analyst: whose it is; empty where the file does not say.
        text: the line, cut.
    """

    number: int
    question: str
    topic: str
    path: relation_paths.Path | None
    kind: str
    reasons: tuple[str, ...] = ()
    comment: str = ""
    analyst: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is no verdict, and why."""

    number: int
    message: str
    text: str


def read(file: IO[bytes], name: str) -> Iterator[Line | BadLine]:
    """The verdicts of a file, line by line. What begins with a brace is JSON lines, else it is a table.

    Raises:
        TrainingDataError: it is not UTF-8, or a table without the columns it needs.
        TooLargeError: it has too many lines, or one that is too long.
    """
    first = file.read(1)
    while first.isspace():
        first = file.read(1)
    file.seek(0)
    text = _read_lines(TextIOWrapper(file, encoding="utf-8-sig", newline=""), name)
    rows = (
        _read_labels(text) if first in {b"{", b"["} or (not first and name.endswith("l")) else _read_table(text, name)
    )
    try:
        for row in rows:
            if row.number > LINES_MAX + 1:
                raise TooLargeError(f"{name} has more than {LINES_MAX:,} lines.", hint="Split it.")
            yield row
    except UnicodeDecodeError as error:
        raise TrainingDataError(f"{name} is not UTF-8: {error}.", hint="Save it as UTF-8.") from error
    except csv.Error as error:
        raise TrainingDataError(f"{name} is not a table: {error}.", hint="Export a queue to see one.") from error


def _read_lines(text: TextIOWrapper, name: str) -> Iterator[str]:
    """The lines of a file, none of which is read that is too long."""
    for number, line in enumerate(iter(lambda: text.readline(LINE_MAX + 1), ""), start=1):
        if len(line) > LINE_MAX:
            raise TooLargeError(
                f"Line {number:,} of {name} has more than {LINE_MAX:,} characters.",
                hint="A file of verdicts has one on each line.",
            )
        yield line


def _read_labels(text: Iterator[str]) -> Iterator[Line | BadLine]:
    for number, raw in enumerate(text, start=1):
        line = raw.strip()
        if not line:
            continue
        try:
            row = json.loads(line)
            if row.get("role", "path") != "path":
                raise ValueError("only labels of whole paths are judged")
            kind = _OF_LABELS.get(row.get("verdict", "accepted"))
            if kind is None:
                raise ValueError(f"verdict is {row['verdict']!r}, neither accepted nor rejected")
            # What an export explains is how many said so, which is no remark of an analyst's.
            explained = "" if "agreement" in row else row.get("explanation", "")
            yield Line(
                number,
                _require_text(row["question"]),
                _require_text(row["topic"]),
                _parse_path(row["path"]),
                kind,
                comment=_require_text(explained)[:COMMENT_MAX],
                text=line[:TEXT_MAX],
            )
        except KeyError as error:
            yield BadLine(number, f"This line has no {error.args[0]}.", line[:TEXT_MAX])
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            yield BadLine(number, f"This is not a label: {error}.", line[:TEXT_MAX])


def _read_table(text: Iterator[str], name: str) -> Iterator[Line | BadLine]:
    rows = csv.DictReader(text)
    missing = [column for column in NEEDED if column not in (rows.fieldnames or ())]
    if missing:
        raise TrainingDataError(
            f"{name} is a table without {', '.join(missing)}.",
            hint="It needs the columns of a queue's export as CSV, or be a label file (JSON lines).",
        )
    for row in rows:
        cells = {key: _parse_cell(value) for key, value in row.items() if isinstance(key, str)}
        shown = ", ".join(cells.get(column, "") for column in NEEDED)[:TEXT_MAX]
        if cells.get("decides") == "True":
            continue  # a decision about others' verdicts is not a verdict of an analyst's own
        try:
            yield _parse_row(rows.line_num, cells, shown)
        except ValueError as error:
            yield BadLine(rows.line_num, f"This is not a verdict: {error}.", shown)


def _parse_row(number: int, cells: Mapping[str, str], shown: str) -> Line:
    kind = cells["verdict"]
    kinds = [*VerdictKind.values, NO_PATH]
    if kind not in kinds:
        raise ValueError(f"{kind[:50]!r} is none of {', '.join(kinds)}")
    reasons = tuple(code for code in (part.strip() for part in cells.get("reasons", "").split(";")) if code)
    unknown = [code for code in reasons if code not in Reason.values]
    if unknown:
        raise ValueError(f"{unknown[0][:50]!r} is none of {', '.join(Reason.values)}")
    on_path = kind not in {VerdictKind.BROKEN, NO_PATH}
    return Line(
        number,
        _require_text(cells["question_id"]),
        _require_text(cells["topic"]) if on_path else "",
        _parse_path(_parse_steps(cells["path"])) if on_path else None,
        kind,
        reasons,
        _require_text(cells.get("comment", ""))[:COMMENT_MAX],
        _require_text(cells.get("analyst", ""))[:150],
        shown,
    )


def _parse_cell(value: Any) -> str:
    """A cell without the apostrophe that kept a spreadsheet from taking it for a formula."""
    text = value if isinstance(value, str) else ""
    return text[1:] if text.startswith(("'=", "'+", "'-", "'@", "'\t", "'\r", "'\n")) else text


def _parse_steps(text: str) -> Any:
    if text.startswith("["):
        return json.loads(text)
    return [[step.removeprefix("^"), step.startswith("^")] for step in text.split(SEPARATOR)]


def _parse_path(steps: Any) -> relation_paths.Path:
    if not isinstance(steps, list) or not steps:
        raise ValueError("path is not a list of steps")
    return tuple((_require_text(name), bool(inverse)) for name, inverse in steps)


def _require_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{str(value)[:50]!r} is no text")
    if "\0" in value:
        raise ValueError("it holds NUL")
    value.encode()  # a lone surrogate is an error here, before the database says so
    return value
