"""Selects among all outcomes of a question, those of programs and those of relation paths, over one graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval import thresholds
from retrieval.answering.fusion.answer_types import AnswerTypes
from retrieval.answering.fusion.cross_encoder import CrossEncoder, get_cross_encoder
from retrieval.answering.fusion.doubts import is_doubtful
from retrieval.answering.fusion.features import LOOKED_AT, QuestionContext, select_scored
from retrieval.answering.fusion.missing_names import keep_about, keep_reading
from retrieval.answering.fusion.model import OutcomeChoice
from retrieval.answering.fusion.outcomes import collect_outcomes
from retrieval.answering.fusion.selection import Chosen, select_outcome
from retrieval.answering.fusion.verbalization import OutcomeDescriber
from retrieval.kg.snapshot.arrays import is_among
from retrieval.programs.algebra.operations import And
from retrieval.reasoning.base import Conclusion
from retrieval.reasoning.understanding import is_unexplained

if TYPE_CHECKING:
    from retrieval.answering.fusion.outcomes import CandidateOutcome
    from retrieval.answering.run import PipelineRun
    from retrieval.language.question import Question
    from retrieval.programs.algebra.columns import Columns
    from retrieval.programs.grounding.schema import Schema
    from retrieval.programs.understanding import Understanding
    from retrieval.reasoning.base import Evidence
    from retrieval.types import RelationPath


class OutcomeSelector:
    """Selects what answers a question where no checkpoint was trained on the graph."""

    def __init__(self, schema: Schema, columns: Columns) -> None:
        self._schema, self._columns = schema, columns
        self._choice = OutcomeChoice.load()
        self.answer_types = AnswerTypes(schema, columns)

    def select(
        self,
        run: PipelineRun,
        read: Understanding | None,
        paths: Sequence[RelationPath] = (),
        evidence: Evidence | None = None,
        verdict: Conclusion | None = None,
    ) -> Chosen | None:
        """The likeliest outcome of programs, and of relation paths where there are some; see :meth:`prepare`."""
        context, candidates = self.prepare(run, read, paths, evidence, verdict)
        chosen = select_outcome(context, candidates, self._choice, self.score(context, candidates))
        if chosen is None:
            return None
        if is_doubtful(self._schema, chosen.outcome, read):
            chosen = replace(chosen, sure=min(chosen.sure, thresholds.DOUBTFUL))
        return self._allow_untyped(chosen, candidates, read)

    def prepare(
        self,
        run: PipelineRun,
        read: Understanding | None,
        paths: Sequence[RelationPath] = (),
        evidence: Evidence | None = None,
        verdict: Conclusion | None = None,
    ) -> tuple[QuestionContext, list[CandidateOutcome]]:
        """All outcomes of programs and relation paths, and what is known of the question beside them.

        Args:
            read: the programs that the question may mean.
        """
        question, types = run.request.question, self.answer_types
        unexplained = verdict is not None and is_unexplained(verdict)
        reaches = () if evidence is None or unexplained else evidence.reaches
        candidates = [
            outcome
            for outcome in collect_outcomes(read, run.request.given, reaches, verdict)
            if not self._is_impossible(question, outcome, read)
        ]
        if run.missing:
            candidates = keep_reading(candidates, read, run.missing)
        for entity in run.silent:
            candidates = keep_about(candidates, read, entity)
        candidates = self._filter_by_noun(read, candidates)
        nodes = [() if outcome.nodes is None else outcome.nodes[:LOOKED_AT].tolist() for outcome in candidates]
        context = QuestionContext(
            question,
            read,
            paths,
            verdict,
            kinds={node: kind for some in nodes for node in some if (kind := types.find_value_kind(node)) is not None},
            topics={path.topic for path in paths},
            unfit={
                index for index, some in enumerate(nodes) if some and types.is_of_another_type(question, nodes=some)
            },
        )
        return context, candidates

    def score(
        self,
        context: QuestionContext,
        candidates: Sequence[CandidateOutcome],
        cross_encoder: CrossEncoder | None = None,
    ) -> dict[int, float]:
        """Log odds of the outcomes that are scored, by position.

        Args:
            cross_encoder: None for the one that ships with Clew.
        """
        positions = select_scored(context, candidates)
        texts = self.describe(context, [candidates[position] for position in positions])
        scores = (cross_encoder or get_cross_encoder()).score(context.question, texts)
        return dict(zip(positions, scores.tolist(), strict=True))

    def describe(self, context: QuestionContext, candidates: Sequence[CandidateOutcome]) -> list[str]:
        """Outcomes in words, as a cross-encoder reads them."""
        executor = None if context.read is None else context.read.executor
        describer = OutcomeDescriber(self._schema, self._columns, executor)
        return [describer.describe(context, candidate) for candidate in candidates]

    def _is_impossible(self, question: Question, outcome: CandidateOutcome, read: Understanding | None) -> bool:
        if outcome.nodes is not None:
            return self.answer_types.is_impossible_answer(question, outcome.nodes[:LOOKED_AT].tolist())
        candidates = [read.meanings[program].candidate for program in outcome.programs] if read is not None else []
        return bool(candidates) and self.answer_types.is_impossible_number(question, candidates[0])

    def _filter_by_noun(self, read: Understanding | None, candidates: list[CandidateOutcome]) -> list[CandidateOutcome]:
        """Outcomes without those of relation paths alone that are not what the noun says, where others are.

        Where no relation says kinds, what has some relation stands for one, and not all of a kind has it.
        """
        if read is None or read.wanted is None or self._schema.type_relation is None:
            return candidates
        wanted = read.wanted
        fits = [outcome.nodes is None or bool(is_among(outcome.nodes, wanted).all()) for outcome in candidates]
        if not any(
            fit and outcome.nodes is not None and len(outcome.nodes)
            for outcome, fit in zip(candidates, fits, strict=True)
        ):
            return candidates
        return [outcome for outcome, fit in zip(candidates, fits, strict=True) if fit or outcome.programs]

    def _allow_untyped(
        self, chosen: Chosen, candidates: Sequence[CandidateOutcome], read: Understanding | None
    ) -> Chosen:
        """What relation paths lead to as a whole, where a kind leaves out only things of which nothing is said: a new
        neighbour may well be a country.
        """
        nodes, snapshot = chosen.outcome.nodes, self._schema.snapshot
        by_paths = next((outcome for outcome in candidates if outcome.by_paths and outcome is not chosen.outcome), None)
        programs = chosen.outcome.programs
        if read is not None and programs and not isinstance(read.meanings[programs[0]].candidate.program, And):
            return chosen  # it is not by its kind that anything was left out
        if nodes is None or by_paths is None or by_paths.nodes is None or not len(nodes):
            return chosen
        left = np.setdiff1d(by_paths.nodes, nodes)
        silent = snapshot.out_offsets[left + 1] == snapshot.out_offsets[left]
        within = len(left) and len(left) + len(nodes) == len(by_paths.nodes)
        valued = self._columns.kinds[left].any()
        return Chosen(by_paths, chosen.sure) if within and silent.all() and not valued else chosen
