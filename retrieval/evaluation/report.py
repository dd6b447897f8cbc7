"""The evaluation report: what was asked, what came out, and everything needed to repeat it."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from retrieval.evaluation.evaluator import Evaluation, Outcome
from retrieval.evaluation.metrics import Fact, QuestionScore, Scored, aggregate, score_question
from retrieval.kg.labels import normalise
from retrieval.version import code_version

#: Every metric a report has, in its order; one that does not apply is null.
METRICS = (
    "hit", "hit_at_1", "macro_f1", "micro_f1", "exact_set", "answer_recall", "path_recall",
    "passage_recall_at_2", "passage_recall_at_5", "avg_triples",
)  # fmt: skip


def score(outcome: Outcome) -> QuestionScore:
    """Compare what was answered and retrieved with what the question set says; names are normalised."""
    question = outcome.question
    return score_question(
        [Scored(normalise(label), score) for label, score in outcome.predicted],
        {normalise(label) for label in question.answers},
        retrieved={_plain(fact) for fact in outcome.facts},
        gold_paths=[[_plain(fact) for fact in path] for path in question.paths],
    )


def _plain(fact: Fact) -> Fact:
    head, relation, tail = fact
    return normalise(head), relation, normalise(tail)


def build_report(
    evaluation: Evaluation, *, checkpoint: Path | None = None, split: str | None = None
) -> dict[str, Any]:
    """The report as plain JSON types (docs: DESIGN, "The engine's command line")."""
    outcomes = evaluation.outcomes
    scores = [score(outcome) for outcome in outcomes]
    engine = evaluation.engine
    return {
        "method": str(engine.retriever.method),
        "n": len(outcomes),
        "metrics": metrics(scores),
        "by_hops": _by_hops(outcomes, scores),
        "no_answers": _no_answers(outcomes),
        "latency_ms": {
            "p50": _quantile([outcome.latency_ms for outcome in outcomes], 0.5),
            "p95": _quantile([outcome.latency_ms for outcome in outcomes], 0.95),
        },
        "usage": {
            "llm_calls": sum(outcome.usage.llm_calls for outcome in outcomes),
            "tokens": sum(o.usage.prompt_tokens + o.usage.completion_tokens for o in outcomes),
        },
        "manifest": {
            "seed": evaluation.seed,
            "checkpoint": engine.retriever.checkpoint,
            "checkpoint_path": str(checkpoint) if checkpoint else None,
            "snapshot": engine.snapshot.hash,
            "config": {
                "budget": evaluation.budget,
                "reasoner": engine.reasoner.name,
                "encoder": engine.encoder,
                "split": split,
                **asdict(engine.settings),
            },
            "code_version": code_version(),
        },
        "per_question": [_row(o, s) for o, s in zip(outcomes, scores, strict=True)],
    }


def write_report(
    out: Path, evaluation: Evaluation, *, checkpoint: Path | None = None, split: str | None = None
) -> dict[str, Any]:
    """Build the report and write it beside, then rename it into place."""
    report = build_report(evaluation, checkpoint=checkpoint, split=split)
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        part.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    return report


def metrics(scores: Sequence[QuestionScore]) -> dict[str, float | None]:
    """Metrics of a question set by the report's names; None where nothing applies."""
    found = aggregate(scores)
    return {name: found.get(name) for name in METRICS}


def _by_hops(outcomes: Sequence[Outcome], scores: Sequence[QuestionScore]) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[int]] = {}
    for i, outcome in enumerate(outcomes):
        if outcome.question.hops is not None:
            groups.setdefault(str(outcome.question.hops), []).append(i)
    return {
        hops: {"n": len(rows), **metrics([scores[i] for i in rows])} for hops, rows in sorted(groups.items())
    }


def _no_answers(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """How often a question without answers was told so, and how often one with answers was."""
    empty = [o for o in outcomes if not o.question.answers]
    full = [o for o in outcomes if o.question.answers]
    return {
        "unanswerable": len(empty),
        "right": _share([o.no_answer is not None for o in empty]),
        "false": _share([o.no_answer is not None for o in full]),
        "reasons": dict(Counter(o.no_answer for o in outcomes if o.no_answer)),
        "failed": dict(Counter(o.error for o in outcomes if o.error)),
    }


def _share(marks: Sequence[bool]) -> float | None:
    return sum(marks) / len(marks) if marks else None


def _quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least ``share`` of the values do not exceed; 0 for none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 2)


def _row(outcome: Outcome, scores: QuestionScore) -> dict[str, Any]:
    question = outcome.question
    return {
        "id": question.id,
        "question": question.question,
        "topics": list(outcome.topics),
        "linked": outcome.linked,
        "answers": list(question.answers),
        "predicted": [label for label, _ in outcome.predicted],
        "no_answer": outcome.no_answer,
        "error": outcome.error,
        "hops": question.hops,
        "hit": scores.hit,
        "f1": scores.f1,
        "exact_set": scores.exact,
        "triples": outcome.usage.triples,
        "latency_ms": round(outcome.latency_ms, 2),
    }
