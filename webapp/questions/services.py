"""Writing question sets."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.db import IntegrityError, transaction

from retrieval import types
from retrieval.errors import EmptySourceError
from retrieval.kg.readers import child_process
from retrieval.kg.readers.options import ReadOptions
from retrieval.questions import files as readers
from retrieval.questions.splits import assign_splits
from webapp.accounts import quotas
from webapp.accounts.models import User
from webapp.api.errors import NameTakenError
from webapp.graphs import content_type
from webapp.graphs import services as graphs
from webapp.graphs.models import Graph
from webapp.questions.models import QuestionRow, QuestionSet

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
SPLITS = ("train", "dev", "test")
EXAMPLES = 4
PROBLEMS_KEPT = 200
LIMITS = child_process.Limits(memory=2 << 30, seconds=120.0)
"""What reading a file of questions may take, within its request."""


def import_question_set(
    *,
    name: str,
    graph: Graph,
    upload: File[Any],
    options: ReadOptions,
    user: User | None,
) -> QuestionSet:
    """Read an uploaded file of questions. The set keeps its format, which is detected where none is named.

    Raises:
        SourceError: the file cannot be read.
        EmptySourceError: it holds no good question.
        NameTakenError: the graph has a set of this name.
    """
    shown = upload.name or "questions"
    content_type.require_text(shown, upload)
    with tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR) as directory:
        # Readers take the number of hops from a name such as 2-hop-dev.txt, so its harmless part is kept.
        path = Path(directory) / (_UNSAFE.sub("_", Path(shown).name).lstrip(".")[-100:] or "questions")
        with path.open("wb") as file:
            for chunk in upload.chunks():
                file.write(chunk)
        format, questions, problems = child_process.call(
            readers.read_set, path, options, graph.name, what=shown, limits=LIMITS
        )
    # A file of an archive is named by its path in it.
    renamed_problems = [replace(p, file=p.file.replace(path.name, shown, 1)) for p in problems]
    return save_question_set(
        name=name, graph=graph, questions=questions, format=format, problems=renamed_problems, user=user
    )


def save_question_set(
    *,
    name: str,
    graph: Graph,
    questions: Iterable[types.QuestionRecord],
    format: str,
    problems: Sequence[types.Problem] = (),
    user: User | None,
) -> QuestionSet:
    """Keep questions as a set of a graph.

    Raises:
        EmptySourceError: there are none.
        NameTakenError: the graph has a set of this name.
        QuotaError: they are more than the user may keep.
    """
    rows = [_build_row(position, question) for position, question in enumerate(assign_splits(questions))]
    if not rows:
        why = f" The first problem: line {problems[0].line}: {problems[0].message}" if problems else ""
        raise EmptySourceError(f"The file holds no good question.{why}", hint="Check its format and try again.")
    counts = Counter(row.split for row in rows)
    size = sum(map(_measure_row, rows))
    if user is not None:
        quotas.require_room(user, size)
    try:
        with transaction.atomic():
            question_set = QuestionSet.objects.create(
                name=name,
                graph=graph,
                format=format,
                questions=len(rows),
                bytes=size,
                splits={split: counts[split] for split in SPLITS},
                problems=[
                    {"file": p.file, "line": p.line, "message": _clean(p.message), "text": _clean(p.text)}
                    for p in problems[:PROBLEMS_KEPT]
                ],
                created_by=user,
            )
            for row in rows:
                row.set = question_set
            QuestionRow.objects.bulk_create(rows, batch_size=1000)
            graphs.set_examples(graph=graph, questions=_select_examples(rows))
    except IntegrityError:
        raise NameTakenError(
            f"{graph.name} has a question set named {name} already.", hint="Choose another name."
        ) from None
    return question_set


def _build_row(position: int, question: types.QuestionRecord) -> QuestionRow:
    return QuestionRow(
        position=position,
        key=_clean(question.id)[:200],
        question=_clean(question.question),
        topic_entities=[_clean(label) for label in question.topic_entities],
        answers=[_clean(label) for label in question.answers],
        paths=[[list(fact) for fact in path] for path in question.paths],
        triples=[list(fact) for fact in question.triples],
        passages=[_clean(name) for name in question.passages],
        hops=question.hops,
        split=question.split or "",
        program=question.program,
        operators=[_clean(name) for name in question.operators],
        also=[[_clean(label) for label in labels] for labels in question.also],
    )


def _measure_row(row: QuestionRow) -> int:
    """Bytes that a question counts for: its texts and lists as they are written."""
    lists = row.topic_entities, row.answers, row.paths, row.triples, row.passages
    # What few questions have counts only where it is there.
    labels = [label for label in (row.program, row.operators, row.also) if label]
    return len(json.dumps([row.key, row.question, *lists, *labels], ensure_ascii=False).encode())


def _clean(text: str) -> str:
    """PostgreSQL holds every character but NUL."""
    return text.replace("\0", "�")


def _select_examples(rows: Sequence[QuestionRow]) -> list[str]:
    """A few questions of different numbers of hops, to offer to who opens the graph."""
    by_hops: dict[int | None, QuestionRow] = {}
    for row in rows:
        if row.answers:
            by_hops.setdefault(row.hops, row)
    chosen = [row.question for row in by_hops.values()]
    step = max(1, len(rows) // (2 * EXAMPLES))
    chosen += [row.question for row in rows[::step] if row.answers]
    return list(dict.fromkeys(chosen))[:EXAMPLES]
