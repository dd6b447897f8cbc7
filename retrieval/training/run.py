"""Train a method on a question set: ground, label, split, fit, write the checkpoint."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from retrieval import config as configs
from retrieval.config import RelRagPathConfig
from retrieval.errors import TrainingDataError
from retrieval.kg.questions import split_of, with_splits
from retrieval.kg.snapshot import Snapshot
from retrieval.retrievers import checkpoint as checkpoints
from retrieval.retrievers.checkpoint import Checkpoint
from retrieval.retrievers.features import GraphFeatures, TextEncoder, graph_features
from retrieval.retrievers.path_model import PathModel
from retrieval.retrievers.rel_rag_path import RelRagPathRetriever, open_states
from retrieval.supervision.answer_set import AnswerSetRationalizer
from retrieval.supervision.given import given_labels, prefers_simple
from retrieval.supervision.grounding import Grounded, ground, require
from retrieval.supervision.labels import Label, read_labels
from retrieval.training.examples import Examples, make_examples
from retrieval.training.loop import fit
from retrieval.training.step import Sampler
from retrieval.training.validate import validate
from retrieval.types import Method, Progress, Question
from retrieval.version import code_version

#: Above so many entities, encoding their labels takes longer than it is worth.
_ENTITY_TEXTS = 20_000


@dataclass(frozen=True, slots=True)
class TrainResult:
    """What training leaves.

    Attributes:
        checkpoint: its directory.
        metrics: on the dev split.
        notes: what a person should know: questions skipped, a dev split that was carved out.
    """

    checkpoint: Path
    metrics: dict[str, float]
    notes: tuple[str, ...] = ()


def train(
    method: Method | str,
    snapshot: Snapshot,
    questions: Sequence[Question],
    *,
    labels: Sequence[Label] | Path | None = None,
    config: RelRagPathConfig | Mapping[str, Any] | None = None,
    out: Path,
    encoder: TextEncoder,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
    cache: Path | None = None,
) -> TrainResult:
    """Train a retriever and write its checkpoint to ``out``.

    The same graph, questions, labels and settings give the same weights on the same machine. A call with
    the same arguments after a cancel or a crash goes on after the last whole epoch.

    Args:
        method: a trainable method.
        snapshot: the graph.
        questions: with topics and answers; ``split`` decides where each goes, ``test`` is never looked at.
        labels: rational paths, or a label file; without them the questions' own gold paths and answer-set consistency.
        config: settings or plain JSON.
        out: directory of the checkpoint; replaced whole at the end.
        encoder: the frozen text encoder.
        progress: told about every stage; in training with loss and rate (questions a second).
        cancelled: asked often; training stops within a second.
        cache: where label vectors and triple states are kept for asking (``registry.load``'s ``cache``).

    Raises:
        MethodError: the method is unknown or not trainable.
        ConfigError: a setting is unknown or wrong.
        TrainingDataError: nothing of the question set can be learned from.
        Cancelled: ``cancelled()`` said so.
    """
    settings = config if isinstance(config, RelRagPathConfig) else configs.parse(method, config)
    if isinstance(labels, Path):
        labels = read_labels(labels)
    work = _Work(snapshot, settings, encoder, progress, cancelled, cache)
    splits = split(snapshot, questions, settings.seed)
    used, simple = work.labels([*splits.train, *splits.dev], labels)
    features = work.features()
    train_set = work.sampler(features, splits.train, used, simple)
    dev_set = work.sampler(features, splits.dev, used, simple)
    if not len(train_set.examples):
        raise TrainingDataError(
            f"None of the {len(splits.train)} training questions has a path from a topic to an answer "
            f"within {settings.max_hops} hops.",
            hint="Give a larger max_hops, or a question set that belongs to this graph.",
        )
    torch.manual_seed(settings.seed)
    model = PathModel(settings, encoder.dim)
    resume = out.with_name(f".{out.name}.resume")
    key = _key(work, used, train_set.examples)
    course = fit(
        model, train_set, dev_set if len(dev_set.examples) else train_set,
        resume=resume / "last.pt", key=key, progress=progress, cancelled=cancelled,
    )  # fmt: skip
    model.load_state_dict(course.weights)
    checkpoint = checkpoints.describe(
        course.weights,
        settings,
        method=Method(method),
        snapshot=snapshot.hash,
        encoder=encoder.name,
        text_features=encoder.dim,
        entity_texts=features.entities is not None,
        simple=simple,
        labels=dict(Counter(label.source for label in used)),
    )
    metrics = {"dev_path_accuracy": course.best, "epochs": float(course.epoch)}
    metrics |= work.measure(checkpoint, features, splits.dev or splits.train)
    checkpoints.save(out, replace(checkpoint, manifest=replace(checkpoint.manifest, metrics=metrics)))
    shutil.rmtree(resume, ignore_errors=True)
    return TrainResult(out, metrics, splits.notes)


@dataclass(frozen=True, slots=True)
class Splits:
    """Grounded questions of the train and dev splits, and what a person should know about them."""

    train: list[Grounded]
    dev: list[Grounded]
    notes: tuple[str, ...]


def split(snapshot: Snapshot, questions: Sequence[Question], seed: int) -> Splits:
    """Ground the questions that are not for testing, and see that there is a dev split.

    A set without splits is divided by hash of the ids; an empty dev split is carved out of train the same
    way, one in ten, unless that would leave either empty.

    Raises:
        TrainingDataError: nothing is left to train on; the message counts why.
    """
    notes: list[str] = []
    if not any(question.split for question in questions):
        notes.append("The set has no splits; questions were divided by hash into train, dev and test.")
    grounded, skipped = ground(snapshot, [q for q in with_splits(questions, seed) if q.split != "test"])
    if skipped.total:
        notes.append(f"Questions left out: {skipped}.")
    train_part = [q for q in grounded if q.question.split == "train"]
    dev = [q for q in grounded if q.question.split != "train"]
    require(train_part, skipped, "training question")
    if not dev:
        carved = [q for q in train_part if split_of(q.question.id, seed + 1) == "dev"]
        rest = [q for q in train_part if split_of(q.question.id, seed + 1) != "dev"]
        if carved and rest:
            train_part, dev = rest, carved
            notes.append(f"The set has no dev split; {len(dev)} training questions were set aside for it.")
        else:
            notes.append(
                "The set has no dev split and is too small for one; scores are on training questions."
            )
    return Splits(train_part, dev, tuple(notes))


@dataclass(frozen=True, slots=True)
class _Work:
    """What every stage of one training needs."""

    snapshot: Snapshot
    settings: RelRagPathConfig
    encoder: TextEncoder
    progress: Callable[[Progress], None]
    cancelled: Callable[[], bool]
    cache: Path | None

    def labels(
        self, questions: Sequence[Grounded], labels: Sequence[Label] | None
    ) -> tuple[list[Label], bool]:
        """The labels to train on, and whether walks avoid their topic."""
        given = list(labels) if labels is not None else given_labels(self.snapshot, questions)
        known = {label.question for label in given}
        if labels is not None or len(known) == len(questions):
            return given, prefers_simple(self.snapshot, questions, given)
        unlabelled = [q for q in questions if q.question.id not in known]
        found = AnswerSetRationalizer(max_hops=self.settings.max_hops).label(
            self.snapshot, unlabelled,
            encoder=self.encoder, progress=self.progress, cancelled=self.cancelled,
        )  # fmt: skip
        simple = prefers_simple(self.snapshot, questions, given) if given else found.simple
        return [*given, *found.labels], simple

    def features(self) -> GraphFeatures:
        """Text features of the graph; ``entity_texts`` resolved."""
        wanted = self.settings.entity_texts
        small = self.snapshot.num_entities <= _ENTITY_TEXTS
        return graph_features(
            self.snapshot,
            self.encoder,
            entity_texts=wanted == "yes" or (wanted == "auto" and small),
            cache=self.cache,
            progress=self.progress,
            cancelled=self.cancelled,
        )

    def sampler(
        self, features: GraphFeatures, questions: Sequence[Grounded], labels: Sequence[Label], simple: bool
    ) -> Sampler:
        """The examples of a split."""
        examples = make_examples(
            self.snapshot,
            questions,
            labels,
            self.encoder,
            features.relations.numpy(),
            max_hops=self.settings.max_hops,
            similar=self.settings.similar_relations,
            progress=self.progress,
            cancelled=self.cancelled,
        )
        return Sampler(features, examples, self.settings, simple)

    def measure(
        self, checkpoint: Checkpoint, features: GraphFeatures, questions: Sequence[Grounded]
    ) -> dict[str, float]:
        """Dev metrics by real retrieval; the triple states stay in the cache, if there is one."""
        with tempfile.TemporaryDirectory() as scratch:
            states = open_states(
                checkpoint, self.snapshot, self.encoder, cache=self.cache or Path(scratch),
                features=features, progress=self.progress, cancelled=self.cancelled,
            )  # fmt: skip
            retriever = RelRagPathRetriever(checkpoint, self.snapshot, self.encoder, states)
            return validate(retriever, self.snapshot, questions, self.cancelled)


def _key(work: _Work, labels: Sequence[Label], examples: Examples) -> str:
    """Names everything the weights depend on, so that only the same training is resumed."""
    digest = hashlib.sha256(work.snapshot.hash.encode())
    digest.update(json.dumps(configs.as_json(work.settings), sort_keys=True).encode())
    digest.update(f"{work.encoder.name} {code_version()}".encode())
    digest.update(json.dumps([asdict(label) for label in labels]).encode())
    for array in (examples.topics, examples.paths, examples.rows):
        digest.update(array.tobytes())
    return digest.hexdigest()
