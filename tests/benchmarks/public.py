"""Public question sets as a stranger's graphs: what is right, and what is sure and wrong, beside published figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from retrieval.evaluation.evaluator import sample
from retrieval.evaluation.outcomes import Outcome
from retrieval.evaluation.report import build_metrics, score
from retrieval.questions.files import read_questions
from retrieval.weights.suites import UNANSWERABLE, SuiteQuestion, read_suite
from retrieval.weights.wikitables import write_suite
from tests.benchmarks.data import DATA
from tests.benchmarks.newcomers import asked_of, judged
from tests.benchmarks.operators import TRAINING_DATA, suites
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, prepared
from tests.benchmarks.unseen import SURE, answered, sure_of
from tests.benchmarks.zero_shot import QUESTIONS, SEED

COMMAND = "python -m tests.benchmarks public"
SUITES = ("geoquery", "spider", "overnight")
#: Tables of WikiTableQuestions' training split that nothing was fitted or chosen on.
HELD_OUT_TABLES = slice(1000, 1040)
HEAD = (
    "set", "questions", "exact", "Macro-F1", "sure and wrong", "coverage at 5% error", "ECE", "seconds a question",
)  # fmt: skip
#: Figures that others print, of their own test questions and data; quoted, not measured.
QUOTED = (
    ("CK25, one column: GRASP with GPT-4.1 (quoted)", "", ".844", "", "", "", "", "29"),
    ("CK25, several columns: GRASP with GPT-4.1 (quoted)", "", ".500", "", "", "", "", ""),
)


def measure(names: Sequence[str] = ()) -> list[Section]:
    """Ask each set as a graph that was just uploaded is asked.

    Args:
        names: of ck25, geoquery, spider, overnight, wikitables, WebQSP; none for all.
    """
    section = Section(
        "Public sets",
        COMMAND,
        "The shared part of each set; topic entities are linked by Clew, extractive reasoner, no checkpoint, no "
        "language model. The rankers that come with Clew were fitted on samples of GeoQuery, Spider, Overnight and "
        "WebQSP, and on nothing of CK25; of WikiTableQuestions' training split, tables that they were not fitted on "
        "are asked. Sure and wrong: not exact, with a confidence of 0.5 or more. Questions "
        "that their graph cannot answer are left out. Quoted: GRASP (arXiv 2507.08107) with GPT-4.1 on all of CK25, 29 "
        "seconds a question; these figures were handed on, and not found again in a primary source.",
        head=HEAD,
        theme="Untrained",
    )
    for name, rows in _collect(names):
        section.add(name, *compute_row([outcome for _, outcome in rows]))
    for row in QUOTED if not names or "ck25" in names else ():
        section.add(*row)
    return [section]


def _collect(names: Sequence[str]) -> list[tuple[str, list[tuple[SuiteQuestion, Outcome]]]]:
    """The answered questions of each set, CK25's by the number of columns too."""
    found: list[tuple[str, list[tuple[SuiteQuestion, Outcome]]]] = []
    folder = DATA / "real" / "ck25"
    if folder.is_dir() and (not names or "ck25" in names):
        rows = judged(answered([one for one in asked_of(folder) if UNANSWERABLE not in one.operators]))
        by_kind: dict[str, list[tuple[SuiteQuestion, Outcome]]] = defaultdict(list)
        for one, outcome in rows:
            by_kind[one.operators[0]].append((one, outcome))
        found += [("CK25", rows), *((f"CK25, {kind}", some) for kind, some in sorted(by_kind.items()))]
    wanted = [name for name in SUITES if not names or name in names]
    asked = [one for one in suites(wanted) if UNANSWERABLE not in one.operators] if wanted else []
    by_suite: dict[str, list[tuple[SuiteQuestion, Outcome]]] = defaultdict(list)
    for one, outcome in answered(asked):
        by_suite[one.suite].append((one, outcome))
    found += by_suite.items()
    wikitables = TRAINING_DATA.find("wikitables")
    if wikitables is not None and (not names or "wikitables" in names):
        tables = write_suite(wikitables, CACHE / "wikitables_held_out", HELD_OUT_TABLES)
        found.append(("WikiTableQuestions", judged(answered([*read_suite(TRAINING_DATA, tables)]))))
    of = prepared("WebQSP") if not names or "WebQSP" in names else None
    if of is not None:
        known = [question for question in read_questions(of.questions, problems=lambda _: None) if question.answers]
        some = [
            SuiteQuestion(
                question.id, "WebQSP", "WebQSP", of.graph, question.question, (question.answers, *question.also)
            )
            for question in sample(known, QUESTIONS, SEED)
        ]
        found.append(("WebQSP", answered(some)))
    return found


def compute_row(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """The cells below ``HEAD`` but its first."""
    metrics = build_metrics([score(outcome) for outcome in outcomes])
    wrong = [sure_of(outcome) >= SURE and score(outcome).exact < 1 for outcome in outcomes]
    shown = (metrics["exact_set"], metrics["macro_f1"], float(np.mean(wrong)), metrics["coverage_at_5"], metrics["ece"])
    seconds = float(np.mean([outcome.latency_ms for outcome in outcomes])) / 1000
    cells = ("–" if value is None else f"{value:.3f}" for value in shown)
    return (f"{len(outcomes)}", *cells, f"{seconds:.2f}")
