"""What analysts decided, as a file: labels that ``train --labels`` reads, or a table of every verdict."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import TextIOWrapper
from itertools import groupby
from tempfile import TemporaryFile
from typing import IO, Any

from django.db import connection
from django.db.models import Q

from retrieval.kg.analysis.import_report import make_cell_safe
from webapp.accounts.models import Role, User
from webapp.review import selectors
from webapp.review.models import CandidatePath, ItemState, Queue, QueueKind

FORMATS = {
    "jsonl": "application/jsonl",
    "csv": "text/csv; charset=utf-8",
    "questions": "application/jsonl",
}
"""Of exports, with their types of content."""

_VERDICTS = """
    SELECT i.position, i.key, i.question, i.state, c.id, c.topic, c.path, c.precision, c.recall, c.sources,
           coalesce(v.kind, 'no-path'), v.reasons, coalesce(v.comment, ''), s.comment, s.analyst_name, s.at,
           s.kind = 'adjudicated',
           CASE WHEN i.state = 'open' THEN 'none' ELSE i.accord END, i.settled, c.program, i.answers, a.analyst_name
    FROM (
        SELECT item_id, submission_id FROM review_standing WHERE queue_id = %s
        UNION ALL
        SELECT id, adjudicated_id FROM review_item WHERE queue_id = %s AND adjudicated_id IS NOT NULL
    ) AS t
    JOIN review_item i ON i.id = t.item_id
    JOIN review_submission s ON s.id = t.submission_id
    -- A judgement of a question without paths has no verdict, and one row all the same.
    LEFT JOIN (review_verdict v LEFT JOIN review_candidate c ON c.id = v.candidate_id)
        ON v.submission_id = s.id AND c.retired IS NOT TRUE
    LEFT JOIN review_submission a ON a.id = i.answered_id
    WHERE {readable}
    ORDER BY i.position, c.position NULLS FIRST, s.at, s.id
"""
_COLUMNS = (
    *("position", "question_id", "question", "state", "candidate", "topic", "path", "precision", "recall"),
    *("sources", "verdict", "reasons", "comment", "question_comment", "analyst", "at", "decides", "accord"),
    *("settled", "program", "answers", "answers_by"),
)
SEPARATOR = " / "
NO_PATH = "no-path"
"""What the table has as the verdict of a question that was judged without a path."""


def write(queue: Queue, format: str, *, reader: User) -> IO[bytes]:
    """The export as an open temporary file, at its beginning.

    Args:
        queue: whose current annotations are written.
        format: ``jsonl``: a label for each path that most of those who judged it call rational (accepted) or not
            (rejected), or that was decided; paths they are undecided about and broken questions are left out.
            ``csv``: each verdict.
            ``questions``: a question set of those whose answers are known, without broken ones.
        reader: who gets it; verdicts of others on questions that they judge blind are left out.
    """
    file = TemporaryFile()  # noqa: SIM115 - the answer that it is sent with closes it
    text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    if format != "csv":
        for line in iter_labels(queue, reader) if format == "jsonl" else iter_questions(queue, reader):
            text.write(json.dumps(line, ensure_ascii=False) + "\n")
    else:
        rows = csv.writer(text)
        rows.writerow(_COLUMNS)
        for row in _query_verdicts(queue, reader):
            rows.writerow([make_cell_safe(cell) for cell in _render_cells(row)])
    text.detach()
    file.seek(0)
    return file


def iter_labels(queue: Queue, reader: User | None = None) -> Iterator[dict[str, Any]]:
    """Labels of source ``analyst``, in the form of label files, with who held the path before and who said what."""
    for rows in _group_by_candidate(queue, reader):
        yield from _build_label(rows)


def _group_by_candidate(queue: Queue, reader: User | None) -> Iterator[list[dict[str, Any]]]:
    for _, rows in groupby(_query_verdicts(queue, reader), key=lambda row: (row["position"], row["candidate"])):
        yield list(rows)


def iter_questions(queue: Queue, reader: User | None = None) -> Iterator[dict[str, Any]]:
    """Lines of a question set: the answers are those that a person named, else the question set's.

    Of a queue of programs, a question has the program that was accepted.
    """
    accepted = collect_programs(queue, reader).accepted
    rows = queue.rows.exclude(state=ItemState.BROKEN)
    known = rows.filter(Q(assumed=False) | Q(answered__isnull=False)).exclude(answers=[])
    for item in (known | rows.filter(key__in=accepted)).order_by("position").iterator(2000):
        program = accepted.get(item.key)
        yield {
            "id": item.key,
            "question": item.question,
            "topic_entities": item.topics,
            "answers": item.answers or (program.gives if program else []),
            **({"program": program.program} if program else {}),
        }


@dataclass(frozen=True, slots=True)
class DecidedProgram:
    """A program that analysts accepted, and labels of what it gives."""

    program: dict[str, Any]
    gives: list[str]


@dataclass(frozen=True, slots=True)
class DecidedPrograms:
    """What a queue says of programs, by question id: the accepted one, and those that were rejected."""

    accepted: dict[str, DecidedProgram] = field(default_factory=dict)
    rejected: dict[str, list[dict[str, Any]]] = field(default_factory=dict)


def collect_programs(queue: Queue, reader: User | None = None) -> DecidedPrograms:
    """The programs that were decided, or that most of those who judged them call right or wrong.

    Of several that were accepted for a question, the first counts.
    """
    decided = DecidedPrograms()
    if queue.kind != QueueKind.PROGRAMS:
        return decided
    for rows in _group_by_candidate(queue, reader):
        for label in _build_label(rows):
            if label["verdict"] == "rejected":
                decided.rejected.setdefault(label["question"], []).append(label["program"])
            elif label["question"] not in decided.accepted:
                gives = CandidatePath.objects.values_list("gives", flat=True).get(pk=rows[0]["candidate"])
                decided.accepted[label["question"]] = DecidedProgram(label["program"], gives)
    return decided


def _describe_candidate(row: dict[str, Any]) -> dict[str, Any]:
    """What is judged: a path from a topic, or a program."""
    if row["program"] is not None:
        return {"program": row["program"]}
    return {"topic": row["topic"], "path": row["path"]}


def _build_label(verdicts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The label of one candidate: as it was decided, else as most of those who judged it say."""
    first = verdicts[0]
    if first["state"] == "broken" or first["candidate"] is None:
        return
    votes = Counter(row["verdict"] for row in verdicts if not row["decides"])
    judge = next((row for row in verdicts if row["decides"]), None)
    counted = Counter([judge["verdict"]]) if judge else votes
    accepted, rejected = counted["rational"], counted["not-rational"]
    if 2 * max(accepted, rejected) <= counted.total():
        return
    summary = f"Decided by {judge['analyst']}." if judge else f"{max(accepted, rejected)} of {votes.total()} analysts."
    comments = [row["comment"] for row in verdicts if row["comment"]]
    yield {
        "question": first["question_id"],
        **_describe_candidate(first),
        "source": "analyst",
        "score": 1.0,
        "verdict": "accepted" if accepted > rejected else "rejected",
        "explanation": " ".join([summary, *comments]),
        "sources": [{key: source[key] for key in ("source", "name", "score")} for source in first["sources"]],
        "agreement": {kind: votes[kind] for kind in ("rational", "not-rational", "unsure")},
        "decided_by": judge["analyst"] if judge else None,
        **({"answers": first["answers"], "answers_by": first["answers_by"]} if first["answers_by"] else {}),
    }


