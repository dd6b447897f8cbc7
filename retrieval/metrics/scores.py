"""Metrics of answers and of retrieved evidence. Plain Python and numpy; each question is scored by itself first.

Ties: predicted answers are a set, so their order counts for nothing but Hit@1. Where several answers share the
best score, Hit@1 is the share of them that are right: what a random order among them gives on average.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Generic, TypeVar

import numpy as np

from retrieval.metrics.risk import RiskTable

Fact = tuple[str, str, str]
T = TypeVar("T", int, str)


@dataclass(frozen=True, slots=True)
class Scored(Generic[T]):
    """A predicted answer and its score."""

    answer: T
    score: float


@dataclass(frozen=True, slots=True)
class QuestionScore:
    """How one question was answered.

    Attributes:
        hit: at least one predicted answer is right (an unanswerable question: nothing was predicted).
        hit_at_1: the best-scored answer is right; with several best ones, the share of them that are, which
            is what a random order among them gives on average.
        precision, recall, f1: of the predicted set. All 1 when both sets are empty.
        exact: the sets are equal.
        true_positives, predicted, gold: sizes, for Micro-F1.
        answer_recall: share of gold answers that the retrieved triples mention; None when not measured.
        path_recall: share of gold paths whose triples were all retrieved; None without gold paths.
        triples: distinct triples retrieved; None when not measured.
        passage_recall_at_2, passage_recall_at_5: share of the supporting passages among the best 2 and 5; None
            without supporting passages, or where no passages are retrieved.
        exact_match, token_f1: of the words of the best answer, after SQuAD's normalisation; None where they are not
            measured.
        row_f1, exact_table: of the rows of a table, see :func:`retrieval.metrics.table_rows.score_rows`; None where no
            table answers the question.
        program: the program that was run is the gold one; None without a gold program.
        program_answers: what was answered is what the gold program gives; None without one.
        confidence: of the best answer; None where nothing was predicted, or in reports that do not tell it.
    """

    hit: float
    hit_at_1: float
    precision: float
    recall: float
    f1: float
    exact: float
    true_positives: int
    predicted: int
    gold: int
    answer_recall: float | None = None
    path_recall: float | None = None
    triples: int | None = None
    passage_recall_at_2: float | None = None
    passage_recall_at_5: float | None = None
    exact_match: float | None = None
    token_f1: float | None = None
    row_f1: float | None = None
    exact_table: float | None = None
    program: float | None = None
    program_answers: float | None = None
    confidence: float | None = None


def score_question(
    predicted: Sequence[Scored[T]],
    gold: Collection[T],
    *,
    retrieved: Collection[Fact] | None = None,
    gold_paths: Sequence[Sequence[Fact]] = (),
    support: Sequence[int] = (),
) -> QuestionScore:
    """Score one question.

    Args:
        predicted: answers with scores; the highest score of a repeated answer counts.
        gold: the right answers; empty for an unanswerable question.
        retrieved: distinct (head, relation, tail) labels that the retriever found.
        gold_paths: gold reasoning paths.
        support: places of the supporting passages among those found, from 1; 0 where not found.
    """
    best: dict[T, float] = {}
    for item in predicted:
        best[item.answer] = max(item.score, best.get(item.answer, item.score))
    right = set(gold)
    hits = len(right & set(best))
    if not best and not right:
        hit = hit_at_1 = precision = recall = 1.0
    else:
        hit = float(hits > 0)
        top = [answer for answer, score in best.items() if score == max(best.values())]
        hit_at_1 = fmean(answer in right for answer in top) if top else 0.0
        precision = hits / len(best) if best else 0.0
        recall = hits / len(right) if right else 0.0
    mentioned = None if retrieved is None else {end for head, _, tail in retrieved for end in (head, tail)}
    facts = None if retrieved is None else set(retrieved)
    return QuestionScore(
        hit=hit,
        hit_at_1=hit_at_1,
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        exact=float(set(best) == right),
        true_positives=hits,
        predicted=len(best),
        gold=len(right),
        answer_recall=(
            fmean(str(answer) in mentioned for answer in right) if mentioned is not None and right else None
        ),
        path_recall=(
            fmean(facts.issuperset(path) for path in gold_paths) if facts is not None and gold_paths else None
        ),
        triples=None if facts is None else len(facts),
        passage_recall_at_2=fmean(0 < place <= 2 for place in support) if support else None,
        passage_recall_at_5=fmean(0 < place <= 5 for place in support) if support else None,
        confidence=max(best.values(), default=None),
    )


def score_of_row(row: Mapping[str, Any]) -> QuestionScore:
    """The score behind a row of a report's ``per_question``."""
    positives, predicted, gold = row["counts"]
    return QuestionScore(
        hit=row["hit"],
        hit_at_1=row["hit_at_1"],
        precision=row["precision"],
        recall=row["recall"],
        f1=row["f1"],
        exact=row["exact_set"],
        true_positives=positives,
        predicted=predicted,
        gold=gold,
        answer_recall=row["answer_recall"],
        path_recall=row["path_recall"],
        triples=row["triples"],
        passage_recall_at_2=row.get("passage_recall_at_2"),
        passage_recall_at_5=row.get("passage_recall_at_5"),
        exact_match=row.get("exact_match"),
        token_f1=row.get("token_f1"),
        row_f1=row.get("row_f1"),
        exact_table=row.get("exact_table"),
        program=row.get("program_exact"),
        program_answers=row.get("program_answers"),
        confidence=row.get("confidence"),
    )


