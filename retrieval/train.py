"""Train a method on a question set: ground, label, split, fit, write the checkpoint."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch

from retrieval import config as configs
from retrieval import environment
from retrieval.config import DoubtingOptions, RetrieverConfig, TrainingConfig
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.storage import save_json
from retrieval.language.operators import find_cues, find_unexplained
from retrieval.linking.text_features import TextEncoder
from retrieval.methods import registry
from retrieval.methods.common.blending import select_share
from retrieval.methods.retriever_loading import WRITTEN
from retrieval.methods.spec import MethodSpec
from retrieval.methods.zero_shot.retriever import ZeroShotRetriever
from retrieval.pretrained import PROGRAMS
from retrieval.programs.weights import Weights
from retrieval.supervision import program_learning as learning
from retrieval.supervision.answer_set import AnswerSetRationalizer
from retrieval.supervision.distribution_shift import TrainingCoverage
from retrieval.supervision.grounding import Grounded
from retrieval.supervision.labels import Label, filter_labels, read_labels
from retrieval.supervision.provided_labels import collect_gold_labels, should_use_simple_walks
from retrieval.supervision.trajectories import Trajectory, read_trajectories
from retrieval.tracking.runs import TrackedRun, open_trackers
from retrieval.training import checkpoint as checkpoints
from retrieval.training.checkpoint import OpenCheckpoint
from retrieval.training.loop import fit
from retrieval.training.recipe import Configured, SelfTrained, Splits, Staged, Task, Work
from retrieval.training.result import TrainResult
from retrieval.training.splitting import split
from retrieval.training.training_state import TrainingState
from retrieval.types import Progress, QuestionRecord
from retrieval.validation import Validation, validate
from retrieval.version import get_code_version

#: In a checkpoint: every step of a training that measures more than its loss.
CURVES = "curves.json"
#: Questions with an operator, from which on reading them as programs is learned too; one with a program is enough.
OPERATORS = 50


def train(
    method: str,
    snapshot: Snapshot,
    questions: Sequence[QuestionRecord],
    *,
    labels: Sequence[Label] | Path | None = None,
    config: TrainingConfig | Mapping[str, Any] | None = None,
    out: Path,
    encoder: TextEncoder,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
    cache: Path | None = None,
    trajectories: Sequence[Trajectory] | Path = (),
    programs: Sequence[QuestionRecord] = (),
    refused: learning.Refused = MappingProxyType({}),
    trackers: Sequence[str] | None = None,
) -> TrainResult:
    """Train a retriever and write its checkpoint to ``out``.

    The same graph, questions, labels and settings give the same weights on the same machine. A call with
    the same arguments after a cancel or a crash goes on after the last whole epoch.

    Args:
        method: a trainable method.
        questions: with topics and answers; ``split`` decides where each goes, ``test`` is never looked at.
        labels: rational paths, or a label file; without them the questions' own gold paths and answer-set consistency.
        config: settings or plain JSON.
        out: directory of the checkpoint; replaced whole at the end.
        progress: told about every stage; in training with loss and rate (questions a second).
        cancelled: asked often; training stops within a second.
        cache: where label vectors and triple states are kept for asking (``open_retriever``'s ``cache``).
        trajectories: for agents, beside those that are made of the labels, or a trajectory file.
        programs: more questions with programs that people gave, to learn how questions are read; they need no topics.
        refused: programs that people rejected, by question id.
        trackers: where it is recorded (``open_trackers``); None takes those of ``CLEW_TRACKERS``.

    Raises:
        MethodError: the method is unknown or not trainable.
        ConfigError: a setting is unknown or wrong, or a tracker cannot be opened.
        TrainingDataError: nothing of the question set can be learned from.
    """
    settings = config if isinstance(config, TrainingConfig) else registry.parse(method, config)
    spec = registry.get_trained_method(method)
    opened = open_trackers(environment.read_trackers() if trackers is None else trackers)
    if isinstance(labels, Path):
        labels = read_labels(labels)
    if isinstance(trajectories, Path):
        trajectories = read_trajectories(trajectories)
    params = {
        "method": method, "graph": snapshot.hash, "questions": len(questions), "encoder": encoder.name,
        "code_version": get_code_version(), **configs.export_settings(settings),
    }  # fmt: skip
    with TrackedRun(opened, f"{method}-{out.name}", params) as run:
        if spec.train is not None:
            result: TrainResult = spec.load_part("train")(
                questions, labels or (), settings, snapshot=snapshot.hash, encoder=encoder, out=out, progress=progress,
                cancelled=cancelled,
            )  # fmt: skip
        else:
            work = Work(snapshot, encoder, progress, cancelled, cache, tuple(trajectories), run.log_metrics)
            result = _train_retriever(
                spec, settings, work, questions, labels=labels, out=out, programs=programs, refused=refused
            )
        figures = {f"checkpoint/{name}": value for name, value in result.metrics.items()}
        run.log_metrics(figures, int(result.metrics.get("epochs", 0)))
    return replace(result, notes=(*result.notes, *run.notes))


def _train_retriever(
    spec: MethodSpec,
    settings: TrainingConfig,
    work: Work,
    questions: Sequence[QuestionRecord],
    *,
    labels: Sequence[Label] | None,
    out: Path,
    programs: Sequence[QuestionRecord],
    refused: learning.Refused,
) -> TrainResult:
    """Train a method by its task; see :func:`train`."""
    assert isinstance(settings, RetrieverConfig), "what the other methods have"
    snapshot, encoder = work.snapshot, work.encoder
    notes: list[str] = []
    if labels is not None:
        labels, misfits = filter_labels(snapshot, labels)
        notes += [f"Labels left out: {misfits}."] if misfits.total else []
    splits = split(snapshot, questions, settings.seed, plans=spec.learns_plans)
    used, simple, label_notes = label(work, settings, [*splits.train, *splits.dev], labels)
    notes += label_notes
    torch.manual_seed(settings.seed)
    task: Task | SelfTrained = spec.load_part("task")(work, settings, splits, used, simple=simple)
    resume = get_resume_path(out)
    state, curve = _train_stages(task, settings, resume, _compute_key(work, settings, used, task), work)
    checkpoint = checkpoints.describe(
        state.weights,
        settings,
        method=spec.name,
        snapshot=snapshot.hash,
        encoder=encoder.name,
        text_features=encoder.dim,
        entity_texts=task.entity_texts,
        simple=simple,
        labels=dict(Counter(label.source for label in used)),
        relations=2 * snapshot.num_relations,
    )
    metrics = {task.score_name: state.best, "epochs": float(state.epoch)}
    least_support = share = None
    if splits.dev or splits.train:
        blends = issubclass(spec.options, DoubtingOptions) and set(checkpoint.manifest.labels) != {WRITTEN}
        validation, share = _measure(work, task, checkpoint, splits, blends=blends)
        metrics |= validation.metrics
        least_support = validation.least_support if splits.dev else None
    manifest = replace(checkpoint.manifest, metrics=metrics, least_support=least_support, share=share)
    measured = replace(checkpoint, manifest=manifest)
    written = {label.question for label in used if label.source == "written"}
    given_questions = [question for question in questions if question.id not in written]
    read = _train_programs(work, [*programs, *given_questions], refused)
    notes += read.notes if read else ()
    seen = TrainingCoverage.from_questions([*(grounded.question for grounded in splits.train), *splits.planned], used)

    def write_extras(directory: Path) -> None:
        seen.save(directory)
        if read is not None and read.weights is not None:
            read.weights.save(directory / learning.FILE)
        if curve:
            save_json(directory / CURVES, curve)

    checkpoints.save(out, measured, also=write_extras)
    shutil.rmtree(resume, ignore_errors=True)
    return TrainResult(out, metrics, (*splits.notes, *notes))


def get_resume_path(out: Path) -> Path:
    """Directory of what a training that was stopped keeps to be gone on with."""
    return out.with_name(f".{out.name}.resume")


def _train_programs(
    work: Work, questions: Sequence[QuestionRecord], refused: learning.Refused
) -> learning.LearnedPrograms | None:
    """How questions are read as programs, learned with the retriever.

    None where there is nothing to learn it from: nobody judged a program, and few questions have a cue of an operator
    beside the names of their topics, which hold many ("The First Time").
    """
    usable = [q for q in questions if q.split not in ("dev", "test") and (q.answers or q.program is not None)]
    has_programs = any(question.program is not None or question.id in refused for question in usable)
    cued = sum(bool(find_unexplained(q.question, find_cues(q.question), names=q.topic_entities)) for q in usable)
    if not has_programs and cued < OPERATORS:
        return None
    base = Weights.load(PROGRAMS)
    return learning.fit_weights(
        work.snapshot, work.encoder.encode, usable, base,
        refused=refused, progress=work.progress, cancelled=work.cancelled,
    )  # fmt: skip


def _train_stages(
    task: Task | SelfTrained, settings: TrainingConfig, resume: Path, key: str, work: Work
) -> tuple[TrainingState, list[dict[str, float]]]:
    """Train a task and those that follow it, each from the best weights of the one before; all measured steps."""
    if isinstance(task, SelfTrained):
        state, curve = task.train_model(resume, key)
        for epoch, row in enumerate(state.history, 1):
            work.log_metrics(row, epoch)
        return state, curve
    stage: tuple[Task, TrainingConfig] | None = (
        task,
        task.settings if isinstance(task, Configured) else settings,
    )
    state, curve, number, epochs = TrainingState(), list[dict[str, float]](), 0, 0
    while stage is not None:
        now, config = stage
        state = fit(
            now, config, resume=resume / (f"stage{number}.pt" if number else "last.pt"), key=key,
            progress=work.progress, cancelled=work.cancelled, least=state.best if number else -1.0,
            log_metrics=partial(_log_stage, work, epochs),
        )  # fmt: skip
        now.model.load_state_dict(state.weights)
        curve += [{"stage": number, "step": step, **row} for step, row in enumerate(state.curve)]
        epochs += state.epoch
        stage, number = now.get_next_stage() if isinstance(now, Staged) else None, number + 1
    return replace(state, epoch=epochs), curve


def _log_stage(work: Work, before: int, metrics: Mapping[str, float], epoch: int) -> None:
    """Log an epoch of a stage; ``before``: the epochs of the stages before it."""
    work.log_metrics(metrics, before + epoch)


def label(
    work: Work, config: RetrieverConfig, questions: Sequence[Grounded], labels: Sequence[Label] | None
) -> tuple[list[Label], bool, Sequence[str]]:
    """The labels to train on, whether walks avoid their topic, and what was noted when they were found."""
    known_labels = list(labels) if labels is not None else collect_gold_labels(work.snapshot, questions)
    known = {label.question for label in known_labels}
    if labels is not None or len(known) == len(questions):
        return known_labels, should_use_simple_walks(work.snapshot, questions, known_labels), ()
    unlabelled = [q for q in questions if q.question.id not in known]
    labelling = AnswerSetRationalizer(max_hops=config.max_hops).label(
        work.snapshot, unlabelled, encoder=work.encoder, progress=work.progress, cancelled=work.cancelled
    )
    simple = should_use_simple_walks(work.snapshot, questions, known_labels) if known_labels else labelling.simple
    return [*known_labels, *labelling.labels], simple, labelling.notes


def _measure(
    work: Work, task: Task | SelfTrained, checkpoint: OpenCheckpoint, splits: Splits, *, blends: bool
) -> tuple[Validation, float | None]:
    """Dev metrics by real retrieval, and the share of its ranking where it ``blends`` with the zero-shot retriever's.

    What the retriever computes stays in the cache, if there is one.
    """
    with tempfile.TemporaryDirectory() as scratch:
        retriever = task.build_retriever(checkpoint, work.cache or Path(scratch))
        validation = validate(retriever, work.snapshot, splits.dev or splits.train, work.cancelled)
        by_words = partial(ZeroShotRetriever, work.snapshot, work.encoder)
        share = select_share(retriever, by_words, work.snapshot, splits.dev, work.cancelled) if blends else None
    return validation, share


def _compute_key(work: Work, config: TrainingConfig, labels: Sequence[Label], task: Task | SelfTrained) -> str:
    """Names everything the weights depend on, so that only the same training is resumed."""
    digest = hashlib.sha256(work.snapshot.hash.encode())
    digest.update(json.dumps(configs.export_settings(config), sort_keys=True).encode())
    digest.update(f"{work.encoder.name} {get_code_version()}".encode())
    digest.update(json.dumps([asdict(label) for label in labels]).encode())
    digest.update(task.compute_fingerprint())
    return digest.hexdigest()
