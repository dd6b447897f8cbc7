"""Graphs that nobody trained on: what is answered at the first question, and after self-training."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from retrieval.evaluation.evaluator import Topics, evaluate_engine, sample
from retrieval.evaluation.report import metrics, score
from retrieval.evaluation.study_config import DataSet
from retrieval.kg import snapshot as snapshots
from retrieval.loading import load_encoder, load_engine, load_parts
from retrieval.methods._shared.engine_spec import EngineSpec
from retrieval.methods.registry import DEFAULT
from retrieval.questions.files import read_questions, with_splits
from retrieval.self_training import METHOD, self_train
from retrieval.types import Question
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, SETS, chosen

#: Test questions asked of each number of hops, drawn with this seed.
QUESTIONS, SEED = 150, 0
TOPICS: tuple[Topics, ...] = ("given", "linked")
SHOWN = ("exact_set", "hit_at_1", "macro_f1")
COMMAND = "python -m tests.benchmarks zero_shot"


def measure(names: Sequence[str] = ()) -> list[Section]:
    """Ask the test questions of each set without a checkpoint, and after the graph has taught itself."""
    return [_section(name, of) for name, of in chosen(names, list(SETS)).items()]


def _section(name: str, of: DataSet) -> Section:
    checkpoint, said = self_trained(name, of.graph)
    section = Section(
        f"A graph that nobody trained on: {name}",
        f"{COMMAND} --data {name}",
        f"{QUESTIONS} questions of each number of hops (of the test split, or of all where that is smaller), "
        f"extractive reasoner, 50 triples, no language model. No question of the set was trained on: {said} The "
        "ranker of programs that comes with Clew, which takes part in both, was fitted on samples of the public sets. "
        "Refused: nothing was answered.",
        head=("by", "topics", "questions", *SHOWN, "refused", "a question p50"),
    )
    groups = asked(of.questions)
    for by, found in (("zero-shot", None), ("self-trained", checkpoint)):
        for topics in TOPICS:
            for row in rows(of.graph, groups, topics=topics, checkpoint=found):
                section.add(by, topics, *row)
    return section


def self_trained(name: str, graph: Path) -> tuple[Path, str]:
    """The checkpoint of a graph's self-training, made once, and what is said of it."""
    out, told = CACHE / "self-trained" / name, CACHE / "self-trained" / f"{name}.txt"
    if not told.is_file():
        began = time.process_time()
        made = self_train(snapshots.open(graph), out=out, encoder=load_encoder())
        told.write_text(
            f"{made.questions:,} were written from its relations and learned in {time.process_time() - began:.0f} s of "
            "processor time (exact sets of written ones over held-out walks "
            f"{made.after:.3f}, zero-shot {made.before:.3f})."
        )
    return out, told.read_text()


def asked(file: Path) -> list[list[Question]]:
    """Questions of a set that have answers, by hops where known; of the test split where it is large enough."""
    known = [q for q in with_splits(list(read_questions(file, problems=lambda _: None))) if q.answers]
    test = [q for q in known if q.split == "test"]
    taken = test if len(test) >= QUESTIONS else known
    lengths = sorted({q.hops for q in taken if q.hops is not None})
    groups = [[q for q in taken if q.hops == hops] for hops in lengths] if len(lengths) > 1 else [taken]
    return [sample(group, QUESTIONS, SEED) for group in groups]


def rows(
    graph: Path, groups: Sequence[Sequence[Question]], *, topics: Topics, checkpoint: Path | None
) -> list[tuple[str, ...]]:
    """Number of questions, figures and time of each group."""
    encoder = load_encoder()
    engine = load_engine(
        EngineSpec(graph, checkpoint, METHOD if checkpoint else DEFAULT),
        load_parts(snapshots.open(graph), encoder),
    )
    found = []
    for group in groups:
        began = time.perf_counter()
        answered = evaluate_engine(engine, group, budget=50, seed=SEED, topics=topics)
        scores = [score(outcome) for outcome in answered.outcomes]
        figures = metrics(scores)
        hops = {q.hops for q in group}
        size = f"{len(group)}" + (f" of {hops.pop()} hops" if len(hops) == 1 and None not in hops else "")
        times = sorted(outcome.latency_ms for outcome in answered.outcomes)
        refused = sum(outcome.no_answer is not None for outcome in answered.outcomes) / len(group)
        shown = (f"{figures[name]:.3f}" for name in SHOWN)
        row = (size, *shown, f"{refused:.3f}", f"{times[len(times) // 2]:.0f} ms")
        print(graph.stem, topics, *row, f"{time.perf_counter() - began:.0f} s", flush=True)
        found.append(row)
    return found
