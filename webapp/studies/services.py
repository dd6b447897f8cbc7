"""Starting a study, going on with it, keeping its cells, deleting it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction

from retrieval.errors import ConfigError
from retrieval.methods import registry
from retrieval.studies.plan import StudyConfig, Variant, list_cells, parse
from webapp.accounts import quotas
from webapp.accounts.models import User
from webapp.api.errors import ConflictError, InvalidError
from webapp.experiments import label_sets, methods, reports, resolution
from webapp.experiments import services as experiments
from webapp.experiments.models import LabelSet
from webapp.graphs import files, snapshots
from webapp.jobs import services as jobs
from webapp.jobs.models import ACTIVE, JobKind
from webapp.language_models.selectors import LanguageModel
from webapp.questions.models import QuestionSet
from webapp.studies.models import Study, StudyCell, StudySet

CELLS_MAX = 1000
"""Cells of a study: what takes a processor for weeks is asked for in parts."""

_MODEL_REASONERS = frozenset({"llm", "llm-program"})


@dataclass(frozen=True, slots=True)
class ChosenSet:
    """A question set of a study, with the labels that variants without a strategy learn from."""

    question_set: QuestionSet
    labels: LabelSet | None = None


def start_study(
    *,
    name: str,
    sets: Sequence[ChosenSet],
    train: Sequence[int] = (),
    test: Sequence[int] = (),
    plan: dict[str, Any],
    llm: int | None = None,
    preset: str = "",
    user: User,
) -> Study:
    """Check a study, make a row for each of its cells, and queue it.

    Args:
        name: for people.
        sets: its data; each once.
        train: question sets that are trained on; all when empty.
        test: question sets that each checkpoint is tested on; the one it was trained on when empty.
        plan: the rest, as the engine reads it (:mod:`retrieval.studies.plan`).
        llm: the language model that is asked, where one is; the default when None.
        preset: the preset it was made of.

    Raises:
        GraphNotReadyError: a graph has no snapshot.
        MethodError: a method is unknown, or a graph does not hold what it needs.
        ConfigError: the plan or a setting is unknown or wrong.
        TrainingDataError: a split is empty, or labels do not belong to their set.
        InvalidError: a set is named twice, there are too many cells, or a budget or reasoner makes no sense.
        NotConfiguredError: a language model is asked for and none is set up.
        QuotaError: the user's quota is used up.
    """
    names = _assign_names([chosen.question_set for chosen in sets])
    plan = {
        **plan,
        "train": [_get_name(key, names) for key in train],
        "test": [_get_name(key, names) for key in test],
    }
    planned = parse({**plan, "data": dict.fromkeys(names.values(), _NOWHERE)}, Path())
    todo = list_cells(planned)
    if len(todo) > CELLS_MAX:
        raise InvalidError(
            f"This study has {len(todo):,} cells.",
            hint=f"Take at most {CELLS_MAX:,}: fewer seeds, shares or sets.",
        )
    hashes = {chosen.question_set.pk: snapshots.open_current(chosen.question_set.graph).hash for chosen in sets}
    for chosen in sets:
        _require_set(chosen, planned, names[chosen.question_set.pk], hashes[chosen.question_set.pk])
    for called, variant in planned.variants.items():
        _require_variant(called, variant, planned, sets)
    model = _resolve_model(planned, llm)
    quotas.require_room(user, 0)
    with transaction.atomic():
        study = Study.objects.create(
            name=name,
            graph=sets[0].question_set.graph,
            preset=preset,
            plan=plan,
            llm=model.id if model else None,
            llm_name=model.name if model else "",
            created_by=user,
        )
        StudySet.objects.bulk_create(
            StudySet(
                study=study,
                position=position,
                name=names[chosen.question_set.pk],
                graph=chosen.question_set.graph,
                snapshot_hash=hashes[chosen.question_set.pk],
                question_set=chosen.question_set,
                label_set=chosen.labels,
                label_set_name=(chosen.labels.name or chosen.labels.strategy) if chosen.labels else "",
            )
            for position, chosen in enumerate(sets)
        )
        StudyCell.objects.bulk_create(
            StudyCell(
                study=study,
                position=position,
                **{what: getattr(cell, what) for what in ("train", "test", "variant", "fraction", "seed")},
            )
            for position, cell in enumerate(todo)
        )
        _enqueue_job(study, user)
    return study


_NOWHERE = {"graph": "-", "questions": "-"}


def _assign_names(sets: Sequence[QuestionSet]) -> dict[int, str]:
    """What the plan calls each question set: its name, with its graph's where two share one."""
    if not sets:
        raise InvalidError("A study needs a question set.", hint="Choose one or more.")
    if len({question_set.pk for question_set in sets}) < len(sets):
        raise InvalidError("A question set is named twice.", hint="Name each once.")
    count = Counter(question_set.name for question_set in sets)
    return {
        question_set.pk: question_set.name
        if count[question_set.name] == 1
        else f"{question_set.name}, {question_set.graph.name}"
        for question_set in sets
    }


