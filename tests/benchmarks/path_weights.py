"""Fitting the weights by which relation paths are ranked on graphs that nobody trained on."""

from __future__ import annotations

import pickle
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from retrieval.loading import load_encoder
from retrieval.methods._shared.path_reader.features import CHANNELS, STEPS
from retrieval.methods._shared.path_reader.model import PathScorer
from tests.benchmarks.path_questions import Learned, learned
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE

COMMAND = "python -m tests.benchmarks path_weights"
#: Families that published figures are of: weights are fitted without each.
FAMILIES = ("MetaQA", "Freebase")
_EPOCHS, _RATE, _DECAY, _BATCH, _SEED = 5, 2e-3, 0.02, 16, 0
#: Wrong candidates of a question in one epoch, and right ones.
_WRONG, _RIGHT = 16, 6
#: What a question of people counts beside a written one, and how little those of large groups do.
_PEOPLE, _LARGE = 2.0, 0.35
#: Places of cosines and of stems among what is known of a word.
_COSINES = [i * CHANNELS + c for i in range(STEPS) for c in (0, 1, 2, 5)] + [
    STEPS * CHANNELS + c for c in range(3)
]
_STEMS = [i * CHANNELS + c for i in range(STEPS) for c in (3, 4)]
_LIKENESS, _UNTOLD = slice(6, 12), 12


def measure(names: Sequence[str] = (), out: Path | None = None) -> list[Section]:
    """How often the right relation path comes first with its family left out; with ``out``, weights of everything."""
    data = _data()
    section = Section(
        "Relation paths on graphs that their weights have not seen",
        COMMAND,
        "The scorer fitted without anything of the family, neither its questions nor such as were written from its "
        "graphs. First: the best candidate is right, where one is. Told: nothing is right, and that is what is most "
        "probable.",
        head=("left out", "questions", "by", "first", "told"),
    )
    for family in names or FAMILIES:
        scorer = PathScorer.load(without(family, data))
        for source in ("people", "written"):
            some = [one for one in data if (one.family, one.source) == (family, source)]
            first, told = _measured(scorer, some)
            section.add(family, f"{len(some):,}", source, f"{first:.3f}", f"{told:.3f}")
    if out is not None:
        fit(data).save(out)
        print(f"wrote {out}", flush=True)
    return [section]


def without(family: str, data: Sequence[Learned] | None = None) -> Path:
    """The file of weights that were fitted without a family, made once."""
    file = CACHE / "path-weights" / f"without-{family}.safetensors"
    if not file.is_file():
        some = [one for one in data or _data() if one.family != family]
        file.parent.mkdir(parents=True, exist_ok=True)
        fit(some).save(file)
    return file


def _data() -> list[Learned]:
    """Of all graphs, computed once."""
    kept = CACHE / "path-weights" / "learned.pickle"
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps(list(learned(load_encoder()))))
    found: list[Learned] = pickle.loads(kept.read_bytes())
    return found


def fit(data: Sequence[Learned]) -> PathScorer:
    """Weights by which the right candidates of these questions are probable."""
    torch.manual_seed(_SEED)
    rng, draws = random.Random(_SEED), np.random.default_rng(_SEED)
    sizes = Counter((one.graph, one.source) for one in data)
    weight = np.array(
        [sizes[one.graph, one.source] ** -_LARGE * (_PEOPLE if one.source == "people" else 1) for one in data]
    )
    weight /= weight.mean()
    scorer = PathScorer()
    optimiser = torch.optim.AdamW(scorer.parameters(), lr=_RATE, weight_decay=_DECAY)
    order = list(range(len(data)))
    steps = _EPOCHS * (len(_batches(data, order, rng)) + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, _RATE, total_steps=steps, pct_start=0.1)
    for epoch in range(_EPOCHS):
        began, total = time.perf_counter(), 0.0
        scorer.train()
        for numbers in _batches(data, order, rng):
            some = [_worn(data[i], draws) for i in numbers]
            own = torch.from_numpy(weight[numbers].astype(np.float32))
            loss = (_losses(scorer, some) * own).mean()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
            torch.nn.utils.clip_grad_norm_(scorer.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += float(loss.detach()) * len(numbers)
        print(
            f"epoch {epoch + 1}: {total / len(data):.3f} in {time.perf_counter() - began:.0f} s", flush=True
        )
    return scorer.eval()


def _batches(data: Sequence[Learned], order: list[int], rng: random.Random) -> list[list[int]]:
    """Questions of like length together, drawn anew."""
    rng.shuffle(order)
    made = [
        some
        for part in _parts(order, _BATCH * 40)
        for some in _parts(sorted(part, key=lambda i: data[i].words.shape[1]), _BATCH)
    ]
    rng.shuffle(made)
    return made


def _parts(numbers: list[int], size: int) -> list[list[int]]:
    return [numbers[at : at + size] for at in range(0, len(numbers), size)]


def _worn(one: Learned, rng: np.random.Generator) -> Learned:
    """A question with some wrong candidates; a written one as if its words were less like the schema's."""
    wrong = np.flatnonzero(one.right == 0)
    kept = np.concatenate([np.flatnonzero(one.right)[:_RIGHT], rng.permutation(wrong)[:_WRONG]])
    words, paths = one.words[kept].astype(np.float32), one.paths[kept].copy()
    if one.source == "written" or rng.random() < 0.3:
        count = words.shape[1]
        struck = rng.random(count) < (0.25 if rng.random() < 0.5 else 0.05)
        words[:, :, _COSINES] *= np.where(struck, rng.uniform(0.45, 0.95, count), 1.0)[None, :, None]
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
def _measured(scorer: PathScorer, data: Sequence[Learned]) -> tuple[float, float]:
    """Share of questions whose best candidate is right, and of those without one for which that is told."""
    first: list[bool] = []
    told: list[bool] = []
    for one in data:
        scores, none, _, right = _scored(scorer, [one])
        if right.any():
            first.append(bool(right[scores.argmax()] > 0))
        else:
            told.append(bool(none[0] > scores.max()))
    return float(np.mean(first)) if first else 0.0, float(np.mean(told)) if told else 0.0
