"""What a training learns from a review: its label sets as analysts left them, and questions that came from runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrieval.errors import TrainingDataError
from retrieval.kg.snapshot import Snapshot
from retrieval.supervision import provided_labels
from retrieval.types import QuestionRecord
from webapp.experiments.models import LabelSet
from webapp.graphs import files
from webapp.review.models import Item, ItemState, Queue
from webapp.review.services import exports, training
from worker import answerers, job_runs

if TYPE_CHECKING:  # torch comes with it
    from retrieval.supervision.labels import Label


@dataclass(frozen=True, slots=True)
class LearnedLabels:
    """What a training learns from.

    Attributes:
        labels: rational paths, or a file of them; None: the engine finds them itself.
        questions: of the training, and those that only a review has.
        counts: of a review: paths that analysts ``accepted`` and ``rejected``, questions that they called ``broken``,
            paths of ``label_sets`` that are left, questions ``added`` by the review, and those ``answered`` otherwise
            than the question set has it; of a review of programs, questions that got a ``program``, and of
            programs those ``accepted`` and ``rejected``.
        programs: questions that only a review of programs has, to learn how questions are read.
        refused: programs that analysts rejected, by question id.
    """

    labels: list[Label] | Path | None
    questions: list[QuestionRecord]
    counts: dict[str, int] = field(default_factory=dict)
    programs: list[QuestionRecord] = field(default_factory=list)
    refused: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=dict)


def collect_reviewed_labels(
    context: job_runs.Context,
    row: Queue,
    also: LabelSet | None,
    snapshot: Snapshot,
    questions: list[QuestionRecord],
) -> LearnedLabels:
    """Merge what was judged in a queue over its label sets and another one; verdicts win.

    Where there is no label set, the questions are labelled as in a training without labels, and so are those whose
    right answers somebody named. Questions that are in the queue alone are added with these, else with the entities
    that their accepted paths reach.

    Raises:
        TrainingDataError: a label set of the queue was deleted, or the queue decided nothing yet.
    """
    from retrieval.supervision.labels import parse_label, select_usable  # noqa: PLC0415
    from retrieval.supervision.verdicts import merge  # noqa: PLC0415

    verdicts = [parse_label(exported) for exported in exports.iter_labels(row)]
    broken = set(Item.objects.filter(queue=row, state=ItemState.BROKEN).values_list("key", flat=True))
    answered_items = {item.key: item for item in training.list_answered(row)}
    if not verdicts and not broken and not answered_items:
        raise TrainingDataError(
            f"Nothing is decided in the review {row.name}: no path has more than half of its verdicts.",
            hint="Judge more questions, or adjudicate.",
        )
    context.check()
    changed, questions = apply_corrections(questions, answered_items)
    accepted = select_usable(verdicts)
    added = _list_added(row, snapshot, accepted, questions, answered_items)
    unlabelled = [*changed, *(question for question in added if question.id in answered_items)]
    base = _collect_base_labels(context, row, also, snapshot, questions, unlabelled=unlabelled)
    labels = merge(base, verdicts, broken=broken)
    by_analysts = {id(verdict) for verdict in verdicts}
    return LearnedLabels(
        labels,
        [*questions, *added],
        {
            "accepted": len(accepted),
            "rejected": len(verdicts) - len(accepted),
            "broken": len(broken),
            "label_sets": sum(label.role == "path" and id(label) not in by_analysts for label in labels),
            "added": len(added),
            "answered": len(changed),
        },
    )


def _collect_base_labels(
    context: job_runs.Context,
    row: Queue,
    also: LabelSet | None,
    snapshot: Snapshot,
    questions: Sequence[QuestionRecord],
    *,
    unlabelled: Sequence[QuestionRecord],
) -> list[Label]:
    """The labels that verdicts are merged over. What label sets say of ``unlabelled`` questions is of other answers."""
    from retrieval.supervision.labels import read_labels  # noqa: PLC0415

    wanted = [label_set["id"] for label_set in row.label_sets]
    existing = set(LabelSet.objects.filter(pk__in=wanted).values_list("pk", flat=True))
    for label_set in row.label_sets:
        if label_set["id"] not in existing:
            raise TrainingDataError(
                f"The label set {label_set['name']} of the review {row.name} was deleted.",
                hint="Export the review, and train by the command with --labels.",
            )
    keys = dict.fromkeys([*wanted, *([also.pk] if also is not None else [])])
    if not keys:
        alone = {question.id for question in questions}
        return _find_labels(
            context,
            snapshot,
            [*questions, *(question for question in unlabelled if question.id not in alone)],
        )
    stale = {question.id for question in unlabelled}
    kept = [
        label
        for key in keys
        for label in read_labels(files.ensure_local_path(files.build_labels_name(row.graph_id, key)))
        if label.question not in stale
    ]
    return [*kept, *_find_labels(context, snapshot, unlabelled)] if unlabelled else kept


def _find_labels(context: job_runs.Context, snapshot: Snapshot, questions: Sequence[QuestionRecord]) -> list[Label]:
    """What a training without labels learns from: gold paths, and answer-set consistency for the other questions."""
    from retrieval.supervision import grounding, rationalizers  # noqa: PLC0415

    grounded, _ = grounding.resolve_questions(snapshot, [q for q in questions if q.split != "test"])
    gold = provided_labels.collect_gold_labels(snapshot, grounded)
    known = {label.question for label in gold}
    others = [grounded_question for grounded_question in grounded if grounded_question.question.id not in known]
    if not others:
        return gold
    result = rationalizers.get("answer-set").label(
        snapshot,
        others,
        encoder=answerers.get_encoder(),
        progress=context.update_progress,
        cancelled=context.is_cancelled,
    )
    return [*gold, *result.labels]


def apply_corrections(
    questions: Sequence[QuestionRecord], answered_items: Mapping[str, Item]
) -> tuple[list[QuestionRecord], list[QuestionRecord]]:
    """The questions whose answers somebody named otherwise, and all with these answers. Test questions stay."""
    changed: dict[str, QuestionRecord] = {}
    for question in questions:
        item = answered_items.get(question.id)
        if (
            item
            and question.split != "test"
            and item.question == question.question
            and set(item.answers) != set(question.answers)
        ):
            # Its given paths lead to the answers that it had.
            changed[question.id] = replace(question, answers=tuple(item.answers), paths=(), relation_paths=())
    return list(changed.values()), [changed.get(question.id, question) for question in questions]


def _list_added(
    row: Queue,
    snapshot: Snapshot,
    accepted: Sequence[Label],
    questions: Sequence[QuestionRecord],
    answered_items: Mapping[str, Item],
) -> list[QuestionRecord]:
    """The questions of the queue that the question set lacks, and that have an accepted path or named answers.

    One that is worded as a test question is left out: people ask those too, and then it would be no test any more.
    """
    known = {question.id for question in questions}
    tested = {question.question.casefold() for question in questions if question.split == "test"}
    paths: dict[str, list[Label]] = defaultdict(list)
    for label in accepted:
        if label.question not in known:
            paths[label.question].append(label)
    added = []
    wanted = {*paths, *answered_items} - known
    for item in Item.objects.filter(queue=row, key__in=wanted).order_by("position"):
        reached = [e for label in paths[item.key] for e in _find_reached(snapshot, label, simple=item.avoids_topics)]
        named_answers = item.answers if item.key in answered_items else []
        answers = tuple(dict.fromkeys(named_answers or [snapshot.get_entity_label(e) for e in reached]))
        topics = tuple(dict.fromkeys([label.topic for label in paths[item.key]] or item.topics))
        if answers and topics and item.question.casefold() not in tested:
            added.append(QuestionRecord(item.key, item.question, topics, answers, split="train"))
    return added


def _find_reached(snapshot: Snapshot, label: Label, *, simple: bool) -> list[int]:
    from retrieval.supervision.candidate_paths import execute_path  # noqa: PLC0415
    from retrieval.supervision.labels import to_directed_path  # noqa: PLC0415

    topic, path = snapshot.find_entity(label.topic), to_directed_path(snapshot, label.path)
    if topic is None or path is None:
        return []
    return [int(entity) for entity in execute_path(snapshot, topic, path, simple=simple)]
