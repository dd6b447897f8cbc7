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
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import torch

from retrieval.answering.loading import load_encoder
from retrieval.evaluation.study import StudyRunner
from retrieval.kg import search
from retrieval.kg import snapshot as snapshots
from retrieval.linking.questions import QuestionTexts
from retrieval.methods import registry
from retrieval.methods.graph_s3.agent.decisions import write_views
from retrieval.methods.graph_s3.agent.rewards import compute_outcome_reward
from retrieval.methods.graph_s3.agent.small_policy import make_model
from retrieval.methods.graph_s3.agent_data import AgentData, make_data, make_initial_state
from retrieval.methods.graph_s3.model import AgentModel
from retrieval.methods.graph_s3.spec import GraphS3Config
from retrieval.methods.graph_s3.training import (
    ImitationTask,
    OutcomeTask,
    StepwiseTask,
    make_reinforcement_settings,
)
from retrieval.questions.files import read_questions
from retrieval.questions.splits import assign_splits, sample_training
from retrieval.studies.plan import DataSet, StudyConfig, Variant, list_cells
from retrieval.supervision.grounding import Grounded, resolve_questions
from retrieval.train import label
from retrieval.training.loop import fit
from retrieval.training.recipe import Work
from retrieval.training.splitting import split
from retrieval.training.training_state import TrainingState
from tests.benchmarks.methods import SETTINGS
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, chosen

METHOD, COMMAND = "graph-s3", "python -m tests.benchmarks agent"
FOCUSED = ("MetaQA", "PQ-2H", "PQ-3H", "PQL-2H", "PQL-3H")
PARTS = ("focus", "reinforcement", "transfer")
ALONE = "imitation alone"
STAGES: dict[str, Any] = {
    "then rewards by step": StepwiseTask,
    "then rewards by outcome": OutcomeTask,
    "then more imitation": ImitationTask,
}
#: Hops of the sets whose questions do not say them.
HOPS = {"PQ-2H": 2, "PQ-3H": 3, "PQL-2H": 2, "PQL-3H": 3}
#: Test questions that the ablation asks, at most, and its seeds.
LIMIT, SEEDS = 600, (0, 1, 2)
TRANSFER = {"PQ-2H": "PQL-2H", "PQ-3H": "PQL-3H", "MetaQA": "demo"}
SHOWN = ("exact_set", "hit_at_1", "macro_f1")


@dataclass(frozen=True, slots=True)
class Ablated:
    """What the ablation trains on, and how long: epochs of ``trajectories``, 32 of them a step.

    Attributes:
        data: name of the set.
        hops: only questions of so many; 0 for all.
        share: of the training questions.
        trajectories: of an epoch.
        imitation, further: epochs of imitation, and of what comes after it.
    """

    data: str
    hops: int = 0
    share: float = 1.0
    trajectories: int = 1024
    imitation: int = 3
    further: int = 3

    @property
    def title(self) -> str:
        """For the page and for the names of files."""
        hops, share = (
            f", {self.hops} hop" if self.hops else "",
            f", {self.share:.0%}" if self.share < 1 else "",
        )
        return f"{self.data}{hops}{share}, {self.imitation * self.trajectories // 32} steps"

    @property
    def settings(self) -> dict[str, Any]:
        """Of training."""
        epochs = {"epochs": self.imitation, "rl_epochs": self.further, "patience": self.imitation}
        return {**epochs, "questions_per_epoch": self.trajectories}


#: First the one whose outcomes are the rarest: hardly any search of a policy that has learned so little ends right.
ABLATED = (
    Ablated("PQ-3H", trajectories=128, imitation=1, further=12),
    Ablated("MetaQA", 3, 0.08, 512, 1),
    Ablated("MetaQA", share=0.02),
)


def measure(
    data: Sequence[str] = (), *, parts: Sequence[str] = PARTS, seeds: int = len(SEEDS), run: bool = True
) -> list[Section]:
    """Those parts, of the named sets or of all; without ``run`` only what is finished."""
    found = [_focus(data, run=run)] if "focus" in parts else []
    found += _ablation(data, SEEDS[:seeds], run=run) if "reinforcement" in parts else []
    found += [_transfer(data, run=run)] if "transfer" in parts else []
    return [section for section in found if section.rows]


