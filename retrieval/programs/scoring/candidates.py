"""What a question may mean: a program that was composed for it, and what it gives."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval.programs.algebra.numbers import Result
from retrieval.programs.algebra.operations import Program
from retrieval.programs.grammar.constituents import Part


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program for a question.

    Attributes:
        score: by the ranker, comparable among the candidates of one question.
        probability: of being what was asked, among all candidates of the question.
        part: how it was composed.
    """

    program: Program
    result: Result
    score: float
    probability: float
    features: dict[str, float]
    part: Part
