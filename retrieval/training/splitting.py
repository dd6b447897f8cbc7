"""The train and dev splits of a question set, grounded."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.kg.snapshot import Snapshot
from retrieval.questions.splits import assign_splits, split_of
from retrieval.supervision.grounding import require, resolve_questions
from retrieval.training.recipe import Splits
from retrieval.types import QuestionRecord


def split(snapshot: Snapshot, questions: Sequence[QuestionRecord], seed: int, *, plans: bool = False) -> Splits:
    """Ground the questions that are not for testing, and see that there is a dev split.

    A set without splits is divided by hash of the ids; an empty dev split is carved out of train the same
    way, one in ten, unless that would leave either empty.

    Args:
        questions: of all splits.
        plans: questions that have relation paths and no topic may be learned from too.

    Raises:
        TrainingDataError: nothing is left to train on; the message counts why.
    """
    notes: list[str] = []
    if not any(question.split for question in questions):
        notes.append("The set has no splits; questions were divided by hash into train, dev and test.")
    used = [q for q in assign_splits(questions, seed) if q.split != "test"]
    planned = [q for q in used if plans and q.relation_paths and not q.topic_entities]
    by_itself = {q.id for q in planned}
    grounded, skipped = resolve_questions(snapshot, [q for q in used if q.id not in by_itself])
    if skipped.total:
        notes.append(f"Questions left out: {skipped}.")
    train_part = [q for q in grounded if q.question.split == "train"]
    dev = [q for q in grounded if q.question.split != "train"]
    if not planned:
        require(train_part, skipped, "training question")
    set_aside = [q for q in planned if split_of(q.id, seed + 1) == "dev"]
    planned = [q for q in planned if split_of(q.id, seed + 1) != "dev"] or planned
    if not dev:
        carved = [q for q in train_part if split_of(q.question.id, seed + 1) == "dev"]
        rest = [q for q in train_part if split_of(q.question.id, seed + 1) != "dev"]
        if planned and set_aside and not train_part:
            notes.append(f"{len(set_aside)} questions with relation paths alone were set aside for dev.")
        elif carved and rest:
            train_part, dev = rest, carved
            notes.append(f"The set has no dev split; {len(dev)} training questions were set aside for it.")
        else:
            notes.append("The set has no dev split and is too small for one; scores are on training questions.")
    return Splits(train_part, dev, tuple(notes), planned, set_aside)
