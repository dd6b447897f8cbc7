"""From a question to programs: a chart over its words, grown bottom-up and executed as it grows."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import check
from retrieval.programs import words as vocabulary
from retrieval.programs.algebra import (
    Count,
    Entities,
    Except,
    Exists,
    Fold,
    Having,
    Program,
    Top,
    Walk,
    walk,
)
from retrieval.programs.anchors.anchor import Anchor
from retrieval.programs.anchors.finder import Anchors
from retrieval.programs.anchors.similarity import Similarity
from retrieval.programs.columns import Columns
from retrieval.programs.composition import Composer
from retrieval.programs.execution import Executor, Result, among
from retrieval.programs.lexicon import POSITIVES, STOP
from retrieval.programs.parts import Part, takes_the_place
from retrieval.programs.schema import Schema
from retrieval.programs.weights import Weights
from retrieval.programs.words import Question

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.anchors.anchor import Features
    from retrieval.programs.anchors.similarity import Encode
    from retrieval.types import Denoted

#: Parts of one stretch of words that are kept, of each category.
_BEAM = {"S": 12, "F": 6, "R": 24}
_BEAM_OTHER = 6
#: Positions of a chart; later words are left out.
_POSITIONS = 14
#: Programs ranked for a question.
_RANKED = 40
#: Pairs of parts that are tried for one split of a stretch, best first.
_PAIRS = 60
#: Sets up to this size are compared whole.
_SMALL = 5000
#: Seconds after which no more is composed.
_PATIENCE = 1.0
#: So many of the answers are people, or places, where they fit "who" and "where".
_MOSTLY = 0.5
_YES_NO = frozenset(
    ["is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could", "will", "would"]
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program for a question.

    Attributes:
        program: what it computes.
        result: what that gives.
        score: by the ranker, comparable among the candidates of one question.
        probability: of being what was asked, among all candidates of the question.
        features: what it was ranked by.
        part: how it was composed.
    """

    program: Program
    result: Result
    score: float
    probability: float
    features: dict[str, float]
    part: Part


@dataclass(slots=True)
class Reading:
    """A question and its candidates, best first."""

    question: Question
    candidates: list[Candidate] = field(default_factory=list)
    denoted: tuple[Denoted, ...] = ()
    skipped: list[str] = field(default_factory=list)


