"""INSES without training and without a language model on graphs of facts: MetaQA and PathQuestion."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from retrieval.answering.loading import load_answerer, load_encoder, load_parts
from retrieval.answering.run import AskRequest
from retrieval.answering.spec import AnswererSpec
from retrieval.events import AgentStep
from retrieval.kg.snapshot import open as open_snapshot
from retrieval.language.question import Question
from retrieval.questions.files import read_questions
from retrieval.studies.plan import DataSet
from tests.benchmarks.report import Section
from tests.benchmarks.sets import chosen, clew

COMMAND = "python -m tests.benchmarks inses_facts"
SETS = ("MetaQA", "PQ-2H", "PQ-3H", "PQL-2H", "PQL-3H")
SAMPLE = 500
"""Test questions drawn (by seed 0) where there are more."""
TIMED = 30
"""Questions whose steps are timed."""
METHODS = ("inses", "rel-rag-path")


def measure(data: Sequence[str] = ()) -> list[Section]:
    """The chosen sets, all when none is named."""
    section = Section(
        "inses on facts",
        COMMAND,
        f"Test split, topic entities given, at most {SAMPLE} questions drawn by seed 0 from each set, default encoder "
        "as navigator, extractive reasoner, 50 triples, no language model. *rel-rag-path*: relation paths of the same "
        "encoder, untrained too. A step is one iteration of the search. No setting was chosen on these sets.",
        head=("set", "questions", "method", "hit", "Hit@1", "exact set", "macro-F1", "a step, p50 / p95"),
    )
    for name, of in chosen(data, SETS).items():
        clew("index", str(of.graph))
        for method in METHODS:
            with tempfile.TemporaryDirectory() as folder:
                out = Path(folder) / "report.json"
                clew(
                    *(
                        "evaluate",
                        "--method",
                        method,
                        "--graph",
                        str(of.graph),
                        "--questions",
                        str(of.questions),
                    ),
                    *("--split", "test", "--limit", str(SAMPLE), "--out", str(out)),
                )
                report = json.loads(out.read_text(encoding="utf-8"))
            metrics = report["metrics"]
            figures = (f"{metrics[key]:.3f}" for key in ("hit", "hit_at_1", "exact_set", "macro_f1"))
            steps = _steps(of) if method == "inses" else ""
            section.add(name, str(len(report["per_question"])), f"`{method}`", *figures, steps)
    return [section] if section.rows else []


def _steps(of: DataSet) -> str:
    """How long a step takes, in ms, after a question that warms up."""
    graph = open_snapshot(of.graph)
    answerer = load_answerer(AnswererSpec(of.graph, method="inses"), load_parts(graph, load_encoder(device="cpu")))
    asked = [q for q in read_questions(of.questions, problems=print) if q.split == "test"]
    asked = asked[:: max(1, len(asked) // TIMED)]  # a set may list all questions of one hop first
    times: list[float] = []
    for number, question in enumerate(asked):
        topics = tuple(t for label in question.topic_entities if (t := graph.labels.resolve(label)) is not None)
        events = answerer.run(AskRequest(Question(question.question), given=topics))
        took = [event.took_ms for event in events if isinstance(event, AgentStep)]
        times += took if number else []
    return f"{np.median(times):.0f} / {np.quantile(times, 0.95):.0f} ms"
