"""Fitting the weights by which relation paths are ranked on any graph, and those that say what a graph lacks."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from retrieval.answering.loading import load_encoder
from retrieval.methods.zero_shot.features import (
    CHANNELS,
    LACKING_PATH,
    LACKING_WORD,
    OF_PATH,
    PER_WORD,
    STEPS,
)
from retrieval.methods.zero_shot.model import PathScorer
from retrieval.methods.zero_shot.retriever import LEAST_SUPPORT
from retrieval.pretrained import LACKING
from tests.benchmarks.path_questions import Learned, Sizes, learned
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE

COMMAND = "python -m tests.benchmarks path_weights"
#: Families that published figures are of: weights are fitted without each.
FAMILIES = ("MetaQA", "Freebase")
_RATE, _DECAY, _BATCH, _SEED = 2e-3, 0.02, 16, 0
#: Wrong candidates of a question in one epoch, so many of those that explain most and of the others, and right ones.
_WRONG, _LIKELY, _RIGHT = 9, 16, 6
#: How much likelier a question of people is drawn than a written one, and how little those of large groups are.
_PEOPLE, _LARGE = 2.0, 0.35
#: Places of cosines and of stems among what is known of a word.
_COSINES = [i * CHANNELS + c for i in range(STEPS) for c in (0, 1, 2, 5)] + [STEPS * CHANNELS + c for c in range(3)]
_COMMON = [PER_WORD - LACKING_WORD + c for c in range(LACKING_WORD)]
_STEMS = [i * CHANNELS + c for i in range(STEPS) for c in (3, 4)]
_LIKENESS, _UNTOLD = slice(6, 12), 12


@dataclass(frozen=True, slots=True)
class Fitting:
    """How one kind of weights is fitted.

    Attributes:
        name: of its files.
        epochs, drawn: so often so many questions are drawn.
        lacking: how likely one whose relation was taken away is drawn beside others.
        per_word, of_path: features that are read.
    """

    name: str
    epochs: int
    drawn: int
    lacking: float
    per_word: int = PER_WORD
    of_path: int = OF_PATH

    def of(self, quick: bool) -> Fitting:
        """The same, or a tenth of it."""
        return replace(self, epochs=1, drawn=self.epochs * self.drawn // 10) if quick else self


RANKS = Fitting("ranks", 5, 15_000, 0.3, PER_WORD - LACKING_WORD, OF_PATH - LACKING_PATH)
"""Weights that say which relation path was asked for."""
DOUBTS = Fitting("doubts", 4, 9_000, 1.0)
"""Weights that say whether any was."""


def measure(names: Sequence[str] = (), out: Path | None = None, *, quick: bool = False) -> list[Section]:
    """How often the right relation path comes first, and how often it is said that there is none, family left out.

    Args:
        names: of families that are left out; none for all.
        out: weights of everything are written there, and those that say what is lacking beside it.
        quick: with a tenth of the questions and of the fitting, which shows that all of it works and no more.
    """
    data = _data(quick)
    section = Section(
        "Relation paths on unseen graphs" + (", a tenth of the fitting" * quick),
        f"{COMMAND}{' --quick' * quick}",
        "The scorers fitted without anything of the family, neither its questions nor such as were written from its "
        "graphs. First: the best candidate is right, where one is. Told: nothing is right, and that is told by the "
        f"limit of {LEAST_SUPPORT}. Refused: the same where a candidate is right.",
        theme="Untrained",
        head=("left out", "questions", "by", "first", "told", "refused"),
    )
    for family in names or FAMILIES:
        ranks, doubts = (PathScorer.load(without(family, how, data, quick=quick)) for how in (RANKS, DOUBTS))
        for source in ("people", "written"):
            some = [one for one in data if (one.family, one.source) == (family, source)]
            first = np.mean([is_first(ranks, one) for one in some if one.right.any()])
            lacking = [lacks(doubts, one) > 1 - LEAST_SUPPORT for one in some if not one.right.any()]
            there = [lacks(doubts, one) > 1 - LEAST_SUPPORT for one in some if one.right.any()]
            shown = f"{first:.3f}", f"{np.mean(lacking):.3f}", f"{np.mean(there):.3f}"
            section.add(family, f"{len(some):,}", source, *shown)
    if out is not None:
        fit(data, RANKS.of(quick)).save(out)
        fit(data, DOUBTS.of(quick)).save(out.with_name(LACKING.name))
        print(f"wrote {out} and {LACKING.name}", flush=True)
    return [section]


def without(family: str, how: Fitting, data: Sequence[Learned] | None = None, *, quick: bool = False) -> Path:
    """The file of weights that were fitted without a family, made once."""
    file = _home(quick) / f"{how.name}-without-{family}.safetensors"
    if not file.is_file():
        some = [one for one in data or _data(quick) if one.family != family]
        file.parent.mkdir(parents=True, exist_ok=True)
        fit(some, how.of(quick)).save(file)
    return file


def _home(quick: bool) -> Path:
    return CACHE / ("path-weights-quick" if quick else "path-weights")


def _data(quick: bool) -> list[Learned]:
    """Of all graphs, computed once."""
    sizes = Sizes(drawn=35, written=30, more=30, repeated=6) if quick else Sizes()
    return list(learned(load_encoder(), _home(quick) / "learned", sizes))


def fit(data: Sequence[Learned], how: Fitting) -> PathScorer:
    """Weights by which the right candidates of these questions are probable, or none where none is right."""
    torch.manual_seed(_SEED)
    rng, draws = random.Random(_SEED), np.random.default_rng(_SEED)
    sizes = Counter((one.graph, one.source) for one in data)
    weight = np.array(
        [sizes[one.graph, one.source] ** -_LARGE * (_PEOPLE if one.source == "people" else 1) for one in data]
    ) * np.where([one.right.any() for one in data], 1.0, how.lacking)
    weight /= weight.sum()
    scorer = PathScorer(how.per_word, how.of_path)
    optimiser = torch.optim.AdamW(scorer.parameters(), lr=_RATE, weight_decay=_DECAY)
    drawn = min(how.drawn, len(data))
    steps = how.epochs * -(-drawn // _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, _RATE, total_steps=steps, pct_start=0.1)
    for epoch in range(how.epochs):
        began, total = time.perf_counter(), 0.0
        scorer.train()
        for numbers in _batches(data, draws.choice(len(data), drawn, p=weight).tolist(), rng):
            some = [_worn(data[i], draws) for i in numbers]
            loss = _losses(scorer, some).mean()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
            torch.nn.utils.clip_grad_norm_(scorer.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += float(loss.detach()) * len(numbers)
        print(f"epoch {epoch + 1}: {total / drawn:.3f} in {time.perf_counter() - began:.0f} s", flush=True)
    return scorer.eval()


def _batches(data: Sequence[Learned], order: list[int], rng: random.Random) -> list[list[int]]:
    """Questions of like length together."""
    made = _parts(sorted(order, key=lambda i: (data[i].words.shape[1], rng.random())), _BATCH)
    rng.shuffle(made)
    return made


def _parts(numbers: list[int], size: int) -> list[list[int]]:
    return [numbers[at : at + size] for at in range(0, len(numbers), size)]


def _worn(one: Learned, rng: np.random.Generator) -> Learned:
    """A question with some wrong candidates; a written one as if its words were less like the schema's."""
    wrong = np.flatnonzero(one.right == 0)
    likely, others = rng.permutation(wrong[:_LIKELY]), rng.permutation(wrong[_LIKELY:])
    kept = np.concatenate([np.flatnonzero(one.right)[:_RIGHT], likely[:_WRONG], others[:_WRONG]])
    words, paths = one.words[kept].astype(np.float32), one.paths[kept].copy()
    if one.source == "written" or rng.random() < 0.3:
        count = words.shape[1]
        struck = rng.random(count) < (0.25 if rng.random() < 0.5 else 0.05)
        words[:, :, _COSINES + _COMMON] *= np.where(struck, rng.uniform(0.45, 0.95, count), 1.0)[None, :, None]
        words[:, :, _STEMS] *= ~(struck | (rng.random() < 0.3))[None, :, None]
        if rng.random() < 0.4:
            paths[:, _LIKENESS] *= rng.uniform(0.6, 1.0)
        if rng.random() < 0.5:
            paths[:, _UNTOLD] = 0
    return replace(one, words=words, paths=paths, right=one.right[kept])


