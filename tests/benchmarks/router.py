"""The router's deciders: how often they tell questions of many hops from the others."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from retrieval.answering.loading import load_encoder
from retrieval.kg import snapshot
from retrieval.language.complexity import MULTI_HOP
from retrieval.language.question import Question
from retrieval.methods.checkpoints import open_checkpoint
from retrieval.methods.router.deciders import Decider, TrainedDecider, WordingDecider
from retrieval.questions.files import read_questions
from retrieval.questions.splits import assign_splits, split_of
from retrieval.train import train
from retrieval.types import QuestionRecord
from tests.benchmarks.data import found
from tests.benchmarks.report import Section
from tests.benchmarks.sets import chosen, prepared
from tests.benchmarks.text import in_half_a

COMMAND = "python -m tests.benchmarks router"
#: Each is made of these sets, with the hops of those whose questions do not say them.
PARTS = {
    "MetaQA": {"MetaQA": 0},
    "PathQuestion": {"PQ-2H": 2, "PQ-3H": 3},
    "PathQuestion-Large": {"PQL-2H": 2, "PQL-3H": 3},
}
MUSIQUE = "MuSiQue, half B"
#: Questions of a split, at most; drawn by a seed.
MOST = 2000


def measure() -> list[Section]:
    """Right decisions on test questions, by the wording and by classifiers of the same, and of the first sets."""
    sets = _sets()
    section = Section(
        "Router",
        COMMAND,
        f"Share of test questions for which it is recognized whether they have {MULTI_HOP} or more hops; in brackets "
        f"the mean of the shares of the two kinds. Trained on at most {MOST:,} questions of the training split "
        "(MuSiQue: half A), default settings, one seed. `wording` was fitted on the training splits and on half A "
        "(docs/router.md).",
        head=(
            "tested on",
            "questions",
            "`wording`",
            "`trained` on the same set",
            "`trained` on the other sets",
        ),
    )
    if not sets:
        return []
    for name, questions in sets.items():
        asked = [q for q in questions if q.split == "test"]
        others = [q for other, some in sets.items() if other != name for q in some]
        deciders: list[Decider] = [WordingDecider(), _trained(questions), _trained(others)]
        section.add(name, f"{len(asked):,}", *(_right(decider, asked) for decider in deciders))
        print(section.rows[-1], flush=True)
    return [section]


def _sets() -> dict[str, list[QuestionRecord]]:
    """Questions whose hops are known, with their splits, of every set whose data is there."""
    sets = {}
    for name, parts in PARTS.items():
        there = chosen([], tuple(parts))
        if len(there) == len(parts):
            questions = [
                replace(q, id=f"{part}:{q.id}", hops=parts[part] or q.hops)
                for part, of in there.items()
                for q in assign_splits(read_questions(of.questions, problems=lambda _: None))
            ]
            sets[name] = [q for split in ("train", "dev", "test") for q in _some(questions, split)]
    if file := found("text", "musique_questions.jsonl.gz"):
        sets[MUSIQUE] = [_musique(q) for q in read_questions(file, problems=lambda _: None)]
    return sets


def _some(questions: Sequence[QuestionRecord], split: str) -> list[QuestionRecord]:
    there = [q for q in questions if q.split == split]
    drawn = np.random.default_rng(0).permutation(len(there))[:MOST]
    return [there[i] for i in sorted(drawn)]


def _musique(question: QuestionRecord) -> QuestionRecord:
    """Half A teaches, a fifth of it chooses; the number of hops begins the id."""
    split = "test"
    if in_half_a(question.id):
        split = "dev" if split_of(question.id, seed=1) != "train" else "train"
    return replace(question, split=split, hops=int(question.id[0]))


def _trained(questions: Sequence[QuestionRecord]) -> Decider:
    """A classifier that learned from the questions' training split. It reads no graph, so any does."""
    graph = prepared("demo")
    assert graph is not None, "the demo is always there"
    encoder = load_encoder()
    with tempfile.TemporaryDirectory() as folder:
        made = train("router", snapshot.open(graph.graph), questions, out=Path(folder) / "checkpoint", encoder=encoder)
        opened = open_checkpoint(made.checkpoint, method="router", encoder=encoder.name)
        return TrainedDecider(opened, encoder)


def _right(decider: Decider, asked: Sequence[QuestionRecord]) -> str:
    many = np.array([(q.hops or 0) >= MULTI_HOP for q in asked])
    right = np.array([decider.decide(Question(q.question)).multi_hop for q in asked]) == many
    return f"{right.mean():.3f} ({(right[many].mean() + right[~many].mean()) / 2:.3f})"
