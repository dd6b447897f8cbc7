"""The whole engine without a checkpoint, over the operator suites and sets of relation paths: programs or paths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.spec import AnswererSpec
from retrieval.evaluation.evaluator import evaluate_answerer
from retrieval.evaluation.outcomes import Outcome
from retrieval.evaluation.report import score
from retrieval.kg import snapshot as snapshots
from retrieval.methods.registry import DEFAULT
from retrieval.types import QuestionRecord
from retrieval.weights.suites import UNANSWERABLE, SuiteQuestion
from tests.benchmarks.operators import path_sets, suites
from tests.benchmarks.report import Section
from tests.benchmarks.zero_shot import calibration_error

COMMAND = "python -m tests.benchmarks unseen"
#: A confident answer, and a guess.
SURE, GUESS = 0.5, 0.3
HEAD = ("questions", "asked", "exact set", "refused", "sure and wrong", "ECE", "a question p50 / p95", "told")


def measure(names: Sequence[str] = ()) -> list[Section]:
    """Ask the questions of each suite, and of sets of relation paths, as a graph that was just uploaded is asked.

    Args:
        names: of suites, "paths" for the sets of relation paths; none for all.
    """
    section = Section(
        "All suites, untrained",
        COMMAND,
        "Questions of the operator suites (`CLEW_BENCH_SUITES` names further ones) and samples of sets of relation "
        "paths. Topic entities are linked by Clew; extractive reasoner, no checkpoint, no language model. The "
        "rankers that come with Clew have seen samples of most of these questions. Refused: no answer was given. "
        "Sure and wrong: wrong with a score of 0.5 or more. Told: questions that their graph cannot answer and that "
        "were refused or answered with guesses (scores below 0.3); they are counted in no other column.",
        head=HEAD,
    )
    asked = suites([name for name in names if name != "paths"]) if set(names) != {"paths"} else []
    by_suite: dict[str, list[tuple[SuiteQuestion, Outcome]]] = defaultdict(list)
    for one, outcome in answered([*asked, *(path_sets() if not names or "paths" in names else [])]):
        by_suite[one.suite].append((one, outcome))
    for suite, rows in by_suite.items():
        section.add(suite, *figures(rows))
    return [section]


def answered(
    asked: Sequence[SuiteQuestion], checkpoint: Path | None = None, method: str | None = None
) -> list[tuple[SuiteQuestion, Outcome]]:
    """What the engine answers to each, graph by graph: without a checkpoint, where none of a method is named."""
    encoder, found = load_encoder(), list[tuple[SuiteQuestion, Outcome]]()
    by_graph: dict[Path, list[SuiteQuestion]] = defaultdict(list)
    for one in asked:
        by_graph[one.graph].append(one)
    for graph, some in by_graph.items():
        spec = AnswererSpec(graph, checkpoint, method or DEFAULT)
        answerer = load_answerer(spec, load_parts(snapshots.open(graph), encoder))
        questions = [
            QuestionRecord(id=one.id, question=one.text, answers=one.right[0], also=one.right[1:]) for one in some
        ]
        report = evaluate_answerer(answerer, questions, budget=50, seed=0, topics="linked")
        found += zip(some, report.outcomes, strict=True)
        print(graph.name, len(some), flush=True)
    return found


def figures(rows: Sequence[tuple[SuiteQuestion, Outcome]]) -> tuple[str, ...]:
    """The cells below ``HEAD`` but its first: of questions that can be answered, and how many others were told."""
    asked = [outcome for one, outcome in rows if UNANSWERABLE not in one.operators]
    lacking = [sure_of(outcome) < GUESS for one, outcome in rows if UNANSWERABLE in one.operators]
    right = np.array([score(outcome).exact for outcome in asked])
    sure = np.array([sure_of(outcome) for outcome in asked])
    p50, p95 = np.percentile([outcome.latency_ms for outcome in asked], [50, 95])
    shares = (right, sure == 0.0, (sure >= SURE) & (right < 1.0))
    told = f"{sum(lacking)} of {len(lacking)}" if lacking else ""
    error = f"{calibration_error(asked):.3f}"
    return (
        f"{len(asked)}",
        *(f"{own.mean():.3f}" for own in shares),
        error,
        f"{p50:.0f} / {p95:.0f} ms",
        told,
    )


def sure_of(outcome: Outcome) -> float:
    """The score of the surest answer; 0 where nothing was answered."""
    return max((sure for _, sure in outcome.predicted), default=0.0)
