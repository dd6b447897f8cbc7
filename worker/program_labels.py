"""What a training learns from a review of programs: how its questions are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from retrieval.errors import TrainingDataError
from retrieval.questions.splits import remove_measured
from retrieval.types import QuestionRecord
from webapp.experiments.models import LabelSet
from webapp.graphs import files
from webapp.review.models import Item, ItemState, Queue
from webapp.review.services import exports, training
from worker.review_labels import LearnedLabels, apply_corrections


def collect_reviewed_programs(row: Queue, also: LabelSet | None, questions: Sequence[QuestionRecord]) -> LearnedLabels:
    """The questions with the programs that analysts accepted, and the programs that they rejected.

    Named answers count as in a review of paths; broken questions are left out. Test questions stay as they are. What
    relation paths are learned from is as in any training.

    Raises:
        TrainingDataError: the queue decided nothing yet.
    """
    decided = exports.collect_programs(row)
    broken = set(Item.objects.filter(queue=row, state=ItemState.BROKEN).values_list("key", flat=True))
    answered_items = {item.key: item for item in training.list_answered(row)}
    if not decided.accepted and not decided.rejected and not broken and not answered_items:
        raise TrainingDataError(
            f"Nothing is decided in the review {row.name}: no program has more than half of its verdicts.",
            hint="Judge more questions, or adjudicate.",
        )
    changed, all_of_them = apply_corrections(questions, answered_items)
    learned = [
        question if question.split == "test" else _apply_decision(question, decided)
        for question in all_of_them
        if question.split == "test" or question.id not in broken
    ]
    labels = None if also is None else files.ensure_local_path(files.build_labels_name(row.graph_id, also.pk))
    accepted = [question for question in learned if question.id in decided.accepted and question.split != "test"]
    added = _list_added(row, decided, questions)
    return LearnedLabels(
        labels,
        learned,
        {
            "accepted": len(decided.accepted),
            "rejected": sum(map(len, decided.rejected.values())),
            "broken": len(broken),
            "programs": len(accepted),
            "added": len(added),
            "answered": len(changed),
        },
        added,
        {key: tuple(programs) for key, programs in decided.rejected.items()},
    )


def _apply_decision(question: QuestionRecord, decided: exports.DecidedPrograms) -> QuestionRecord:
    accepted = decided.accepted.get(question.id)
    if accepted is not None:
        return replace(question, program=accepted.program)
    rejected = decided.rejected.get(question.id, ())
    return replace(question, program=None) if question.program in rejected else question


def _list_added(
    row: Queue, decided: exports.DecidedPrograms, questions: Sequence[QuestionRecord]
) -> list[QuestionRecord]:
    """Accepted programs of questions that the question set lacks, but for those that are worded like measured ones."""
    known = {question.id for question in questions}
    items = Item.objects.filter(queue=row, key__in=decided.accepted.keys() - known).order_by("position")
    made = [
        QuestionRecord(
            item.key,
            item.question,
            answers=tuple(item.answers),
            program=decided.accepted[item.key].program,
        )
        for item in items
    ]
    return remove_measured(made, questions)
