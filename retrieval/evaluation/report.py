"""The evaluation report: what was asked, what came out, and everything needed to repeat it."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from retrieval.config import export_settings
from retrieval.errors import EvaluationError
from retrieval.evaluation import coverage
from retrieval.evaluation.answers import compute_exact_match, compute_token_f1
from retrieval.evaluation.breakdowns import compute_breakdowns
from retrieval.evaluation.causes import CAUSES, find_cause
from retrieval.evaluation.evaluator import Evaluation
from retrieval.evaluation.gold_programs import GoldPrograms
from retrieval.evaluation.outcomes import Outcome, compute_fingerprint
from retrieval.kg.snapshot.labels import normalize_name
from retrieval.methods import registry
from retrieval.methods.retriever_loading import is_foreign
from retrieval.metrics.bootstrap import compute_intervals
from retrieval.metrics.guarantee import CalibrationAnswer, Guarantee, verify_guarantee
from retrieval.metrics.names import METRICS
from retrieval.metrics.scores import (
    Fact,
    QuestionScore,
    Scored,
    build_risk_table,
    compute_metrics,
    compute_quantile,
    score_of_row,
    score_question,
)
from retrieval.metrics.table_rows import score_rows
from retrieval.metrics.values import match_answers
from retrieval.supervision.distribution_shift import Shift, TrainingCoverage, group_by_question
from retrieval.supervision.labels import Label
from retrieval.training.manifest import read_manifest
from retrieval.version import get_code_version

#: How a question can end.
OUTCOMES = ("right", "partial", "wrong", "no_answer", "failed")


def score(outcome: Outcome, *, words: bool = False) -> QuestionScore:
    """Compare what was answered and retrieved with what the question set says; names are normalised.

    Answers that are values are compared as such (:mod:`retrieval.metrics.values`). ``exact`` is also 1 where what was
    answered is another answer set that the question set calls right.

    Args:
        words: compare the words of the best answer with those of the right ones too.
    """
    scores = _score(outcome)
    right = outcome.question.answers
    if not words or not right:
        return scores
    best = outcome.predicted[0][0] if outcome.predicted else ""
    return replace(scores, exact_match=compute_exact_match(best, right), token_f1=compute_token_f1(best, right))


def _score(outcome: Outcome) -> QuestionScore:
    question = outcome.question
    predicted = [Scored(label, score) for label, score in outcome.predicted]
    scores = score_question(
        match_answers(predicted, question.answers, normalize_name),
        {normalize_name(label) for label in question.answers},
        retrieved={_normalize_fact(fact) for fact in outcome.facts},
        gold_paths=[[_normalize_fact(fact) for fact in path] for path in question.paths],
        support=outcome.support,
    )
    if question.rows:
        # An answer that is no table is rows of one cell.
        rows = outcome.rows or tuple(((label, None),) for label, _ in outcome.predicted)
        row_f1, exact = score_rows(rows, question.rows)
        scores = replace(scores, row_f1=row_f1, exact_table=exact)
    return replace(scores, exact=1.0) if _is_one_of(predicted, question.also) else scores


def _is_one_of(predicted: Sequence[Scored[str]], sets: Sequence[Sequence[str]]) -> bool:
    """Whether the predicted answers are one of some other right answer sets."""
    return any(
        {item.answer for item in match_answers(predicted, labels, normalize_name)}
        == {normalize_name(label) for label in labels}
        for labels in sets
    )


def _normalize_fact(fact: Fact) -> Fact:
    head, relation, tail = fact
    return normalize_name(head), relation, normalize_name(tail)


def build_report(
    evaluation: Evaluation,
    *,
    checkpoint: Path | None = None,
    split: str | None = None,
    limit: int | None = None,
    seen: TrainingCoverage | None = None,
    labels: Sequence[Label] = (),
    asks_foreign: bool = False,
    guarantee: Guarantee | None = None,
) -> dict[str, Any]:
    """The report as plain JSON types (docs: DESIGN, "The engine's command line").

    Args:
        evaluation: what was asked and what came out.
        checkpoint: directory of the retriever's checkpoint, for the record.
        split: of the question set, for the record.
        limit: questions drawn of the split at most, for the record.
        seen: in training; taken from the checkpoint when it is not given.
        labels: relation paths of the questions, for those without gold paths.
        asks_foreign: as of the engine (``AnswererSpec``), for the record.
        guarantee: of a limit on wrong answers, that is compared with what came out.
    """
    outcomes = evaluation.outcomes
    words = registry.get_method(evaluation.answerer.method).worded
    gold = GoldPrograms(evaluation.answerer.snapshot)
    scores = [gold.score_program(outcome, score(outcome, words=words)) for outcome in outcomes]
    if seen is None and checkpoint is not None:
        seen = TrainingCoverage.load(checkpoint)
    shift = Shift(seen, group_by_question(labels)) if seen is not None else None
    bounds = compute_intervals(scores)
    causes = [find_cause(o, s, evaluation.answerer.snapshot) for o, s in zip(outcomes, scores, strict=True)]
    groups = compute_breakdowns(outcomes, scores, build_metrics, shift, evaluation.answerer.snapshot)
    return {
        "method": str(evaluation.answerer.method),
        "n": len(outcomes),
        "metrics": build_metrics(scores),
        "intervals": {name: list(bounds[name]) for name in METRICS if name in bounds},
        "risk": table.describe() if (table := build_risk_table(scores)) is not None else None,
        "guarantee": None if guarantee is None else verify_guarantee(guarantee, _list_answers(scores)),
        "by_hops": groups["hops"],
        "by_operator": groups.get("operators", {}),
        "breakdowns": groups,
        "outcomes": dict.fromkeys(OUTCOMES, 0) | Counter(map(label_outcome, outcomes, scores)),
        "causes": {name: causes.count(name) for name in CAUSES},
        "no_answers": _count_no_answers(outcomes),
        "programs": gold.count_programs(outcomes, scores),
        "latency_ms": _compute_percentiles([outcome.latency_ms for outcome in outcomes]),
        "retrieval_ms": _compute_percentiles([outcome.retrieval_ms for outcome in outcomes]),
        "usage": {
            "llm_calls": sum(outcome.usage.llm_calls for outcome in outcomes),
            "tokens": sum(_count_tokens(outcome) for outcome in outcomes),
            "reasoning_tokens": sum(outcome.usage.reasoning_tokens for outcome in outcomes),
            "cost": _compute_total([outcome.usage.cost for outcome in outcomes]),
        },
        "own_subgraphs": _describe_own_subgraphs(outcomes),
        "coverage": asdict(coverage.measure(evaluation.answerer.snapshot, [o.question for o in outcomes])),
        "manifest": _build_manifest(evaluation, checkpoint, split, limit, asks_foreign),
        "per_question": [
            {**_build_row(o, s, shift), "cause": why} for o, s, why in zip(outcomes, scores, causes, strict=True)
        ],
    }


def _list_answers(scores: Sequence[QuestionScore]) -> list[CalibrationAnswer]:
    return [CalibrationAnswer(score.confidence, score.exact == 1) for score in scores]


def write_report(out: Path, evaluation: Evaluation, **context: Any) -> dict[str, Any]:
    """Build the report (``context`` as in :func:`build_report`), write it beside, and rename it into place."""
    report = build_report(evaluation, **context)
    write_text(out, json.dumps(report, ensure_ascii=False, indent=1) + "\n")
    return report


def write_text(out: Path, text: str) -> None:
    """Write a file beside, then rename it into place."""
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)


def read_report(path: Path) -> dict[str, Any]:
    """A report that was written.

    Raises:
        EvaluationError: the file is missing or is no report.
    """
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EvaluationError(f"The report {path} cannot be read: {error}.") from error
    wanted = {"method", "n", "metrics", "manifest", "per_question"}
    if not isinstance(report, dict) or not wanted <= report.keys():
        raise EvaluationError(f"{path} is no evaluation report.", hint="Give files that `evaluate` wrote.")
    return report


def label_outcome(outcome: Outcome, scores: QuestionScore) -> str:
    """One of ``OUTCOMES``: ``right`` is the whole answer set, or silence where there is none; ``partial`` has some
    right answer; ``no_answer`` is silence where there is an answer."""
    if outcome.error is not None:
        return "failed"
    if scores.exact:
        return "right"
    if scores.true_positives:
        return "partial"
    return "wrong" if scores.predicted else "no_answer"


def build_metrics(scores: Sequence[QuestionScore]) -> dict[str, float | None]:
    """Metrics of a question set by the report's names; None where nothing applies."""
    figures = compute_metrics(scores)
    return {name: figures.get(name) for name in METRICS}


