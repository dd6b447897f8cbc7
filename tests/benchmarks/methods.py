"""Every trained method on every public set: train, answer the test split with the extractive reasoner.

``python -m tests.benchmarks methods --method rapl --data PQ-2H`` runs some cells; finished ones are kept in the cache
and are not run again. The page shows all that are finished.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from retrieval.answering.loading import load_encoder
from retrieval.errors import ConfigError
from retrieval.evaluation.study import StudyRunner
from retrieval.methods.registry import RETRIEVERS
from retrieval.metrics.names import format_number
from retrieval.studies.plan import DataSet, StudyConfig, Variant, list_cells
from retrieval.weights.question_sets import QUESTION_SETS
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, prepared

#: Settings of a method on a set that were chosen on its dev split, where they differ from the defaults.
SETTINGS: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("reg-path", "WebQSP"): {"max_hops": 2, "epochs": 8, "patience": 8}
}
SHOWN = ("exact_set", "hit_at_1", "hit", "macro_f1")
HEAD = (
    "method",
    "exact set",
    "Hit@1",
    "Hit",
    "Macro-F1",
    "training",
    "retrieval alone p50 / p95",
    "a question p50",
)
#: Exact set by hops of MetaQA, then Hit@1; Hit@1 of PathQuestion; Hit@1, Hit and Macro-F1 of WebQSP.
GOALS = {
    "MetaQA": "exact set 0.94 / 0.98 / 0.97 and Hit@1 0.97 / 0.99 / 0.98 by hops, training <= 15 min",
    "PQ-2H": "Hit@1 0.985",
    "PQ-3H": "Hit@1 0.97",
    "PQL-2H": "Hit@1 0.97",
    "PQL-3H": "Hit@1 0.93",
    "WebQSP": "Hit@1 0.76, Hit 0.88, Macro-F1 0.74 with the topic given; at most 5 points less linked",
    "demo": "exact set 0.90, on wordings and relation paths of which training saw none as well",
}


def measure(methods: Sequence[str] = (), data: Sequence[str] = (), *, run: bool = True) -> list[Section]:
    """Run the chosen cells (all when none is named) and show every finished one; without ``run``, only show them."""
    known = [*sorted(RETRIEVERS)]
    for what, names, there in (("method", methods, known), ("data set", data, list(QUESTION_SETS))):
        for name in names:
            if name not in there:
                raise ConfigError(f"There is no {what} {name!r}.", hint=f"There is: {', '.join(there)}.")
    sections = []
    for name in QUESTION_SETS:
        of = prepared(name)
        if of is None:
            continue
        section = Section(
            f"Methods on {name}",
            f"python -m tests.benchmarks methods --data {name}",
            "Test split (by a hash of the id where the set brings none), extractive reasoner, 50 triples, no language "
            "model; 95% intervals by bootstrap over the questions; retrieval alone per question, warm. To reach: "
            f"{GOALS[name]}.",
            head=HEAD,
        )
        for method in known:
            wanted = run and (not methods or method in methods) and (not data or name in data)
            for topics in ("given", "linked") if name == "WebQSP" else ("given",):
                result = cell_of(name, of, method, topics, run=wanted)
                if result is not None:
                    add(section, method if topics == "given" else f"{method}, linked by Clew", result)
        if section.rows:
            sections.append(section)
    return sections


def cell_of(name: str, of: DataSet, method: str, topics: str, *, run: bool) -> dict[str, Any] | None:
    """The finished cell; done now where that is wanted."""
    variant = Variant(method, SETTINGS.get((method, name), {}))
    config = StudyConfig({name: of}, {method: variant}, topics=topics)
    study = StudyRunner(config, CACHE / "methods", encoder=load_encoder(), say=print)
    return next(study.run()) if run else study.find_result(list_cells(config)[0])


def add(section: Section, title: str, result: Mapping[str, Any]) -> None:
    """The row of a method, and one for each number of hops where there are several."""
    alone = result["retrieval_ms"]
    trained = result["training"]
    parts = " (in parts)" if trained.get("resumed") else ""
    section.add(
        title,
        *(_with_interval(result, name) for name in SHOWN),
        f"{trained['seconds']:.0f} s{parts}",
        f"{alone['p50']:.1f} / {alone['p95']:.1f} ms",
        f"{result['latency_ms']['p50']:.1f} ms",
    )
    if len(result["by_hops"]) > 1:
        for hops, row in result["by_hops"].items():
            figures = (format_number(row[name]) for name in SHOWN)
            section.add(f"{title}, {hops} hop ({row['n']:,} questions)", *figures, "", "", "")


def _with_interval(result: Mapping[str, Any], name: str) -> str:
    low, high = result["intervals"][name]
    return f"{format_number(result['metrics'][name])} ({format_number(low)}–{format_number(high)})"
