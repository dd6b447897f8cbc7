"""Questions for tables: several columns of each of some things, numbers of each month, shares of a total.

Each column is read as a question of its own: "the lowest and the highest price per category" as that for the lowest
price per category and that for the highest. Columns of the same rows are one table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from retrieval.language.english import PERIODICAL
from retrieval.language.question import Question
from retrieval.language.words import QuestionWords, get_stem
from retrieval.programs.algebra.operations import Operation, Top
from retrieval.programs.algebra.table_operations import Calculation, Table, Tally
from retrieval.programs.constructions.construction import ComposedQuestion
from retrieval.programs.constructions.ordering import find_counted_key
from retrieval.programs.constructions.subquestions import extract_subquestion, keep_words, restore_positions
from retrieval.programs.constructions.table_columns import TableColumns
from retrieval.programs.constructions.table_requests import (
    find_distributive,
    find_their_columns,
    parse_period,
    split_columns,
)
from retrieval.programs.constructions.value_differences import CALCULATED
from retrieval.programs.grammar.constituents import Part, iter_leaves
from retrieval.programs.grounding.relation_types import parse_stems

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.schema import Schema

#: Readings of a part of the question that are looked at, and tables that are made.
_READ, _MADE = 8, 2
_SHARES = re.compile(r"percentages?|percent|shares?|proportions?|fractions?|portions?")
_NUMBERS = parse_stems("number count")
_NAMES = parse_stems("name")


class Tables:
    """Composes tables."""

    def __init__(self, schema: Schema, executor: Executor) -> None:
        self.schema = schema
        self.executor = executor
        self.columns = TableColumns(schema, executor)

    def build_parts(self, composed: ComposedQuestion) -> Iterator[Part]:
        """See :meth:`Construction.build_parts`."""
        yield from self._build_periods(composed)
        yield from self._build_columns(composed)
        yield from self._build_their_columns(composed)
        yield from self._build_shares(composed)

    def _build_periods(self, composed: ComposedQuestion) -> Iterator[Part]:
        """ "Orders per month in 1997", "yearly sales", "total freight by country and year"."""
        question = composed.question
        period = parse_period(question)
        if period is None or self._names_periodical_value(question):
            return
        words = range(period.first, period.last)
        items = split_columns(question, composed.anchors) or [list(range(len(question.words)))]
        columns = list[list[tuple[Table, Part]]]()
        for item in items:
            kept = [n for n in item if n not in words]
            stems = frozenset(question.words[n].stem for n in kept)
            columns.append([])
            for part in self._read_sums(composed, kept) if kept else ():
                if part.program is not None and len(columns[-1]) < _READ:
                    tables = self.columns.group_by_period(part.program, period.part, stems)
                    columns[-1] += [(table, part) for table in islice(tables, 1) if self.columns.has_rows(table)]
        yield from self._join(columns, [words])

    def _names_periodical_value(self, question: QuestionWords) -> bool:
        """Whether the words name a value that is itself one of each period: the fee "per month" is the monthly fee."""
        stems = {word.stem for word in question.words}
        relations = {r for adverb in PERIODICAL.values() for r in self.schema.by_stem.get(get_stem(adverb), ())}
        return any(stems & set(self.schema.relations[relation].stems) for relation in relations)

    def _read_sums(self, composed: ComposedQuestion, kept: list[int]) -> Iterator[Part]:
        """Readings of some words; of "sales in 2019" those of what all sales came to, first."""
        question = composed.question
        summed = any(
            anchor.category == "R" and anchor.first == kept[0] and anchor.extra.relation in self.schema.measures.added
            for anchor in composed.anchors
        )
        if summed:
            spans = [question.words[n] for n in kept]
            text = " ".join(["total", *(question.text[word.start : word.end] for word in spans)])
            for part in composed.compose(Question(text).words)[:_READ]:
                yield restore_positions(part, [kept[0], *kept])
        for part in composed.compose(keep_words(question, kept))[:_READ]:
            yield restore_positions(part, kept)

    def _build_columns(self, composed: ComposedQuestion) -> Iterator[Part]:
        """ "Number of orders and average freight per customer", "for each category the lightest and the heaviest"."""
        question = composed.question
        kept = split_columns(question, composed.anchors)
        if not kept:
            return
        read = [self._read_columns(composed.compose, question, positions) for positions in kept]
        joiners = [range(n, n + 1) for n, word in enumerate(question.words) if word.text == "and"]
        yield from self._join(read, joiners)

    def _read_columns(
        self, compose: Callable[[QuestionWords], list[Part]], question: QuestionWords, kept: list[int]
    ) -> list[tuple[Table, Part]]:
        return self._read_tables(compose(keep_words(question, kept)), kept)

    def _read_tables(self, parts: Sequence[Part], places: list[int]) -> list[tuple[Table, Part]]:
        """The tables that parts come to, and the parts in the places of their words in the question."""
        tables = list[tuple[Table, Part]]()
        for part in parts:
            table = self.columns.convert(part.program)
            if table is not None and len(tables) < _READ:
                tables.append((table, restore_positions(part, places)))
        return tables

    def _join(self, read: Sequence[Sequence[tuple[Table, Part]]], cues: Sequence[range]) -> Iterator[Part]:
        count = 0
        for table, places in self.columns.join([[table for table, _ in column] for column in read]):
            parts = [column[place][1] for column, place in zip(read, places, strict=True)]
            if count < _MADE and len(table.columns) == sum(1 for _ in read):
                count += 1
                yield _make_part(table, parts, cues)

    def _build_their_columns(self, composed: ComposedQuestion) -> Iterator[Part]:
        """ "Suppliers with more than 3 products and their average price"."""
        question = composed.question
        request = find_their_columns(question)
        if request is None or not request[0]:
            return
        end, items = request
        cues = [range(end, min(item[0] for item in items))]
        for head in composed.compose(extract_subquestion(question, 0, end))[:1]:
            if head.category != "S" or head.program is None or head.extra == "node":
                continue
            noun = self._find_noun(head)
            columns = [self._read_their_column(composed, head, noun, item) for item in items]
            columns = [column for column in columns if column is not None]
            if noun is None or not columns or any(not column for column in columns):
                continue
            yield from self._join([column for column in columns if column], cues)

    def _find_noun(self, head: Part) -> Part | None:
        """The words that say what the things of a set are."""
        leaves = [leaf for leaf in iter_leaves(head) if leaf.category in "SR" and leaf.extra != "node"]
        return min(leaves, key=lambda leaf: leaf.anchored or (0, 0), default=None)

    def _read_their_column(
        self, composed: ComposedQuestion, head: Part, noun: Part | None, item: list[int]
    ) -> list[tuple[Table, Part]] | None:
        """Readings of a column that is asked of the things of a set; None where it is their name."""
        question, program = composed.question, head.program
        if noun is None or noun.anchored is None or program is None:
            return []
        stems = {question.words[n].stem for n in item}
        if stems <= _NAMES:
            return None
        counted = find_counted_key(program) if stems <= _NUMBERS else None
        if counted is not None:
            return [(Table(program, (Tally(counted.path, counted.among),)), head)]
        nouns = list(range(*noun.anchored))
        text = f"{question.get_span_text(item[0], item[-1] + 1)} per {question.get_span_text(nouns[0], nouns[-1] + 1)}"
        places = [*range(item[0], item[-1] + 1), item[0], *nouns]
        tables = list[tuple[Table, Part]]()
        for part in composed.compose(Question(text).words):
            table = self.columns.convert(part.program)
            restricted = table and self.columns.filter_rows(table, program)
            if restricted is not None and len(tables) < _READ:
                tables.append((restricted, restore_positions(part, places)))
        return [(table, replace(head, parts=(head, part))) for table, part in tables]

    def _build_shares(self, composed: ComposedQuestion) -> Iterator[Part]:
        """ "Share of each category in total sales", "percentage of orders by country": each number and its share."""
        question = composed.question
        share = next((n for n, word in enumerate(question.words) if _SHARES.fullmatch(word.text)), None)
        if share is None or find_distributive(composed.anchors) is None:
            return
        gone = {share, *(n for n in (share + 1,) if n < len(question.words) and question.words[n].text == "of")}
        kept = [n for n in range(len(question.words)) if n not in gone]
        count = 0
        read = self._read_columns(composed.compose, question, kept)
        if not any(isinstance(part.program, Top) for _, part in read):
            counted = Question(" ".join(["number of", *(question.words[n].text for n in kept)])).words
            read = self._read_tables(composed.compose(counted), [share, share, *kept])
        for table, part in read:
            if count < _MADE and isinstance(part.program, Top) and part.program.per is None:
                count += 1
                column = Calculation(Operation.SHARE, len(table.groups))
                yield _make_part(replace(table, columns=(*table.columns, column)), [part], [range(share, share + 1)])


def _make_part(table: Table, parts: Sequence[Part], cues: Sequence[range]) -> Part:
    """A table as a part that covers the question, of the parts of its columns and of words that ask for a table."""
    read = [Part("L", 0, 1, None, None, 0.0, (), (), (cue.start, cue.stop)) for cue in cues]
    known = set[object]()
    kept_parts = [part for part in (_drop_known(part, known) for part in parts) if part is not None]
    return Part("F", 0, 1, table, None, 0.0, CALCULATED, (*kept_parts, *read))


def _drop_known(part: Part, known: set[object]) -> Part | None:
    """A part without what another column's part has: words that several columns share count once."""
    key = part.category, part.program, tuple(leaf.anchored for leaf in iter_leaves(part))
    if key in known:
        return None
    known.add(key)
    parts = (_drop_known(inner, known) for inner in part.parts)
    return replace(part, parts=tuple(inner for inner in parts if inner is not None))
