"""From a question to programs, ranked: what its chart composed is finished, executed and weighed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval import effort
from retrieval.language import words as vocabulary
from retrieval.language.question import Question
from retrieval.language.words import QuestionWords
from retrieval.programs.algebra.columns import Columns
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.operations import Entities, Exists, Program
from retrieval.programs.algebra.table_operations import Table
from retrieval.programs.constructions.answer_shaping import AnswerShaper
from retrieval.programs.constructions.answer_types import find_wanted_nodes
from retrieval.programs.constructions.arithmetic import Calculations
from retrieval.programs.constructions.calculated_columns import CalculatedColumns
from retrieval.programs.constructions.construction import ComposedQuestion, Construction
from retrieval.programs.constructions.differences import Differences
from retrieval.programs.constructions.durations import Durations
from retrieval.programs.constructions.lifespans import Lifespans
from retrieval.programs.constructions.ordering import apply_order
from retrieval.programs.constructions.projections import Listed, find_item_list
from retrieval.programs.constructions.routes import Routes
from retrieval.programs.constructions.row_order import RowOrder
from retrieval.programs.constructions.tables import Tables
from retrieval.programs.constructions.value_differences import ValueDifferences
from retrieval.programs.grammar.chart import Chart
from retrieval.programs.grammar.composition import ProgramComposer
from retrieval.programs.grammar.constituents import Part
from retrieval.programs.grounding.anchors.finder import Anchors
from retrieval.programs.grounding.anchors.similarity import Similarity
from retrieval.programs.grounding.schema import Schema
from retrieval.programs.scoring.candidates import Candidate
from retrieval.programs.scoring.features import compute_agreement, compute_signs
from retrieval.programs.scoring.judge import LOOKED_AT, Judge, build_judge_signs
from retrieval.programs.scoring.question_traits import Signs, build_question_traits
from retrieval.programs.scoring.result_features import ResultFeatures
from retrieval.programs.weights import Weights

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.grounding.anchors.anchor import Anchor
    from retrieval.programs.grounding.anchors.similarity import Encode
    from retrieval.types import Denoted

#: Programs ranked for a question.
_RANKED = 40
#: What the judge says counts so much beside the ranker: whole, it turned a few surely right readings round.
_JUDGED = 0.5
#: Fewer programs have no order.
_SEVERAL = 2


@dataclass(slots=True)
class ParsedQuestion:
    """A question and its candidates, best first, with what speaks for and against the best of them."""

    question: QuestionWords
    candidates: list[Candidate] = field(default_factory=list)
    listed: Listed | None = None
    denoted: tuple[Denoted, ...] = ()
    signs: dict[Program, Signs] = field(default_factory=dict)
    wanted: np.ndarray | None = None


class Parser:
    """Parses questions over one snapshot.

    Args:
        encode: texts to unit vectors; None reads by the forms of words alone.
        judge: ranks the best programs anew, where there is one.
    """

    def __init__(self, snapshot: Snapshot, encode: Encode | None, weights: Weights, judge: Judge | None = None) -> None:
        self.snapshot = snapshot
        self.columns = Columns(snapshot)
        self.schema = Schema(snapshot, self.columns)
        self.similarity = Similarity(encode)
        self.anchors = Anchors(self.schema, self.similarity)
        self.weights = weights
        self.judge = judge
        self._executor = Executor(snapshot, self.columns)
        row_order = RowOrder(self.schema, self._executor)
        self._constructions: tuple[Construction, ...] = (
            row_order,
            Differences(self.schema, self._executor, self.anchors.adjectives),
            Calculations(self.schema, self._executor),
            ValueDifferences(self.schema, self._executor),
            Lifespans(self.schema, self._executor),
            Durations(self.schema, self._executor),
            Tables(self.schema, self._executor),
            CalculatedColumns(self.schema, self._executor),
            Routes(self.schema, self._executor, self.anchors.adjectives),
        )
        self._shaper = AnswerShaper(self.schema, self._executor, row_order, self.similarity)
        self._result_features = ResultFeatures(self.schema, self._executor)

    def read(
        self,
        question: Question,
        topics: Sequence[int] = (),
        *,
        cancelled: Callable[[], bool] = lambda: False,
        denoted: Sequence[Denoted] = (),
    ) -> ParsedQuestion:
        """The programs that a question may mean, best first.

        Args:
            topics: entities that somebody picked for names of the question.
            denoted: what words of the question are known to stand for.
        """
        words = question.words
        reading = ParsedQuestion(words, denoted=tuple(denoted))
        if not words.words:
            return reading
        self._executor.cancelled = cancelled
        anchors = self.anchors.find_anchors(words, topics, denoted)
        reading.listed = find_item_list(words, anchors)
        reading.wanted = find_wanted_nodes(words, anchors, self.schema, self._executor)

        def compose(subquestion: QuestionWords, known_anchors: list[Anchor] | None = None) -> list[Part]:
            known_anchors = (
                self.anchors.find_anchors(subquestion, topics, denoted) if known_anchors is None else known_anchors
            )
            return Chart(
                subquestion, known_anchors, self._make_composer(subquestion), self.weights, cancelled
            ).list_covering_parts()

        composed = ComposedQuestion(words, anchors, compose(words, anchors), compose)
        parts = [
            *composed.parts,
            *(part for construction in self._constructions for part in construction.build_parts(composed)),
        ]
        judged = self._rank_by_judge(reading, self._rank_candidates(reading, parts))
        reading.candidates = [self._apply_order(reading, candidate) for candidate in judged]
        return reading

    def _apply_order(self, reading: ParsedQuestion, candidate: Candidate) -> Candidate:
        """A candidate whose answers come in the order that was asked for."""
        program = apply_order(
            reading.question.order, candidate.program, self._executor, self.schema, self.anchors.adjectives
        )
        if program is candidate.program:
            return candidate
        if candidate.program in reading.signs:
            reading.signs[program] = reading.signs[candidate.program]
        result = self._executor.run(program) if isinstance(program, Table) else candidate.result
        return replace(candidate, program=program, result=result)

    def _make_composer(self, question: QuestionWords) -> ProgramComposer:
        labels = [info.label for info in self.schema.relations]
        similar = self.similarity.compare_phrases([question.text], "relations", labels)
        return ProgramComposer(
            self.schema,
            self._executor,
            self.anchors,
            similar[0] if self.similarity.encode else np.zeros(0),
            answer_sort=question.kind,
            words=[word.text for word in question.words],
        )

    def _rank_candidates(self, reading: ParsedQuestion, parts: list[Part]) -> list[Candidate]:
        question = reading.question
        question_kind = question.kind
        several = {Entities(denotation.ids) for denotation in reading.denoted if len(denotation.ids) > 1}
        best: dict[Program, Candidate] = {}
        shaper = self._shaper
        shaper.start_question(reading.wanted)
        for part in parts:
            if effort.is_spent():
                break
            for program in shaper.build_programs(question, question_kind, part, several):
                result = self._executor.run(program)
                outcome_features = self._result_features.extract_features(question, program, result, part, several)
                read = shaper.get_source_part(program, part)
                features = read.collect_features()
                if program in shaper.lifts:
                    outcome_features = (
                        *outcome_features,
                        ("root.lifted", 1.0),
                        ("root.lifted.and", float(program in shaper.anded)),
                    )
                if program in shaper.of_rows:
                    outcome_features = (
                        *outcome_features,
                        ("root.of_rows", 1.0),
                        ("root.of_rows.did", float(vocabulary.is_object_question(question))),
                    )
                if program in shaper.beyond:
                    outcome_features = (*outcome_features, ("root.beyond", 1.0))
                if program in shaper.done:
                    outcome_features = (*outcome_features, ("root.done", 1.0))
                if program in shaper.sorts:
                    outcome_features = (*outcome_features, ("difference.asked", 1.0), ("calculated", 1.0))
                if program in shaper.sums:
                    outcome_features = (*outcome_features, ("root.summed", 1.0))
                outcome_features = (
                    *outcome_features,
                    ("root.counts.one", float(self._result_features.is_counting_singles(program))),
                )
                if _is_name(program) and program not in several:
                    outcome_features = (*outcome_features, ("root.name", 1.0))
                for name, value in outcome_features:
                    features[name] = features.get(name, 0.0) + value
                score = self.weights.score(features)
                if program not in best or best[program].score < score:
                    best[program] = Candidate(program, result, score, 0.0, features, read)
        return self._assign_probabilities(sorted(best.values(), key=lambda c: -c.score)[:_RANKED])

    def _assign_probabilities(self, ranked: list[Candidate]) -> list[Candidate]:
        """The candidates with their probabilities by their scores."""
        if not ranked:
            return []
        scores = np.array([c.score for c in ranked]) / self.weights.temperature
        likely = np.exp(scores - scores.max())
        likely /= likely.sum()
        return [replace(c, probability=float(p)) for c, p in zip(ranked, likely, strict=True)]

    def _rank_by_judge(self, reading: ParsedQuestion, ranked: list[Candidate]) -> list[Candidate]:
        """The best candidates in the order of the judge, where there is one; the others stay behind them."""
        best, rest = ranked[:LOOKED_AT], ranked[LOOKED_AT:]
        request = build_question_traits(reading.question)
        reading.signs = {
            candidate.program: compute_signs(request, candidate, self._executor, self.schema) for candidate in best
        }
        if self.judge is None or len(ranked) < _SEVERAL:
            return ranked
        added = self.judge.compute_adjustments(
            build_judge_signs(best, reading.signs, compute_agreement(ranked), self.weights)
        )
        added = _JUDGED * (added - added.max())
        judged = [replace(c, score=c.score + float(a)) for c, a in zip(best, added, strict=True)]
        judged.sort(key=lambda c: -c.score)
        least = judged[-1].score
        return self._assign_probabilities([*judged, *(replace(c, score=min(c.score, least)) for c in rest)])


def _is_name(program: Program) -> bool:
    """Whether a program is what the question names, which is not what it asks for."""
    source = program.source if isinstance(program, Exists) else program
    return isinstance(source, Entities)
