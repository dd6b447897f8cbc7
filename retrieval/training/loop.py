"""The training loop: epochs, early stopping, progress, cancel, resume. Nothing here knows files' formats."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from retrieval.config import TrainingConfig
from retrieval.errors import CheckpointError, StorageFullError, check
from retrieval.kg.snapshot.storage import is_full
from retrieval.training.averaging import WeightAverage
from retrieval.training.recipe import Learning, Measured, Rated
from retrieval.training.training_state import TrainingState, copy_weights
from retrieval.types import Progress


@dataclass(frozen=True, slots=True)
class _Learner:
    """What a training changes and a resumed one takes up again."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    average: WeightAverage | None


def fit(
    task: Learning,
    config: TrainingConfig,
    *,
    resume: Path,
    key: str,
    progress: Callable[[Progress], None],
    cancelled: Callable[[], bool],
    least: float = -1.0,
    log_metrics: Callable[[Mapping[str, float], int], None] = lambda _metrics, _step: None,
) -> TrainingState:
    """Train until the dev score has not risen for ``patience`` epochs.

    Args:
        task: the model, trained in place, and its examples.
        resume: file of the last epoch's state, replaced after each epoch.
        key: names everything the training depends on; a state of another key is ignored.
        progress: told after each batch, with loss and rate.
        least: dev score of the model as it is; its weights are kept unless an epoch does better.
        log_metrics: takes loss and dev score of each epoch, counted from 1; those of a resumed training first.

    Returns:
        The state reached, with the best epoch's weights.

    Raises:
        Cancelled: ``cancelled()`` said so; the next call goes on after the last whole epoch.
        StorageFullError: there is no room for the last epoch's state; what was kept of the one before still is.
    """
    model = task.model
    groups = task.list_parameter_groups() if isinstance(task, Rated) else model.parameters()
    optimizer = torch.optim.Adam(groups, lr=config.learning_rate)
    average = WeightAverage(model, config.averaging) if config.averaging else None
    if average:
        optimizer.register_step_post_hook(average.update)
    learner = _Learner(model, optimizer, average)
    state = _load(resume, key, learner) or TrainingState(best=least, weights=copy_weights(model) if least >= 0 else {})
    for epoch, row in enumerate(state.history, 1):
        log_metrics(row, epoch)
    size = count_draws(task.size, config)
    while state.epoch < config.epochs and state.since_best < config.patience:
        rng = np.random.default_rng([config.seed, state.epoch])
        torch.manual_seed(config.seed * 100_003 + state.epoch)
        order = _draw_order(task.size, size, state.epoch, config.seed)
        loss = _run_epoch(task, config, optimizer, order, state, rng=rng, progress=progress, cancelled=cancelled)
        with average.use_average() if average else nullcontext():
            state.add_epoch(task.score_name, loss, task.score(cancelled), model)
        log_metrics(state.history[-1], state.epoch)
        _save(resume, key, learner, state)
    return state


def count_draws(examples: int, config: TrainingConfig) -> int:
    """Return the draws of an epoch; without limits each example is drawn once."""
    size = max(examples, config.draws_per_epoch)
    return min(size, config.questions_per_epoch) if config.questions_per_epoch else size


def _draw_order(count: int, size: int, epoch: int, seed: int) -> np.ndarray:
    """The examples of an epoch: the next ``size`` of an endless sequence of shuffles."""
    start = epoch * size
    rounds = range(start // count, (start + size - 1) // count + 1)
    shuffles = [np.random.default_rng([seed, 1, r]).permutation(count) for r in rounds]
    offset = start - rounds[0] * count
    return np.concatenate(shuffles)[offset : offset + size]


def _run_epoch(
    task: Learning,
    config: TrainingConfig,
    optimizer: torch.optim.Optimizer,
    order: np.ndarray,
    state: TrainingState,
    *,
    rng: np.random.Generator,
    progress: Callable[[Progress], None],
    cancelled: Callable[[], bool],
) -> float:
    model = task.model
    model.train()
    began, summed, batches = time.perf_counter(), 0.0, 0
    for start in range(0, len(order), config.batch_size):
        check(cancelled)
        loss = task.compute_loss(order[start : start + config.batch_size], rng)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves backward untyped
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        summed, batches = summed + float(loss.detach()), batches + 1
        if isinstance(task, Measured):
            state.curve.append({"loss": float(loss.detach()), **task.measures})
        done = start + len(order[start : start + config.batch_size])
        metrics = {"loss": summed / batches, "rate": done / (time.perf_counter() - began)}
        if state.epoch:
            metrics[task.score_name] = state.history[-1][task.score_name]
        progress(
            Progress(
                "training",
                state.epoch * len(order) + done,
                config.epochs * len(order),
                "questions",
                f"epoch {state.epoch + 1} of at most {config.epochs}",
                metrics,
            )
        )
    return summed / max(batches, 1)


def _save(path: Path, key: str, learner: _Learner, state: TrainingState) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    building = path.with_name(f".{path.name}.{os.getpid()}")
    stored = {
        "key": key,
        "model": learner.model.state_dict(),
        "optimizer": learner.optimizer.state_dict(),
        "average": learner.average.get_state() if learner.average else None,
        **{f.name: getattr(state, f.name) for f in fields(state)},
    }
    written = io.BytesIO()  # torch hides what the file system says, that the disk is full
    torch.save(stored, written)
    try:
        building.write_bytes(written.getbuffer())
        building.replace(path)
    except OSError as error:
        building.unlink(missing_ok=True)
        if not is_full(error):
            raise
        kept = f"epoch {state.epoch - 1} is kept" if path.is_file() else "nothing of it is kept"
        raise StorageFullError(
            f"There is no room on the disk for what epoch {state.epoch} of the training has learned; {kept}.",
            hint="Make room where the checkpoint is to be, and train again: it goes on from what is kept.",
        ) from error


def _load(path: Path, key: str, learner: _Learner) -> TrainingState | None:
    """The state of an earlier training of the same key; None when there is none.

    Raises:
        CheckpointError: the file is damaged; it was set aside, so that the next training starts anew.
    """
    if not path.is_file():
        return None
    try:
        stored: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        if stored["key"] != key:
            return None
        learner.model.load_state_dict(stored["model"])
        learner.optimizer.load_state_dict(stored["optimizer"])
        if learner.average:
            learner.average.restore(**stored["average"])
        return TrainingState(*(stored[f.name] for f in fields(TrainingState)))
    except Exception as error:  # whatever torch, pickle or zipfile make of damage
        aside = path.with_name(f"{path.name}.damaged")
        path.replace(aside)
        raise CheckpointError(
            f"What the stopped training had kept is damaged; it was set aside as {aside.name}.",
            hint="Train again to start from the beginning.",
        ) from error
