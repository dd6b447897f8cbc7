"""What a run answers: answers or why there is none, sentences that are cited, and programs as they are shown.

Frozen dataclasses as in :mod:`retrieval.types`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from retrieval.types import Node


class NoAnswerReason(StrEnum):
    """Why a run ends without an answer."""

    ENTITY_NOT_LINKED = "entity_not_linked"
    NO_PATH = "no_path"
    REASONER_DECLINED = "reasoner_declined"
    NOT_IN_GRAPH = "not_in_graph"
    NOT_UNDERSTOOD = "not_understood"
    TOO_LONG = "too_long"


@dataclass(frozen=True, slots=True)
class ProgramStep:
    """A step of a program in plain English, innermost first, with what it kept.

    Attributes:
        text: what it does: ``countries``, ``in Africa``, ``the one with the largest population``.
        result: what it gives.
        count: how many nodes it kept; 0 where it gives no set.
        value: the number formatted, or yes or no; empty where it gives a set.
        nodes: the first of them.
        path: names of the fields that lead from the program to the step, where its arguments are; for editing it.
        operation: of the program there, such as ``Filter``; empty in runs of earlier versions.
        display: the value as people write it, in the unit of its column: ``£43,937.91``.
    """

    text: str
    result: Literal["set", "number", "truth"]
    count: int
    value: str
    nodes: tuple[Node, ...]
    path: tuple[str, ...] = ()
    operation: str = ""
    display: str = ""


@dataclass(frozen=True, slots=True)
class ProgramReading:
    """A program that a question may mean: in one line, as JSON by names, and how likely it is what was asked."""

    text: str
    program: dict[str, Any]
    score: float


@dataclass(frozen=True, slots=True)
class RankedValue:
    """The value that a node was ranked by; ``answer`` tells the answers from the runners-up, ``group`` of which it is
    the first where each group has one. ``display`` is the value as people write it, in the unit of its column.
    """

    node: Node
    value: str
    answer: bool
    group: str = ""
    display: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """A sentence of a passage: characters ``start`` to ``end`` of its text."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Beside:
    """What was asked for beside an answer: the name of a relation, and what it leads to from there."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. ``entity`` is None when an LLM named something that the graph does not hold.

    ``chains`` are indices into the run's evidence chains; ``verified`` says that every hop of at least
    one of them was found in the snapshot. ``citations`` are the sentences it was read from. An answer with
    neither chains nor citations cites no evidence. ``guess`` says that the score is below the least that answers of
    the method are trusted from: the closest guess, not what the graph clearly says. ``beside`` is what else was asked
    for of each answer: the ages, of "the names and ages of all singers". ``display`` is a computed value as people
    write it, in the unit of its column; ``owner`` is whose the answer is where each belongs to something else.
    """

    label: str
    score: float
    entity: Node | None = None
    chains: tuple[int, ...] = ()
    verified: bool = False
    citations: tuple[Citation, ...] = ()
    guess: bool = False
    beside: tuple[Beside, ...] = ()
    display: str = ""
    owner: str = ""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of an answer that is a table.

    Attributes:
        label: its heading: ``country``, ``average price``.
        kind: of its cells; ``text`` for names and texts, ``number`` also for amounts of money and percentages.
        unit: as people write it behind or before a number; empty where it has none.
    """

    label: str
    kind: Literal["text", "number", "date", "truth"] = "text"
    unit: str = ""


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of an answer that is a table.

    Attributes:
        text: as people write it; several values are separated by commas; empty where the graph has none.
        value: the number or date to sort by, in the base unit of its dimension; None for texts and empty cells.
        nodes: what the cell shows, where it shows nodes.
    """

    text: str
    value: float | None = None
    nodes: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """Rows with several columns that answer a question: ``rows`` are the first ones, of ``total`` in all."""

    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    total: int


@dataclass(frozen=True, slots=True)
class AnswerLimit:
    """How answers stand to a limit: at most so many of 100 may be wrong.

    Attributes:
        at_most_wrong: the limit.
        confidence: of the best answer.
        threshold: confidence from which answers keep the limit; None where none is known to.
        questions: on how many that was calibrated; 0 where it was not, yet.
        withheld: the answers are not sure enough for the limit: they are the best guess, and no answer.
    """

    at_most_wrong: int
    confidence: float
    threshold: float | None
    questions: int
    withheld: bool


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` to ``end`` of the question."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """A typed no-answer, with a sentence for the person and what to try next.

    ``spans`` are the words of the question that it is about, where it is about some; ``near`` are names of the graph
    that may have been meant.
    """

    reason: NoAnswerReason
    message: str
    hint: str = ""
    spans: tuple[Span, ...] = ()
    near: tuple[str, ...] = ()
