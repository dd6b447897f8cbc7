"""Several things asked of each answer: "the names and ages of all singers" asks for the singers, each with its age.

The list of what is asked for is found by the relations that its words name, and the question is read as one for what
they are said of. What is not a name stands beside each answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.snapshot.arrays import find_common
from retrieval.language.words import QuestionWords
from retrieval.programs.algebra.operations import EVERY, Program, Top, Walk
from retrieval.programs.algebra.table_operations import Attribute, Column, Measure, Ordering, Table

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.algebra.numbers import Result
    from retrieval.programs.grounding.anchors.anchor import Anchor
    from retrieval.programs.grounding.schema import Schema

_BETWEEN = re.compile(
    r"\s*(?:,|,?\s*\b(?:and|as well as|along with|together with)\b|&)(?:\s+(?:the|their|its|his|her|all))*\s*",
    re.IGNORECASE,
)
_THEIRS = re.compile(r",?\s+(?:and|with|along with|together with|as well as)\s+(?:their|its|his|her)\s+", re.IGNORECASE)
#: What stands behind the list, and so tells it from a condition.
_OF = re.compile(r"\s*(?:of|for|from|do|does|did|have|has|had)\b", re.IGNORECASE)
#: Nothing but these stands before the list.
_BEFORE = re.compile(
    r"\s*(?:(?:please|can you|could you|what|which|how|many|much|is|are|was|were|show|list|give|tell|find|return"
    r"|display|get|me|us|i|need|want|to|know|all|each|the|different|distinct|every|both|report|provide|about)\s+)*",
    re.IGNORECASE,
)  # fmt: skip
NAMES = frozenset({"name", "names"})
"""What each thing of a list has, and is no column of it."""
#: From this share of a relation's name on, words name it.
_NAMED = 0.7
#: This share of the answers has what is asked for beside them.
_MOSTLY = 0.5
_MOST_ITEMS = 6


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of what is asked for.

    Attributes:
        text: the question with "names", or the last item where no name is listed, in place of the list.
        items: by item, the forward relations that its words may name; none for names.
        moved: characters behind the list stand so many further on in the question than in ``text``.
        behind: where the list ends in ``text``.
    """

    text: str
    items: tuple[tuple[int, ...], ...]
    moved: int
    behind: int

    def map_to_question(self, position: int) -> int:
        """Where a character of ``text`` stands in the question."""
        return position + (self.moved if position >= self.behind else 0)

    @property
    def named(self) -> bool:
        """Whether names are in the list."""
        return () in self.items


def find_item_list(question: QuestionWords, anchors: Iterable[Anchor]) -> Listed | None:
    """The list of what a question asks for, if it asks for several things."""
    relations_by_span = _find_named_relations(anchors)
    for first, word in enumerate(question.words):
        if not _BEFORE.fullmatch(question.text[: word.start]):
            break
        items, start, last = _collect_items(question, relations_by_span, first)
        behind = question.words[last - 1].end if items else 0
        if len(items) > 1 and _OF.match(question.text[behind:]):
            replacement = "names" if () in items else question.get_span_text(start, last)
            text = question.text[: word.start] + replacement + question.text[behind:]
            end = word.start + len(replacement)
            return Listed(text + question.order, tuple(items), behind - end, end)
    return _find_final_list(question, relations_by_span)


def _find_named_relations(anchors: Iterable[Anchor]) -> dict[int, dict[int, list[int]]]:
    """The relations that words [first, last) name best, by first and last."""
    recalls = dict[tuple[int, int], dict[int, float]]()
    for anchor in anchors:
        recall = dict(anchor.features).get("r.recall", 0.0)
        if anchor.category == "R" and recall >= _NAMED:
            recalls.setdefault((anchor.first, anchor.last), {})[anchor.extra.relation] = recall
    relations_by_span: dict[int, dict[int, list[int]]] = {}
    for (first, last), by_relation in recalls.items():
        best = [relation for relation, recall in by_relation.items() if recall == max(by_relation.values())]
        relations_by_span.setdefault(first, {})[last] = best
    return relations_by_span