def _scored(scorer: PathScorer, some: Sequence[Learned]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Scores of all candidates and of none, [C] and [q]; the question of each candidate and how right it is, [C]."""
    sizes = [len(one.words) for one in some]
    longest = max(one.words.shape[1] for one in some)
    words = torch.zeros(sum(sizes), longest, some[0].words.shape[2])
    at = 0
    for one, size in zip(some, sizes, strict=True):
        words[at : at + size, : one.words.shape[1]] = torch.from_numpy(one.words.astype(np.float32))
        at += size
    of = torch.tensor(sizes)
    lengths = torch.tensor([one.words.shape[1] for one in some]).repeat_interleave(of)
    question = torch.arange(len(some)).repeat_interleave(of)
    paths = torch.from_numpy(np.concatenate([one.paths for one in some]))
    right = torch.from_numpy(np.concatenate([one.right for one in some]))
    scores, none = scorer(words, lengths, paths, question, len(some))
    return scores, none, question, right


def _losses(scorer: PathScorer, some: Sequence[Learned]) -> Tensor:
    """-log of what all right candidates get together, else of none, [q]."""
    scores, none, question, right = _scored(scorer, some)
    count = len(some)
    every, of = torch.cat([scores, none]), torch.cat([question, torch.arange(count)])
    highest = torch.full((count,), -1e9).scatter_reduce(0, of, every.detach(), "amax")
    share = torch.exp(every - highest[of])
    good = (right > 0).float()
    lacking = (torch.zeros(count).index_add(0, question, good) == 0).float()
    total = torch.zeros(count).index_add(0, of, share)
    hit = torch.zeros(count).index_add(0, of, share * torch.cat([good, lacking]))
    return torch.log(total) - torch.log(hit.clamp(min=1e-9))


@torch.inference_mode()
def is_first(scorer: PathScorer, one: Learned) -> bool:
    """Whether the best candidate of a question is right."""
    scores, _, _, right = _scored(scorer, [one])
    return bool(right[scores.argmax()] > 0)


@torch.inference_mode()
def lacks(scorer: PathScorer, one: Learned) -> float:
    """How probable it is that no candidate of a question is right."""
    scores, none, _, _ = _scored(scorer, [one])
    return float(torch.softmax(torch.cat([scores, none]), 0)[-1])
