"""Sets, keys and values of programs in plain English."""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from retrieval.language.amounts import ValueKind
from retrieval.programs.algebra.operations import Constant, Entities, Filter, Having, Key, Or, Program, Top, Walk
from retrieval.programs.rendering.directions import split_direction
from retrieval.programs.rendering.formatting import format_result, format_value, infer_value_type
from retrieval.programs.rendering.wording import Wording, add_article, make_plural

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor

NO_NOUNS: Mapping[int, str] = {}
NOTHING = "nothing"
"""What stands for a number that does not exist."""


class SetDescriber:
    """Puts sets, keys and values of programs over one graph into words.

    Args:
        type_relation: the relation that says what kind a node is, None where there is none.
        nouns: what the nodes are called that a directed relation leads on from.
    """

    def __init__(self, executor: Executor, type_relation: int | None, nouns: Mapping[int, str] = NO_NOUNS) -> None:
        self.nouns = nouns
        self.executor = executor
        self.columns = executor.columns
        self.words = Wording(executor.columns)
        self.type_relation = type_relation

    def describe_simple(self, program: Program) -> tuple[str, str, str] | None:
        """A set that one step says: as a noun, as what others are besides, and in few words."""
        match program:
            case Entities(ids):
                names = self.words.join_labels(ids)
                return names, f"that are {self.words.join_labels(ids, 'or')}", names
            case Having(relation) if relation in self.nouns:
                plural_noun = make_plural(self.nouns[relation])
                return plural_noun, f"that are {plural_noun}", plural_noun
            case Having(relation):
                noun, text = self.words.get_noun(relation), self.words.describe_having(relation)
                inverse, _ = split_direction(self.words.snapshot, relation)
                verbal = self.words.is_prepositional(relation) or self.words.get_verb_forms(relation) is not None
                if inverse and not verbal:  # sports, of a table with a column "sport"
                    plural_noun = make_plural(noun)
                    return plural_noun, f"that are {plural_noun}", plural_noun
                return f"those {text}", text, f"is {add_article(noun)}" if inverse else f"has {noun}"
            case Walk(Entities(ids), relation):
                return self._describe_simple_walk(ids, relation)
            case Or(left, right):
                first, second = self.describe_simple(left), self.describe_simple(right)
                if first is not None and second is not None:
                    return (
                        f"{first[0]} or {second[0]}",
                        f"{first[1]} or {second[1]}",
                        f"{first[2]} or {second[2]}",
                    )
        return None

    def _describe_simple_walk(self, ids: tuple[int, ...], relation: int) -> tuple[str, str, str]:
        inverse, forward = split_direction(self.words.snapshot, relation)
        either = self.words.join_labels(ids, "or")
        if not inverse:
            text = self.words.describe_target(relation, self.words.join_labels(ids))
            predicate = text.removeprefix("what ")
            return (
                text,
                f"that {predicate}" if predicate != text else f"that are {text}",
                text.removeprefix("the "),
            )
        if forward == self.type_relation:
            kinds = self.words.join_kinds(ids)
            return kinds, f"that are {kinds}", kinds
        text = self.words.describe_owner(relation, either)
        return f"those {text}", text, f"{self.words.get_noun(relation)} {either}"

    def describe_key(self, key: Key) -> str:
        """A key as a noun; what it counts is named where one word says it."""
        return self.words.describe_key(key, self.describe_things(key))

    def describe_things(self, key: Key) -> str:
        """What a key counts, where that is told in one word."""
        simple = None if key.among is None else self.describe_simple(key.among)
        return "things" if key.among is None else "of these" if simple is None else simple[0]

    def describe_restriction(self, among: Program | None) -> str:
        """What only some nodes are taken by, behind a noun: `` that are countries``; empty of all."""
        simple = None if among is None else self.describe_simple(among)
        return "" if among is None else " of these" if simple is None else f" {simple[1]}"

    def describe_value(self, program: Program, like: Program | None = None) -> str:
        """A number that something is compared with: as the question spells it, else what it comes to."""
        if isinstance(program, Constant):
            if program.text:
                return program.text
            if program.kind is ValueKind.MONTH_DAY:
                month, day = divmod(int(program.value), 100)
                return f"{day} {calendar.month_name[month]}"
            kind = None if like is None else infer_value_type(self.columns, like)
            return format_value(kind or infer_value_type(self.columns, program), program.value)
        value = self.executor.compute_number(program)
        result = self.executor.run(program)
        if isinstance(result, np.ndarray) and len(result) == 1:
            return self.words.snapshot.get_entity_label(int(result[0]))
        return format_result(self.columns, program, value) or NOTHING

    def describe_compared_value(self, program: Filter) -> str:
        """The value that a filter compares with, as it stands in its step."""
        key, value = program.key, program.value
        kind = self.columns.get_key_type(key)
        if isinstance(value, Constant) and not value.text and kind is not None and kind.kind is value.kind:
            return format_value(kind, value.value)
        if isinstance(value, Constant) and not value.text and kind is not None and value.kind is ValueKind.NUMBER:
            return f"{value.value:.0f}"  # the year of dates
        return self.describe_value(value)

    def describe_group(self, program: Top) -> str:
        """What a group is: its kind, where all are of one, else what the path leads to."""
        per = program.per or ()
        groups = np.unique(self.executor.compute_pairs(self.executor.compute_nodes(program), per)[1])
        return self.find_common_kind(groups) or self.describe_key(Key(per))

    def find_common_kind(self, nodes: np.ndarray) -> str | None:
        """The kind that nodes have in common, in small letters; None where they have none."""
        if self.type_relation is None or not len(nodes):
            return None
        node_kinds = [set(self.executor.walk(nodes[n : n + 1], self.type_relation).tolist()) for n in range(len(nodes))]
        kinds = sorted(set.intersection(*node_kinds))
        return self.words.snapshot.get_entity_label(kinds[0]).lower() if kinds else None
