"""Builds ``judge.safetensors``, which of the best programs is what was asked, and the calibration of programs.

The ranker stays as it is. The judge learns from questions with their answers which of the ranker's best programs is
right; the calibration, a part of ``programs.json``, learns from what the judge then chooses, and from the same
questions over copies of their graphs that lack a relation that the answer needs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from retrieval import thresholds
from retrieval.pretrained import JUDGE, PROGRAMS
from retrieval.programs.calibration import compute_program_evidence, compute_ranking_evidence, is_refused
from retrieval.programs.scoring.features import compute_agreement, get_result_key
from retrieval.programs.scoring.judge import LOOKED_AT, Judge, build_judge_signs
from retrieval.programs.weights import Weights
from retrieval.weights.builder import FigureRow, HeldOutFigures, WeightBuilder
from retrieval.weights.data import OPERATOR_SUITES, OWN_GRAPHS, SPIDER_TRAINING, WIKITABLES
from retrieval.weights.judge_network import JudgedQuestion, fit_judge
from retrieval.weights.logistic import assign_fold, compute_calibration_error, compute_probability, fit_logistic
from retrieval.weights.masking import find_needed_relations, mask_questions
from retrieval.weights.reading import ParserPool
from retrieval.weights.suites import SuiteQuestion, load_suites

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.linking.encoder import Encoder
    from retrieval.weights.data import TrainingData

#: Whole graphs are left out in so many parts.
_FOLDS = 5
#: The weight of a graph is the number of its questions to the power of this.
_GRAPH_POWER = 0.6
#: Weight of a question over a copy that lacks something beside one over the whole graph.
_MASKED = 0.4
#: Signs of fewer questions get no weight.
_RARE = 15
#: Set by hand: the sets hold hardly any question that nothing answers, or with "each".
_BY_HAND = {"empty": -0.4223, "s:res.0": 0.0, "s:op.miss.each": 0.0}


@dataclass(frozen=True, slots=True)
class RankedPrograms:
    """The best programs of a question, in the order of the ranker.

    Attributes:
        question: the question.
        graph: the name of its graph; of a copy, that of the graph that was copied.
        right: which programs are right.
        scores: of the ranker.
        signs: what the judge looks at.
        evidence: what speaks for and against each.
        results: programs of the same number give the same result.
        refused: which are no answer.
        words: how many the question has.
        needs: labels of the relations of the best program that is right.
    """

    question: SuiteQuestion
    graph: str
    right: tuple[bool, ...]
    scores: tuple[float, ...]
    signs: tuple[dict[str, float], ...]
    evidence: tuple[dict[str, float], ...]
    results: tuple[int, ...]
    refused: tuple[bool, ...]
    words: int
    needs: frozenset[str] = frozenset()

    @property
    def unanswerable(self) -> bool:
        """Whether the graph cannot answer."""
        return self.graph != self.question.graph.name or self.question.is_unanswerable


@dataclass(frozen=True, slots=True)
class ChosenProgram:
    """The program chosen for a question: what speaks for it, and whether it is right."""

    ranked: RankedPrograms
    evidence: dict[str, float]
    right: bool
    refused: bool


@dataclass(frozen=True, slots=True)
class JudgeExamples:
    """What the judge learns from: the ranker, and the programs that it ranks."""

    ranker: Weights
    ranked: list[RankedPrograms]


@dataclass(frozen=True, slots=True)
class JudgeWeights:
    """The judge, and the ranker with the calibration of what the judge chooses."""

    judge: Judge
    ranker: Weights


class ProgramJudgeBuilder(WeightBuilder[JudgeExamples, JudgeWeights]):
    """Builds the judge of programs and their calibration."""

    name: ClassVar[str] = "judge"
    file: ClassVar[Path] = JUDGE
    about: ClassVar[str] = "looks again at the best programs of a question; with the calibration in programs.json"
    sources = (OWN_GRAPHS, OPERATOR_SUITES, SPIDER_TRAINING, WIKITABLES)

    def prepare(self, data: TrainingData, encoder: Encoder, seed: int) -> JudgeExamples:
        """Rank the programs of all questions, and of the same questions over graphs that lack what they need."""
        ranker = Weights.load(data.find_weights(PROGRAMS))
        pool = ParserPool(encoder, ranker)
        ranked = [_rank(pool, question, question.graph.name) for question in load_suites(data)]
        needs = [(entry.question, entry.needs) for entry in ranked if entry.needs and not entry.unanswerable]
        masked = [
            _rank(pool, copied, original.graph.name) for copied, original in mask_questions(data, needs, seed)
        ]  # fmt: skip
        return JudgeExamples(ranker, [*ranked, *(entry for entry in masked if not any(entry.right[:1]))])

    def build(self, examples: JudgeExamples, seed: int) -> JudgeWeights:
        """Fit the judge, and then the calibration of what it chooses."""
        judge, calibration = _fit(examples.ranked, seed)
        ranker = Weights(examples.ranker.values, examples.ranker.temperature, calibration | _BY_HAND)
        return JudgeWeights(judge, ranker)

    def evaluate(self, examples: JudgeExamples, seed: int) -> HeldOutFigures:
        """Measure judges and calibrations that were fitted without the graph and all its questions."""
        rows = [row for fold in range(_FOLDS) for row in _judge_left_out(examples.ranked, fold, seed)]
        by_suite: dict[str, list[_Confident]] = defaultdict(list)
        for row in rows:
            by_suite[row[0].ranked.question.suite].append(row)
        return HeldOutFigures(
            f"Fitted without the graph and without all questions over it, in {_FOLDS} parts; the ranker below them "
            "has seen the suites. *doubted*: right answers with a confidence below 0.3; *recognised*: of questions "
            "that the graph, or a copy of it without a relation that the answer needs, cannot answer, those with a "
            "confidence below 0.3.",
            (*(_compute_row(suite, some) for suite, some in sorted(by_suite.items())), _compute_row("all", rows)),
        )

    def write(self, built: JudgeWeights, out: Path) -> None:
        """Write the judge, and beside it the weights of the ranker with the calibration."""
        built.judge.save(out)
        built.ranker.save(out.with_name(PROGRAMS.name))


_Confident = tuple[ChosenProgram, float]


def _rank(pool: ParserPool, question: SuiteQuestion, graph: str) -> RankedPrograms:
    parser, reading = pool.get_parser(question.graph), pool.read(question)
    best = reading.candidates[:LOOKED_AT]
    right = pool.check_candidates(question, best)
    keys = [get_result_key(candidate) for candidate in best]
    return RankedPrograms(
        question,
        graph,
        right,
        tuple(candidate.score for candidate in best),
        tuple(build_judge_signs(best, reading.signs, compute_agreement(reading.candidates), parser.weights)),
        tuple(compute_program_evidence(reading, candidate) for candidate in best),
        tuple(keys.index(key) for key in keys),
        tuple(is_refused(reading, candidate) for candidate in best),
        max(1, len(reading.question.words)),
        find_needed_relations(parser.schema, best[right.index(True)].program) if any(right) else frozenset(),
    )


def _fit(examples: Sequence[RankedPrograms], seed: int) -> tuple[Judge, dict[str, float]]:
    answerable = [entry for entry in examples if not entry.unanswerable]
    weights = _compute_weights(answerable)
    judged = [
        JudgedQuestion(entry.signs, entry.right, entry.scores, weight)
        for entry, weight in zip(answerable, weights, strict=True)
    ]
    judge = fit_judge(judged, seed)
    return judge, _fit_calibration([_choose(judge, entry) for entry in examples])


def _compute_weights(examples: Sequence[RankedPrograms]) -> np.ndarray:
    sizes = Counter((entry.graph, entry.unanswerable) for entry in examples)
    weights: np.ndarray = np.array([sizes[entry.graph, entry.unanswerable] ** (_GRAPH_POWER - 1) for entry in examples])
    weights /= weights.mean()
    return weights


def _judge_left_out(examples: Sequence[RankedPrograms], fold: int, seed: int) -> list[_Confident]:
    """The questions of a part, judged by what was fitted without it."""
    others = [entry for entry in examples if assign_fold(entry.graph, _FOLDS) != fold]
    held_out = [entry for entry in examples if assign_fold(entry.graph, _FOLDS) == fold]
    if not others or not held_out:
        return []
    judge, calibration = _fit(others, seed)
    return [
        (chosen, 0.0 if chosen.refused else compute_probability(calibration, chosen.evidence))
        for chosen in (_choose(judge, entry) for entry in held_out)
    ]


def _choose(judge: Judge, ranked: RankedPrograms) -> ChosenProgram:
    """The judge's choice for a question."""
    if not ranked.scores:
        return ChosenProgram(ranked, {}, right=False, refused=True)
    scores = np.array(ranked.scores)
    if len(scores) > 1:
        adjustments = judge.compute_adjustments(ranked.signs)
        scores = scores + adjustments - adjustments.max()
    order = np.argsort(-scores, kind="stable")
    shares = np.exp(scores - scores.max())
    likely = (shares / shares.sum())[order]
    best = int(order[0])
    same = [ranked.results[place] == ranked.results[best] for place in order]
    evidence = compute_ranking_evidence(likely.tolist(), same, float(scores[best]) / ranked.words)
    right = ranked.right[best] and not ranked.question.is_unanswerable
    return ChosenProgram(ranked, ranked.evidence[best] | evidence, right, ranked.refused[best])


