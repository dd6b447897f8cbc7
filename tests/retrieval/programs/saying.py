"""Sentences of programs and paths over tiny graphs."""

from pathlib import Path

from retrieval.answering.programs import stream_program_answer
from retrieval.answering.run import AskRequest, PipelineRun
from retrieval.events import AnswerFinal, ProgramExecuted
from retrieval.kg.build import build_snapshot
from retrieval.kg.table import TripleTable
from retrieval.language.question import Question
from retrieval.pretrained import PROGRAMS
from retrieval.programs.algebra.operations import Program
from retrieval.programs.reader import ProgramReader
from retrieval.results import Answer
from retrieval.types import EvidenceChain, Hop, Node, RelationStep

from .land import Land


class World(Land):
    """Ids of a tiny graph by name, and what its programs answer."""

    def __init__(self, facts: list[tuple[str, str, str]], path: Path) -> None:
        super().__init__(build_snapshot(TripleTable.from_facts(facts), path))
        self._reader = ProgramReader(self.snapshot, None, PROGRAMS)

    def run(self, program: Program) -> tuple[ProgramExecuted, AnswerFinal]:
        """The program's steps and the end of its run."""
        run = PipelineRun(AskRequest(Question("?")), lambda: False)
        events = list(stream_program_answer(run, self._reader.execute(program), 0.3))
        executed, final = events[0], events[-1]
        assert isinstance(executed, ProgramExecuted)
        assert isinstance(final, AnswerFinal)
        return executed, final

    def say(self, program: Program) -> str | None:
        """The sentence that answers a program."""
        return self.run(program)[1].sentence

    def of_kind(self, kind: str) -> Program:
        """All that are of a kind."""
        return self.walk(self.e(kind), "-type")


def make_rows(rows: dict[str, dict[str, str]]) -> list[tuple[str, str, str]]:
    """Facts of rows: by name their columns, several values of one column with commas."""
    return [
        (name, column, value)
        for name, row in rows.items()
        for column, values in row.items()
        for value in values.split(", ")
    ]


def make_chain(source: str, *steps: str, levels: tuple[tuple[str, ...], ...], merged: bool = False) -> EvidenceChain:
    """A chain of relations, ``-name`` against its direction, with what each step reaches."""
    relations = tuple(RelationStep(step, step.removeprefix("-"), step.startswith("-")) for step in steps)
    nodes = tuple(tuple(map(make_node, level)) for level in levels)
    before = [(make_node(source),), *nodes]
    hops = tuple(
        Hop(head, relation, tail, verified=True)
        for relation, heads, tails in zip(relations, before, nodes, strict=False)
        for head in heads[:1]
        for tail in tails
    )
    counts = tuple(map(len, levels))
    return EvidenceChain(make_node(source), relations, nodes, counts, hops, 0.9, (1,) if merged else ())


def make_node(label: str) -> Node:
    """A node; values are literals."""
    return Node(hash(label), label, "literal" if label[:1].isdigit() else "entity")


def make_answers(*labels: str, chains: tuple[int, ...] = (0,)) -> tuple[Answer, ...]:
    """Answers that all of some chains lead to."""
    return tuple(Answer(label, 0.9, make_node(label), chains, verified=True) for label in labels)
