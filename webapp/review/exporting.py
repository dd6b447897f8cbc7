"""What analysts decided, as a file: labels that ``train --labels`` reads, or a table of every verdict."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from io import TextIOWrapper
from tempfile import TemporaryFile
from typing import IO, Any

from django.db import connection

from retrieval.kg.reporting import harmless
from webapp.review.models import Queue

FORMATS = {"jsonl": "application/jsonl", "csv": "text/csv; charset=utf-8"}

_VERDICTS = """
    SELECT i.position, i.key, i.question, i.state, c.id, c.topic, c.path, c.precision, c.recall, c.sources,
           v.kind, v.reasons, v.comment, s.comment, s.analyst_name, s.at
    FROM review_standing t
    JOIN review_item i ON i.id = t.item_id
    JOIN review_submission s ON s.id = t.submission_id
    JOIN review_verdict v ON v.submission_id = s.id
    LEFT JOIN review_candidate c ON c.id = v.candidate_id
    WHERE t.queue_id = %s
    ORDER BY i.position, c.position NULLS FIRST, s.at, s.id
"""
_COLUMNS = (
    *("position", "question_id", "question", "state", "candidate", "topic", "path", "precision", "recall"),
    *("sources", "verdict", "reasons", "comment", "question_comment", "analyst", "at"),
)


def write(queue: Queue, format: str) -> IO[bytes]:
    """The export as an open temporary file, at its beginning.

    Args:
        queue: of which what stands is written.
        format: ``jsonl``: a label for each path that most of those who judged it call rational (accepted) or not
            (rejected); paths they are undecided about and broken questions are left out. ``csv``: each verdict.
    """
    file = TemporaryFile()  # noqa: SIM115 - the answer that it is sent with closes it
    text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    if format == "jsonl":
        for label in labels(queue):
            text.write(json.dumps(label, ensure_ascii=False) + "\n")
    else:
        rows = csv.writer(text)
        rows.writerow(_COLUMNS)
        for row in _rows(queue):
            rows.writerow([harmless(cell) for cell in _cells(row)])
    text.detach()
    file.seek(0)
    return file


def labels(queue: Queue) -> Iterator[dict[str, Any]]:
    """Labels of source ``analyst``, in the form of label files."""
    group: list[dict[str, Any]] = []
    for row in _rows(queue):
        if row["candidate"] is None:
            continue
        if group and group[0]["candidate"] != row["candidate"]:
            yield from _label(group)
            group = []
        group.append(row)
    yield from _label(group)


def _label(verdicts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The label of one candidate, if most of those who judged it say the same."""
    if not verdicts or verdicts[0]["state"] == "broken":
        return
    kinds = [row["verdict"] for row in verdicts]
    accepted, rejected = kinds.count("rational"), kinds.count("not-rational")
    if 2 * max(accepted, rejected) <= len(kinds):
        return
    first = verdicts[0]
    said = [row["comment"] for row in verdicts if row["comment"]]
    yield {
        "question": first["question_id"],
        "topic": first["topic"],
        "path": first["path"],
        "source": "analyst",
        "score": 1.0,
        "verdict": "accepted" if accepted > rejected else "rejected",
        "explanation": f"{max(accepted, rejected)} of {len(kinds)} analysts. {' '.join(said)}".strip(),
    }


def _rows(queue: Queue) -> Iterator[dict[str, Any]]:
    """Every verdict that stands, by item and candidate."""
    with connection.cursor() as cursor:
        cursor.execute(_VERDICTS, [queue.pk])
        while batch := cursor.fetchmany(2000):
            for values in batch:
                row = dict(zip(_COLUMNS, values, strict=True))
                for name in ("path", "sources", "reasons"):
                    row[name] = json.loads(row[name]) if isinstance(row[name], str) else row[name]
                yield row


def _cells(row: dict[str, Any]) -> list[object]:
    shown = dict(row)
    shown["path"] = " / ".join(("^" if inverse else "") + name for name, inverse in row["path"] or [])
    shown["sources"] = "; ".join(f"{one['source']} {one['score']:.3g}" for one in row["sources"] or [])
    shown["reasons"] = "; ".join(row["reasons"] or [])
    shown["at"] = row["at"].isoformat()
    return [shown[name] for name in _COLUMNS]