def _fit_calibration(chosen: Sequence[ChosenProgram]) -> dict[str, float]:
    answers = [answer for answer in chosen if not answer.refused]
    share = np.array([_MASKED if answer.ranked.unanswerable else 1.0 for answer in answers])
    weights = _compute_weights([answer.ranked for answer in answers]) * share
    evidence, right = [answer.evidence for answer in answers], [answer.right for answer in answers]
    return fit_logistic(evidence, right, weights, rare=_RARE)


def _compute_row(suite: str, rows: Sequence[_Confident]) -> FigureRow:
    answerable = [(chosen, confidence) for chosen, confidence in rows if not chosen.ranked.unanswerable]
    unanswerable = [confidence for chosen, confidence in rows if chosen.ranked.unanswerable]
    right = np.array([chosen.right for chosen, _ in answerable], bool)
    confidence = np.array([probability for _, probability in answerable], float)
    figures: dict[str, float] = {"questions": len(answerable)}
    if answerable:
        figures |= {
            "by the ranker": float(np.mean([any(chosen.ranked.right[:1]) for chosen, _ in answerable])),
            "by the judge": float(right.mean()),
            "ECE": compute_calibration_error(confidence, right),
            "doubted": float(np.mean(confidence[right] < thresholds.GUESS)) if right.any() else 0.0,
        }
    if unanswerable:
        figures |= {
            "unanswerable": len(unanswerable),
            "recognised": float(np.mean(np.array(unanswerable) < thresholds.GUESS)),
        }
    return FigureRow(suite, figures)
