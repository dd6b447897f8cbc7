"""Fits the transformer that scores relation paths: one on the right candidates, one on whether there is any."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from retrieval.methods.zero_shot.features import CHANNELS, LACKING_PATH, LACKING_WORD, OF_PATH, PER_WORD, STEPS
from retrieval.methods.zero_shot.model import PathScorer

if TYPE_CHECKING:
    from torch import Tensor

    from retrieval.weights.path_examples import PathExample

_RATE, _DECAY, _BATCH = 2e-3, 0.02, 16
#: Candidates of a question in one epoch: wrong ones of those that explain most, as many of the others, and right ones.
_WRONG, _LIKELY, _RIGHT = 9, 16, 6
#: How much likelier a question of people is drawn than a written one, and how little those of large groups are.
_PEOPLE, _LARGE = 2.0, 0.35
#: Columns of cosines, of common relations and of stems among the features of a word, and of likenesses of a path.
_COSINES = [step * CHANNELS + c for step in range(STEPS) for c in (0, 1, 2, 5)] + [
    STEPS * CHANNELS + c for c in range(3)
]
_COMMON = [PER_WORD - LACKING_WORD + c for c in range(LACKING_WORD)]
_STEMS = [step * CHANNELS + c for step in range(STEPS) for c in (3, 4)]
_LIKENESS, _UNEXPLAINED = slice(6, 12), 12


@dataclass(frozen=True, slots=True)
class FittingPlan:
    """How one kind of weights is fitted.

    Attributes:
        epochs, drawn: so often so many questions are drawn.
        lacking: how likely a question that nothing answers is drawn beside others.
        per_word, of_path: features that are read.
    """

    epochs: int
    drawn: int
    lacking: float
    per_word: int = PER_WORD
    of_path: int = OF_PATH


RANKS = FittingPlan(5, 15_000, 0.3, PER_WORD - LACKING_WORD, OF_PATH - LACKING_PATH)
"""Weights that say which relation path was asked for."""
DOUBTS = FittingPlan(4, 9_000, 1.0)
"""Weights that say whether any was."""


def fit_path_scorer(examples: Sequence[PathExample], plan: FittingPlan, seed: int) -> PathScorer:
    """Fit weights by which the right candidates of questions are probable, or none where none is right."""
    torch.manual_seed(seed)
    rng, draws = random.Random(seed), np.random.default_rng(seed)
    weight = _compute_weights(examples, plan)
    scorer = PathScorer(plan.per_word, plan.of_path)
    optimiser = torch.optim.AdamW(scorer.parameters(), lr=_RATE, weight_decay=_DECAY)
    drawn = min(plan.drawn, len(examples))
    steps = plan.epochs * -(-drawn // _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, _RATE, total_steps=steps, pct_start=0.1)
    for epoch in range(plan.epochs):
        total = 0.0
        scorer.train()
        for numbers in _make_batches(examples, draws.choice(len(examples), drawn, p=weight).tolist(), rng):
            batch = [_corrupt_example(examples[number], draws) for number in numbers]
            loss = _compute_losses(scorer, batch).mean()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
            torch.nn.utils.clip_grad_norm_(scorer.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += float(loss.detach()) * len(numbers)
        sys.stderr.write(f"epoch {epoch + 1} of {plan.epochs}: loss {total / drawn:.3f}\n")
    return scorer.eval()


@torch.inference_mode()
def is_first_right(scorer: PathScorer, example: PathExample) -> bool:
    """Whether the best candidate of a question is right."""
    scores, _, _, right = _score_candidates(scorer, [example])
    return bool(right[scores.argmax()] > 0)


@torch.inference_mode()
def compute_doubt(scorer: PathScorer, example: PathExample) -> float:
    """The probability that no candidate of a question is right."""
    scores, none, _, _ = _score_candidates(scorer, [example])
    return float(torch.softmax(torch.cat([scores, none]), 0)[-1])


def _compute_weights(examples: Sequence[PathExample], plan: FittingPlan) -> np.ndarray:
    """How likely each example is drawn."""
    sizes = Counter((example.graph, example.source) for example in examples)
    weight: np.ndarray = np.array(
        [
            sizes[example.graph, example.source] ** -_LARGE
            * (_PEOPLE if example.source == "people" else 1.0)
            * (1.0 if example.right.any() else plan.lacking)
            for example in examples
        ]
    )
    weight /= weight.sum()
    return weight


def _make_batches(examples: Sequence[PathExample], order: list[int], rng: random.Random) -> list[list[int]]:
    """Questions of like length together."""
    ordered = sorted(order, key=lambda number: (examples[number].words.shape[1], rng.random()))
    batches = [ordered[start : start + _BATCH] for start in range(0, len(ordered), _BATCH)]
    rng.shuffle(batches)
    return batches


def _corrupt_example(example: PathExample, rng: np.random.Generator) -> PathExample:
    """A question with some wrong candidates; a written one as if its words were less like the schema's."""
    wrong = np.flatnonzero(example.right == 0)
    likely, others = rng.permutation(wrong[:_LIKELY]), rng.permutation(wrong[_LIKELY:])
    kept = np.concatenate([np.flatnonzero(example.right)[:_RIGHT], likely[:_WRONG], others[:_WRONG]])
    words, paths = example.words[kept].astype(np.float32), example.paths[kept].copy()
    if example.source == "written" or rng.random() < 0.3:
        count = words.shape[1]
        struck = rng.random(count) < (0.25 if rng.random() < 0.5 else 0.05)
        words[:, :, _COSINES + _COMMON] *= np.where(struck, rng.uniform(0.45, 0.95, count), 1.0)[None, :, None]
        words[:, :, _STEMS] *= ~(struck | (rng.random() < 0.3))[None, :, None]
        if rng.random() < 0.4:
            paths[:, _LIKENESS] *= rng.uniform(0.6, 1.0)
        if rng.random() < 0.5:
            paths[:, _UNEXPLAINED] = 0
    return replace(example, words=words, paths=paths, right=example.right[kept])


