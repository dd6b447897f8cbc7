"""Builds ``paths.safetensors``, which relation path was asked for, and ``lacking.safetensors``, whether any was."""

from __future__ import annotations

import pickle
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from retrieval.kg import snapshot as snapshots
from retrieval.kg.build.from_files import build_from_files
from retrieval.methods.zero_shot.retriever import LEAST_SUPPORT
from retrieval.pretrained import LACKING, PATHS
from retrieval.questions.files import read_questions
from retrieval.questions.splits import assign_splits
from retrieval.supervision.grounding import resolve_questions
from retrieval.weights.builder import FigureRow, HeldOutFigures, WeightBuilder
from retrieval.weights.data import (
    DEMO,
    FB15K_237,
    FREEBASE,
    METAQA,
    OPERATOR_SUITES,
    OWN_GRAPHS,
    PATHQUESTION,
    SPIDER_TRAINING,
    WIKITABLES,
)
from retrieval.weights.path_examples import ExampleCounts, PathExample, PathExampleMaker, TopicQuestion, find_topic
from retrieval.weights.path_fitting import DOUBTS, RANKS, compute_doubt, fit_path_scorer, is_first_right
from retrieval.weights.question_sets import QUESTION_SETS, prepare_set
from retrieval.weights.suites import load_suites

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.linking.encoder import Encoder
    from retrieval.methods.zero_shot.model import PathScorer
    from retrieval.weights.data import TrainingData
    from retrieval.weights.path_fitting import FittingPlan

#: What public sets were taken from: weights are fitted without each.
HELD_OUT_ORIGINS = ("MetaQA", "Freebase")
_SOURCES = (OWN_GRAPHS, DEMO, OPERATOR_SUITES, METAQA, PATHQUESTION, FREEBASE, FB15K_237, SPIDER_TRAINING, WIKITABLES)


class PathScorerBuilder(WeightBuilder[list[PathExample], "PathScorer"]):
    """Builds one of the two scorers of relation paths.

    Args:
        counts: questions that are drawn.
        plan: how the scorer is fitted.
    """

    plan: ClassVar[FittingPlan]
    sources = _SOURCES

    def __init__(self, counts: ExampleCounts = ExampleCounts(), plan: FittingPlan | None = None) -> None:
        self.counts = counts
        self.used_plan = plan or self.plan

    def prepare(self, data: TrainingData, encoder: Encoder, seed: int) -> list[PathExample]:
        """Compute the features of all questions; both scorers read the same, which are kept in the cache."""
        examples: list[PathExample] = []
        sizes = "-".join(map(str, (seed, *astuple(self.counts))))
        for graph, origin, questions in _list_graphs(data, self.counts):
            file = data.cache / "paths" / sizes / f"{graph.name}.pickle"
            if not file.is_file():
                maker = PathExampleMaker(snapshots.open(graph), encoder, origin, seed)
                made = [*maker.make_asked(questions), *maker.make_written(self.counts)]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(pickle.dumps(made))
                sys.stderr.write(f"{graph.name}: {len(made):,} questions\n")
            examples += pickle.loads(file.read_bytes())
        return examples

    def build(self, examples: list[PathExample], seed: int) -> PathScorer:
        """Fit the scorer."""
        return fit_path_scorer(examples, self.used_plan, seed)

    def write(self, built: PathScorer, out: Path) -> None:
        """Write the weights in half precision."""
        built.save(out)

    def build_without(self, examples: Sequence[PathExample], origin: str, seed: int = 0) -> PathScorer:
        """Fit the scorer without anything of an origin."""
        kept = [example for example in examples if example.origin != origin]
        return fit_path_scorer(kept, self.used_plan, seed)

    def evaluate_groups(
        self, examples: Sequence[PathExample], seed: int
    ) -> Iterator[tuple[str, PathScorer, list[PathExample]]]:
        """Each group of examples that were left out, with a scorer that was fitted without them."""
        for origin in HELD_OUT_ORIGINS:
            left_out = [example for example in examples if example.origin == origin]
            if not left_out or len(left_out) == len(examples):
                continue
            scorer = self.build_without(examples, origin, seed)
            for source in ("people", "written"):
                if group := [example for example in left_out if example.source == source]:
                    yield f"{origin}, {source}", scorer, group


