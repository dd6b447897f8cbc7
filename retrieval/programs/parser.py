"""From a question to programs, ranked: what its chart composed is finished, executed and weighed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval import effort
from retrieval.programs import words as vocabulary
from retrieval.programs.algebra import Entities, Exists, Program
from retrieval.programs.anchors.finder import Anchors
from retrieval.programs.anchors.similarity import Similarity
from retrieval.programs.beside import Listed, listed
from retrieval.programs.calculating import Calculating
from retrieval.programs.candidates import Candidate
from retrieval.programs.chart import Chart
from retrieval.programs.columns import Columns
from retrieval.programs.composition import Composer
from retrieval.programs.differing import Differing
from retrieval.programs.execution import Executor
from retrieval.programs.finishing import Finishing
from retrieval.programs.judging.judge import LOOKED_AT, Judge, placed
from retrieval.programs.judging.signs import Signs, agreement, asked_of, signs
from retrieval.programs.lasting import Lasting
from retrieval.programs.listing import Listing
from retrieval.programs.ordering import ordered
from retrieval.programs.outcomes import Outcomes
from retrieval.programs.parts import Part
from retrieval.programs.schema import Schema
from retrieval.programs.spans import Spans
from retrieval.programs.wanted import wanted
from retrieval.programs.weights import Weights
from retrieval.programs.words import Question

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.anchors.anchor import Anchor
    from retrieval.programs.anchors.similarity import Encode
    from retrieval.types import Denoted

#: Programs ranked for a question.
_RANKED = 40
#: What the judge says counts so much beside the ranker: whole, it turned a few surely right readings round.
_JUDGED = 0.5
#: Fewer programs have no order.
_SEVERAL = 2


@dataclass(slots=True)
class Reading:
    """A question and its candidates, best first, with what speaks for and against the best of them."""

    question: Question
    candidates: list[Candidate] = field(default_factory=list)
    listed: Listed | None = None
    denoted: tuple[Denoted, ...] = ()
    skipped: list[str] = field(default_factory=list)
    signs: dict[Program, Signs] = field(default_factory=dict)
    wanted: np.ndarray | None = None


class Parser:
    """Parses questions over one snapshot.

    Args:
        snapshot: the graph.
        encode: texts to unit vectors; None reads by the forms of words alone.
        weights: of the ranker.
        judge: ranks the best programs anew, where there is one.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        encode: Encode | None,
        weights: Weights | None = None,
        judge: Judge | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.columns = Columns(snapshot)
        self.schema = Schema(snapshot, self.columns)
        self.similarity = Similarity(encode)
        self.anchors = Anchors(self.schema, self.similarity)
        self.weights = weights or Weights()
        self.judge = judge
        self._executor = Executor(snapshot, self.columns)
        self._listing = Listing(self.schema, self._executor)
        self._differing = Differing(self.schema, self._executor, self.anchors.adjectives)
        self._calculating = Calculating(self.schema, self._executor)
        self._spans = Spans(self.schema, self._executor)
        self._lasting = Lasting(self.schema, self._executor)
        self._finishing = Finishing(self.schema, self._executor, self._listing, self.similarity)
        self._outcomes = Outcomes(self.schema, self._executor)

    def read(
        self,
        text: str,
        given: Sequence[int] = (),
        *,
        cancelled: Callable[[], bool] = lambda: False,
        denoted: Sequence[Denoted] = (),
    ) -> Reading:
        """The programs that a question may mean, best first.

        Args:
            text: the question.
            given: entities that somebody picked for names of the question.
            cancelled: asked between pieces of work.
            denoted: what words of the question are known to stand for.

        Raises:
            Cancelled: ``cancelled`` said so.
        """
        question = vocabulary.read(text)
        reading = Reading(question, denoted=tuple(denoted))
        if not question.words:
            return reading
        self._executor.cancelled = cancelled
        anchors = self.anchors.of(question, given, denoted)
        reading.listed = listed(question, anchors)
        reading.wanted = wanted(question, anchors, self.schema, self._executor)

        def compose(own: Question, found: list[Anchor] | None = None) -> list[Part]:
            found = self.anchors.of(own, given, denoted) if found is None else found
            return Chart(own, found, self._composer(own), self.weights, cancelled).whole()

        whole = compose(question, anchors)
        parts = [
            *whole,
            *self._listing.parts(question, compose),
            *self._differing.parts(question, compose, anchors),
            *self._calculating.parts(question, compose, whole, anchors),
            *self._spans.parts(question, compose),
            *self._lasting.parts(question, compose),
        ]
        judged = self._judged(reading, self._ranked(reading, parts))
        reading.candidates = [self._in_order(reading, own) for own in judged]
        return reading

    def _in_order(self, reading: Reading, candidate: Candidate) -> Candidate:
        """A candidate whose answers come in the order that was asked for."""
        program = ordered(
            reading.question.order, candidate.program, self._executor, self.schema, self.anchors.adjectives
        )
        if program is candidate.program:
            return candidate
        if candidate.program in reading.signs:
            reading.signs[program] = reading.signs[candidate.program]
        return replace(candidate, program=program)

    def _composer(self, question: Question) -> Composer:
        labels = [info.label for info in self.schema.relations]
        similar = self.similarity.against([question.text], "relations", labels)
        return Composer(
            self.schema,
            self._executor,
            self.anchors,
            similar[0] if self.similarity.encode else np.zeros(0),
            asked=vocabulary.asked(question),
            words=[word.text for word in question.words],
        )

    def _ranked(self, reading: Reading, parts: list[Part]) -> list[Candidate]:
        question = reading.question
        asked = vocabulary.asked(question)
        several = {Entities(own.ids) for own in reading.denoted if len(own.ids) > 1}
        best: dict[Program, Candidate] = {}
        finishing = self._finishing
        finishing.begin(reading.wanted)
        for part in parts:
            if effort.is_spent():
                break
            for program in finishing.of(question, asked, part, several):
                result = self._executor.run(program)
                own = self._outcomes.of(question, program, result, part, several)
                read = finishing.part_of(program, part)
                features = read.all_features()
                if program in finishing.lifts:
                    own = (*own, ("root.lifted", 1.0), ("root.lifted.and", float(program in finishing.anded)))
                if program in finishing.of_rows:
                    own = (
                        *own,
                        ("root.of_rows", 1.0),
                        ("root.of_rows.did", float(vocabulary.asks_what_did(question))),
                    )
                if program in finishing.beyond:
                    own = (*own, ("root.beyond", 1.0))
                if program in finishing.done:
                    own = (*own, ("root.done", 1.0))
                if program in finishing.sorts:
                    own = (*own, ("difference.asked", 1.0), ("calculated", 1.0))
                if program in finishing.sums:
                    own = (*own, ("root.summed", 1.0))
                own = (*own, ("root.counts.one", float(self._outcomes.counts_one(program))))
                if _is_name(program) and program not in several:
                    own = (*own, ("root.name", 1.0))
                for name, value in own:
                    features[name] = features.get(name, 0.0) + value
                score = self.weights.score(features)
                if program not in best or best[program].score < score:
                    best[program] = Candidate(program, result, score, 0.0, features, read)
        return self._weighed(sorted(best.values(), key=lambda c: -c.score)[:_RANKED])

    def _weighed(self, ranked: list[Candidate]) -> list[Candidate]:
        """The candidates with their probabilities by their scores."""
        if not ranked:
            return []
        scores = np.array([c.score for c in ranked]) / self.weights.temperature
        likely = np.exp(scores - scores.max())
        likely /= likely.sum()
        return [replace(c, probability=float(p)) for c, p in zip(ranked, likely, strict=True)]

    def _judged(self, reading: Reading, ranked: list[Candidate]) -> list[Candidate]:
        """The best candidates in the order of the judge, where there is one; the others stay behind them."""
        best, rest = ranked[:LOOKED_AT], ranked[LOOKED_AT:]
        asked = asked_of(reading.question)
        reading.signs = {own.program: signs(asked, own, self._executor, self.schema) for own in best}
        if self.judge is None or len(ranked) < _SEVERAL:
            return ranked
        added = self.judge.added(placed(best, reading.signs, agreement(ranked), self.weights))
        added = _JUDGED * (added - added.max())
        judged = [replace(c, score=c.score + float(a)) for c, a in zip(best, added, strict=True)]
        judged.sort(key=lambda c: -c.score)
        least = judged[-1].score
        return self._weighed([*judged, *(replace(c, score=min(c.score, least)) for c in rest)])


def _is_name(program: Program) -> bool:
    """Whether a program is what the question names, which is not what it asks for."""
    named = program.source if isinstance(program, Exists) else program
    return isinstance(named, Entities)
