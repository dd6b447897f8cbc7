"""The chart of a question: parts of programs over stretches of its words, grown bottom-up and executed as they grow."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from retrieval import effort
from retrieval.errors import check
from retrieval.language import words as vocabulary
from retrieval.language.english import STOP
from retrieval.language.words import QuestionWords
from retrieval.programs.algebra.operations import Walk
from retrieval.programs.grammar.constituents import Part, can_replace_source
from retrieval.programs.grounding.anchors.anchor import Anchor

if TYPE_CHECKING:
    from retrieval.programs.grammar.composition import ProgramComposer
    from retrieval.programs.grounding.anchors.anchor import Features
    from retrieval.programs.weights import Weights

#: Parts of one stretch of words that are kept, of each category.
_BEAM = {"S": 12, "F": 6, "R": 24}
_BEAM_OTHER = 6
#: Positions of a chart; later words are left out.
_POSITIONS = 14
#: Pairs of parts that are tried for one split of a stretch, best first.
_PAIRS = 30
#: Pairs that are so much worse than the best of their split are not tried.
_BEHIND = 5.0
#: Sets up to this size are compared whole.
_SMALL = 5000
#: Seconds of processor time after which no more is composed: on a busy machine a question is read alike.
_PATIENCE = 1.0


class Chart:
    """The chart of one question. Positions are the words that may stand for something.

    Args:
        anchors: what its words may stand for.
        composer: makes parts of parts.
    """

    def __init__(
        self,
        question: QuestionWords,
        anchors: list[Anchor],
        composer: ProgramComposer,
        weights: Weights,
        cancelled: Callable[[], bool],
    ) -> None:
        self.question = question
        self.weights = weights
        self.cancelled = cancelled
        self.composer = composer
        covered = sorted(
            {n for anchor in anchors for n in range(anchor.first, anchor.last)} - _find_idle_words(question, anchors)
        )
        self.positions = covered[:_POSITIONS]
        self.place = {word: index for index, word in enumerate(self.positions)}
        self.gaps = ["none"] * (len(self.positions) + 1)
        for index in range(1, len(self.positions)):
            between = [w.text for w in question.words[self.positions[index - 1] + 1 : self.positions[index]]]
            self.gaps[index] = vocabulary.get_gap_class(between) if between else "none"
        self.skips = [self._skip(anchors, word) for word in self.positions]
        self.cells: dict[tuple[int, int], list[Part]] = {}
        self.deadline = time.thread_time() + _PATIENCE
        self._build_cells(anchors)

    def _skip(self, anchors: list[Anchor], word: int) -> tuple[float, Features]:
        best: dict[str, float] = {}
        for anchor in anchors:
            if anchor.first <= word < anchor.last:
                name = anchor.category if anchor.category in "SRNOIE" else "cue"
                best[name] = max(best.get(name, 0.0), anchor.strength / (anchor.last - anchor.first) ** 0.5)
        name, strength = max(best.items(), key=lambda item: item[1])
        if self.question.words[word].text in ("where", "when"):  # what else is asked for says it too
            return 0.0, ()
        target = float(word in vocabulary.find_target_words(self.question))
        features: Features = (
            (f"skip.{name}", strength), ("skip", 1.0), ("skip.target", target),
            ("skip.compared", float(_is_comparison(anchors, word))), ("skip.not", float(_is_negation(anchors, word))),
        )  # fmt: skip
        return self.weights.score(features), features

    def _build_cells(self, anchors: list[Anchor]) -> None:
        size = len(self.positions)
        for width in range(1, size + 1):
            for first in range(size - width + 1):
                check(self.cancelled)
                self._build_cell(first, first + width, anchors)

    def _build_cell(self, first: int, last: int, anchors: list[Anchor]) -> None:
        best_parts: dict[tuple[object, ...], Part] = {}

        def add(part: Part) -> None:
            key = (part.category, part.extra, self._compute_identity(part))
            known = best_parts.get(key)
            if known is None or known.score < part.score:
                best_parts[key] = part

        for anchor in anchors:
            places = [self.place[n] for n in range(anchor.first, anchor.last) if n in self.place]
            if places and places[0] == first and places[-1] == last - 1:
                score = self.weights.score(anchor.features)
                add(
                    Part(
                        anchor.category,
                        first,
                        last,
                        anchor.program,
                        anchor.extra,
                        score,
                        anchor.features,
                        (),
                        (anchor.first, anchor.last),
                    )
                )
        if last - first > 1:
            self._add_skipped(first, last, add)
            self._add_composed(first, last, add)
        self.cells[first, last] = _select_beam(list(best_parts.values()))

    def _add_skipped(self, first: int, last: int, add: Callable[[Part], None]) -> None:
        cost, features = self.skips[last - 1]
        for part in self.cells[first, last - 1]:
            add(Part(part.category, first, last, part.program, part.extra, part.score + cost, features, (part,)))
        if first == 0:
            for skipped in range(1, last):
                cost = sum(skip_cost for skip_cost, _ in self.skips[:skipped])
                features = tuple(f for _, skip_features in self.skips[:skipped] for f in skip_features)
                for part in self.cells[skipped, last]:
                    if part.parts and part.parts[0].first == 0:
                        continue
                    add(
                        Part(
                            part.category,
                            first,
                            last,
                            part.program,
                            part.extra,
                            part.score + cost,
                            features,
                            (part,),
                        )
                    )

    def _add_composed(self, first: int, last: int, add: Callable[[Part], None]) -> None:
        composer, weights = self.composer, self.weights
        for middle in range(first + 1, last):
            gap = self.gaps[middle]
            lefts, rights = self.cells[first, middle], self.cells[middle, last]
            if time.thread_time() > self.deadline or effort.is_spent():
                return
            pairs = [
                (left.score + right.score, left, right)
                for left in lefts
                for right in rights
                if composer.can_compose(left.category, right.category)
            ]
            pairs.sort(key=lambda pair: -pair[0])
            for base, left, right in pairs[:_PAIRS]:
                if base < pairs[0][0] - _BEHIND:
                    break
                for category, program, extra, features in composer.compose(left, right, gap):
                    score = base + weights.score(features)
                    add(Part(category, first, last, program, extra, score, features, (left, right)))

    def _compute_identity(self, part: Part) -> object:
        """What tells parts apart: programs of one result are one, unless their form matters later."""
        program = part.program
        if part.category != "S" or program is None or isinstance(program, Walk) or can_replace_source(program):
            return program
        nodes = self.composer.compute_nodes(program)
        if len(nodes) > _SMALL:
            return program
        return nodes.tobytes()

    def list_covering_parts(self) -> list[Part]:
        """Parts that cover the question."""
        parts = self.cells.get((0, len(self.positions)), [])
        return [*parts, *(made for part in parts for made in self._generate_completions(part))]

    def _generate_completions(self, part: Part) -> Iterator[Part]:
        for category, program, extra, features in self.composer.generate_completions(part):
            score = part.score + self.weights.score(features)
            yield Part(category, part.first, part.last, program, extra, score, features, (part,))


def _select_beam(parts: list[Part]) -> list[Part]:
    parts.sort(key=lambda part: -part.score)
    counts: dict[str, int] = {}
    kept = []
    for part in parts:
        count = counts.get(part.category, 0)
        if count < _BEAM.get(part.category, _BEAM_OTHER):
            counts[part.category] = count + 1
            kept.append(part)
    return kept


def _find_idle_words(question: QuestionWords, anchors: Sequence[Anchor]) -> set[int]:
    """Stop words that only the middle of a longer name needs."""
    needed = {n for a in anchors for n in range(a.first, a.last) if a.last - a.first == 1 or a.category not in "SR"}
    return {n for n, word in enumerate(question.words) if word.text in STOP and n not in needed}


def _is_negation(anchors: Sequence[Anchor], word: int) -> bool:
    """Whether a word says "not" or the like: without it an answer is the opposite of what was asked."""
    return any(anchor.category == "X" and anchor.first <= word < anchor.last for anchor in anchors)


def _is_comparison(anchors: Sequence[Anchor], word: int) -> bool:
    """Whether a word compares with the number or period right behind it: "after November", "more than 3"."""
    return any(
        anchor.category == "C" and anchor.first <= word < anchor.last
        and any(other.category == "N" and other.first == anchor.last for other in anchors)
        for anchor in anchors
    )  # fmt: skip