class Parser:
    """Parses questions over one snapshot.

    Args:
        snapshot: the graph.
        encode: texts to unit vectors; None reads by the forms of words alone.
        weights: of the ranker.
    """

    def __init__(self, snapshot: Snapshot, encode: Encode | None, weights: Weights | None = None) -> None:
        self.snapshot = snapshot
        self.columns = Columns(snapshot)
        self.schema = Schema(snapshot, self.columns)
        self.similarity = Similarity(encode)
        self.anchors = Anchors(self.schema, self.similarity)
        self.weights = weights or Weights()
        self._executor = Executor(snapshot, self.columns)

    def read(
        self,
        text: str,
        given: Sequence[int] = (),
        *,
        cancelled: Callable[[], bool] = lambda: False,
        denoted: Sequence[Denoted] = (),
    ) -> Reading:
        """The programs that a question may mean, best first.

        Args:
            text: the question.
            given: entities that somebody picked for names of the question.
            cancelled: asked between pieces of work.
            denoted: what words of the question are known to stand for.

        Raises:
            Cancelled: ``cancelled`` said so.
        """
        question = vocabulary.read(text)
        reading = Reading(question, denoted=tuple(denoted))
        if not question.words:
            return reading
        self._executor.cancelled = cancelled
        chart = _Chart(self, question, given, cancelled, denoted)
        reading.candidates = self._ranked(reading, chart.whole())
        return reading

    def _ranked(self, reading: Reading, parts: list[Part]) -> list[Candidate]:
        question = reading.question
        asked = _asked(question)
        several = {Entities(own.ids) for own in reading.denoted if len(own.ids) > 1}
        best: dict[Program, Candidate] = {}
        for part in parts:
            for program in self._finished(question, asked, part, several):
                result = self._executor.run(program)
                own = self._root(question, program, result, part, several)
                features = part.all_features()
                for name, value in own:
                    features[name] = features.get(name, 0.0) + value
                score = self.weights.score(features)
                if program not in best or best[program].score < score:
                    best[program] = Candidate(program, result, score, 0.0, features, part)
        ranked = sorted(best.values(), key=lambda c: -c.score)[:_RANKED]
        if not ranked:
            return []
        scores = np.array([c.score for c in ranked]) / self.weights.temperature
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        return [
            Candidate(c.program, c.result, c.score, float(p), c.features, c.part)
            for c, p in zip(ranked, shares, strict=True)
        ]

    def _finished(
        self, question: Question, asked: str, part: Part, several: Collection[Program]
    ) -> list[Program]:
        if part.program is None or (asked == "how many" and part.program in several):
            return []
        if asked == "yes/no" and part.category == "S":
            return [Exists(part.program), part.program]
        if part.category == "S":
            other = _others(question, part.program)
            return [part.program] if other is None else [other, part.program]
        return [part.program] if part.category == "F" else []

    def _root(
        self,
        question: Question,
        program: Program,
        result: Result,
        part: Part,
        several: Collection[Program],
    ) -> Features:
        asked = _asked(question)
        if isinstance(program, Exists):
            return ((f"root.{asked}.truth", 1.0), (f"root.truth.{bool(result)}", 1.0))
        if not isinstance(result, np.ndarray):
            sort = (
                "count" if isinstance(program, Count) else "fold" if isinstance(program, Fold) else "number"
            )
            bad = float(result) != float(result)
            return ((f"root.{asked}.{sort}", 1.0), ("root.bad", float(bad)))
        kinds = self.columns.kinds[result]
        sort = "empty" if not len(result) else "values" if kinds.all() else "nodes"
        if sort == "values":
            sort = ("number", "date", "time")[int(kinds[0]) - 1]
        size = (
            "0"
            if not len(result)
            else "1"
            if len(result) == 1
            else "few"
            if len(result) <= 12
            else "many"
            if len(result) <= 100
            else "lots"
        )
        shape = type(program).__name__
        features = [
            (f"root.{asked}.{sort}", 1.0), (f"root.size.{size}", 1.0),
            (f"root.{asked}.{size}", 1.0), (f"root.shape.{shape}", 1.0),
            ("root.empty", float(not len(result))), ("root.all", float(isinstance(program, Having))),
            (f"root.extra.{part.extra if isinstance(part.extra, str) else None}", 1.0),
        ]  # fmt: skip
        entities = (own for own in walk(program) if isinstance(own, Entities) and own not in several)
        named = [node for own in entities for node in own.ids]
        if len(result) and np.isin(result, named).all():
            features += [("root.echo", 1.0), (f"root.echo.{shape}", 1.0)]
        if isinstance(program, Top):
            tied = len(result) == len(self._executor.nodes(program.source)) > program.count
            features.append(("root.tied", float(tied)))
        features += self._fitting(asked, result)
        target = self._target(part, vocabulary.targets(question))
        if target is not None and len(result):
            inside = among(result, self._executor.nodes(target)).all()
            features.append(("target.ok" if inside else "target.bad", 1.0))
            features.append((f"target.{asked}.{'ok' if inside else 'bad'}", 1.0))
        return tuple(features)

    def _fitting(self, asked: str, result: np.ndarray) -> Features:
        """Whether "who" and "where" are answered with somebody and somewhere, where the graph has any."""
        mask = (
            {"who": self.schema.somebody, "where": self.schema.somewhere}.get(asked) if len(result) else None
        )
        if mask is None or not mask.any():
            return ()
        fits = float(np.mean(mask[result]) >= _MOSTLY)
        return ((f"root.{asked}.fits", fits), (f"root.{asked}.unfit", 1.0 - fits))

    def _target(self, part: Part, targets: Collection[int]) -> Program | None:
        """What the question asks for: the first set of it, where that is a kind, or what the relation that stands
        right behind "which" leads to.
        """
        stack, first = [part], None
        while stack:
            own = stack.pop()
            if (
                own.anchored
                and not own.parts
                and (
                    (own.category == "S" and own.extra in ("kind", "ends", "starts", "hub"))
                    or (own.category == "R" and own.anchored[0] in targets)
                )
                and (first is None or own.first < first.first)
            ):
                first = own
            stack.extend(own.parts)
        if first is None or first.category == "S":
            return first.program if first else None
        relation = first.extra.relation
        match self.schema.relations[relation].form:
            case "noun":
                return Having(self.schema.inverse(relation))
            case "of":
                return Having(relation)
        return None