class PathRankerBuilder(PathScorerBuilder):
    """Builds the ranker of relation paths."""

    name: ClassVar[str] = "paths"
    file: ClassVar[Path] = PATHS
    about: ClassVar[str] = "ranks relation paths on graphs without a checkpoint"
    plan = RANKS

    def evaluate(self, examples: list[PathExample], seed: int) -> HeldOutFigures:
        """The share of questions whose best candidate is right, where one is."""
        rows = []
        for name, scorer, group in self.evaluate_groups(examples, seed):
            first = [is_first_right(scorer, example) for example in group if example.right.any()]
            rows.append(FigureRow(name, {"questions": len(first), "first": float(np.mean(first)) if first else 0.0}))
        return HeldOutFigures(
            "Fitted without anything of the set and of what was taken from the same source: neither questions of "
            "people nor questions written from its graphs. *first*: the best candidate is right.",
            tuple(rows),
        )


class LackingBuilder(PathScorerBuilder):
    """Builds what says that no relation path was asked for."""

    name: ClassVar[str] = "lacking"
    file: ClassVar[Path] = LACKING
    about: ClassVar[str] = "recognises questions that no relation path of a graph answers"
    plan = DOUBTS

    def evaluate(self, examples: list[PathExample], seed: int) -> HeldOutFigures:
        """The share of questions that are recognised as unanswerable, of those that are and of those that are not."""
        rows = []
        for name, scorer, group in self.evaluate_groups(examples, seed):
            doubted: dict[bool, list[bool]] = defaultdict(list)
            for example in group:
                doubted[bool(example.right.any())].append(compute_doubt(scorer, example) > 1 - LEAST_SUPPORT)
            figures: dict[str, float] = {"questions": len(group)}
            figures |= {
                label: float(np.mean(doubted[answerable]))
                for label, answerable in (("recognised", False), ("refused", True))
                if doubted[answerable]
            }
            rows.append(FigureRow(name, figures))
        return HeldOutFigures(
            "Fitted without anything of the set and of what was taken from the same source. *recognised*: of "
            f"questions that no candidate answers, those with a probability below {LEAST_SUPPORT} that any does; "
            "*refused*: the same of questions that a candidate answers.",
            tuple(rows),
        )


def _list_graphs(data: TrainingData, counts: ExampleCounts) -> Iterator[tuple[Path, str, list[TopicQuestion]]]:
    """All graphs with their origin and the questions of people."""
    for name, source in QUESTION_SETS.items():
        prepared = prepare_set(data, name)
        if prepared is not None:
            yield prepared.graph, source.origin, _draw_questions(prepared.graph, prepared.questions, counts.people)
    by_graph: dict[tuple[Path, str], list[TopicQuestion]] = defaultdict(list)
    for question in load_suites(data):
        known = by_graph[question.graph, question.family]
        if set(question.operators) <= {"path", "typed"}:
            topic = find_topic(snapshots.open(question.graph), question.text, question.right[0])
            known += [topic] if topic else []
    for (graph, family), known in by_graph.items():
        yield graph, family, known
    facts = data.find(*FB15K_237.paths)
    if facts is not None:
        graph = data.cache / "sets" / "FB15k-237.graph"
        if not graph.is_dir():
            build_from_files([facts], graph, problems=lambda _: None)
        yield graph, "Freebase", []


def _draw_questions(graph: Path, file: Path, count: int) -> list[TopicQuestion]:
    """Training questions of a set with one topic, so many of each number of hops."""
    every = assign_splits(read_questions(file, problems=lambda _: None))
    known = [q for q in every if q.split == "train" and q.answers and len(q.topic_entities) == 1]
    drawn: list[TopicQuestion] = []
    for hops in sorted({question.hops or 0 for question in known}):
        same = [question for question in known if (question.hops or 0) == hops]
        random.Random(hops).shuffle(same)
        grounded, _ = resolve_questions(snapshots.open(graph), same[:count])
        drawn += [TopicQuestion(q.question.question, q.topics[0], q.names, frozenset(q.answers)) for q in grounded]
    return drawn