def _count_no_answers(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """How often a question without answers was told so, and how often one with answers was."""
    empty = [o for o in outcomes if not o.question.answers]
    full = [o for o in outcomes if o.question.answers]
    return {
        "unanswerable": len(empty),
        "right": _compute_share([o.no_answer is not None for o in empty]),
        "false": _compute_share([o.no_answer is not None for o in full]),
        "reasons": dict(Counter(o.no_answer for o in outcomes if o.no_answer)),
        "failed": dict(Counter(o.error for o in outcomes if o.error)),
    }


def _compute_total(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None


def _compute_share(marks: Sequence[bool]) -> float | None:
    return sum(marks) / len(marks) if marks else None


def _compute_percentiles(values: Sequence[float]) -> dict[str, float]:
    return {"p50": round(compute_quantile(values, 0.5), 2), "p95": round(compute_quantile(values, 0.95), 2)}


def _count_tokens(outcome: Outcome) -> int:
    return outcome.usage.prompt_tokens + outcome.usage.completion_tokens


def _describe_own_subgraphs(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Questions asked on their own subgraph, its mean size, and triples that the graph lacks."""
    sizes = [outcome.own_facts for outcome in outcomes if outcome.own_facts is not None]
    unknown: Counter[str] = Counter()
    for outcome in outcomes:
        unknown.update(outcome.unknown)
    return {
        "questions": len(sizes),
        "mean_facts": round(fmean(sizes), 1) if sizes else None,
        "unknown_triples": dict(sorted(unknown.items())),
    }


def _build_manifest(
    evaluation: Evaluation,
    checkpoint: Path | None,
    split: str | None,
    limit: int | None,
    asks_foreign: bool,
) -> dict[str, Any]:
    answerer = evaluation.answerer
    trained_on = read_manifest(checkpoint).snapshot if checkpoint else None
    snapshot = answerer.snapshot
    return {
        "seed": evaluation.seed,
        "checkpoint": answerer.checkpoint,
        "checkpoint_path": str(checkpoint) if checkpoint else None,
        "trained_on": trained_on,
        "cross_dataset": trained_on is not None and trained_on != snapshot.hash,
        # The zero-shot retriever answered, because the checkpoint says nothing of this graph.
        "stood_in": checkpoint is not None and not asks_foreign and is_foreign(checkpoint, snapshot),
        "snapshot": answerer.snapshot.hash,
        "questions": compute_fingerprint([outcome.question for outcome in evaluation.outcomes]),
        "config": {
            "budget": evaluation.budget,
            "reasoner": answerer.reasoner.name,
            "llm": answerer.reasoner.llm,
            "prompts": answerer.prompts,
            "encoder": answerer.encoder,
            "split": split,
            "limit": limit,
            "topics": evaluation.topics,
            "subgraphs": evaluation.subgraphs,
            "options": export_settings(answerer.options),
            **asdict(answerer.settings),
        },
        "code_version": get_code_version(),
    }


def _build_row(outcome: Outcome, scores: QuestionScore, shift: Shift | None) -> dict[str, Any]:
    question = outcome.question
    return {
        "id": question.id,
        "question": question.question,
        "topics": list(outcome.topics),
        "linked": outcome.linked,
        "answers": list(question.answers),
        "predicted": [label for label, _ in outcome.predicted],
        "confidence": scores.confidence,
        "no_answer": outcome.no_answer,
        "error": outcome.error,
        "outcome": label_outcome(outcome, scores),
        "hops": question.hops,
        "operators": list(question.operators),
        "also": [list(labels) for labels in question.also],
        "shift": shift.measure_level(question) if shift else None,
        "hit": scores.hit,
        "hit_at_1": scores.hit_at_1,
        "precision": scores.precision,
        "recall": scores.recall,
        "f1": scores.f1,
        "exact_set": scores.exact,
        "counts": [scores.true_positives, scores.predicted, scores.gold],
        "answer_recall": scores.answer_recall,
        "path_recall": scores.path_recall,
        "triples": scores.triples,
        "passage_recall_at_2": scores.passage_recall_at_2,
        "passage_recall_at_5": scores.passage_recall_at_5,
        "exact_match": scores.exact_match,
        "token_f1": scores.token_f1,
        "row_f1": scores.row_f1,
        "exact_table": scores.exact_table,
        "program_exact": scores.program,
        "program_answers": scores.program_answers,
        "program": outcome.program,
        "gold_program": question.program,
        "passages": list(outcome.passages),
        "gold_passages": list(question.passages),
        "own_facts": outcome.own_facts,
        "paths": [{"path": text, "score": value} for text, value in outcome.chains],
        "read": list(outcome.read),
        "gold_paths": [[list(fact) for fact in path] for path in question.paths],
        "llm_calls": outcome.usage.llm_calls,
        "tokens": _count_tokens(outcome),
        "reasoning_tokens": outcome.usage.reasoning_tokens,
        "latency_ms": round(outcome.latency_ms, 2),
        "retrieval_ms": round(outcome.retrieval_ms, 2),
    }


def read_scores(report: Mapping[str, Any]) -> list[QuestionScore]:
    """The scores behind a report's ``per_question``, in its order."""
    return [score_of_row(row) for row in report["per_question"]]
