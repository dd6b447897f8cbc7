"""Labelling: a question set in, its rational paths out."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from celery import shared_task

from retrieval.errors import Cancelled, TrainingDataError
from retrieval.kg import snapshot as kg
from retrieval.kg.snapshot.cache import get_cache_folder
from retrieval.llm.metering import use_meter
from webapp.experiments import label_sets
from webapp.experiments.models import LabelSet
from webapp.graphs import files
from webapp.graphs.selectors import require_version
from webapp.jobs import queue
from webapp.questions.selectors import to_engine_questions
from worker import answerers, job_runs, language_models

if TYPE_CHECKING:
    from retrieval.supervision.labels import Compression


@shared_task(name=queue.LABEL)
def label(job_id: int) -> None:
    """Label as a job says."""
    job_runs.run(job_id, label_questions)


def label_questions(context: job_runs.Context) -> dict[str, Any]:
    """Find the rational paths of all questions that are not for testing."""
    from retrieval.supervision import grounding, rationalizers  # noqa: PLC0415
    from retrieval.supervision.labels import write_labels  # noqa: PLC0415

    graph = context.job.graph
    label_set = LabelSet.objects.select_related("question_set").filter(job=context.job).first()
    if label_set is None:
        raise Cancelled("The label set was deleted.")
    if label_set.question_set is None:
        raise TrainingDataError("The question set was deleted.", hint="Choose another one.")
    if label_set.strategy in label_sets.COMBINED:
        return _merge_label_sets(context, label_set)
    version = require_version(graph, label_set.snapshot_hash)
    questions = [q for q in to_engine_questions(label_set.question_set) if q.split != "test"]
    encoder = answerers.get_encoder()
    context.check()
    snapshot = kg.open(files.ensure_local_path(version.path))
    grounded, skipped = grounding.resolve_questions(snapshot, questions)
    grounding.require(grounded, skipped)
    replies = get_cache_folder(files.ensure_local_path(version.path)) / "replies"
    prompt = label_set.prompt or label_sets.PROMPTS[0]
    asking = rationalizers.LLMWork(language_models.get_default_settings(), replies, prompt)
    with use_meter(language_models.make_job_meter(context.job.user_id)):
        result = rationalizers.get(label_set.strategy, asking, max_hops=context.job.params.get("max_hops")).label(
            snapshot,
            grounded,
            encoder=encoder,
            progress=context.update_progress,
            cancelled=context.is_cancelled,
        )
    if result.unlabelled == len(grounded):
        raise TrainingDataError(
            f"None of the {len(grounded):,} questions could be labelled.",
            hint="Use another strategy, or a question set that belongs to this graph.",
        )
    path = files.ensure_local_path(files.build_labels_name(graph.pk, label_set.pk))
    path.parent.mkdir(parents=True, exist_ok=True)
    count = write_labels(path, result.labels)
    files.send(files.build_labels_name(graph.pk, label_set.pk))
    kept = label_sets.save_label_set(
        label_set=label_set,
        questions=len(questions),
        labels=count,
        coverage=(len(grounded) - result.unlabelled) / len(questions),
        fit=result.fit,
        sources=dict(Counter(label.source for label in result.labels)),
        compression=_describe_compression(result.compression),
        usage={
            "llm_calls": result.usage.llm_calls,
            "tokens": result.usage.prompt_tokens + result.usage.completion_tokens,
        },
    )
    if not kept:
        files.remove(files.build_labels_name(graph.pk, label_set.pk))
        raise Cancelled("The label set was deleted.")
    notes = [f"Questions left out: {skipped}."] if skipped.total else []
    return {"label_set": label_set.pk, "labels": count, "notes": [*notes, *result.notes]}


def _merge_label_sets(context: job_runs.Context, label_set: LabelSet) -> dict[str, Any]:
    """Keep what either of two label sets says, or what both say."""
    from retrieval.supervision.labels import merge_labels, read_labels, write_labels  # noqa: PLC0415

    wanted = context.job.params["combined"]
    by_key = {each.pk: each for each in LabelSet.objects.filter(pk__in=wanted, graph=context.job.graph)}
    if len(by_key) < len(wanted):
        raise TrainingDataError("A label set that was to be combined was deleted.", hint="Choose another one.")
    first, second = (by_key[key] for key in wanted)
    mine, theirs = (
        read_labels(files.ensure_local_path(files.build_labels_name(each.graph_id, each.pk)))
        for each in (first, second)
    )
    how: Literal["union", "intersection"] = "union" if label_set.strategy == "union" else "intersection"
    kept = merge_labels(mine, theirs, how)
    if not kept:
        raise TrainingDataError("The two label sets agree on no label.", hint="Take the union, or one of them.")
    context.check()
    name = files.build_labels_name(label_set.graph_id, label_set.pk)
    path = files.ensure_local_path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    count = write_labels(path, kept)
    files.send(name)
    there = label_sets.save_label_set(
        label_set=label_set,
        questions=first.questions,
        labels=count,
        coverage=len({label.question for label in kept}) / max(1, first.questions),
        fit=None,
        sources=dict(Counter(label.source for label in kept)),
    )
    if not there:
        files.remove(name)
        raise Cancelled("The label set was deleted.")
    return {"label_set": label_set.pk, "labels": count, "notes": []}


def _describe_compression(compression: Compression | None) -> dict[str, float] | None:
    return None if compression is None else {**asdict(compression), "ratio": compression.ratio}
