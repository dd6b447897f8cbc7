"""Training on a graph's own words: questions are written from its schema, and a planner learns to read them back.

Needs no question of anybody. The checkpoint is kept where the ranking that it takes part in reads more questions of
walks that it did not see than the zero-shot ranking does: both are asked the same questions.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.config import RetrieverConfig
from retrieval.errors import TrainingDataError, check
from retrieval.kg.search.walks import execute
from retrieval.limits import SELF_TRAINING_FACTS
from retrieval.methods.retriever_loading import open_retriever
from retrieval.programs.grounding.schema import Schema
from retrieval.supervision.grounding import resolve_questions
from retrieval.supervision.labels import Label, to_named_path
from retrieval.supervision.path_questions.writer import PathQuestion, PathWriter
from retrieval.train import get_resume_path, train
from retrieval.types import Progress, QuestionRecord
from retrieval.validation import validate

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.linking.text_features import TextEncoder
    from retrieval.training.result import TrainResult

__all__ = ["SelfTrainingResult", "build_training_set", "get_resume_path", "run_self_training"]

METHOD = "reg-path"
#: Questions written, and the epochs in which they are learned, at most: some minutes of one core.
QUESTIONS, EPOCHS = 10_000, 12
#: Fewer are written of a small graph: so many a fact.
_PER_FACT = 4
#: Of fewer questions there are fewer epochs.
_MANY = 1500
#: Epochs without a better dev score before training stops.
_PATIENCE = 2
#: One in so many relation paths of several steps is not trained on, and so many questions of them are asked in the end.
_HELD_OUT, _DEV = 12, 400
#: A graph of fewer walks is not worth a training.
_LEAST = 50
_SCORE = "exact_set"
#: Held-out questions that are asked with the checkpoint and without, at most.
_COMPARED = 100


@dataclass(frozen=True, slots=True)
class SelfTrainingResult:
    """What became of a self-training.

    Attributes:
        result: of the training; its checkpoint stands whether it is better or not.
        before, after: share of the held-out questions whose exact sets are found, without it and with it.
        compared: the held-out questions: of walks not trained on, the same ones both times.
        questions: written.
    """

    result: TrainResult
    before: float
    after: float
    compared: int
    questions: int

    @property
    def better(self) -> bool:
        """Whether it should take part in answering from now on."""
        return self.after > self.before


def run_self_training(
    snapshot: Snapshot,
    *,
    out: Path,
    encoder: TextEncoder,
    seed: int = 0,
    questions: int | None = None,
    config: Mapping[str, Any] | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
    cache: Path | None = None,
) -> SelfTrainingResult:
    """Write questions from a graph's schema, train on them, and compare with what answers without training.

    A training that was stopped is gone on with: the same graph and seed give the same questions.

    Args:
        out: directory of the checkpoint.
        questions: how many are written at most; None takes ``QUESTIONS``.
        config: settings of the method that differ from those of self-training.
        cache: where what is computed once a snapshot is kept.

    Raises:
        TrainingDataError: there is nothing to learn: the graph is small, its relations give too few questions, or
            all held-out ones are answered without training.
    """
    if snapshot.num_triples < SELF_TRAINING_FACTS:
        raise TrainingDataError(
            f"This graph has only {snapshot.num_triples} facts, too few to learn from.",
            hint="It is answered well without training, or train on questions of your own.",
        )
    wanted = min(QUESTIONS, _PER_FACT * snapshot.num_triples) if questions is None else questions
    progress(Progress("writing questions", 0, wanted, "questions"))
    made = PathWriter(Schema(snapshot), seed).write(wanted)
    check(cancelled)
    training_questions, labels = build_training_set(snapshot, made, seed)
    walks = len({(written.topics, written.paths) for written in made})
    if walks < _LEAST:
        raise TrainingDataError(
            f"This graph gives only {walks} walks to write questions of.",
            hint="Add facts whose relations are named in English words, or train on questions of your own.",
        )
    dev, _ = resolve_questions(snapshot, [question for question in training_questions if question.split == "dev"])
    compared = dev[:: -(-len(dev) // _COMPARED) or 1]

    def measure(checkpoint: Path | None) -> float:
        retriever = open_retriever(METHOD, checkpoint, snapshot, encoder, cache=cache or out)
        return validate(retriever, snapshot, compared, cancelled).metrics[_SCORE]

    progress(Progress("writing questions", wanted, wanted, "questions"))
    before = measure(None) if compared else 0.0
    if before == 1:
        raise TrainingDataError(
            f"All {len(compared)} held-out questions written from this graph are answered without training.",
            hint="Self-training would gain nothing. Train on questions of your own.",
        )
    epochs = min(EPOCHS, max(_PATIENCE, EPOCHS * len(training_questions) // _MANY))
    settings = {"seed": seed, "epochs": epochs, "patience": _PATIENCE, "tune_encoder": "no", **(config or {})}
    result = train(
        METHOD, snapshot, training_questions,
        labels=labels, config=settings, out=out, encoder=encoder,
        progress=progress, cancelled=cancelled, cache=cache,
    )  # fmt: skip
    progress(Progress("comparing", 0, 0))
    after = measure(out) if compared else 0.0
    return SelfTrainingResult(result, before, after, len(compared), len(training_questions))


def build_training_set(
    snapshot: Snapshot, written: Sequence[PathQuestion], seed: int
) -> tuple[list[QuestionRecord], list[Label]]:
    """Written questions with their answers and labels; those of held-out relation paths are the dev split.

    Questions that nothing answers are left out.
    """
    rng = random.Random(seed)
    hops = RetrieverConfig().max_hops
    label = lru_cache(maxsize=None)(snapshot.get_entity_label)  # each once: answers are millions, entities are not
    questions: list[QuestionRecord] = []
    labels: list[Label] = []
    held = 0
    for number, path_question in enumerate(written):
        answers = _compute_answers(snapshot, path_question)
        if not len(answers) or max(map(len, path_question.paths)) > hops:
            continue
        unseen = max(map(len, path_question.paths)) > 1 and _compute_bucket(snapshot, path_question.paths[0]) == 0
        if unseen and held >= _DEV:
            continue
        held += unseen
        split = "dev" if unseen or (held < _DEV and rng.random() < 1 / _HELD_OUT / 2) else "train"
        name = f"written-{seed}-{number}"
        topics = tuple(label(topic) for topic in path_question.topics)
        questions.append(
            QuestionRecord(
                id=name, question=path_question.question, topic_entities=topics,
                answers=tuple(map(label, answers.tolist())), split=split,
            )
        )  # fmt: skip
        labels += [
            Label(name, topic, to_named_path(snapshot, path), "written")
            for topic, path in zip(topics, path_question.paths, strict=True)
        ]
    return questions, labels


def _compute_answers(snapshot: Snapshot, question: PathQuestion) -> np.ndarray:
    """What all paths reach, never the topics themselves; entity ids, ascending."""
    answers: np.ndarray | None = None
    total = snapshot.num_relations
    for topic, path in zip(question.topics, question.paths, strict=True):
        walked = [(r % total, r >= total) for r in path]
        reached = execute(snapshot, [topic], walked)[-1]
        reached = reached[reached != topic]
        answers = reached if answers is None else np.intersect1d(answers, reached)
    assert answers is not None, "a question has a topic"
    return answers


def _compute_bucket(snapshot: Snapshot, path: Sequence[int]) -> int:
    """A number below ``_HELD_OUT`` that is the same for a relation path in every run."""
    return int(hashlib.sha256(repr(to_named_path(snapshot, path)).encode()).hexdigest(), 16) % _HELD_OUT