class _Chart:
    """The chart of one question. Positions are the words that may stand for something."""

    def __init__(
        self,
        parser: Parser,
        question: Question,
        given: Sequence[int],
        cancelled: Callable[[], bool],
        denoted: Sequence[Denoted],
    ) -> None:
        self.question = question
        self.weights = parser.weights
        self.cancelled = cancelled
        anchors = parser.anchors.of(question, given, denoted)
        labels = [info.label for info in parser.schema.relations]
        similar = parser.similarity.against([question.text], "relations", labels)
        self.composer = Composer(
            parser.schema,
            parser._executor,
            parser.anchors,
            similar[0] if parser.similarity.encode else np.zeros(0),
            asked=_asked(question),
        )
        covered = sorted(
            {n for anchor in anchors for n in range(anchor.first, anchor.last)} - _idle(question, anchors)
        )
        self.positions = covered[:_POSITIONS]
        self.place = {word: at for at, word in enumerate(self.positions)}
        self.gaps = ["none"] * (len(self.positions) + 1)
        for at in range(1, len(self.positions)):
            between = [w.text for w in question.words[self.positions[at - 1] + 1 : self.positions[at]]]
            self.gaps[at] = vocabulary.gap_class(between) if between else "none"
        self.skips = [self._skip(anchors, word) for word in self.positions]
        self.cells: dict[tuple[int, int], list[Part]] = {}
        self.deadline = time.monotonic() + _PATIENCE
        self._fill(anchors)

    def _skip(self, anchors: list[Anchor], word: int) -> tuple[float, Features]:
        best: dict[str, float] = {}
        for anchor in anchors:
            if anchor.first <= word < anchor.last:
                name = anchor.category if anchor.category in "SRNOI" else "cue"
                best[name] = max(best.get(name, 0.0), anchor.strength / (anchor.last - anchor.first) ** 0.5)
        name, strength = max(best.items(), key=lambda item: item[1])
        if self.question.words[word].text in ("where", "when"):  # what else is asked for says it too
            return 0.0, ()
        target = float(word in vocabulary.targets(self.question))
        features: Features = ((f"skip.{name}", strength), ("skip", 1.0), ("skip.target", target))
        return self.weights.score(features), features

    def _fill(self, anchors: list[Anchor]) -> None:
        size = len(self.positions)
        for width in range(1, size + 1):
            for first in range(size - width + 1):
                check(self.cancelled)
                self._cell(first, first + width, anchors)

    def _cell(self, first: int, last: int, anchors: list[Anchor]) -> None:
        found: dict[tuple[object, ...], Part] = {}

        def add(part: Part) -> None:
            key = (part.category, part.extra, self._identity(part))
            known = found.get(key)
            if known is None or known.score < part.score:
                found[key] = part

        for anchor in anchors:
            own = [self.place[n] for n in range(anchor.first, anchor.last) if n in self.place]
            if own and own[0] == first and own[-1] == last - 1:
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
            self._skipped(first, last, add)
            self._composed(first, last, add)
        self.cells[first, last] = _beam(list(found.values()))

    def _skipped(self, first: int, last: int, add: Callable[[Part], None]) -> None:
        cost, features = self.skips[last - 1]
        for part in self.cells[first, last - 1]:
            add(
                Part(
                    part.category, first, last, part.program, part.extra, part.score + cost, features, (part,)
                )
            )
        if first == 0:
            for skipped in range(1, last):
                cost = sum(own for own, _ in self.skips[:skipped])
                features = tuple(f for _, own in self.skips[:skipped] for f in own)
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

    def _composed(self, first: int, last: int, add: Callable[[Part], None]) -> None:
        composer, weights = self.composer, self.weights
        for middle in range(first + 1, last):
            gap = self.gaps[middle]
            lefts, rights = self.cells[first, middle], self.cells[middle, last]
            if time.monotonic() > self.deadline:
                return
            pairs = [
                (left.score + right.score, left, right)
                for left in lefts
                for right in rights
                if composer.composable(left.category, right.category)
            ]
            pairs.sort(key=lambda pair: -pair[0])
            for base, left, right in pairs[:_PAIRS]:
                for category, program, extra, features in composer.compose(left, right, gap):
                    score = base + weights.score(features)
                    add(Part(category, first, last, program, extra, score, features, (left, right)))

    def _identity(self, part: Part) -> object:
        """What tells parts apart: programs of one result are one, unless their form matters later."""
        program = part.program
        if part.category != "S" or program is None or isinstance(program, Walk) or takes_the_place(program):
            return program
        nodes = self.composer.nodes(program)
        if len(nodes) > _SMALL:
            return program
        return nodes.tobytes()

    def whole(self) -> list[Part]:
        """Parts that cover the question."""
        parts = self.cells.get((0, len(self.positions)), [])
        return [*parts, *(made for part in parts for made in self._completed(part))]

    def _completed(self, part: Part) -> Iterator[Part]:
        for category, program, extra, features in self.composer.completed(part):
            score = part.score + self.weights.score(features)
            yield Part(category, part.first, part.last, program, extra, score, features, (part,))


