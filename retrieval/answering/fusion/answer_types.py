"""Which nodes can be answers at all, by the type that the question word asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.snapshot import KINDS
from retrieval.language.amounts import ValueKind
from retrieval.language.question import Question
from retrieval.programs.algebra.columns import VALUE_KINDS
from retrieval.programs.rendering.formatting import infer_value_type

if TYPE_CHECKING:
    from retrieval.programs.algebra.columns import Columns
    from retrieval.programs.grounding.schema import Schema
    from retrieval.programs.scoring.candidates import Candidate

#: Ends of a relation that are looked at for what sort they are.
_LOOKED_AT = 20
#: What asks what somebody is: a kind may tell.
_IDENTITY = re.compile(r"\W*who(?:'s|\u2019s|\s+(?:is|was|are|were))\s", re.IGNORECASE)
#: Kinds of values that say when something was.
_TIMES = frozenset({"year", ValueKind.DATE.value, ValueKind.TIME.value})
#: Numbers that look like years.
_YEARS = range(1000, 2101)


class AnswerTypes:
    """The types of answers that question words ask for, over one graph."""

    def __init__(self, schema: Schema, columns: Columns) -> None:
        self._schema = schema
        self._columns = columns

    def is_of_another_type(self, question: Question, *, nodes: Sequence[int] = (), ends: Sequence[int] = ()) -> bool:
        """Whether "who" or "where" is answered with a number or date, "which" with yes or no, "who" or "when" with rows
        of a table, or "how many" with a broken number: by nodes, or by what directed relations lead to.
        """
        schema = self._schema
        sort, truths = question.words.kind, schema.truths
        if sort == "which" and any(end in truths for end in ends):
            return True
        if sort == "who" and schema.find_people_relations(np.array(nodes, np.int64)):
            return True
        if sort in ("who", "when"):
            led = [node for end in ends for node in self._columns.list_targets(end)[:_LOOKED_AT]]
            if any(schema.surrogates[0][node] for node in (*nodes, *led)):
                return True
        if sort == "how many" and any(value % 1 > 0 for value in self._columns.values[list(nodes)]):
            return True
        if sort not in ("who", "where"):
            return False
        valued = any(self._columns.kinds[node] for node in nodes)
        return valued or any(self._columns.get_value_type(end) is not None for end in ends)

    def is_impossible_answer(self, question: Question, nodes: Sequence[int]) -> bool:
        """Whether nodes cannot answer the question: nodes without a name; anything but yes or no for a polar question,
        and yes or no for any other; a kind or unnamed rows for "who"; people, trades and days for "where".
        """
        schema, sort = self._schema, question.words.kind
        if nodes and (schema.snapshot.kinds[list(nodes)] == KINDS.index("cvt")).all():
            return True
        if sort == "yes/no":
            return bool(nodes) and (len(nodes) > 1 or nodes[0] not in schema.truth_values)
        truths = set(nodes) & set(schema.truth_values)
        if truths and (len(truths) == len(nodes) or sort in ("who", "when", "where")):
            return True
        if sort == "where":
            elsewhere = schema.nowhere | (schema.somebody & ~schema.somewhere)
            return bool(nodes) and all(elsewhere[node] or self.find_value_kind(node) in _TIMES for node in nodes)
        if sort != "who" or _IDENTITY.match(question.text):
            return False
        rows = schema.surrogates[0] & ~schema.somebody
        return not set(nodes).isdisjoint(schema.kinds) or (bool(nodes) and bool(rows[list(nodes)].all()))

    def is_impossible_number(self, question: Question, candidate: Candidate) -> bool:
        """Whether a number answers "when" that is no date, time or year."""
        if question.words.kind != "when" or not isinstance(candidate.result, float):
            return False
        kind = infer_value_type(self._columns, candidate.program)
        return kind is None or (kind.kind is ValueKind.NUMBER and not kind.year)

    def find_value_kind(self, node: int) -> str | None:
        """What a node is that is no thing; None of things."""
        columns, schema = self._columns, self._schema
        if node in schema.truth_values:
            return "yes/no"
        if not columns.kinds[node]:
            return None
        value = float(columns.values[node])
        kind = VALUE_KINDS[int(columns.kinds[node]) - 1]
        return "year" if kind is ValueKind.NUMBER and value in _YEARS else kind.value
