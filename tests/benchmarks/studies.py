"""Studies that train for hours: what a share of the questions is worth, and what labels are.

Resumable like ``methods``, with which they share finished cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from retrieval.answering.loading import load_encoder
from retrieval.evaluation.study import StudyRunner
from retrieval.studies.plan import StudyConfig, Variant
from retrieval.studies.summary import build_summary
from retrieval.weights.question_sets import QUESTION_SETS
from tests.benchmarks.report import Section
from tests.benchmarks.sets import CACHE, chosen

METHOD = "rel-rag-path"
SHOWN = ("exact_set", "hit_at_1", "macro_f1")
HEAD = ("set", "share", "variant", "exact set", "Hit@1", "Macro-F1", "training")


def efficiency(data: Sequence[str] = ()) -> list[Section]:
    """5% of the training questions against all of them."""
    sets = chosen(data, ("MetaQA",))
    config = StudyConfig(sets, {METHOD: Variant(METHOD)}, fractions=(0.05, 0.25, 1.0))
    about = (
        f"`{METHOD}` trained on a share of the training and dev questions, smaller shares within larger ones, and "
        "tested on the whole test split. To reach: 5% within 2 points of everything, exact set."
    )
    return _section("Shares of training data", "efficiency", about, config)


def supervision(data: Sequence[str] = ()) -> list[Section]:
    """The answer-set rationalizer against shortest paths; gold paths, where a set brings them, are not used."""
    sets = chosen(data, tuple(QUESTION_SETS))
    variants = {name: Variant(METHOD, strategy=name) for name in ("shortest-path", "answer-set")}
    config = StudyConfig(sets, variants, baseline="shortest-path")
    about = (
        f"`{METHOD}` trained on labels of either kind, made from topics and answers alone; gold paths are not used. "
        "Test splits, extractive reasoner."
    )
    return _section("Label strategies", "supervision", about, config)


def _section(title: str, name: str, about: str, config: StudyConfig) -> list[Section]:
    if not config.data:
        return []
    results = list(StudyRunner(config, CACHE / "methods", encoder=load_encoder(), say=print).run())
    summary = build_summary(results, baseline=config.baseline)
    section = Section(title, f"python -m tests.benchmarks {name}", about, head=HEAD)
    for row in summary["rows"]:
        hops = row["groups"].get("hops", {})
        section.add(*_place(row), *_figures(row["metrics"]), f"{row['training_s']['mean']:.0f} s")
        if len(hops) > 1:
            for group, found in hops.items():
                cells = (f"{found[name]:.3f}" for name in SHOWN)
                section.add(f"{row['test']}, {group} hop", *_place(row)[1:], *cells)
    return [section]


def _place(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["test"], f"{row['fraction']:.0%}", row["variant"]


def _figures(metrics: Mapping[str, Any]) -> list[str]:
    return [f"{metrics[name]['mean']:.3f}" for name in SHOWN]
