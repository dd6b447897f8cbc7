"""How far two things are apart: "by how many years is A older than B", "the price difference between A and B"."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from retrieval.kg.values import parse
from retrieval.language.adjectives import COMPARATIVES
from retrieval.language.amounts import ValueKind
from retrieval.language.words import QuestionWords, get_stem, join_words
from retrieval.programs.algebra.operations import Arithmetic, Entities, Key, KeyOf, Operation, Program, Walk
from retrieval.programs.constructions.construction import ComposedQuestion
from retrieval.programs.constructions.subquestions import extract_subquestion, move_part
from retrieval.programs.grammar.constituents import Part
from retrieval.programs.grounding.anchors.anchor import Features

if TYPE_CHECKING:
    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.anchors.anchor import Anchor
    from retrieval.programs.grounding.anchors.similarity import Adjectives
    from retrieval.programs.grounding.schema import Schema

_COMPARED = "|".join(
    sorted((re.escape(word) for word, (adjective, _) in COMPARATIVES.items() if adjective.nouns), key=len, reverse=True)
)
_ASKED = re.compile(
    r"(?:by )?how (?:many|much)(?: (?P<unit>\w+))? (?:"
    rf"(?:is|are|was|were) (?P<one>.+?) (?P<adjective>{_COMPARED})"
    r"|(?:do|does|did) (?P<doing>.+?) (?P<verb>weigh|cost) more"
    r"|more (?:do|does|did) (?P<more>.+?) (?P<costs>weigh|cost)"
    r") than (?P<other>.+)"
)
#: What verbs compare.
_VERBS = {"weigh": "heavier", "cost": "more expensive"}
#: "That of B" is B's.
_THAT_OF = ("that", "those", "the", "one", "of")
#: What asks how far two things are apart that are named anywhere behind it.
_APART = re.compile(
    r".*\b(?:dif+e?re?nc\w*|differ|apart)\b.*"
    rf"|(?:by )?how (?:many|much|far|long)\b.*\b(?:more|less|fewer|{_COMPARED})\b.*\bthan\b.*"
    r"|how (?:many (?:years|months|weeks|days|hours|minutes)|long)\b.*\b(?:after|before|between)\b.*"
)
#: What dates are apart in.
_SPANS = frozenset({"years", "months", "weeks", "days", "age"})
#: How well a relation fits that has the unit that is asked for, and the least that one has to.
_OF_UNIT, _FITS = 0.5, 0.3
#: Readings of each of the two that are looked at, and relations that are tried.
_READ, _TRIED, _TWO, _NAMED = 3, 2, 2, 4


class Differences:
    """Composes programs of how far two things are apart.

    Args:
        adjectives: the relations that they compare.
    """

    def __init__(self, schema: Schema, executor: Executor, adjectives: Adjectives) -> None:
        self.schema = schema
        self.executor = executor
        self.adjectives = adjectives

    def build_parts(self, composed: ComposedQuestion) -> Iterator[Part]:
        """See :meth:`Construction.build_parts`."""
        question, compose, anchors = composed.question, composed.compose, composed.anchors
        texts = [word.text for word in question.words]
        text, starts = join_words(question)
        match = _ASKED.fullmatch(text)
        if match is None:
            if _APART.fullmatch(text):
                yield from self._build_named_differences(question, anchors)
            return

        def get_word_range(name: str) -> tuple[int, int]:
            low, high = match.span(name)
            return starts.index(low), sum(start < high for start in starts[: len(texts)])

        sort = next(group for group in ("one", "doing", "more") if match[group])
        compared = match["adjective"] or _VERBS[match["verb"] or match["costs"]]
        first, last = get_word_range("other")
        while first < last - 1 and texts[first] in _THAT_OF:
            first += 1
        cue = Part("L", 0, 1, None, None, 0.0, (), (), (0, get_word_range(sort)[0]))
        than = Part("C", 0, 1, None, None, 0.0, (), (), (get_word_range(sort)[1], first))
        counted = self._find_unit_relations(match["unit"])
        ones = self._find_single_things(question, *get_word_range(sort), compose)
        others = self._find_single_things(question, first, last, compose)
        for left, left_source, value_relation in ones:
            for right, right_source, _ in others:
                for relation, quality in counted or self._list_compared_relations(compared, value_relation):
                    key = Key((relation,))
                    program = Arithmetic(Operation.DIFFERENCE, KeyOf(left_source, key), KeyOf(right_source, key))
                    if not math.isnan(self.executor.compute_number(program)):
                        features: Features = (
                            ("difference", 1.0), ("difference.quality", quality), ("difference.asked", quality),
                        )  # fmt: skip
                        yield Part("F", 0, 1, program, None, 0.0, features, (cue, left, than, right))

    def _build_named_differences(self, question: QuestionWords, anchors: Sequence[Anchor]) -> Iterator[Part]:
        """How far the two things that are named are apart, by what the other words say of them."""
        things = find_named_things(anchors, self.schema)
        alike = [two for two in combinations(things[:_NAMED], 2) if self._has_common_relation(two[0][1], two[1][1])]
        if not alike or (len(things) != _TWO and len(alike) != 1):
            return
        (left, left_source), (right, right_source) = sorted(alike[0], key=lambda thing: thing[0].first)
        rest = [
            n for n in range(len(question.words))
            if not (left.first <= n < left.last or right.first <= n < right.last)
        ]  # fmt: skip
        keys = [
            (quality, Key((relation,)), relation)
            for relation, quality in self._find_difference_relations(question, rest)
        ]
        fitting = [
            (
                quality,
                relation,
                Arithmetic(
                    self._select_operation(question, relation),
                    KeyOf(left_source, key),
                    KeyOf(right_source, key),
                ),
            )
            for quality, key, relation in keys
        ]
        known = [candidate for candidate in fitting if not math.isnan(self.executor.compute_number(candidate[2]))]
        for quality, _, program in sorted(known, key=lambda candidate: (-candidate[0], candidate[1]))[:_TRIED]:
            features: Features = (
                ("difference", 1.0), ("difference.quality", quality), ("difference.asked", quality),
            )  # fmt: skip
            parts = [
                Part(
                    "S",
                    0,
                    1,
                    anchor.program,
                    anchor.extra,
                    0.0,
                    anchor.features,
                    (),
                    (anchor.first, anchor.last),
                )
                for anchor in (left, right)
            ]
            cues = [Part("L", 0, 1, None, None, 0.0, (), (), (n, n + 1)) for n in rest]
            yield Part("F", 0, 1, program, None, 0.0, features, (*parts, *cues))

    def _select_operation(self, question: QuestionWords, relation: int) -> Operation:
        """How far values are apart: dates in days, where these are asked for."""
        kind = self.schema.columns.get_value_type(relation)
        dated = kind is not None and kind.kind is ValueKind.DATE
        days = any(word.text in ("days", "nights") for word in question.words)
        return Operation.DAYS if dated and days else Operation.DIFFERENCE

    def _has_common_relation(self, left: Program, right: Program) -> bool:
        """Whether two things have values of the same relation."""
        held = [
            set(self.schema.find_shared_relations(self.executor.compute_nodes(program))) for program in (left, right)
        ]
        return bool(held[0] & held[1] & set(self.schema.value_relations))

    def _find_difference_relations(self, question: QuestionWords, rest: Sequence[int]) -> Iterator[tuple[int, float]]:
        """Relations of values that words say two things differ by, with how well each fits."""
        words = [question.words[n] for n in rest]
        texts, stems = [word.text for word in words], {word.stem for word in words}
        phrases = [*texts, *(" ".join(pair) for pair in pairwise(texts))]
        compared = dict[int, float]()
        for phrase in (_VERBS.get(spoken.removesuffix("s"), spoken) for spoken in phrases):
            if phrase in COMPARATIVES and COMPARATIVES[phrase][0].nouns:
                for relation, _, quality in self.adjectives.find_relations(COMPARATIVES[phrase][0]):
                    compared[relation] = max(quality, compared.get(relation, 0.0))
        units = {value.dimension for text in texts if (value := parse(f"1 {text}")) is not None and value.dimension}
        for relation in self.schema.value_relations:
            kind, label_stems = (
                self.schema.columns.get_value_type(relation),
                set(self.schema.relations[relation].stems),
            )
            if kind is None:
                continue
            dated = kind.year or kind.kind is ValueKind.DATE
            quality = max(compared.get(relation, 0.0), len(label_stems & stems) / max(1, len(label_stems)))
            if (dated and _SPANS & set(texts)) or kind.dimension in units:
                quality += _OF_UNIT
            elif dated or (_SPANS - {"age"}) & set(texts):
                continue
            if quality >= _FITS:
                yield relation, min(1.0, quality)

    def _find_single_things(
        self, question: QuestionWords, first: int, last: int, compose: Callable[[QuestionWords], list[Part]]
    ) -> list[tuple[Part, Program, int | None]]:
        """Single things that words mean, with the relation of values that is asked for of them, if one is."""
        things: list[tuple[Part, Program, int | None]] = []
        for part in compose(extract_subquestion(question, first, last))[:_READ]:
            program, relation = part.program, None
            if part.category != "S" or program is None:
                continue
            if isinstance(program, Walk) and self.schema.columns.get_value_type(program.relation) is not None:
                relation, program = program.relation, program.source
            if len(self.executor.compute_nodes(program)) == 1:
                things.append((move_part(part, first), program, relation))
        return things

    def _find_unit_relations(self, unit: str | None) -> list[tuple[int, float]]:
        """Relations of values that what is counted names: "by how many seats is A bigger"."""
        known = self.schema.by_stem.get(get_stem(unit), ()) if unit else ()
        valued = [r for r in known if self.schema.columns.get_value_type(r) is not None]
        return [(r, 1.0 / len(self.schema.relations[r].stems)) for r in valued]

    def _list_compared_relations(self, compared: str, value_relation: int | None) -> list[tuple[int, float]]:
        """Relations that two may differ by, with how well each fits."""
        if value_relation is not None:
            return [(value_relation, 1.0)]
        known = self.adjectives.find_relations(COMPARATIVES[compared][0])
        return [(relation, quality) for relation, _, quality in known[:_TRIED]]


def find_named_things(anchors: Sequence[Anchor], schema: Schema) -> list[tuple[Anchor, Entities]]:
    """The single things that are named, no values and kinds: the longest names first, one of those that share words."""
    things: list[tuple[Anchor, Entities]] = []
    for anchor in sorted(anchors, key=lambda anchor: (anchor.first - anchor.last, -anchor.strength)):
        program = anchor.program
        if anchor.extra != "node" or not isinstance(program, Entities) or len(program.ids) != 1:
            continue
        if schema.columns.kinds[program.ids[0]] or program.ids[0] in schema.kinds:
            continue
        if all(anchor.last <= other.first or other.last <= anchor.first for other, _ in things):
            things.append((anchor, program))
    return things