def _results(config: StudyConfig, *, run: bool) -> list[dict[str, Any]]:
    study = StudyRunner(config, CACHE / "methods", encoder=load_encoder(), say=print)
    if run:
        return list(study.run())
    return [result for cell in list_cells(config) if (result := study.find_result(cell)) is not None]


def _focus(data: Sequence[str], *, run: bool) -> Section:
    """Triples of the focus beside those within as many hops of the topics as the question has."""
    section = Section(
        "Focus of graph-s3",
        COMMAND,
        "Test questions of the results of `methods`. Share: triples of the focus over all triples within as many "
        "hops of the topics as the question has; mean and median over the questions, and of all questions together. "
        "At least: one triple for each right answer, all together; no focus that holds the answers is smaller. To "
        "reach: at most 12%; at most 250 ms a question.",
        head=(
            "set",
            "questions",
            "focus",
            "k-hop",
            "mean share",
            "median",
            "together",
            "at least",
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
            by_hops = _sizes(name, of)
            for hops, sizes in by_hops.items():
                section.add(*_shares(f"{name}, {hops} hop", sizes), spent)
            if len(by_hops) > 1:
                section.add(*_shares(f"{name}, all", [each for sizes in by_hops.values() for each in sizes]), spent)
    return section


def _sizes(name: str, of: DataSet) -> dict[int, list[tuple[int, int, int]]]:
    """By hops: triples of the focus and of the neighbourhood, and right answers, of each test question."""
    graph = snapshots.open(of.graph)
    asked = {q.id: q for q in read_questions(of.questions, problems=lambda _: None)}
    home = CACHE / "methods" / "cells" / f"{name}--{METHOD}--1--0"
    report = next(home.glob(f"{name}--*/report.json"))
    around: dict[tuple[int, int], int] = {}
    found: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for row in json.loads(report.read_text(encoding="utf-8"))["per_question"]:
        hops = row["hops"] or HOPS[name]
        topics = [graph.find_entity(label) for label in asked[row["id"]].topic_entities]
        topic = topics[0]
        assert topic is not None, "these sets name one topic each, which the graph has"
        if (topic, hops) not in around:
            near = search.collect_k_hop(graph, [topic], hops, max_triples=graph.num_triples)
            around[topic, hops] = len(near.facts)
        found[hops].append((row["triples"], around[topic, hops], len(asked[row["id"]].answers)))
    return dict(sorted(found.items()))


def _shares(title: str, sizes: Sequence[tuple[int, int, int]]) -> tuple[str, ...]:
    focus, near, answers = zip(*sizes, strict=True)
    shares = [kept / around for kept, around in zip(focus, near, strict=True)]
    return (
        title,
        f"{len(sizes):,}",
        f"{fmean(focus):,.1f}",
        f"{fmean(near):,.1f}",
        f"{fmean(shares):.3f}",
        f"{np.median(shares):.3f}",
        f"{sum(focus) / sum(near):.3f}",
        f"{sum(answers) / sum(near):.3f}",
    )


def _ablation(data: Sequence[str], seeds: Sequence[int], *, run: bool) -> list[Section]:
    """Imitation, and from its weights either kind of reinforcement or more of the same."""
    section = Section(
        "Reinforcement of graph-s3",
        COMMAND,
        "Mean ± deviation over the seeds on the test questions (at most 600), always taking the most probable step. "
        "A row names the share of the training questions and the steps of imitation. From those weights follow as "
        "many or more steps, the same number for all, of reinforcement by either reward or of imitation; 32 "
        "questions a step. Of each stage the weights with the best dev score are kept, or those it began with where "
        "none is better. To reach: better with reinforcement than without, and with rewards by step than by "
        "outcome.",
        head=("set", "training", "steps after", "exact set", "Macro-F1", "dev F1", "seconds"),
    )
    there = chosen(data, tuple(dict.fromkeys(each.data for each in ABLATED)))
    for ablated in ABLATED:
        if ablated.data not in there:
            continue
        found: dict[str, list[Sequence[float]]] = defaultdict(list)
        for seed in seeds:
            for variant, figures in _cell(ablated, there[ablated.data], seed, run=run).items():
                found[variant].append(figures)
        for variant, rows in found.items():
            shown = (
                f"{fmean(c):.3f}" + (f" ± {stdev(c):.3f}" if len(c) > 1 else "")
                for c in list(zip(*rows, strict=True))[:-1]
            )
            later = 0 if variant == ALONE else ablated.further * ablated.trajectories // 32
            seconds = f"{fmean(row[-1] for row in rows):.0f} s"
            section.add(ablated.title, variant, f"{later}", *shown, seconds)
    return [section]


def _cell(ablated: Ablated, of: DataSet, seed: int, *, run: bool) -> dict[str, Sequence[float]]:
    """One seed of one row; kept as it is finished, kind by kind."""
    file = CACHE / "agent" / f"{ablated.title.replace(', ', '-').replace(' ', '-')}-{seed}.json"
    found: dict[str, Sequence[float]] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    if run and len(found) < 1 + len(STAGES):
        file.parent.mkdir(parents=True, exist_ok=True)
        for variant, figures in _seed(*_prepared(ablated, of), seed):
            print(ablated.title, variant, seed, *(f"{figure:.4f}" for figure in figures), flush=True)
            found[variant] = figures
            file.write_text(json.dumps(found), encoding="utf-8")
    return found


@cache
def _prepared(ablated: Ablated, of: DataSet) -> tuple[AgentData, list[Grounded]]:
    """What all seeds learn from, and the test questions."""
    graph = snapshots.open(of.graph)
    questions = assign_splits(read_questions(of.questions, problems=lambda _: None))
    questions = [q for q in questions if not ablated.hops or q.hops == ablated.hops]
    taught = sample_training(questions, ablated.share, seed=0)
    config = registry.parse(METHOD, ablated.settings)
    assert isinstance(config, GraphS3Config)
    work = Work(graph, load_encoder(), lambda _: None, lambda: False, None)
    parts = split(graph, taught, 0)
    labels, simple, _ = label(work, config, [*parts.train, *parts.dev], None)
    test, _ = resolve_questions(graph, [q for q in questions if q.split == "test"])
    few = test[:: -(-len(test) // LIMIT)]
    made = make_data(work, config, parts, labels, simple=simple)
    # The test questions are searched too, so their texts are encoded with the others.
    seen = (text for question in few for text in write_views(make_initial_state(made.world, question)))
    texts = list(dict.fromkeys([*made.rows, *seen]))
    encoded = QuestionTexts.encode(work.encoder, texts, words=config.words)
    return replace(made, rows={text: row for row, text in enumerate(texts)}, texts=encoded), few


def _seed(data: AgentData, asked: Sequence[Grounded], seed: int) -> Iterator[tuple[str, Sequence[float]]]:
    """Exact sets, F1, dev F1 and seconds of every kind of training."""
    config = replace(data.config, seed=seed)
    torch.manual_seed(seed)
    model = make_model(data.work.encoder.dim, config.hidden, config.dropout, words=config.words)
    course, seconds = _fit(ImitationTask(data, model), config)
    yield ALONE, (*_figures(data, model, asked), course.best, seconds)
    for variant, stage in STAGES.items():
        further = deepcopy(model)
        again = make_reinforcement_settings(config)
        if stage is ImitationTask:
            again = replace(config, epochs=config.rl_epochs, patience=config.rl_epochs)
        later, more = _fit(stage(data, further), again, course.best)
        yield variant, (*_figures(data, further, asked), later.best, seconds + more)


def _fit(task: Any, config: GraphS3Config, least: float = -1.0) -> tuple[TrainingState, float]:
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
    scores = [compute_outcome_reward(end, np.array(q.answers)) for end, q in zip(ends, asked, strict=True)]
    return fmean(score == 1.0 for score in scores), fmean(scores)


def _transfer(data: Sequence[str], *, run: bool) -> Section:
    section = Section(
        "graph-s3 on other graphs",
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
