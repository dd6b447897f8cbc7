"""Training the router's classifier: whether a question takes three hops or more (INSES, Algorithm 2, line 1).

It finds nothing in a graph, so it has neither labels of paths nor a retriever: questions of known hops are enough.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from retrieval import config as configs
from retrieval.errors import TrainingDataError
from retrieval.language.complexity import MULTI_HOP
from retrieval.linking.text_features import TextEncoder, encode_all
from retrieval.methods.router.model import HopClassifier, make_classifier, read_questions
from retrieval.methods.router.spec import SPEC, RouterConfig
from retrieval.questions.splits import assign_splits, split_of
from retrieval.supervision.distribution_shift import TrainingCoverage
from retrieval.supervision.labels import Label
from retrieval.training import checkpoint as checkpoints
from retrieval.training.loop import fit
from retrieval.training.result import TrainResult
from retrieval.types import Progress, QuestionRecord
from retrieval.version import get_code_version

#: What another threshold than one half must be better by.
_WORTH_MOVING = 0.002


def train_classifier(
    questions: Sequence[QuestionRecord],
    labels: Sequence[Label],
    config: RouterConfig,
    *,
    snapshot: str,
    encoder: TextEncoder,
    out: Path,
    progress: Callable[[Progress], None],
    cancelled: Callable[[], bool],
) -> TrainResult:
    """Train the classifier and write its checkpoint; see ``training.train``.

    Args:
        questions: those of which neither they nor ``labels`` say the hops are left out, and so is the split ``test``.
        labels: relation paths, whose shortest is a question's hops where it does not say them itself.
        snapshot: hash of the graph that it is trained for; nothing in it is looked at.

    Raises:
        TrainingDataError: the training questions are not of both kinds.
        Cancelled: ``cancelled()`` said so; the next call goes on.
    """
    lengths = _count_hops(labels)
    known = [(q, hops) for q in questions if (hops := q.hops or _count_shortest_hops(q) or lengths.get(q.id))]
    train, dev, notes = _split(known, config.seed)
    if len(known) < len(questions):
        notes.append(f"Questions left out because nothing says their hops: {len(questions) - len(known)}.")
    kinds = {hops >= MULTI_HOP for _, hops in train}
    if len(kinds) < 2:
        raise TrainingDataError(
            f"Of {len(train)} training questions of known hops, {len(train) if True in kinds else 0} have "
            f"{MULTI_HOP} or more; some must, and some must not.",
            hint='Give questions with "hops", or with paths, of both kinds.',
        )
    torch.manual_seed(config.seed)

    def encode(texts: list[str]) -> np.ndarray:
        return encode_all(encoder, texts, stage="reading questions", progress=progress, cancelled=cancelled)

    task = ClassifierTask(train, dev, make_classifier(config, encoder.dim), encode)
    resume = out.with_name(f".{out.name}.resume")
    key = _compute_key(task, config, encoder)
    state = fit(
        task, config, resume=resume / "last.pt", key=key, progress=progress, cancelled=cancelled,
        least=task.score(cancelled),
    )  # fmt: skip
    task.model.load_state_dict(state.weights)
    metrics = {
        task.score_name: state.best,
        "threshold": float(task.model.threshold),
        "epochs": float(state.epoch),
    }
    made = checkpoints.describe(
        state.weights,
        config,
        method=SPEC.name,
        snapshot=snapshot,
        encoder=encoder.name,
        text_features=encoder.dim,
        entity_texts=False,
        simple=False,
        labels={"hops": len(train) + len(dev)},
    )
    seen = TrainingCoverage.from_questions([question for question, _ in train], [])
    checkpoints.save(out, replace(made, manifest=replace(made.manifest, metrics=metrics)), also=seen.save)
    shutil.rmtree(resume, ignore_errors=True)
    return TrainResult(out, metrics, tuple(notes))


class ClassifierTask:
    """The classifier with its questions; see ``recipe.Learning``.

    Args:
        train, dev: questions with their hops; without dev questions, scores are on those of training.
        model: initialised.
        encode: float32 [n, d] of n texts.
    """

    score_name = "dev_balanced_accuracy"

    def __init__(
        self,
        train: Sequence[tuple[QuestionRecord, int]],
        dev: Sequence[tuple[QuestionRecord, int]],
        model: HopClassifier,
        encode: Callable[[list[str]], np.ndarray],
    ) -> None:
        self._asked = [q.question for q, _ in train]
        self._targets = np.array([hops >= MULTI_HOP for _, hops in train], np.float32)
        self._read = read_questions(self._asked, encode)
        share = float(self._targets.mean())
        self._weights = np.where(self._targets > 0, 0.5 / share, 0.5 / (1 - share)).astype(np.float32)
        checked = dev or train
        self._dev = read_questions([q.question for q, _ in checked], encode).tensors
        self._dev_targets = np.array([hops >= MULTI_HOP for _, hops in checked])
        self.model = model
        self.size = len(train)

    def compute_loss(self, chosen: np.ndarray, rng: np.random.Generator) -> Tensor:
        """Mean cross-entropy; questions of many hops and the others weigh the same together."""
        del rng
        read = self._read
        logits = self.model(*(torch.from_numpy(values[chosen]) for values in (read.vectors, read.counts, read.rules)))
        return binary_cross_entropy_with_logits(
            logits, torch.from_numpy(self._targets[chosen]), torch.from_numpy(self._weights[chosen])
        )

    @torch.inference_mode()
    def score(self, cancelled: Callable[[], bool]) -> float:
        """Mean of the shares of both kinds of dev questions that are told right, at the best threshold; it is kept."""
        del cancelled
        self.model.eval()
        probabilities = self.model(*self._dev).sigmoid().numpy()
        threshold, best = find_best_threshold(probabilities, self._dev_targets)
        self.model.threshold.fill_(threshold)
        return best

    def compute_fingerprint(self) -> bytes:
        """Digest of the questions and what is said of them."""
        body = json.dumps([self._asked, self._targets.tolist(), self._dev_targets.tolist()])
        return hashlib.sha256(body.encode()).digest()


def find_best_threshold(probabilities: np.ndarray, targets: np.ndarray) -> tuple[float, float]:
    """The probability above which questions are best called complex, and the balanced accuracy that it gives.

    Args:
        probabilities: float32 [B].
        targets: whether each is complex, bool [B]; where all are of one kind, the accuracy of that one counts.

    Returns:
        One half, unless another threshold, midway between two of the probabilities, is better.
    """

    def compute_accuracy(threshold: float) -> float:
        right = (probabilities > threshold) == targets
        return float(np.mean([right[targets == kind].mean() for kind in np.unique(targets)]))

    ordered = np.unique(probabilities)
    half = compute_accuracy(0.5)
    between = [float(each) for each in (ordered[1:] + ordered[:-1]) / 2]
    scored = [(compute_accuracy(each), -abs(each - 0.5), each) for each in between]
    best, _, threshold = max(scored, default=(half, 0.0, 0.5))
    return (threshold, best) if best > half + _WORTH_MOVING else (0.5, half)


def _count_hops(labels: Sequence[Label]) -> dict[str, int]:
    """Hops of the shortest accepted path of each question."""
    lengths: dict[str, int] = {}
    for label in labels:
        if label.role == "path" and label.verdict == "accepted":
            lengths[label.question] = min(lengths.get(label.question, len(label.path)), len(label.path))
    return lengths


def _count_shortest_hops(question: QuestionRecord) -> int:
    """Hops of the question's shortest gold path; 0 where it has none."""
    return min((len(path) for path in (*question.paths, *question.relation_paths) if path), default=0)


