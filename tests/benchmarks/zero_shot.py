"""Graphs that nobody trained on: what is answered at the first question, and after self-training."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.paths import PathAnswerer
from retrieval.answering.spec import AnswererSpec
from retrieval.evaluation.evaluator import Topics, evaluate_answerer, sample
from retrieval.evaluation.outcomes import Outcome
from retrieval.evaluation.report import build_metrics, score
from retrieval.kg import snapshot as snapshots
from retrieval.methods.registry import DEFAULT
from retrieval.methods.zero_shot.retriever import ZeroShotRetriever
from retrieval.methods.zero_shot.self_trained import SelfTaughtRetriever
from retrieval.pretrained import PATHS
from retrieval.questions.files import read_questions
from retrieval.questions.splits import assign_splits
from retrieval.self_training import METHOD, run_self_training
from retrieval.studies.plan import DataSet
from retrieval.types import QuestionRecord
from retrieval.weights.logistic import compute_calibration_error
from retrieval.weights.path_scorers import PathRankerBuilder
from retrieval.weights.question_sets import QUESTION_SETS
from tests.benchmarks.left_out import weights_without
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, chosen

#: Test questions asked of each number of hops, drawn with this seed.
QUESTIONS, SEED = 150, 0
#: A smaller test split is no measure: all questions are asked.
_ENOUGH = 100
TOPICS: tuple[Topics, ...] = ("given", "linked")
SHOWN = ("exact_set", "hit_at_1", "macro_f1")
COMMAND = "python -m tests.benchmarks zero_shot"


def measure(names: Sequence[str] = (), *, leave_out: bool = False, untrained: bool = False) -> list[Section]:
    """Ask the test questions of each set without a checkpoint, and after the graph has taught itself.

    Args:
        names: of sets; none for all.
        leave_out: rank relation paths by weights that were fitted without the set's family.
        untrained: do not self-train; all sets in one table.
    """
    sets = chosen(names, list(QUESTION_SETS)).items()
    if untrained:
        return [_untrained(sets)]
    return [_left_out(name, of) if leave_out else _section(name, of) for name, of in sets]


def _untrained(sets: Iterable[tuple[str, DataSet]]) -> Section:
    section = Section(
        "QuestionRecord sets, untrained",
        f"{COMMAND} --untrained",
        f"{QUESTIONS} questions of each number of hops (of the test split, or of all where that has few), topic "
        "entities linked by Clew; extractive reasoner, 50 triples, no language model, no checkpoint, no "
        "self-training. The rankers that come with Clew were fitted on samples of these sets' training questions, "
        "among other graphs; `--leave-out` measures weights that saw none. ECE: how far the score of the best "
        "answer is from the share of best answers that are right, over ten bins, without refused questions.",
        head=("set", "questions", *SHOWN, "refused", "a question p50", "ECE"),
    )
    for name, of in sets:
        for row in rows(of.graph, asked(of.questions), topics="linked", checkpoint=None):
            section.add(name, *row)
    return section


def _left_out(name: str, of: DataSet) -> Section:
    family = QUESTION_SETS[name].origin
    weights = weights_without(PathRankerBuilder(), family)
    checkpoint, said = self_trained(name, of.graph)
    section = Section(
        f"Unseen questions: {name}",
        f"{COMMAND} --leave-out --data {name}",
        f"{QUESTIONS} questions of each number of hops (of the test split, or of all where that has few), extractive "
        "reasoner, 50 triples, no language model, no training on the graph except self-training. Relation paths are "
        f"ranked by weights fitted without anything of {family}: neither its questions nor questions written from "
        f"its graphs. Self-trained: {said} The ranker of programs was fitted on samples of the public sets. Refused: "
        "no answer was given.",
        head=("by", "topics", "questions", *SHOWN, "refused", "a question p50", "ECE"),
    )
    for by, found in (("zero-shot", None), ("self-trained", checkpoint)):
        for topics in TOPICS:
            for row in rows(of.graph, asked(of.questions), topics=topics, checkpoint=found, weights=weights):
                section.add(by, topics, *row)
    return section


def _section(name: str, of: DataSet) -> Section:
    checkpoint, said = self_trained(name, of.graph)
    section = Section(
        f"Self-training on {name}",
        f"{COMMAND} --data {name}",
        f"{QUESTIONS} questions of each number of hops (of the test split, or of all where that has few), extractive "
        f"reasoner, 50 triples, no language model. No question of the set was trained on: {said} The rankers of "
        "programs and of relation paths that come with Clew, which take part, were fitted on samples of the public "
        "sets; `--leave-out` measures weights that have not seen them. Refused: no answer was given.",
        head=("by", "topics", "questions", *SHOWN, "refused", "a question p50", "ECE"),
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
        made = run_self_training(snapshots.open(graph), out=out, encoder=load_encoder())
        told.write_text(
            f"{made.questions:,} were written from its relations and learned in {time.process_time() - began:.0f} s of "
            "processor time (exact sets of written ones over held-out walks "
            f"{made.after:.3f}, zero-shot {made.before:.3f})."
        )
    return out, told.read_text()


def asked(file: Path) -> list[list[QuestionRecord]]:
    """Questions of a set that have answers, by hops where known; of the test split where it is large enough."""
    known = [q for q in assign_splits(list(read_questions(file, problems=lambda _: None))) if q.answers]
    test = [q for q in known if q.split == "test"]
    taken = test if len(test) >= _ENOUGH else known
    lengths = sorted({q.hops for q in taken if q.hops is not None})
    groups = [[q for q in taken if q.hops == hops] for hops in lengths] if len(lengths) > 1 else [taken]
    return [sample(group, QUESTIONS, SEED) for group in groups]


def rows(
    graph: Path,
    groups: Sequence[Sequence[QuestionRecord]],
    *,
    topics: Topics,
    checkpoint: Path | None,
    weights: Path = PATHS,
) -> list[tuple[str, ...]]:
    """Number of questions, figures and time of each group."""
    encoder = load_encoder()
    answerer = load_answerer(
        AnswererSpec(graph, checkpoint, METHOD if checkpoint else DEFAULT),
        load_parts(snapshots.open(graph), encoder),
    )
    if isinstance(answerer, PathAnswerer):
        untrained = ZeroShotRetriever(answerer.snapshot, encoder, weights=weights)
        retriever = answerer.retriever
        taught = isinstance(retriever, SelfTaughtRetriever) and SelfTaughtRetriever(untrained, retriever.taught)
        answerer.retriever = taught or untrained
    found = []
    for group in groups:
        began = time.perf_counter()
        answered = evaluate_answerer(answerer, group, budget=50, seed=SEED, topics=topics)
        scores = [score(outcome) for outcome in answered.outcomes]
        figures = build_metrics(scores)
        hops = {q.hops for q in group}
        size = f"{len(group)}" + (f" of {hops.pop()} hops" if len(hops) == 1 and None not in hops else "")
        times = sorted(outcome.latency_ms for outcome in answered.outcomes)
        refused = sum(outcome.no_answer is not None for outcome in answered.outcomes) / len(group)
        shown = (f"{figures[name]:.3f}" for name in SHOWN)
        error = f"{calibration_error(answered.outcomes):.3f}"
        row = (size, *shown, f"{refused:.3f}", f"{times[len(times) // 2]:.0f} ms", error)
        print(graph.stem, topics, *row, f"{time.perf_counter() - began:.0f} s", flush=True)
        found.append(row)
    return found


def calibration_error(outcomes: Sequence[Outcome]) -> float:
    """Expected calibration error of best answers' scores over ten bins; how right they are is Hit@1."""
    pairs = [(one.predicted[0][1], score(one).hit_at_1) for one in outcomes if one.predicted]
    if not pairs:
        return 0.0
    sure, right = np.array(pairs).T
    return compute_calibration_error(sure, right)
