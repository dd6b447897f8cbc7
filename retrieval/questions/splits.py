"""The splits of a question set: train, dev and test, and shares of what is learned from."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from retrieval.errors import ConfigError
from retrieval.types import QuestionRecord

SPLITS = ("train", "dev", "test")


def split_of(question_id: str, seed: int = 0) -> str:
    """``train`` (80%), ``dev`` (10%) or ``test`` (10%), fixed by id and seed alone."""
    digest = hashlib.sha256(f"{seed}:{question_id}".encode()).digest()
    share = int.from_bytes(digest[:8], "big") / 2**64
    return "train" if share < 0.8 else "dev" if share < 0.9 else "test"


def assign_splits(questions: Iterable[QuestionRecord], seed: int = 0) -> list[QuestionRecord]:
    """The questions, each with a split: its own, else :func:`split_of` its id."""
    return [q if q.split else replace(q, split=split_of(q.id, seed)) for q in questions]


def sample_training(questions: Sequence[QuestionRecord], fraction: float, *, seed: int = 0) -> list[QuestionRecord]:
    """A share of the training and dev questions, and all others, in their own order.

    Both are drawn, since both are learned from: dev decides when training stops. A smaller share is part of a
    larger one of the same seed. A set without splits is divided first, as :func:`assign_splits` does.

    Raises:
        ConfigError: ``fraction`` is not above 0 and at most 1.
    """
    if not 0 < fraction <= 1:
        raise ConfigError(f"The fraction is {fraction}.", hint="It must be above 0 and at most 1.")
    if fraction == 1:
        return list(questions)
    # Divided first, so that what has no split yet is divided as the whole set would be.
    split = assign_splits(questions, seed) if not any(q.split for q in questions) else list(questions)
    kept: set[str] = set()
    for name in ("train", "dev"):
        mine = sorted(
            (q.id for q in split if q.split == name),
            key=lambda key: hashlib.sha256(f"{seed}:sample:{key}".encode()).digest(),
        )
        kept.update(mine[: math.ceil(fraction * len(mine))])
    return [q for q in split if q.split not in ("train", "dev") or q.id in kept]


def remove_measured(more: Iterable[QuestionRecord], questions: Iterable[QuestionRecord]) -> list[QuestionRecord]:
    """Those of ``more`` that are worded like no dev or test question, which are measured by."""
    measured = {question.question.casefold() for question in questions if question.split in ("dev", "test")}
    return [question for question in more if question.question.casefold() not in measured]
