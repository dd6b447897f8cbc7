"""Training on a graph's own words: questions are written from its schema, and a planner learns to read them back.

Needs no question of anybody. What it learns is kept only if it reads questions of walks that it did not see better
than what answers without it.
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
from retrieval.methods._shared.opening import open_retriever
from retrieval.programs.schema import Schema
from retrieval.supervision.grounding import ground
from retrieval.supervision.labels import Label, named
from retrieval.supervision.path_questions.writer import PathQuestion, PathWriter
from retrieval.train import kept_of, train
from retrieval.types import Progress, Question
from retrieval.validation import validate

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.text.features import TextEncoder
    from retrieval.training.result import TrainResult

__all__ = ["SelfTrained", "as_training", "kept_of", "self_train"]

METHOD = "reg-path"
#: Questions written, and the epochs in which they are learned: some minutes of one core.
QUESTIONS, EPOCHS = 10_000, 12
#: One in so many relation paths of several steps is not trained on, and so many questions of them are asked in the end.
_HELD_OUT, _DEV = 12, 400
#: A graph of fewer walks is not worth a training.
_LEAST = 50
_SCORE = "exact_set"
#: A planner that reads less of its own wordings back reads people's worse than zero-shot and programs do: 0.94 and 0.96
#: on MetaQA and PQ-2H, where it helps, 0.85 on PQL-2H, where exact sets would fall from 0.82 to 0.43.
TRUSTED = 0.9
#: Held-out questions that are asked without the checkpoint, which takes longer than with it.
_COMPARED = 50


@dataclass(frozen=True, slots=True)
class SelfTrained:
    """What became of a self-training.

    Attributes:
        result: of the training; its checkpoint stands whether it is better or not.
        before, after: exact sets of written questions over walks not trained on, without it and with it.
        questions: written.
    """

    result: TrainResult
    before: float
    after: float
    questions: int

    @property
    def better(self) -> bool:
        """Whether it should answer from now on."""
        return self.after > self.before and self.after >= TRUSTED


def self_train(
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
) -> SelfTrained:
    """Write questions from a graph's schema, train on them, and compare with what answers without training.

    A training that was stopped is gone on with: the same graph and seed give the same questions.

    Args:
        snapshot: the graph.
        out: directory of the checkpoint.
        encoder: the text encoder.
        seed: of the questions and the training.
        questions: how many are written at most; None takes ``QUESTIONS``.
        config: settings of the method that differ from those of self-training.
        progress: told about every stage.
        cancelled: asked often.
        cache: where what is computed once a snapshot is kept.

    Raises:
        TrainingDataError: the graph's relations give too few questions.
        Cancelled: ``cancelled()`` said so.
    """
    wanted = QUESTIONS if questions is None else questions
    progress(Progress("writing questions", 0, wanted, "questions"))
    made = PathWriter(Schema(snapshot), seed).write(wanted)
    check(cancelled)
    asked, labels = as_training(snapshot, made, seed)
    walks = len({(one.topics, one.paths) for one in made})
    if walks < _LEAST:
        raise TrainingDataError(
            f"This graph gives only {walks} walks to write questions of.",
            hint="Add facts whose relations are named in English words, or train on questions of your own.",
        )
    settings = {"seed": seed, "epochs": EPOCHS, "patience": EPOCHS, "tune_encoder": "no", **(config or {})}
    result = train(
        METHOD, snapshot, asked,
        labels=labels, config=settings, out=out, encoder=encoder,
        progress=progress, cancelled=cancelled, cache=cache,
    )  # fmt: skip
    progress(Progress("comparing", 0, 0))
    dev, _ = ground(snapshot, [question for question in asked if question.split == "dev"])
    untrained = open_retriever(METHOD, None, snapshot, encoder, cache=cache or out)
    compared = dev[:: -(-len(dev) // _COMPARED) or 1]
    before = validate(untrained, snapshot, compared, cancelled).metrics[_SCORE]
    return SelfTrained(result, before, result.metrics[_SCORE], len(asked))


def as_training(
    snapshot: Snapshot, written: Sequence[PathQuestion], seed: int
) -> tuple[list[Question], list[Label]]:
    """Written questions with their answers and labels; those of held-out relation paths are the dev split.

    Questions that nothing answers are left out.
    """
    rng = random.Random(seed)
    hops = RetrieverConfig().max_hops
    label = lru_cache(maxsize=None)(
        snapshot.entity_label
    )  # each once: answers are millions, entities are not
    asked: list[Question] = []
    labels: list[Label] = []
    held = 0
    for number, one in enumerate(written):
        answers = _answers(snapshot, one)
        if not len(answers) or max(map(len, one.paths)) > hops:
            continue
        unseen = max(map(len, one.paths)) > 1 and _bucket(snapshot, one.paths[0]) == 0
        if unseen and held >= _DEV:
            continue
        held += unseen
        split = "dev" if unseen or (held < _DEV and rng.random() < 1 / _HELD_OUT / 2) else "train"
        name = f"written-{seed}-{number}"
        topics = tuple(label(topic) for topic in one.topics)
        asked.append(
            Question(
                id=name, question=one.question, topic_entities=topics,
                answers=tuple(map(label, answers.tolist())), split=split,
            )
        )  # fmt: skip
        labels += [
            Label(name, topic, named(snapshot, path), "written")
            for topic, path in zip(topics, one.paths, strict=True)
        ]
    return asked, labels


def _answers(snapshot: Snapshot, one: PathQuestion) -> np.ndarray:
    """What all paths reach, never the topics themselves; entity ids, ascending."""
    found: np.ndarray | None = None
    total = snapshot.num_relations
    for topic, path in zip(one.topics, one.paths, strict=True):
        walked = [(r % total, r >= total) for r in path]
        reached = np.asarray(execute(snapshot, [topic], walked, simple=True)[-1])
        found = reached if found is None else np.intersect1d(found, reached)
    assert found is not None, "a question has a topic"
    return found


def _bucket(snapshot: Snapshot, path: Sequence[int]) -> int:
    """A number below ``_HELD_OUT`` that is the same for a relation path in every run."""
    return int(hashlib.sha256(repr(named(snapshot, path)).encode()).hexdigest(), 16) % _HELD_OUT
