"""Graph-S3: how small the focus is, what reinforcement adds, and graphs that the policy was not trained on.

Resumable like ``methods``, with which it shares finished cells.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import torch

from retrieval import config as configs
from retrieval.agents.rewards import outcome_reward
from retrieval.agents.small_policy import make_model
from retrieval.config import GraphS3Config
from retrieval.evaluation.study import Study, cells
from retrieval.evaluation.study_config import DataSet, StudyConfig, Variant
from retrieval.kg import search
from retrieval.kg import snapshot as snapshots
from retrieval.kg.questions import read_questions, training_sample, with_splits
from retrieval.loading import load_encoder
from retrieval.nn.agent import AgentModel
from retrieval.supervision.grounding import Grounded, ground
from retrieval.training.agent_data import AgentData, make_data
from retrieval.training.graph_s3 import ImitationTask, OutcomeTask, StepwiseTask, reinforcement
from retrieval.training.loop import Course, fit
from retrieval.training.recipe import Work
from retrieval.training.run import label, split
from tests.benchmarks.methods import SETTINGS
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, chosen

METHOD, COMMAND = "graph-s3", "python -m tests.benchmarks agent"
FOCUSED = ("MetaQA", "PQ-2H", "PQ-3H", "PQL-2H", "PQL-3H")
#: Hops of the sets whose questions do not say them.
HOPS = {"PQ-2H": 2, "PQ-3H": 3, "PQL-2H": 2, "PQL-3H": 3}
#: Sets that the ablation trains on, with the share of their questions, and test questions asked at most.
ABLATED, LIMIT, SEEDS = {"PQL-3H": 1.0, "MetaQA": 0.02}, 600, (0, 1, 2)
_EPOCHS = {"epochs": 3, "patience": 6, "questions_per_epoch": 1024, "rl_epochs": 3}
TRANSFER = {"PQ-2H": "PQL-2H", "PQ-3H": "PQL-3H", "MetaQA": "demo"}
SHOWN = ("exact_set", "hit_at_1", "macro_f1")


def measure(data: Sequence[str] = (), *, run: bool = True) -> list[Section]:
    """All three, of the named sets or of all; without ``run`` only what is finished."""
    found = [_focus(data, run=run), *(_ablation(data) if run else []), _transfer(data, run=run)]
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


def _ablation(data: Sequence[str]) -> list[Section]:
    """Imitation, and from its weights either kind of reinforcement; trajectories are made once a set."""
    section = Section(
        "Reinforcement of `graph-s3`",
        COMMAND,
        "Three seeds, mean ± deviation on the test questions (at most 600), answers of greedy searches. PQL-3H: all "
        "training questions; MetaQA: 2 in 100. Three epochs of 32 steps of imitation; from there as many of "
        "reinforcement by either reward, 32 questions a step, or of imitation. Of each stage the weights with the best "
        "dev score are kept. To reach: with reinforcement above without, rewards by step above rewards by outcome.",
        head=("set", "training", "exact set", "Macro-F1", "dev F1", "seconds"),
    )
    for name, of in chosen(data, tuple(ABLATED)).items():
        found: dict[str, list[tuple[float, ...]]] = defaultdict(list)
        if name in ABLATED:
            shared, asked = _prepared(of, ABLATED[name])
            for seed in SEEDS:
                for variant, figures in _seed(shared, asked, seed):
                    print(name, variant, seed, *(f"{figure:.4f}" for figure in figures), flush=True)
                    found[variant].append(figures)
        for variant, rows in found.items():
            shown = (f"{fmean(c):.3f} ± {stdev(c):.3f}" for c in list(zip(*rows, strict=True))[:-1])
            section.add(name, variant, *shown, f"{fmean(row[-1] for row in rows):.0f} s")
    return [section]


def _prepared(of: DataSet, fraction: float) -> tuple[AgentData, list[Grounded]]:
    """What all seeds learn from, and the test questions."""
    graph = snapshots.open(of.graph)
    questions = with_splits(read_questions(of.questions, problems=lambda _: None))
    taught = training_sample(questions, fraction, seed=0)
    config = configs.parse(METHOD, _EPOCHS)
    assert isinstance(config, GraphS3Config)
    work = Work(graph, load_encoder(), lambda _: None, lambda: False, None)
    parts = split(graph, taught, 0)
    labels, simple, _ = label(work, config, [*parts.train, *parts.dev], None)
    test, _ = ground(graph, [q for q in questions if q.split == "test"])
    few = test[:: -(-len(test) // LIMIT)]
    made = make_data(work, config, parts, labels, simple=simple)
    return made.reading(few), few


def _seed(data: AgentData, asked: Sequence[Grounded], seed: int) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Exact sets, F1, dev F1 and seconds of every kind of training."""
    config = replace(data.config, seed=seed)
    torch.manual_seed(seed)
    model = make_model(data.work.encoder.dim, config.hidden, config.dropout, words=config.words)
    course, seconds = _fit(ImitationTask(data, model), config)
    yield "imitation alone", (*_figures(data, model, asked), course.best, seconds)
    for variant, stage in (
        ("then rewards by step", StepwiseTask),
        ("then rewards by outcome", OutcomeTask),
        ("then more imitation", ImitationTask),
    ):
        further = deepcopy(model)
        again = config if stage is ImitationTask else reinforcement(config)
        later, more = _fit(stage(data, further), again, course.best)
        yield variant, (*_figures(data, further, asked), later.best, seconds + more)


def _fit(task: Any, config: GraphS3Config, least: float = -1.0) -> tuple[Course, float]:
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        course = fit(
            task, config, resume=Path(folder) / "last.pt", key="", least=least,
            progress=lambda _: None, cancelled=lambda: False,
        )  # fmt: skip
    task.model.load_state_dict(course.weights)
    return course, time.perf_counter() - began


def _figures(data: AgentData, model: AgentModel, asked: Sequence[Grounded]) -> tuple[float, float]:
    """Share of exact answer sets, and mean F1."""
    ends, _, _ = data.search(model.eval(), asked)
    scores = [outcome_reward(end, np.array(q.answers)) for end, q in zip(ends, asked, strict=True)]
    return fmean(score == 1.0 for score in scores), fmean(scores)


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
