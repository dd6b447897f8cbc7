"""Graphs that nobody trained on: what is answered at the first question, and after self-training."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from retrieval.evaluation.evaluator import Topics, evaluate_engine, sample
from retrieval.evaluation.report import metrics, score
from retrieval.kg import snapshot as snapshots
from retrieval.loading import load_encoder, load_engine, load_parts
from retrieval.methods._shared.engine_spec import EngineSpec
from retrieval.methods.registry import DEFAULT
from retrieval.questions.files import read_questions, with_splits
from retrieval.types import Question
from tests.benchmarks.report import Section
from tests.benchmarks.sets import SETS, chosen

#: Test questions asked of each number of hops, drawn with this seed.
QUESTIONS, SEED = 300, 0
SHOWN = ("exact_set", "hit_at_1", "macro_f1")
COMMAND = "python -m tests.benchmarks zero_shot"


def measure(names: Sequence[str] = ()) -> list[Section]:
    """Ask the test questions of each set without a checkpoint."""
    section = Section(
        "Graphs that nobody trained on",
        COMMAND,
        f"At most {QUESTIONS} test questions of each number of hops, with the topic given and linked by Clew; no "
        "checkpoint, extractive reasoner, 50 triples, no language model.",
        head=("set", "topics", "questions", *SHOWN, "a question p50"),
    )
    for name, of in chosen(names, list(SETS)).items():
        for topics in ("given", "linked"):
            for row in rows(of.graph, asked(of.questions), topics=topics):
                section.add(name, topics, *row)
    return [section] if section.rows else []


def asked(file: Path) -> list[list[Question]]:
    """The test questions of a set, by hops where these are known."""
    test = [q for q in with_splits(list(read_questions(file, problems=lambda _: None))) if q.split == "test"]
    lengths = sorted({q.hops for q in test if q.hops is not None})
    groups = [[q for q in test if q.hops == hops] for hops in lengths] if len(lengths) > 1 else [test]
    return [sample([q for q in group if q.answers], QUESTIONS, SEED) for group in groups]


def rows(
    graph: Path, groups: Sequence[Sequence[Question]], *, topics: Topics, checkpoint: Path | None = None,
    method: str = DEFAULT,
) -> list[tuple[str, ...]]:  # fmt: skip
    """Number of questions, figures and time of each group."""
    encoder = load_encoder()
    engine = load_engine(EngineSpec(graph, checkpoint, method), load_parts(snapshots.open(graph), encoder))
    found = []
    for group in groups:
        began = time.perf_counter()
        answered = evaluate_engine(engine, group, budget=50, seed=SEED, topics=topics)
        scores = [score(outcome) for outcome in answered.outcomes]
        figures = metrics(scores)
        hops = {q.hops for q in group}
        size = f"{len(group)}" + (f" of {hops.pop()} hops" if len(hops) == 1 and None not in hops else "")
        times = sorted(outcome.latency_ms for outcome in answered.outcomes)
        row = (size, *(f"{figures[name]:.3f}" for name in SHOWN), f"{times[len(times) // 2]:.0f} ms")
        print(graph.stem, topics, *row, f"{time.perf_counter() - began:.0f} s", flush=True)
        found.append(row)
    return found