def _beam(parts: list[Part]) -> list[Part]:
    parts.sort(key=lambda part: -part.score)
    counts: dict[str, int] = {}
    kept = []
    for part in parts:
        count = counts.get(part.category, 0)
        if count < _BEAM.get(part.category, _BEAM_OTHER):
            counts[part.category] = count + 1
            kept.append(part)
    return kept


def _idle(question: Question, anchors: Sequence[Anchor]) -> set[int]:
    """Stop words that only the middle of a longer name needs."""
    own = {
        n for a in anchors for n in range(a.first, a.last) if a.last - a.first == 1 or a.category not in "SR"
    }
    return {n for n, word in enumerate(question.words) if word.text in STOP and n not in own}


_OPENING = re.compile(r"^\W*(?:(?:so|and|hey|hi|ok|okay|well|please|also)\W+)*", re.I)


def _asked(question: Question) -> str:
    """What sort of answer a question asks for, by its first telling words."""
    texts = [word.text for word in question.words]
    folded = " ".join(texts)
    request = re.match(r"(?:can|could|will|would) (?:you|u|i|we)\b", folded)
    if texts[0] in _YES_NO and "or" not in texts and request is None:
        return "yes/no"
    if "how many" in folded or "number of" in folded or folded.startswith("count"):
        return "how many"
    for at, text in enumerate(texts[:6]):
        if text == "how":
            follows = texts[at + 1] if at + 1 < len(texts) else ""
            return "how much" if follows in POSITIVES else "how"
        if text in ("who", "whom", "whose"):
            return "who"
        if text in ("where", "when"):
            return text
        if text in ("what", "which", "whats", "what's"):
            follows = texts[at + 1] if at + 1 < len(texts) else ""
            if follows in ("is", "was", "'s") or text in ("whats", "what's"):
                return "what is"
            return "what are" if follows in ("are", "were") else "which"
    return "list"


def _others(question: Question, program: Program) -> Program | None:
    """What "other" asks for: all but what the question names."""
    if not any(word.text in ("other", "else", "another", "others") for word in question.words):
        return None
    named = sorted({node for part in walk(program) if isinstance(part, Entities) for node in part.ids})
    return Except(program, Entities(tuple(named))) if named else None
