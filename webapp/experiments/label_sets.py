"""Label sets: starting to make one, keeping it, deleting it."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from retrieval.errors import ConfigError, TrainingDataError
from webapp.accounts.models import User
from webapp.experiments.models import LabelSet
from webapp.experiments.services import require_set_of_graph
from webapp.graphs import files, snapshots
from webapp.graphs.models import Graph
from webapp.jobs import services as jobs
from webapp.jobs.models import JobKind
from webapp.language_models import selectors as language_models
from webapp.questions.models import QuestionSet

LLM = "llm"
STRATEGIES: dict[str, tuple[str, str]] = {
    "answer-set": (
        "Answer-set consistency",
        "Takes the relation path that reaches the answer set best, over all questions of the same shape.",
    ),
    "shortest-path": ("Shortest paths", "Takes the shortest relation path to an answer."),
    "all-shortest": (
        "All shortest paths",
        "Takes every shortest relation path to each answer, as papers do.",
    ),
    LLM: ("Language model", "Has a language model judge the candidate paths."),
}
"""What each strategy of ``retrieval.supervision`` is to people; a test says that these are the same."""

COMBINED = {"union": "either of", "intersection": "both of"}
"""How two label sets become a third (ReG Table 6), and which of their labels that keeps."""

MAX_HOPS = 8
"""Longest paths that labels may have; a test says that the engine agrees."""

PROMPTS = ("reg", "rapl", "rel-rag")
"""Whose prompt the language model is given; the first unless one is named."""


def render_strategy(strategy: str, *, llm_configured: bool) -> dict[str, object]:
    """A strategy as the API shows it."""
    label, description = STRATEGIES[strategy]
    available = strategy != LLM or llm_configured
    return {"id": strategy, "label": label, "description": description, "available": available}


def start_labelling(
    *,
    graph: Graph,
    question_set: QuestionSet,
    strategy: str,
    prompt: str = "",
    max_hops: int | None = None,
    name: str,
    user: User | None,
) -> LabelSet:
    """Make a label set and queue the job that fills it; ``max_hops`` is None for what the strategy does by itself.

    Raises:
        GraphNotReadyError: the graph has no snapshot.
        ConfigError: there is no such strategy or prompt, or the strategy has no prompt.
        NotConfiguredError: it needs a language model and none is set up.
        TrainingDataError: the question set is of another graph, or holds test questions only.
    """
    snapshot = snapshots.open_current(graph)
    if strategy not in STRATEGIES:
        raise ConfigError(
            f"No labelling strategy is called {strategy}.", hint=f"Choose one of: {', '.join(STRATEGIES)}."
        )
    prompt = _resolve_prompt(strategy, prompt)
    if strategy == LLM:
        language_models.resolve_model(None, "choose another strategy")
    require_set_of_graph(question_set, graph)
    if not question_set.splits.get("train") and not question_set.splits.get("dev"):
        raise TrainingDataError(
            f"The question set {question_set.name} has no question to learn from: all are for testing.",
            hint="Upload it with splits, or without any.",
        )
    row = LabelSet(
        name=name or f"{STRATEGIES[strategy][0]}, {question_set.name}",
        graph=graph,
        snapshot_hash=snapshot.hash,
        question_set=question_set,
        strategy=strategy,
        prompt=prompt,
    )
    return _save_with_job(row, f"Label {question_set.name} by {strategy}", user, {"max_hops": max_hops})


def start_combining(*, first: LabelSet, second: LabelSet, how: str, name: str = "", user: User | None) -> LabelSet:
    """Make a label set of two, and queue the job that fills it.

    Args:
        first: its word counts where both have a label.
        second: another one of the same questions, on the same version of the graph.
        how: one of ``COMBINED``.
        name: made of theirs when empty.

    Raises:
        ConfigError: there is no such way, or it is the same set twice.
        TrainingDataError: one is not done, or they are not of the same questions and version.
    """
    if how not in COMBINED:
        raise ConfigError(f"Label sets are not combined by {how}.", hint=f"Choose one of: {', '.join(COMBINED)}.")
    if first.pk == second.pk:
        raise ConfigError("The same label set is named twice.", hint="Choose another one.")
    if first.question_set is None:
        raise TrainingDataError("The question set was deleted.", hint="Choose labels of another one.")
    for each in (first, second):
        each.require_usable(first.question_set, first.snapshot_hash)
    row = LabelSet(
        name=name or f"{how.capitalize()} of {first.name} and {second.name}",
        graph=first.graph,
        snapshot_hash=first.snapshot_hash,
        question_set=first.question_set,
        strategy=how,
    )
    title = f"Keep what {COMBINED[how]} two label sets of {first.question_set.name} have"
    return _save_with_job(row, title, user, {"combined": [first.pk, second.pk]})


def _save_with_job(row: LabelSet, title: str, user: User | None, params: dict[str, Any]) -> LabelSet:
    """The row, kept with the job that fills it."""
    questions = row.question_set
    assert questions is not None, "only a question set that is there is labelled"
    with transaction.atomic():
        row.job = jobs.create(
            kind=JobKind.LABEL,
            title=title,
            graph=row.graph,
            user=user,
            params={"question_set": questions.pk, "strategy": row.strategy, **params},
        )
        row.name, row.question_set_name, row.created_by = row.name[:200], questions.name, user
        row.save()
    return row


def _resolve_prompt(strategy: str, prompt: str) -> str:
    if strategy != LLM:
        if prompt:
            raise ConfigError(f"The strategy {strategy} has no prompt.", hint="Leave it out.")
        return ""
    if prompt and prompt not in PROMPTS:
        raise ConfigError(f"No prompt is called {prompt}.", hint=f"Choose one of: {', '.join(PROMPTS)}.")
    return prompt or PROMPTS[0]


def save_label_set(*, label_set: LabelSet, **made: Any) -> bool:
    """Record what was found; whether the label set is still there.

    Args:
        made: its columns: ``questions`` that were to be labelled, ``labels`` in the file, ``coverage`` (share of
            the questions that have a path), ``fit`` (mean score of their best paths), ``sources``, ``usage``,
            ``compression``.
    """
    return bool(LabelSet.objects.filter(pk=label_set.pk).update(**made, finished_at=timezone.now()))


def delete_label_set(*, label_set: LabelSet) -> None:
    """Delete a label set and its file; a job that still makes it is stopped. Checkpoints that learned from it stay."""
    name = files.build_labels_name(label_set.graph_id, label_set.pk)
    jobs.stop(label_set.job)
    with transaction.atomic():
        label_set.delete()
        transaction.on_commit(lambda: files.remove(name))
