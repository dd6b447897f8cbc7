"""Programs that the parser composes for questions of suites, and which of them are right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.kg import snapshot as snapshots
from retrieval.language.question import Question
from retrieval.programs.parser import ParsedQuestion, Parser
from retrieval.weights.correctness import is_right

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retrieval.linking.encoder import Encoder
    from retrieval.programs.scoring.candidates import Candidate
    from retrieval.programs.weights import Weights
    from retrieval.weights.suites import SuiteQuestion


class ParserPool:
    """A parser for each graph, opened when it is first used."""

    def __init__(self, encoder: Encoder, weights: Weights) -> None:
        self._encoder = encoder
        self._weights = weights
        self._parsers: dict[Path, Parser] = {}

    def get_parser(self, graph: Path) -> Parser:
        """The parser of a snapshot."""
        if graph not in self._parsers:
            self._parsers[graph] = Parser(snapshots.open(graph), self._encoder.encode, self._weights)
        return self._parsers[graph]

    def read(self, question: SuiteQuestion, weights: Weights | None = None) -> ParsedQuestion:
        """The programs of a question, by the pool's weights of the ranker or by others."""
        parser = self.get_parser(question.graph)
        parser.weights = weights or self._weights
        return parser.read(Question(question.text))

    def check_candidates(self, question: SuiteQuestion, candidates: Sequence[Candidate]) -> tuple[bool, ...]:
        """Which of the programs of a question are right."""
        columns = self.get_parser(question.graph).columns
        return tuple(is_right(columns, candidate.program, candidate.result, question) for candidate in candidates)