def build_risk_table(scores: Sequence[QuestionScore]) -> RiskTable | None:
    """The questions by falling confidence; None where the confidence of an answer is not known."""
    if any(score.predicted and score.confidence is None for score in scores):
        return None
    return RiskTable([score.confidence for score in scores], [score.exact == 1 for score in scores])


def compute_metrics(scores: Sequence[QuestionScore]) -> dict[str, float]:
    """Metrics of a question set, by the names of ``report.json``. Metrics that no question has are left out.

    ``macro_f1`` is the mean of the questions' F1; ``micro_f1`` is the F1 of all answers of all questions
    together.
    """
    if not scores:
        return {}
    positives = sum(score.true_positives for score in scores)
    sizes = sum(score.predicted + score.gold for score in scores)
    metrics = {
        "hit": fmean(score.hit for score in scores),
        "hit_at_1": fmean(score.hit_at_1 for score in scores),
        "macro_f1": fmean(score.f1 for score in scores),
        "micro_f1": 2 * positives / sizes if sizes else 1.0,
        "exact_set": fmean(score.exact for score in scores),
    }
    for name, field in (
        ("answer_recall", "answer_recall"),
        ("path_recall", "path_recall"),
        ("passage_recall_at_2", "passage_recall_at_2"),
        ("passage_recall_at_5", "passage_recall_at_5"),
        ("exact_match", "exact_match"),
        ("token_f1", "token_f1"),
        ("row_f1", "row_f1"),
        ("exact_table", "exact_table"),
        ("program_exact", "program"),
        ("program_answers", "program_answers"),
        ("avg_triples", "triples"),
    ):
        values = [float(value) for score in scores if (value := getattr(score, field)) is not None]
        if values:
            metrics[name] = fmean(values)
    table, each = build_risk_table(scores), np.ones((1, len(scores)))
    if table is not None:
        metrics["coverage_at_5"] = float(table.compute_coverage(each)[0])
        error = float(table.compute_calibration_error(each)[0])
        metrics |= {} if math.isnan(error) else {"ece": error}
    return metrics


def compute_quantile(values: Sequence[float], share: float) -> float:
    """The smallest of the values that at least ``share`` of them do not exceed (nearest rank); 0 for none.

    Args:
        values: in any order.
        share: in (0, 1].
    """
    if not values:
        return 0.0
    rank = math.ceil(share * len(values) - 1e-9)
    return sorted(values)[max(rank, 1) - 1]
