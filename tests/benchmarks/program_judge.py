"""Which of the best programs is what was asked, and how sure that is: fitted on many graphs, measured on others.

The ranker stays as it is (``program_weights`` fits it). The judge learns from questions with their answers only which
of the ranker's best programs is right; the confidence learns from what the judge then chooses, and from the same
questions over copies of their graphs that lack a relation that the answer needs (``tests/benchmarks/masked.py``).
``CLEW_BENCH_SUITES`` names folders of further suites (``tests/benchmarks/spider_graphs.py`` writes some).
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.optimize import minimize

from retrieval.answering.loading import load_encoder
from retrieval.kg import snapshot as snapshots
from retrieval.language.question import Question
from retrieval.pretrained import JUDGE, PROGRAMS
from retrieval.programs.calibration import compute_program_evidence, compute_ranking_evidence, is_refused
from retrieval.programs.parser import Parser
from retrieval.programs.scoring.features import compute_agreement, get_result_key
from retrieval.programs.scoring.judge import LOOKED_AT, Judge, build_judge_signs
from retrieval.programs.weights import Weights
from tests.benchmarks.masked import masked, needed
from tests.benchmarks.operators import UNANSWERABLE, Asked, is_right, suites
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks program_judge"
#: Whole graphs are left out in so many parts.
_FOLDS = 5
#: A graph counts by its questions to the power of this in all.
_LARGE = 0.6
#: What a question over a copy that lacks something counts beside one of the whole graph.
_MASKED = 0.4
#: The judge: hidden units of each network, networks whose mean it is, rounds, rate, decay of the layer and of the rest.
_HIDDEN, _NETWORKS, _ROUNDS, _RATE, _DECAY, _LINEAR = 16, 3, 12, 4e-3, 1.0, 0.1
_BATCH, _LEAST_RATE, _NEVER = 128, 1e-4, -1e9
#: Signs of fewer questions are left out; what is added to the deviation of each; the pull of the confidence.
_RARE, _SLACK, _RIDGE = 15, 0.05, 0.001
#: Set by hand: sets hold hardly any question that nothing answers.
_EMPTY = {"empty": -0.4223, "s:res.0": 0.0, "s:op.miss.each": 0.0}
#: Less sure answers are guesses.
_GUESS = 0.3
_BINS = 10
#: Processes that read.
_READERS = int(os.environ.get("CLEW_BENCH_READERS", "2"))


@dataclass(frozen=True, slots=True)
class Seen:
    """The best programs of a question, in the order of the ranker.

    Attributes:
        asked: the question.
        graph: the one that it was asked of; of a copy, that which was copied.
        right: which programs are.
        scores: of the ranker.
        signs: what the judge looks at.
        told: what speaks for and against each.
        same: programs of one number give the same.
        refused: which are no answer.
        words: how many the question has.
        needs: labels of the relations of the best program that is right.
    """

    asked: Asked
    graph: str
    right: tuple[bool, ...]
    scores: tuple[float, ...]
    signs: tuple[dict[str, float], ...]
    told: tuple[dict[str, float], ...]
    same: tuple[int, ...]
    refused: tuple[bool, ...]
    words: int
    needs: frozenset[str] = frozenset()

    @property
    def lacking(self) -> bool:
        """Whether the graph cannot answer."""
        return self.graph != self.asked.graph.name or UNANSWERABLE in self.asked.operators


@dataclass(frozen=True, slots=True)
class Answered:
    """What was chosen for a question: what speaks for it, and whether it is right."""

    seen: Seen
    evidence: dict[str, float]
    right: bool
    refused: bool


def measure(names: Sequence[str] = (), out: Path | None = None) -> list[Section]:
    """Exact sets and confidences on graphs that were left out of fitting; with ``out``, what was fitted with all."""
    torch.set_num_threads(1)
    whole = _read([(one, one.graph.name) for one in suites(names)])
    wanting = [own for own in whole if own.needs and UNANSWERABLE not in own.asked.operators]
    copies = masked((own.asked, own.needs) for own in wanting)
    of = {own.asked.id: own.graph for own in wanting}
    lacking = _read([(one, of[one.id.rpartition(" without ")[0]]) for one in copies])
    lacking = [own for own in lacking if not any(own.right[:1])]
    section = Section(
        "Programs chosen by the judge",
        COMMAND,
        "The judge and the confidence fitted without the graph and without all questions of it; the ranker below "
        "them has seen the shared suites. Doubted: right answers that are shown as guesses (less sure than 0.3). "
        "Told: of questions that the graph, or a copy of it without a relation that the answer needs, cannot answer, "
        "those that are guesses.",
        theme="Linking and programs",
        head=(
            "suite",
            "questions",
            "by the ranker",
            "by the judge",
            "ECE",
            "doubted",
            "cannot be answered",
            "told",
        ),
    )
    rows = _left_out([*whole, *lacking])
    for suite in (*sorted({own.asked.suite for own in whole}), None):
        section.add(suite or "all", *_figures([row for row in rows if suite in (None, row[0].seen.asked.suite)]))
    if out is not None:
        judge = _judge(whole)
        judge.save(out / JUDGE.name)
        weights = Weights.load(PROGRAMS)
        weights.calibration = _confidence(_chosen(judge, [*whole, *lacking])) | _EMPTY
        weights.save(out / PROGRAMS.name)
        print(f"wrote {out}", flush=True)
    return [section]


def _read(asked: Sequence[tuple[Asked, str]]) -> list[Seen]:
    by_graph: dict[Path, list[tuple[Asked, str]]] = {}
    for one in asked:
        by_graph.setdefault(one[0].graph, []).append(one)
    with ProcessPoolExecutor(_READERS, multiprocessing.get_context("spawn")) as pool:
        done: list[list[Seen]] = []
        for found in pool.map(_read_graph, by_graph.values()):
            done.append(found)
            print(f"read {len(done)} of {len(by_graph)} graphs", flush=True)
    return list(chain.from_iterable(done))


@lru_cache(maxsize=1)
def _encoder() -> Any:
    torch.set_num_threads(1)
    return load_encoder()


def _read_graph(asked: Sequence[tuple[Asked, str]]) -> list[Seen]:
    parser = Parser(snapshots.open(asked[0][0].graph), _encoder().encode, Weights.load(PROGRAMS))
    return [_seen(parser, *one) for one in asked]


def _seen(parser: Parser, one: Asked, graph: str) -> Seen:
    reading = parser.read(Question(one.question))
    best = reading.candidates[:LOOKED_AT]
    right = tuple(is_right(parser.columns, parser.snapshot, own, one) for own in best)
    keys = [get_result_key(own) for own in best]
    return Seen(
        one,
        graph,
        right,
        tuple(own.score for own in best),
        tuple(build_judge_signs(best, reading.signs, compute_agreement(reading.candidates), parser.weights)),
        tuple(compute_program_evidence(reading, own) for own in best),
        tuple(keys.index(key) for key in keys),
        tuple(is_refused(reading, own) for own in best),
        max(1, len(reading.question.words)),
        needed(parser.schema, best[right.index(True)].program) if any(right) else frozenset(),
    )


def _left_out(seen: Sequence[Seen]) -> list[tuple[Answered, float]]:
    """What is answered, and how sure, by what was fitted without the graph."""
    rows: list[tuple[Answered, float]] = []
    for fold in range(_FOLDS):
        others = [own for own in seen if _fold(own) != fold]
        judge = _judge(own for own in others if not own.lacking)
        logistic = _confidence(_chosen(judge, others))
        mine = _chosen(judge, [own for own in seen if _fold(own) == fold])
        rows += [(own, _sure(logistic, own)) for own in mine]
    return rows


def _fold(own: Seen) -> int:
    return int(hashlib.sha1(own.graph.encode()).hexdigest(), 16) % _FOLDS


def _weights(seen: Sequence[Seen]) -> np.ndarray:
    sizes = Counter((own.graph, own.lacking) for own in seen)
    found = [sizes[own.graph, own.lacking] ** (_LARGE - 1) for own in seen]
    return np.array(found) / np.mean(found)


def _judge(every: Iterable[Seen]) -> Judge:
    """The mean of some networks that make right programs likely among the best."""
    seen = [own for own in every if any(own.right) and not all(own.right)]
    counts = Counter(name for own in seen for name in set().union(*own.signs))
    names = tuple(sorted(name for name, count in counts.items() if count >= _RARE))
    given = _tensors(seen, names)
    mean, deviation = given.told[given.there].mean(0), given.told[given.there].std(0) + _SLACK
    given.told.sub_(mean).div_(deviation)
    parts = [_network(given, seed) for seed in range(_NETWORKS)]
    linear = np.mean([own[0] for own in parts], axis=0)
    hidden, bias = (np.concatenate([own[at] for own in parts], axis=-1) for at in (1, 2))
    return Judge(
        names, mean.numpy(), deviation.numpy(), linear, hidden, bias,
        np.concatenate([own[3] for own in parts]) / _NETWORKS,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Given:
    """Questions as tensors: signs [n, programs, s], which programs are there and right, scores, and weights [n]."""

    told: torch.Tensor
    there: torch.Tensor
    right: torch.Tensor
    scores: torch.Tensor
    weight: torch.Tensor


def _tensors(seen: Sequence[Seen], names: Sequence[str]) -> _Given:
    column = {name: at for at, name in enumerate(names)}
    shape = (len(seen), LOOKED_AT)
    told, scores = torch.zeros(*shape, len(names)), torch.zeros(shape)
    there, right = torch.zeros(shape, dtype=torch.bool), torch.zeros(shape, dtype=torch.bool)
    for row, own in enumerate(seen):
        for at, signs in enumerate(own.signs):
            there[row, at], right[row, at] = True, own.right[at]
            scores[row, at] = own.scores[at] - own.scores[0]
            for name, value in signs.items():
                if name in column:
                    told[row, at, column[name]] = value
    return _Given(told, there, right, scores, torch.tensor(_weights(seen), dtype=torch.float32))


def _network(given: _Given, seed: int) -> tuple[np.ndarray, ...]:
    told, there, right = given.told, given.there, given.right
    torch.manual_seed(seed)
    layer, out = torch.nn.Linear(told.shape[-1], _HIDDEN), torch.nn.Linear(_HIDDEN, 1, bias=False)
    torch.nn.init.zeros_(out.weight)
    linear = torch.nn.Parameter(torch.zeros(told.shape[-1]))
    groups = [
        {"params": [*layer.parameters(), *out.parameters()], "weight_decay": _DECAY},
        {"params": [linear], "weight_decay": _LINEAR},
    ]
    optimiser, order = torch.optim.AdamW(groups, lr=_RATE), torch.Generator().manual_seed(seed)
    for done in range(_ROUNDS):
        for group in optimiser.param_groups:
            group["lr"] = _RATE * (1 - done / _ROUNDS) + _LEAST_RATE
        for own in torch.randperm(len(told), generator=order).split(_BATCH):
            added = told[own] @ linear + out(torch.tanh(layer(told[own])))[..., 0]
            likely = torch.log_softmax((given.scores[own] + added).masked_fill(~there[own], _NEVER), 1)
            loss = -(torch.logsumexp(likely.masked_fill(~right[own], _NEVER), 1) * given.weight[own]).mean()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
    found = (linear, layer.weight.T, layer.bias, out.weight[0])
    return tuple(own.detach().numpy() for own in found)


def _chosen(judge: Judge, seen: Iterable[Seen]) -> list[Answered]:
    """What the judge chooses for each question, and what speaks for it."""
    found = []
    for own in seen:
        if not own.scores:
            found.append(Answered(own, {}, False, True))
            continue
        scores = np.array(own.scores)
        if len(scores) > 1:
            added = judge.compute_adjustments(own.signs)
            scores = scores + added - added.max()
        order = np.argsort(-scores, kind="stable")
        likely = np.exp(scores - scores.max())
        likely = (likely / likely.sum())[order]
        best = int(order[0])
        same = [own.same[at] == own.same[best] for at in order]
        ranking = compute_ranking_evidence(likely.tolist(), same, float(scores[best]) / own.words)
        right = own.right[best] and UNANSWERABLE not in own.asked.operators
        found.append(Answered(own, own.told[best] | ranking, right, own.refused[best]))
    return found


def _confidence(answered: Sequence[Answered]) -> dict[str, float]:
    """Weights of a logistic model of being right."""
    told = [own for own in answered if not own.refused]
    counts = Counter(name for own in told for name, value in own.evidence.items() if value)
    names = sorted(name for name, count in counts.items() if count >= _RARE and name != "one")
    matrix = np.array([[own.evidence.get(name, 0.0) for name in names] for own in told])
    right = np.array([float(own.right) for own in told])
    weight = _weights([own.seen for own in told]) * [_MASKED if own.seen.lacking else 1.0 for own in told]
    weight /= weight.sum()
    mean, deviation = matrix.mean(0), matrix.std(0) + _SLACK
    scaled = np.column_stack([(matrix - mean) / deviation, np.ones(len(told))])
    pull = np.append(np.full(len(names), _RIDGE), 0.0)

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        scores = scaled @ theta
        wrong = (weight * (np.logaddexp(0.0, scores) - right * scores)).sum()
        slope = scaled.T @ (weight * (1.0 / (1.0 + np.exp(-scores)) - right))
        return float(wrong + (pull * theta * theta).sum()), slope + 2 * pull * theta

    theta = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B").x
    slopes = theta[:-1] / deviation
    return dict(zip(names, slopes.tolist(), strict=True)) | {"one": float(theta[-1] - slopes @ mean)}


def _sure(logistic: dict[str, float], own: Answered) -> float:
    if own.refused:
        return 0.0
    score = sum(logistic.get(name, 0.0) * value for name, value in (own.evidence | {"one": 1.0}).items())
    return float(1.0 / (1.0 + np.exp(-score)))


def _figures(rows: Sequence[tuple[Answered, float]]) -> tuple[str, ...]:
    whole = [(own, sure) for own, sure in rows if not own.seen.lacking]
    lacking = [sure for own, sure in rows if own.seen.lacking]
    right, sure = np.array([own.right for own, _ in whole]), np.array([sure for _, sure in whole])
    bins = np.minimum((sure * _BINS).astype(int), _BINS - 1)
    apart = [abs(sure[own].sum() - right[own].sum()) for own in (bins == each for each in range(_BINS))]
    ranker = np.mean([any(own.seen.right[:1]) for own, _ in whole])
    told = f"{np.mean(np.array(lacking) < _GUESS):.3f}" if lacking else ""
    return (
        f"{len(whole):,}", f"{ranker:.3f}", f"{right.mean():.3f}", f"{sum(apart) / len(whole):.3f}",
        f"{np.mean(sure[right] < _GUESS):.3f}", f"{len(lacking):,}", told,
    )  # fmt: skip