def _query_verdicts(queue: Queue, reader: User | None) -> Iterator[dict[str, Any]]:
    """Every verdict that counts, and those that decide, by item and candidate; fetched as far as they are written."""
    readable, values = "TRUE", ()
    if reader is not None and not reader.has_role(Role.ADMIN):
        blind, parameters = queue.rows.filter(selectors.make_blind_filter(reader)).values("pk").query.sql_with_params()
        readable, values = f"(s.analyst_id = %s OR i.id NOT IN ({blind}))", (reader.pk, *parameters)
    with connection.chunked_cursor() as cursor:
        cursor.execute(_VERDICTS.format(readable=readable), [queue.pk, queue.pk, *values])
        while batch := cursor.fetchmany(2000):
            for values in batch:
                row = dict(zip(_COLUMNS, values, strict=True))
                for name in ("path", "sources", "reasons", "answers", "program"):
                    row[name] = json.loads(row[name]) if isinstance(row[name], str) else row[name]
                yield row


def _render_cells(row: dict[str, Any]) -> list[object]:
    shown = dict(row)
    shown["path"] = format_path(row["path"]) if row["path"] else ""
    shown["program"] = "" if row["program"] is None else json.dumps(row["program"], ensure_ascii=False)
    shown["sources"] = "; ".join(f"{source['source']} {source['score']:.3g}" for source in row["sources"] or [])
    shown["reasons"] = "; ".join(row["reasons"] or [])
    shown["answers"] = "; ".join(row["answers"] or [])
    shown["at"] = row["at"].isoformat()
    return [shown[name] for name in _COLUMNS]


def format_path(path: list[list[Any]]) -> str:
    """A path as ``relation / ^relation walked backward``; as JSON where a name would make that ambiguous."""
    if any(name.startswith(("^", "[")) or SEPARATOR in name for name, _ in path):
        return json.dumps(path, ensure_ascii=False)
    return SEPARATOR.join(("^" if inverse else "") + name for name, inverse in path)