def _find_final_list(question: QuestionWords, relations_by_span: dict[int, dict[int, list[int]]]) -> Listed | None:
    """A list that ends a question: "the singers and their ages"."""
    tail = _THEIRS.search(question.text)
    if tail is None:
        return None
    first = next((n for n, word in enumerate(question.words) if word.start >= tail.end()), len(question.words))
    items, _, last = _collect_items(question, relations_by_span, first)
    if not items or last < len(question.words):
        return None
    text = question.text[: tail.start()]
    return Listed(text + question.order, ((), *items), 0, len(text))


def _collect_items(
    question: QuestionWords, relations_by_span: dict[int, dict[int, list[int]]], first: int
) -> tuple[list[tuple[int, ...]], int, int]:
    """The items of a list that begins with a word, the words [first, last) of the last of them."""
    items, start, last, position = list[tuple[int, ...]](), first, first, first
    while position < len(question.words) and len(items) < _MOST_ITEMS:
        end = _find_item_end(question, relations_by_span, position)
        if not end:
            break
        items.append(
            ()
            if question.words[end - 1].text in NAMES and end == position + 1
            else tuple(relations_by_span[position][end])
        )
        start, last = position, end
        between = _BETWEEN.match(question.text, question.words[end - 1].end)
        if between is None or not between[0].strip():
            break
        position = next(
            (n for n, word in enumerate(question.words) if word.start >= between.end()), len(question.words)
        )
    return items, start, last


def _find_item_end(question: QuestionWords, relations_by_span: dict[int, dict[int, list[int]]], first: int) -> int:
    """The word before which an item ends that begins with a word; 0 where none does."""
    longest = max(relations_by_span.get(first, {}), default=0)
    return longest or (first + 1 if question.words[first].text in NAMES else 0)


def resolve_item_list(
    items: Listed, program: Program, result: Result, executor: Executor, schema: Schema
) -> tuple[Program, tuple[int, ...]] | None:
    """What a list is said of, and the relations beside each; None where it does not fit what was read.

    Args:
        program, result: the question read with one item in place of the list.
    """
    if not items.named:  # the last item was read: what it is of is asked about
        if not isinstance(program, Walk) or program.relation not in items.items[-1]:
            return None
        source = program.source
        program, result = source, executor.run(source)
    if not isinstance(result, np.ndarray) or not len(result) or executor.columns.are_values(result):
        return None
    chosen = [
        _select_relation(relations, result, executor)
        for relations in items.items
        if relations and not set(relations) <= schema.namings
    ]
    if not chosen or any(relation is None for relation in chosen):
        return None
    return program, tuple(dict.fromkeys(relation for relation in chosen if relation is not None))


def build_item_table(program: Program, relations: Sequence[int]) -> Program:
    """Each thing of a set with what some relations lead to, in the order of the set."""
    columns: tuple[Column, ...] = tuple(Attribute((relation,)) for relation in relations)
    if not isinstance(program, Top) or program.count != EVERY:
        return Table(program, columns)
    key = program.key
    if key.path[0] not in relations:
        columns = (*columns, Measure(key))
    place = relations.index(key.path[0]) if key.path[0] in relations else len(relations)
    return Table(program.source, columns, order=(Ordering(1 + place, program.largest),))


def _select_relation(relations: Sequence[int], nodes: np.ndarray, executor: Executor) -> int | None:
    """Of the relations that words may name the one that most of the answers have, if most have any."""
    shares = {r: len(find_common(nodes, executor.columns.list_sources(r))) / len(nodes) for r in relations}
    best = max(shares, key=lambda relation: (shares[relation], -relation), default=None)
    return best if best is not None and shares[best] >= _MOSTLY else None