def _split(
    known: Sequence[tuple[QuestionRecord, int]], seed: int
) -> tuple[list[tuple[QuestionRecord, int]], list[tuple[QuestionRecord, int]], list[str]]:
    """Training and dev questions, and notes; one in ten of training is set aside where there is no dev split."""
    hops = {question.id: count for question, count in known}
    placed = [(q, hops[q.id]) for q in assign_splits([q for q, _ in known], seed) if q.split != "test"]
    train = [each for each in placed if each[0].split == "train"]
    dev = [each for each in placed if each[0].split != "train"]
    if dev:
        return train, dev, []
    dev = [each for each in train if split_of(each[0].id, seed + 1) == "dev"]
    rest = [each for each in train if split_of(each[0].id, seed + 1) != "dev"]
    if dev and rest:
        return rest, dev, [f"The set has no dev split; {len(dev)} training questions were set aside for it."]
    return train, [], ["The set has no dev split and is too small for one; scores are on training questions."]


def _compute_key(task: ClassifierTask, config: RouterConfig, encoder: TextEncoder) -> str:
    """Names everything the weights depend on."""
    digest = hashlib.sha256(json.dumps(configs.export_settings(config), sort_keys=True).encode())
    digest.update(f"{encoder.name} {get_code_version()}".encode())
    digest.update(task.compute_fingerprint())
    return digest.hexdigest()
