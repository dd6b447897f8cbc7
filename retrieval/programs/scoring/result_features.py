"""What the ranker is told of a finished program as a whole: what it gives, and whether that is what was asked for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.snapshot.arrays import find_common, is_among
from retrieval.kg.values import parse
from retrieval.language import words as vocabulary
from retrieval.language.amounts import ValueKind
from retrieval.language.english import STOP
from retrieval.language.words import QuestionWords
from retrieval.programs.algebra.execution import Executor
from retrieval.programs.algebra.numbers import Result, get_result_nodes
from retrieval.programs.algebra.operations import (
    EVERY,
    And,
    Constant,
    Count,
    Entities,
    Exists,
    Filter,
    Fold,
    Having,
    KeyOf,
    Or,
    Program,
    Top,
    Walk,
    walk,
)
from retrieval.programs.algebra.table_operations import Table
from retrieval.programs.grammar.constituents import Part
from retrieval.programs.grounding.relation_types import load_stems, parse_stems

if TYPE_CHECKING:
    from retrieval.programs.grounding.anchors.anchor import Features
    from retrieval.programs.grounding.schema import Schema

#: Stems of words that ask for what has a unit, by its dimension.
_MEASURES = {
    "money": parse_stems("cash cost fee money price rent wage salary"),
    "mass": parse_stems("weigh weight heavy"),
    "length": parse_stems("depth distance height tall width length"),
    "duration": parse_stems("duration age runtime length"),
}
#: Stems of nouns for regions and places where people live.
_REGIONS = load_stems("region_nouns")
#: So many of the answers are people, or places, where they fit "who" and "where".
_MOSTLY = 0.5

#: Words for how many answers there are, and up to how many the first of them stand for.
_SIZES, _LIMITS = ("0", "1", "few", "many", "lots"), (0, 1, 12, 100)


class ResultFeatures:
    """Tells the features of finished programs."""

    def __init__(self, schema: Schema, executor: Executor) -> None:
        self.schema = schema
        self.executor = executor

    def extract_features(
        self, question: QuestionWords, program: Program, result: Result, part: Part, several: Collection[Program]
    ) -> Features:
        """What is told of a finished program.

        Args:
            program, result: what it is, and what it gives.
            part: that it was composed of.
            several: sets that words are known to stand for.
        """
        question_kind = question.kind
        idle = float(self._count_idle_filters(program))
        if isinstance(program, Exists):
            return (
                (f"root.{question_kind}.truth", 1.0), (f"root.truth.{bool(result)}", 1.0), ("root.idle", idle),
                ("root.inapplicable", float(not result and self._is_inapplicable(program.source))),
            )  # fmt: skip
        if isinstance(program, Table) or (isinstance(program, Top) and program.count == EVERY):
            return (("root.each", 1.0), ("root.empty", float(not len(result))))  # type: ignore[arg-type]
        if isinstance(result, bool | float):
            sort = "count" if isinstance(program, Count) else "fold" if isinstance(program, Fold) else "number"
            bad = float(result) != float(result) or self._is_empty_sum(program)
            unit = float(self._is_measured_otherwise(question, program))
            undated = float(question_kind == "when" and not self._has_dates(program))
            return (
                (f"root.{question_kind}.{sort}", 1.0), ("root.bad", float(bad)), ("root.idle", idle),
                ("root.unit", unit), ("root.when.undated", undated),
            )  # fmt: skip
        nodes = get_result_nodes(result)
        result = np.zeros(0, np.int64) if nodes is None else nodes
        kinds = self.schema.columns.kinds[result]
        sort = "empty" if not len(result) else "values" if kinds.all() else "nodes"
        if sort == "values":
            sort = ("number", "date", "time")[int(kinds[0]) - 1]
        size = _SIZES[bisect_left(_LIMITS, len(result))]
        shape = type(program).__name__
        features = [
            (f"root.{question_kind}.{sort}", 1.0), (f"root.size.{size}", 1.0),
            (f"root.{question_kind}.{size}", 1.0), (f"root.shape.{shape}", 1.0),
            ("root.empty", float(not len(result))), ("root.all", float(isinstance(program, Having))),
            (f"root.extra.{part.extra if isinstance(part.extra, str) else None}", 1.0), ("root.idle", idle),
        ]  # fmt: skip
        flag = isinstance(program, Walk) and program.relation in self.schema.truths
        features.append(("root.flag", float(flag and question_kind == "which")))
        features.append(("root.dated", float(question_kind == "how many" and self._has_dates(program))))
        undated = isinstance(program, Walk) and sort == "number" and not self._has_dates(program)
        features.append(("root.when.undated", float(undated and question_kind == "when")))
        entities = (inner for inner in walk(program) if isinstance(inner, Entities) and inner not in several)
        named_nodes = [node for entity in entities for node in entity.ids]
        if len(result) and np.isin(result, named_nodes).all():
            features += [("root.echo", 1.0), (f"root.echo.{shape}", 1.0)]
            either = isinstance(program, Or) and any(word.text == "or" for word in question.words)
            features.append(("root.either", float(either and question_kind in ("which", "who", "what is"))))
        mask, naming = self.schema.surrogates
        half = any(word.text == "or" for word in question.words) and any(map(self._is_half, walk(program)))
        features.append(("root.half", float(half)))
        numbered = bool(naming or self.schema.observed) and sort == "nodes" and bool(mask[result].all())
        features.append(("root.surrogate", float(numbered)))
        features.append(("root.surrogate.unasked", float(numbered and self._are_unasked_rows(question, result))))
        if isinstance(program, Top):
            often = any(word.text in ("often", "frequently") for word in question.words)
            features.append(("root.often", float(often and not program.key.counted)))
            tied = len(result) == len(self.executor.compute_nodes(program.source)) > program.count
            features.append(("root.tied", float(tied)))
            one_of = isinstance(program.source, Or) and any(word.text == "or" for word in question.words)
            features.append(("root.one_of", float(one_of)))
        features += self._extract_fit_features(question_kind, result)
        features.append(("root.placeless", float(self._is_placeless(question, program, result))))
        target = self._find_target(question, part)
        if target is not None and len(result):
            inside = is_among(result, self.executor.compute_nodes(target)).all()
            features.append(("target.ok" if inside else "target.bad", 1.0))
            features.append((f"target.{question_kind}.{'ok' if inside else 'bad'}", 1.0))
        return tuple(features)

    def _are_unasked_rows(self, question: QuestionWords, nodes: np.ndarray) -> bool:
        """Whether a relation names these rows, and the question asks for another noun: "which boxer", of bouts."""
        naming, list_sources = self.schema.surrogates[1], self.schema.columns.list_sources
        targets = {question.words[n].stem for n in vocabulary.find_target_words(question)}
        kinds = map(self.schema.snapshot.get_entity_label, naming)
        asked = not targets or any(targets & set(vocabulary.get_label_stems(kind)) for kind in kinds)
        return not asked and any(is_among(nodes, list_sources(relation)).all() for relation in naming.values())

    def _is_half(self, program: Program) -> bool:
        """Whether a relation leads on from one of two names alone: nobody pays by cat."""
        either = program.source if isinstance(program, Walk) else None
        sides = (either.left, either.right) if isinstance(either, Or) else ()
        if not isinstance(program, Walk) or not any(isinstance(side, Entities) for side in sides):
            return False
        return not all(len(self.executor.compute_nodes(Walk(side, program.relation))) for side in sides)

    def _is_measured_otherwise(self, question: QuestionWords, program: Program) -> bool:
        """Whether a number has a unit of which nothing was said, where others are asked for: no fee is 15 days."""
        key = program.key if isinstance(program, Fold | KeyOf) else None
        if key is None or key.counted:
            return False
        kind = self.schema.columns.get_key_type(key)
        unit = (
            None if kind is None or kind.dimension or key.less else self.schema.columns.parse_named_unit(key.path[-1])
        )
        result_dimension = unit.dimension if unit is not None else "" if kind is None else kind.dimension
        texts = [word.text for word in question.words]
        spelt = [parse(f"1 {text}") for before, text in pairwise(texts) if before == "in"]
        units = {value.dimension for value in spelt if value is not None and value.dimension}
        if units:
            return bool(result_dimension) and result_dimension not in units
        stems = {word.stem for word in question.words}
        wanted = {dimension for dimension, measure_stems in _MEASURES.items() if stems & measure_stems}
        is_mentioned = any(stems & set(self.schema.relations[r % len(self.schema.relations)].stems) for r in key.path)
        return bool(wanted) and bool(result_dimension) and result_dimension not in wanted and not is_mentioned

    def _is_empty_sum(self, program: Program) -> bool:
        """Whether nothing of what is added up has a number."""
        if not isinstance(program, Fold) or program.key.counted:
            return False
        return not len(self.executor.compute_keys(self.executor.compute_nodes(program.source), program.key).values)

    def _has_dates(self, program: Program) -> bool:
        """Whether a program leads to years or dates, which are no numbers of anything."""
        kind = None
        if isinstance(program, Walk):
            kind = self.schema.columns.get_value_type(program.relation)
        elif isinstance(program, Fold):
            kind = self.schema.columns.get_key_type(program.key)
        return kind is not None and (kind.year or kind.kind is ValueKind.DATE)

    def _count_idle_filters(self, program: Program) -> int:
        """How many comparisons with a value leave out nothing that has one: more than one employee."""
        count, inner = 0, set[Program]()
        for condition in walk(program):
            if not isinstance(condition, Filter) or condition.key.counted or condition in inner:
                continue
            source = condition.source
            while isinstance(source, Filter) and source.key == condition.key:  # the two ends of a range
                inner.add(source)
                source = source.source
            having = find_common(
                self.executor.compute_nodes(source), self.schema.columns.list_sources(condition.key.path[0])
            )
            count += len(having) > 1 and len(self.executor.compute_nodes(condition)) == len(having)
        return count

    def is_counting_singles(self, program: Program) -> bool:
        """Whether things are told apart by how many they have of what each has one of, as the cells of a table."""
        keys = [inner.key for inner in walk(program) if isinstance(inner, Top)]
        keys += [
            inner.key for inner in walk(program)
            if isinstance(inner, Filter) and not (isinstance(inner.value, Constant) and inner.value.value <= 1)
        ]  # fmt: skip
        forward = {key.path[0] for key in keys if key.counted and len(key.path) == 1}
        return any(
            self.schema.relations[r].facts == self.schema.relations[r].heads
            for r in forward if r < self.schema.snapshot.num_relations
        )  # fmt: skip

    def _is_inapplicable(self, program: Program) -> bool:
        """Whether nothing is said of the one side that could tell the other: who has no award at all."""
        if not isinstance(program, And):
            return False
        for entities, walked in ((program.left, program.right), (program.right, program.left)):
            if isinstance(entities, Entities) and isinstance(walked, Walk):
                back = Having(self.schema.get_inverse(walked.relation))
                return not len(find_common(self.executor.compute_nodes(entities), self.executor.compute_nodes(back)))
        return False

    def _extract_fit_features(self, question_kind: str, result: np.ndarray) -> Features:
        """Whether "who" and "where" are answered with somebody and somewhere, where the graph has any."""
        mask = {"who": self.schema.somebody, "where": self.schema.somewhere}.get(question_kind) if len(result) else None
        if mask is None or not mask.any():
            return ()
        fits = float(np.mean(mask[result]) >= _MOSTLY)
        return ((f"root.{question_kind}.fits", fits), (f"root.{question_kind}.unfit", 1.0 - fits))

    def _is_placeless(self, question: QuestionWords, program: Program, result: np.ndarray) -> bool:
        """Whether "which county", of which the graph has no word, is answered with who did something."""
        texts = [word.text for word in question.words]
        position = next((n for n, text in enumerate(texts[:-1]) if text in ("which", "what")), None)
        noun = question.words[position + 1].stem if position is not None else ""
        if noun not in _REGIONS or noun in self.schema.by_stem or noun in self.schema.kind_stems:
            return False
        sides = (program.left, program.right) if isinstance(program, And) else (program,)
        count = self.schema.snapshot.num_relations
        by = any(
            isinstance(side, Walk) and side.relation < count and self.schema.relations[side.relation].form == "by"
            for side in sides
        )
        places = self.schema.somewhere
        return by and bool(len(result)) and bool(places.any()) and float(np.mean(places[result])) < _MOSTLY

    def _find_target(self, question: QuestionWords, part: Part) -> Program | None:
        """What the question asks for: the first set of it, where that is a kind and no relation of it is asked for,
        or what the relation that stands right behind "which" leads to.
        """
        targets = vocabulary.find_target_words(question)
        stack, first, relating = [part], None, list[int]()
        while stack:
            current = stack.pop()
            if (
                current.anchored
                and not current.parts
                and current.category == "R"
                and current.anchored[0] not in targets
                and current.extra.relation not in self.schema.namings
                and question.words[current.anchored[0]].text not in STOP
            ):
                relating.append(current.anchored[1])
            if (
                current.anchored
                and not current.parts
                and (
                    (current.category == "S" and current.extra in ("kind", "ends", "starts", "hub"))
                    or (current.category == "R" and current.anchored[0] in targets)
                )
                and (first is None or current.first < first.first)
            ):
                first = current
            stack.extend(current.parts)
        if first is None or first.anchored is None or any(end < first.anchored[0] for end in relating):
            return None
        if first.category == "S":
            return first.program
        relation = first.extra.relation
        match self.schema.relations[relation].form:
            case "noun":
                return Having(self.schema.get_inverse(relation))
            case "of":
                return Having(relation)
        return None