def _score_candidates(scorer: PathScorer, examples: Sequence[PathExample]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Scores of all candidates and of none, [C] and [q]; the question of each candidate and how right it is, [C]."""
    sizes = [len(example.words) for example in examples]
    longest = max(example.words.shape[1] for example in examples)
    words = torch.zeros(sum(sizes), longest, examples[0].words.shape[2])
    start = 0
    for example, size in zip(examples, sizes, strict=True):
        words[start : start + size, : example.words.shape[1]] = torch.from_numpy(example.words.astype(np.float32))
        start += size
    counts = torch.tensor(sizes)
    lengths = torch.tensor([example.words.shape[1] for example in examples]).repeat_interleave(counts)
    question = torch.arange(len(examples)).repeat_interleave(counts)
    paths = torch.from_numpy(np.concatenate([example.paths for example in examples]))
    right = torch.from_numpy(np.concatenate([example.right for example in examples]))
    scores, none = scorer(words, lengths, paths, question, len(examples))
    return scores, none, question, right


def _compute_losses(scorer: PathScorer, examples: Sequence[PathExample]) -> Tensor:
    """-log of what all right candidates get together, else of none, [q]."""
    scores, none, question, right = _score_candidates(scorer, examples)
    count = len(examples)
    every, owner = torch.cat([scores, none]), torch.cat([question, torch.arange(count)])
    highest = torch.full((count,), -1e9).scatter_reduce(0, owner, every.detach(), "amax")
    share = torch.exp(every - highest[owner])
    good = (right > 0).float()
    lacking = (torch.zeros(count).index_add(0, question, good) == 0).float()
    total = torch.zeros(count).index_add(0, owner, share)
    hit = torch.zeros(count).index_add(0, owner, share * torch.cat([good, lacking]))
    return torch.log(total) - torch.log(hit.clamp(min=1e-9))
