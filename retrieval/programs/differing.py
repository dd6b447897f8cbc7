"""How far two things are apart: "by how many years is A older than B", "the price difference between A and B"."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from retrieval.kg.values import parse
from retrieval.programs.algebra import Arithmetic, Entities, Key, KeyOf, Operation, Program, ValueKind, Walk
from retrieval.programs.anchors.anchor import Features
from retrieval.programs.lexicon import COMPARATIVES
from retrieval.programs.listing import moved, piece
from retrieval.programs.parts import Part
from retrieval.programs.words import Question, folded, stem

if TYPE_CHECKING:
    from retrieval.programs.anchors.anchor import Anchor
    from retrieval.programs.anchors.similarity import Adjectives
    from retrieval.programs.execution import Executor
    from retrieval.programs.schema import Schema

_COMPARED = "|".join(
    sorted((re.escape(word) for word, (own, _) in COMPARATIVES.items() if own.nouns), key=len, reverse=True)
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


class Differing:
    """Composes programs of how far two things are apart.

    Args:
        schema: of the graph.
        executor: runs them.
        adjectives: the relations that they compare.
    """

    def __init__(self, schema: Schema, executor: Executor, adjectives: Adjectives) -> None:
        self.schema = schema
        self.executor = executor
        self.adjectives = adjectives

    def parts(
        self, question: Question, compose: Callable[[Question], list[Part]], anchors: Sequence[Anchor] = ()
    ) -> Iterator[Part]:
        """The difference that a question asks for, composed; nothing where it asks for none.

        Args:
            question: in words.
            compose: the parts that a question's chart has, best first.
            anchors: what its words may stand for.
        """
        texts = [word.text for word in question.words]
        text, starts = folded(question)
        match = _ASKED.fullmatch(text)
        if match is None:
            if _APART.fullmatch(text):
                yield from self._apart(question, anchors)
            return

        def stretch(name: str) -> tuple[int, int]:
            low, high = match.span(name)
            return starts.index(low), sum(start < high for start in starts[: len(texts)])

        sort = next(own for own in ("one", "doing", "more") if match[own])
        compared = match["adjective"] or _VERBS[match["verb"] or match["costs"]]
        first, last = stretch("other")
        while first < last - 1 and texts[first] in _THAT_OF:
            first += 1
        cue = Part("L", 0, 1, None, None, 0.0, (), (), (0, stretch(sort)[0]))
        than = Part("C", 0, 1, None, None, 0.0, (), (), (stretch(sort)[1], first))
        counted = self._named(match["unit"])
        ones = self._sets(question, *stretch(sort), compose)
        others = self._sets(question, first, last, compose)
        for one, source, said in ones:
            for other, beside, _ in others:
                for relation, quality in counted or self._measures(compared, said):
                    key = Key((relation,))
                    program = Arithmetic(Operation.DIFFERENCE, KeyOf(source, key), KeyOf(beside, key))
                    if not math.isnan(self.executor.number(program)):
                        features: Features = (
                            ("difference", 1.0), ("difference.quality", quality), ("difference.asked", quality),
                        )  # fmt: skip
                        yield Part("F", 0, 1, program, None, 0.0, features, (cue, one, than, other))

    def _apart(self, question: Question, anchors: Sequence[Anchor]) -> Iterator[Part]:
        """How far the two things that are named are apart, by what the other words say of them."""
        named = things_named(anchors, self.schema)
        alike = [two for two in combinations(named[:_NAMED], 2) if self._alike(two[0][1], two[1][1])]
        if not alike or (len(named) != _TWO and len(alike) != 1):
            return
        (one, source), (other, beside) = sorted(alike[0], key=lambda own: own[0].first)
        rest = [
            n for n in range(len(question.words))
            if not (one.first <= n < one.last or other.first <= n < other.last)
        ]  # fmt: skip
        keys = [(quality, Key((relation,)), relation) for relation, quality in self._fitting(question, rest)]
        fitting = [
            (
                quality,
                relation,
                Arithmetic(self._how(question, relation), KeyOf(source, key), KeyOf(beside, key)),
            )
            for quality, key, relation in keys
        ]
        known = [own for own in fitting if not math.isnan(self.executor.number(own[2]))]
        for quality, _, program in sorted(known, key=lambda own: (-own[0], own[1]))[:_TRIED]:
            features: Features = (
                ("difference", 1.0), ("difference.quality", quality), ("difference.asked", quality),
            )  # fmt: skip
            parts = [
                Part("S", 0, 1, own.program, own.extra, 0.0, own.features, (), (own.first, own.last))
                for own in (one, other)
            ]
            cues = [Part("L", 0, 1, None, None, 0.0, (), (), (n, n + 1)) for n in rest]
            yield Part("F", 0, 1, program, None, 0.0, features, (*parts, *cues))

    def _how(self, question: Question, relation: int) -> Operation:
        """How far values are apart: dates in days, where these are asked for."""
        kind = self.schema.columns.value_type(relation)
        dated = kind is not None and kind.kind is ValueKind.DATE
        days = any(word.text in ("days", "nights") for word in question.words)
        return Operation.DAYS if dated and days else Operation.DIFFERENCE

    def _alike(self, one: Program, other: Program) -> bool:
        """Whether two things have values of the same relation."""
        held = [set(self.schema.held_by(self.executor.nodes(own))) for own in (one, other)]
        return bool(held[0] & held[1] & set(self.schema.value_relations))

    def _fitting(self, question: Question, rest: Sequence[int]) -> Iterator[tuple[int, float]]:
        """Relations of values that words say two things differ by, with how well each fits."""
        words = [question.words[n] for n in rest]
        texts, stems = [word.text for word in words], {word.stem for word in words}
        said = [*texts, *(" ".join(pair) for pair in pairwise(texts))]
        compared = dict[int, float]()
        for phrase in (_VERBS.get(own.removesuffix("s"), own) for own in said):
            if phrase in COMPARATIVES and COMPARATIVES[phrase][0].nouns:
                for relation, _, quality in self.adjectives.relations(COMPARATIVES[phrase][0]):
                    compared[relation] = max(quality, compared.get(relation, 0.0))
        units = {own.dimension for text in texts if (own := parse(f"1 {text}")) is not None and own.dimension}
        for relation in self.schema.value_relations:
            kind, named = self.schema.columns.value_type(relation), set(self.schema.relations[relation].stems)
            if kind is None:
                continue
            dated = kind.year or kind.kind is ValueKind.DATE
            quality = max(compared.get(relation, 0.0), len(named & stems) / max(1, len(named)))
            if (dated and _SPANS & set(texts)) or kind.dimension in units:
                quality += _OF_UNIT
            elif dated or (_SPANS - {"age"}) & set(texts):
                continue
            if quality >= _FITS:
                yield relation, min(1.0, quality)

    def _sets(
        self, question: Question, first: int, last: int, compose: Callable[[Question], list[Part]]
    ) -> list[tuple[Part, Program, int | None]]:
        """Single things that words mean, with the relation of values that is asked for of them, if one is."""
        found: list[tuple[Part, Program, int | None]] = []
        for part in compose(piece(question, first, last))[:_READ]:
            program, said = part.program, None
            if part.category != "S" or program is None:
                continue
            if isinstance(program, Walk) and self.schema.columns.value_type(program.relation) is not None:
                said, program = program.relation, program.source
            if len(self.executor.nodes(program)) == 1:
                found.append((moved(part, first), program, said))
        return found

    def _named(self, unit: str | None) -> list[tuple[int, float]]:
        """Relations of values that what is counted names: "by how many seats is A bigger"."""
        known = self.schema.by_stem.get(stem(unit), ()) if unit else ()
        valued = [r for r in known if self.schema.columns.value_type(r) is not None]
        return [(r, 1.0 / len(self.schema.relations[r].stems)) for r in valued]

    def _measures(self, compared: str, said: int | None) -> list[tuple[int, float]]:
        """Relations that two may differ by, with how well each fits."""
        if said is not None:
            return [(said, 1.0)]
        known = self.adjectives.relations(COMPARATIVES[compared][0])
        return [(relation, quality) for relation, _, quality in known[:_TRIED]]


def things_named(anchors: Sequence[Anchor], schema: Schema) -> list[tuple[Anchor, Entities]]:
    """The single things that are named, no values and kinds: the longest names first, one of those that share words."""
    named: list[tuple[Anchor, Entities]] = []
    for own in sorted(anchors, key=lambda own: (own.first - own.last, -own.strength)):
        program = own.program
        if own.extra != "node" or not isinstance(program, Entities) or len(program.ids) != 1:
            continue
        if schema.columns.kinds[program.ids[0]] or program.ids[0] in schema.kinds:
            continue
        if all(own.last <= other.first or other.last <= own.first for other, _ in named):
            named.append((own, program))
    return named