def _get_name(key: int, names: dict[int, str]) -> str:
    if key not in names:
        raise InvalidError(f"The study has no question set {key}.", hint="Name it among its sets too.")
    return names[key]


def _require_set(chosen: ChosenSet, planned: StudyConfig, name: str, snapshot_hash: str) -> None:
    """Refuse a set that lacks the questions it is for, or labels that are not its own."""
    question_set = chosen.question_set
    tested = planned.test or planned.train or tuple(planned.data)
    if name in tested and not question_set.splits.get(planned.split):
        raise experiments.make_empty_split_error(question_set, planned.split)
    trains = any(_needs_training(variant) for variant in planned.variants.values())
    if trains and name in (planned.train or planned.data) and not question_set.splits.get("train"):
        raise experiments.make_empty_split_error(question_set, "train")
    if chosen.labels is not None:
        chosen.labels.require_usable(question_set, snapshot_hash)


def _needs_training(variant: Variant) -> bool:
    return variant.trained and variant.method in registry.TRAINED


def _require_variant(name: str, variant: Variant, planned: StudyConfig, sets: Sequence[ChosenSet]) -> None:
    """Refuse a variant that could not be trained or asked, before hours have gone by."""
    method = methods.require_available(variant.method)
    for chosen in sets:
        held = chosen.question_set.graph.snapshot
        if held is not None:
            graph = chosen.question_set.graph.name
            methods.require_served(method, graph, facts=held.triples, passages=held.passages)
    try:
        if _needs_training(variant):
            registry.parse(method, dict(variant.config))
        registry.parse_options(method, dict(variant.options))
    except ConfigError as error:
        raise ConfigError(f"The variant {name!r}: {error.message}", hint=error.hint) from None
    if variant.strategy is not None and variant.strategy not in label_sets.STRATEGIES:
        raise ConfigError(
            f"The variant {name!r} is labelled by {variant.strategy!r}.",
            hint=f"Choose one of: {', '.join(label_sets.STRATEGIES)}.",
        )
    if variant.prompt is not None and variant.prompt not in label_sets.PROMPTS:
        raise ConfigError(
            f"The variant {name!r} has the prompt {variant.prompt!r}.",
            hint=f"Choose one of: {', '.join(label_sets.PROMPTS)}.",
        )
    resolution.resolve_reasoner(variant.reasoner or planned.reasoner, method)
    resolution.resolve_budget(variant.budget or planned.budget)


def _resolve_model(planned: StudyConfig, llm: int | None) -> LanguageModel | None:
    """The language model that the study asks; None where it asks none."""
    needs_model = any(
        variant.strategy == label_sets.LLM
        or (variant.reasoner or planned.reasoner) in _MODEL_REASONERS
        or registry.get_method(variant.method).model_alone
        for variant in planned.variants.values()
    )
    return resolution.resolve_language_model("llm", llm) if needs_model else None


def _enqueue_job(study: Study, user: User | None) -> None:
    study.job = jobs.create(
        kind=JobKind.STUDY,
        title=f"Study {study.name}",
        graph=study.graph,
        user=user,
        params={"study": study.pk},
    )
    study.save(update_fields=["job"])


def resume_study(*, study: Study, user: User) -> Study:
    """Go on with a study that was stopped or failed, or try the cells again that failed; what is done is kept.

    Raises:
        ConflictError: it is done, or goes on.
        QuotaError: the user's quota is used up.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update(of=("self",)).get(pk=study.pk)
        if locked.finished_at is None and locked.state in ACTIVE:
            raise ConflictError("This study goes on already.", hint="Its page shows how far it is.")
        if not locked.cells.filter(result__isnull=True).exists():
            raise ConflictError("This study is done already.", hint="Start another one if you need it.")
        quotas.require_room(user, 0)
        locked.finished_at = None
        locked.save(update_fields=["finished_at"])
        locked.cells.filter(result__isnull=True).update(error_code="", error_message="", error_hint="")
        _enqueue_job(locked, user)
    return locked


def delete_study(*, study: Study) -> None:
    """Delete a study for good, with its reports, files, and the checkpoints that nobody promoted."""
    jobs.stop(study.job)
    rows = list(study.cells.select_related("report", "checkpoint"))
    made = {cell.checkpoint_id: cell.checkpoint for cell in rows if cell.checkpoint is not None}
    for cell in rows:
        if cell.report is not None:
            reports.delete_report(report=cell.report)
    for checkpoint in made.values():
        if not checkpoint.promotions.exists():
            experiments.delete_checkpoint(checkpoint=checkpoint)
    name = files.build_study_name(study.graph_id, study.pk)
    with transaction.atomic():
        study.delete()
        transaction.on_commit(lambda: files.remove(name))
