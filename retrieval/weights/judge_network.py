"""Fits the judge of programs: the mean of some small networks that make right programs likely among the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from retrieval.errors import TrainingDataError
from retrieval.programs.scoring.judge import LOOKED_AT, Judge

#: Hidden units of each network, networks whose mean the judge is, rounds, rate, decay of the layer and of the rest.
_HIDDEN, _NETWORKS, _ROUNDS, _RATE, _DECAY, _LINEAR_DECAY = 16, 3, 12, 4e-3, 1.0, 0.1
_BATCH, _LEAST_RATE, _NEVER = 128, 1e-4, -1e9
#: Signs of fewer questions are left out; added to the deviation of each sign.
_RARE, _SLACK = 15, 0.05
#: Share of the fitted adjustments that is kept: in full they turn some surely right programs into wrong ones.
_KEPT = 0.5


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """The best programs of a question: signs, correctness and ranker score of each, and the question's weight."""

    signs: tuple[dict[str, float], ...]
    right: tuple[bool, ...]
    scores: tuple[float, ...]
    weight: float


@dataclass(frozen=True, slots=True)
class _Batch:
    """Questions as tensors: signs [n, programs, s]; whether programs exist and are right, scores; weights [n]."""

    signs: torch.Tensor
    exists: torch.Tensor
    right: torch.Tensor
    scores: torch.Tensor
    weight: torch.Tensor


def fit_judge(questions: Sequence[JudgedQuestion], seed: int) -> Judge:
    """Fit the judge; questions without a right or a wrong program teach nothing.

    Raises:
        TrainingDataError: all questions are such.
    """
    used = [question for question in questions if any(question.right) and not all(question.right)]
    if not used:
        raise TrainingDataError("No question has both right and wrong programs.", hint="Add suites with --suite.")
    counts = Counter(name for question in used for name in set().union(*question.signs))
    names = tuple(sorted(name for name, count in counts.items() if count >= min(_RARE, len(used))))
    batch = _build_tensors(used, names)
    signs = batch.signs[batch.exists]
    mean, deviation = signs.mean(0), signs.std(0) + _SLACK
    batch.signs.sub_(mean).div_(deviation)
    parts = [_fit_network(batch, seed * _NETWORKS + number) for number in range(_NETWORKS)]
    linear = _KEPT * np.mean([part[0] for part in parts], axis=0)
    hidden, bias = (np.concatenate([part[place] for part in parts], axis=-1) for place in (1, 2))
    out = np.concatenate([part[3] for part in parts]) * _KEPT / _NETWORKS
    return Judge(names, mean.numpy(), deviation.numpy(), linear, hidden, bias, out)


def _build_tensors(questions: Sequence[JudgedQuestion], names: Sequence[str]) -> _Batch:
    column = {name: place for place, name in enumerate(names)}
    shape = (len(questions), LOOKED_AT)
    signs, scores = torch.zeros(*shape, len(names)), torch.zeros(shape)
    exists, right = torch.zeros(shape, dtype=torch.bool), torch.zeros(shape, dtype=torch.bool)
    for row, question in enumerate(questions):
        for place, program_signs in enumerate(question.signs):
            exists[row, place], right[row, place] = True, question.right[place]
            scores[row, place] = question.scores[place] - question.scores[0]
            for name, value in program_signs.items():
                if name in column:
                    signs[row, place, column[name]] = value
    weight = torch.tensor([question.weight for question in questions], dtype=torch.float32)
    return _Batch(signs, exists, right, scores, weight / weight.mean())


def _fit_network(batch: _Batch, seed: int) -> tuple[np.ndarray, ...]:
    torch.manual_seed(seed)
    size = batch.signs.shape[-1]
    layer, out = torch.nn.Linear(size, _HIDDEN), torch.nn.Linear(_HIDDEN, 1, bias=False)
    torch.nn.init.zeros_(out.weight)
    linear = torch.nn.Parameter(torch.zeros(size))
    groups = [
        {"params": [*layer.parameters(), *out.parameters()], "weight_decay": _DECAY},
        {"params": [linear], "weight_decay": _LINEAR_DECAY},
    ]
    optimiser, order = torch.optim.AdamW(groups, lr=_RATE), torch.Generator().manual_seed(seed)
    for finished in range(_ROUNDS):
        for group in optimiser.param_groups:
            group["lr"] = _RATE * (1 - finished / _ROUNDS) + _LEAST_RATE
        for rows in torch.split(torch.randperm(len(batch.signs), generator=order), _BATCH):
            signs, exists, right = batch.signs[rows], batch.exists[rows], batch.right[rows]
            added = signs @ linear + out(torch.tanh(layer(signs)))[..., 0]
            likely = torch.log_softmax((batch.scores[rows] + added).masked_fill(~exists, _NEVER), 1)
            loss = -(torch.logsumexp(likely.masked_fill(~right, _NEVER), 1) * batch.weight[rows]).mean()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
    return tuple(part.detach().numpy() for part in (linear, layer.weight.T, layer.bias, out.weight[0]))
