"""What engines ask: the program of a question with a calibrated confidence, one parser a graph, shared by threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from retrieval.pretrained import PROGRAMS
from retrieval.programs.calibration import confidence
from retrieval.programs.execution import Executor
from retrieval.programs.parser import Candidate, Parser
from retrieval.programs.parts import Part
from retrieval.programs.weights import Weights

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.algebra import Program
    from retrieval.programs.anchors import Encode
    from retrieval.programs.parser import Reading


@dataclass(frozen=True, slots=True)
class Understanding:
    """What a question was understood to ask.

    Attributes:
        best: the program that answers it.
        confidence: how likely that is what was asked, in [0, 1], calibrated.
        others: what else it may mean, best first.
        executor: has run them.
        type_relation: the relation of the graph that says what kind a node is.
        by: whom the program comes from.
    """

    best: Candidate
    confidence: float
    others: tuple[Candidate, ...]
    executor: Executor
    type_relation: int | None = None
    by: Literal["reader", "person"] = "reader"


class ProgramReader:
    """Reads questions over one graph. Threads may share it; they take turns.

    Args:
        snapshot: the graph.
        encode: texts to unit vectors.
        weights: file of the ranker's weights.

    Attributes:
        learned: the weights were fitted to questions of this graph.
    """

    def __init__(self, snapshot: Snapshot, encode: Encode | None, weights: Path) -> None:
        self.snapshot = snapshot
        self._encode = encode
        self._weights = weights
        self._lock = threading.Lock()
        self.learned = weights != PROGRAMS

    @cached_property
    def parser(self) -> Parser:
        """Opened on first use: the graph's values are typed then."""
        return Parser(self.snapshot, self._encode, Weights.load(self._weights))

    def read(
        self, question: str, given: Sequence[int] = (), cancelled: Callable[[], bool] = lambda: False
    ) -> Understanding | None:
        """What a question asks, or None where nothing of it was understood.

        Args:
            question: as asked.
            given: entities that somebody picked for names of the question.
            cancelled: asked between pieces of work.

        Raises:
            Cancelled: ``cancelled`` said so.
        """
        with self._lock:
            reading: Reading = self.parser.read(question, given, cancelled=cancelled)
            if not reading.candidates:
                return None
            best = reading.candidates[0]
            executor = Executor(self.snapshot, self.parser.columns, cancelled)
            sure = confidence(self.parser.weights, reading)
            kind = self.parser.schema.type_relation
            return Understanding(best, sure, tuple(reading.candidates[1:4]), executor, kind)

    def execute(self, program: Program, cancelled: Callable[[], bool] = lambda: False) -> Understanding:
        """What a program that a person wrote or edited gives; nobody doubts that it is what was asked.

        Raises:
            ProgramError: it does not fit the graph.
            Cancelled: ``cancelled`` said so.
        """
        with self._lock:
            executor = Executor(self.snapshot, self.parser.columns, cancelled)
            part = Part("S", 0, 0, program, None, 0.0, ())
            best = Candidate(program, executor.run(program), 0.0, 1.0, {}, part)
            return Understanding(best, 1.0, (), executor, self.parser.schema.type_relation, "person")
