"""Graph-S3: how small the focus is, what reinforcement adds, and graphs that the policy was not trained on.

Resumable like ``methods``, with which it shares finished cells.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from retrieval.evaluation.study import Study, cells
from retrieval.evaluation.study_config import DataSet, StudyConfig, Variant
from retrieval.evaluation.study_page import summarise
from retrieval.kg import search
from retrieval.kg import snapshot as snapshots
from retrieval.kg.questions import read_questions
from retrieval.loading import load_encoder
from tests.benchmarks.methods import SETTINGS
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, chosen

METHOD, COMMAND = "graph-s3", "python -m tests.benchmarks agent"
FOCUSED = ("MetaQA", "PQ-2H", "PQ-3H", "PQL-2H", "PQL-3H")
#: Hops of the sets whose questions do not say them.
HOPS = {"PQ-2H": 2, "PQ-3H": 3, "PQL-2H": 2, "PQL-3H": 3}
#: Sets that the ablation trains on, with the share of their questions, and test questions asked at most.
ABLATED, LIMIT, SEEDS = {"PQL-3H": 1.0, "MetaQA": 0.02}, 600, (0, 1, 2)
_SHORT = {"epochs": 3, "patience": 6, "questions_per_epoch": 1024, "rl_epochs": 3}
#: What is left out or added; every epoch has as many steps.
ABLATION: Mapping[str, Mapping[str, Any]] = {
    "imitation alone": {**_SHORT, "rl_epochs": 0},
    "imitation, then rewards by step": _SHORT,
    "imitation, then rewards by outcome": {**_SHORT, "reward": "outcome"},
    "imitation alone, as many steps as both": {**_SHORT, "epochs": 6, "rl_epochs": 0},
    "rewards by step, shortest forms by answers alone": {**_SHORT, "refinement": "answers"},
}
TRANSFER = {"PQ-2H": "PQL-2H", "PQ-3H": "PQL-3H", "MetaQA": "demo"}
SHOWN = ("exact_set", "hit_at_1", "macro_f1")


def measure(data: Sequence[str] = (), *, run: bool = True) -> list[Section]:
    """All three, of the named sets or of all; without ``run`` only what is finished."""
    found = [_focus(data, run=run), *_ablation(data, run=run), _transfer(data, run=run)]
    return [section for section in found if section is not None and section.rows]


def _results(config: StudyConfig, *, run: bool) -> list[dict[str, Any]]:
    study = Study(config, CACHE / "methods", encoder=load_encoder(), say=print)
    if run:
        return list(study.run())
    return [result for cell in cells(config) if (result := study.finished(cell)) is not None]


def _focus(data: Sequence[str], *, run: bool) -> Section | None:
    """Triples of the focus beside those within as many hops of the topics as the question has."""
    section = Section(
        "Focus of `graph-s3`",
        COMMAND,
        "Test questions of the cells of `methods`. Share: triples of the focus over all triples within as many hops of "
        "the topics as the question has, mean and median over the questions, and of all questions together. To reach: "
        "at most 12%; at most 250 ms a question.",
        head=(
            "set",
            "questions",
            "focus",
            "k-hop",
            "mean share",
            "median",
            "together",
            "a question p50 / p95",
        ),
    )
    for name, of in chosen(data, FOCUSED).items():
        if name not in FOCUSED:
            continue
        config = StudyConfig({name: of}, {METHOD: Variant(METHOD, SETTINGS.get((METHOD, name), {}))})
        for result in _results(config, run=run):
            latency = result["latency_ms"]
            spent = f"{latency['p50']:.0f} / {latency['p95']:.0f} ms"
            for hops, pairs in _sizes(name, of).items():
                section.add(*_shares(f"{name}, {hops} hop", pairs), spent)
    return section


def _sizes(name: str, of: DataSet) -> dict[int, list[tuple[int, int]]]:
    """By hops: triples of the focus and of the neighbourhood, of each test question."""
    graph = snapshots.open(of.graph)
    asked = {q.id: q for q in read_questions(of.questions, problems=lambda _: None)}
    home = CACHE / "methods" / "cells" / f"{name}--{METHOD}--1--0"
    report = next(home.glob(f"{name}--*/report.json"))
    around: dict[tuple[int, int], int] = {}
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in json.loads(report.read_text(encoding="utf-8"))["per_question"]:
        hops = row["hops"] or HOPS[name]
        topics = [graph.find_entity(label) for label in asked[row["id"]].topic_entities]
        topic = topics[0]
        assert topic is not None, "these sets name one topic each, which the graph has"
        if (topic, hops) not in around:
            near = search.k_hop(graph, [topic], hops, max_triples=graph.num_triples)
            around[topic, hops] = len(near.facts)
        found[hops].append((row["triples"], around[topic, hops]))
    return dict(sorted(found.items()))


def _shares(title: str, pairs: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    shares = [focus / near for focus, near in pairs]
    together = sum(focus for focus, _ in pairs) / sum(near for _, near in pairs)
    return (
        title,
        f"{len(pairs):,}",
        f"{fmean(focus for focus, _ in pairs):,.1f}",
        f"{fmean(near for _, near in pairs):,.1f}",
        f"{fmean(shares):.3f}",
        f"{np.median(shares):.3f}",
        f"{together:.3f}",
    )


def _ablation(data: Sequence[str], *, run: bool) -> list[Section]:
    section = Section(
        "Reinforcement of `graph-s3`",
        COMMAND,
        "Three seeds; mean and deviation. PQL-3H: all training questions; MetaQA: 2 in 100. Three epochs of 32 steps "
        "of imitation, then as many of reinforcement, 32 questions a step; at most 600 test questions. To reach: with "
        "reinforcement above without, rewards by step above rewards by outcome.",
        head=("set", "variant", "exact set", "Hit@1", "Macro-F1", "training"),
    )
    variants = {name: Variant(METHOD, config) for name, config in ABLATION.items()}
    for name, of in chosen(data, tuple(ABLATED)).items():
        if name not in ABLATED:
            continue
        config = StudyConfig({name: of}, variants, fractions=(ABLATED[name],), seeds=SEEDS, limit=LIMIT)
        results = _results(config, run=run)
        for row in summarise(results, baseline=None)["rows"] if results else ():
            figures = (f"{row['metrics'][m]['mean']:.3f} ± {row['metrics'][m]['sd'] or 0:.3f}" for m in SHOWN)
            section.add(row["test"], row["variant"], *figures, f"{row['training_s']['mean']:.0f} s")
    return [section]


def _transfer(data: Sequence[str], *, run: bool) -> Section:
    section = Section(
        "`graph-s3` in graphs that it was not trained on",
        COMMAND,
        "The checkpoints of `methods`, asked the test questions of another graph.",
        head=("trained on", "asked on", "n", "exact set", "Hit@1", "Macro-F1"),
    )
    for trained, asked in TRANSFER.items():
        sets = chosen([], (trained, asked))
        if len(sets) < 2 or (data and trained not in data):
            continue
        config = StudyConfig(sets, {METHOD: Variant(METHOD)}, train=(trained,), test=(asked,))
        for result in _results(config, run=run):
            figures = (f"{result['metrics'][name]:.3f}" for name in SHOWN)
            section.add(trained, asked, f"{result['n']:,}", *figures)
    return section
