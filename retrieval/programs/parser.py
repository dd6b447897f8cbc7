"""From a question to programs, ranked: what its chart composed is finished, executed and weighed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from retrieval.programs import lifting
from retrieval.programs import words as vocabulary
from retrieval.programs.algebra import (
    EVERY,
    And,
    Constant,
    Count,
    Entities,
    Except,
    Exists,
    Filter,
    Fold,
    Having,
    Key,
    Or,
    Program,
    Top,
    ValueKind,
    Walk,
    walk,
)
from retrieval.programs.anchors.finder import Anchors
from retrieval.programs.anchors.similarity import Similarity
from retrieval.programs.beside import Listed, listed
from retrieval.programs.candidates import Candidate
from retrieval.programs.chart import Chart
from retrieval.programs.columns import Columns
from retrieval.programs.composition import Composer
from retrieval.programs.execution import Executor, Result, among, common
from retrieval.programs.judging.judge import LOOKED_AT, Judge, placed
from retrieval.programs.judging.signs import Signs, agreement, asked_of, signs
from retrieval.programs.lexicon import FOLDINGS, STOP
from retrieval.programs.listing import Listing
from retrieval.programs.ordering import ordered
from retrieval.programs.parts import Part
from retrieval.programs.schema import Schema
from retrieval.programs.weights import Weights
from retrieval.programs.words import Question, stems_of

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.programs.anchors.anchor import Anchor, Features
    from retrieval.programs.anchors.similarity import Encode
    from retrieval.types import Denoted

#: Programs ranked for a question.
_RANKED = 40
#: What the judge says counts so much beside the ranker: whole, it turned a few surely right readings round.
_JUDGED = 0.5
#: Fewer programs have no order.
_SEVERAL = 2
#: Things whose people are looked for, and ways to them.
_MOST_OWNED, _OWNERS = 10_000, 2
#: Words of a question that asks whose something is.
_WHOSE = 4
#: Words that say that each of two conditions holds of what is asked for; "and" alone may also mean either.
_OF_EACH = frozenset({"and", "both", "common", "share", "shared"})
#: So many of the answers are people, or places, where they fit "who" and "where".
_MOSTLY = 0.5
#: What is named and one more.
_PAIR = 2


@dataclass(slots=True)
class Reading:
    """A question and its candidates, best first, with what speaks for and against the best of them."""

    question: Question
    candidates: list[Candidate] = field(default_factory=list)
    listed: Listed | None = None
    denoted: tuple[Denoted, ...] = ()
    skipped: list[str] = field(default_factory=list)
    signs: dict[Program, Signs] = field(default_factory=dict)


class Parser:
    """Parses questions over one snapshot.

    Args:
        snapshot: the graph.
        encode: texts to unit vectors; None reads by the forms of words alone.
        weights: of the ranker.
        judge: ranks the best programs anew, where there is one.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        encode: Encode | None,
        weights: Weights | None = None,
        judge: Judge | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.columns = Columns(snapshot)
        self.schema = Schema(snapshot, self.columns)
        self.similarity = Similarity(encode)
        self.anchors = Anchors(self.schema, self.similarity)
        self.weights = weights or Weights()
        self.judge = judge
        self._executor = Executor(snapshot, self.columns)
        self._listing = Listing(self.schema, self._executor)
        self._lifts: set[Program] = set()
        self._anded: set[Program] = set()
        self._of_rows: set[Program] = set()

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
        anchors = self.anchors.of(question, given, denoted)
        reading.listed = listed(question, anchors)

        def compose(own: Question, found: list[Anchor] | None = None) -> list[Part]:
            found = self.anchors.of(own, given, denoted) if found is None else found
            return Chart(own, found, self._composer(own), self.weights, cancelled).whole()

        parts = [*compose(question, anchors), *self._listing.parts(question, compose)]
        judged = self._judged(reading, self._ranked(reading, parts))
        reading.candidates = [self._in_order(reading, own) for own in judged]
        return reading

    def _in_order(self, reading: Reading, candidate: Candidate) -> Candidate:
        """A candidate whose answers come in the order that was asked for."""
        program = ordered(
            reading.question.order, candidate.program, self._executor, self.schema, self.anchors.adjectives
        )
        if program is candidate.program:
            return candidate
        if candidate.program in reading.signs:
            reading.signs[program] = reading.signs[candidate.program]
        return replace(candidate, program=program)

    def _composer(self, question: Question) -> Composer:
        labels = [info.label for info in self.schema.relations]
        similar = self.similarity.against([question.text], "relations", labels)
        return Composer(
            self.schema,
            self._executor,
            self.anchors,
            similar[0] if self.similarity.encode else np.zeros(0),
            asked=vocabulary.asked(question),
            said=frozenset(word.text for word in question.words),
        )

    def _ranked(self, reading: Reading, parts: list[Part]) -> list[Candidate]:
        question = reading.question
        asked = vocabulary.asked(question)
        several = {Entities(own.ids) for own in reading.denoted if len(own.ids) > 1}
        best: dict[Program, Candidate] = {}
        self._lifts.clear()
        self._anded.clear()
        self._of_rows.clear()
        for part in parts:
            for program in self._finished(question, asked, part, several):
                result = self._executor.run(program)
                own = self._root(question, program, result, part, several)
                features = part.all_features()
                if program in self._lifts:
                    own = (*own, ("root.lifted", 1.0), ("root.lifted.and", float(program in self._anded)))
                if program in self._of_rows:
                    own = (*own, ("root.of_rows", 1.0))
                own = (*own, ("root.counts.one", float(self._counts_one(program))))
                if _is_name(program) and program not in several:
                    own = (*own, ("root.name", 1.0))
                for name, value in own:
                    features[name] = features.get(name, 0.0) + value
                score = self.weights.score(features)
                if program not in best or best[program].score < score:
                    best[program] = Candidate(program, result, score, 0.0, features, part)
        return self._weighed(sorted(best.values(), key=lambda c: -c.score)[:_RANKED])

    def _weighed(self, ranked: list[Candidate]) -> list[Candidate]:
        """The candidates with their probabilities by their scores."""
        if not ranked:
            return []
        scores = np.array([c.score for c in ranked]) / self.weights.temperature
        likely = np.exp(scores - scores.max())
        likely /= likely.sum()
        return [replace(c, probability=float(p)) for c, p in zip(ranked, likely, strict=True)]

    def _judged(self, reading: Reading, ranked: list[Candidate]) -> list[Candidate]:
        """The best candidates in the order of the judge, where there is one; the others stay behind them."""
        best, rest = ranked[:LOOKED_AT], ranked[LOOKED_AT:]
        asked = asked_of(reading.question)
        reading.signs = {own.program: signs(asked, own, self._executor, self.schema) for own in best}
        if self.judge is None or len(ranked) < _SEVERAL:
            return ranked
        added = self.judge.added(placed(best, reading.signs, agreement(ranked), self.weights))
        added = _JUDGED * (added - added.max())
        judged = [replace(c, score=c.score + float(a)) for c, a in zip(best, added, strict=True)]
        judged.sort(key=lambda c: -c.score)
        least = judged[-1].score
        return self._weighed([*judged, *(replace(c, score=min(c.score, least)) for c in rest)])

    def _finished(
        self, question: Question, asked: str, part: Part, several: Collection[Program]
    ) -> list[Program]:
        if part.program is None or (asked == "how many" and part.program in several):
            return []
        if asked == "yes/no" and part.category == "S":
            return [Exists(self._true(part.program)), part.program]
        if part.category == "S":
            other = _others(question, part.program)
            found = [part.program] if other is None else [other, part.program]
            found = [self._another(question, own) for own in found]
            found += [
                own for program in found for own in (*self._named(program), *self._lifted(question, program))
            ]
            found = self._owners(question, part.program) or [*found, *self._folded(question, part.program)]
            people: list[Program] = []
            if asked == "who" and (not _names_a_relation(part) or self._are_rows(part.program)):
                people = self._people_of(part.program)
            elif asked in ("which", "what is", "what are") and self._are_rows(part.program):
                people = self._things_of(question, part.program)
            self._of_rows.update(people if self._are_rows(part.program) else ())
            return [*found, *people]
        if part.category == "F" and isinstance(part.program, Count):
            rows = self._rows_with(part.program.source)
            if rows is not None:
                return [Count(rows)]
            counts = [Count(own) for own in self._lifted(question, part.program.source)]
            self._lifts.update(counts)
            return [part.program, *counts]
        return [part.program] if part.category == "F" else []

    def _rows_with(self, program: Program) -> Program | None:
        """The rows of a table in which something named stands: how often it is listed."""
        if self.schema.listing is None or not isinstance(program, Entities):
            return None
        nodes, rows = self._executor.nodes(program), self.columns.sources(self.schema.listing)
        column = self._listing.column_of(nodes, rows)
        if column is None or among(nodes, rows).any():
            return None
        return Walk(program, self.schema.inverse(column))

    def _folded(self, question: Question, program: Program) -> list[Program]:
        """The "average rating" of several shows, each of which has one: their average."""
        if not isinstance(program, Walk) or program.relation >= self.snapshot.num_relations:
            return []
        first = self.schema.relations[program.relation].label.casefold().partition(" ")[0]
        how = FOLDINGS.get(first)
        kind = self.columns.value_type(program.relation)
        said = any(word.text == first for word in question.words)
        if how is None or not said or kind is None or kind.kind is not ValueKind.NUMBER:
            return []
        several = len(self._executor.nodes(program.source)) > 1
        found: list[Program] = [Fold(how, program.source, Key((program.relation,)))] if several else []
        self._lifts.update(found)
        return found

    def _owners(self, question: Question, program: Program) -> list[Program]:
        """What "whose captain is older than 50" asks for: the ships, not the captains."""
        if len(question.words) < _WHOSE or question.words[0].text != "whose":
            return []
        named = self.schema.by_stem.get(question.words[1].stem, ())
        back = [Walk(program, self.schema.inverse(relation)) for relation in named]
        if isinstance(program, Walk) and any(own.relation == program.relation for own in back):
            return []  # whose it is was said already
        if isinstance(program, Walk) and program.relation in named:  # not whose theirs is
            return [Walk(program.source, self.schema.inverse(program.relation))]
        if not named:
            return self._people_of(program)
        return [own for own in back if len(self._executor.nodes(own))]

    def _lifted(self, question: Question, program: Program) -> list[Program]:
        """Conditions said of what is asked for instead of what they name: from both, but not from."""
        said = {word.text for word in question.words}
        without = lifting.but_not(program, self._executor)
        each = lifting.both(program, self._executor) if said & _OF_EACH else None
        found = [own for own in (without, each) if own is not None]
        if each is not None and not said & (_OF_EACH - {"and"}):
            self._anded.add(each)  # "in goalie and mid positions" may mean either
        self._lifts.update(found)
        return found

    def _true(self, program: Program) -> Program:
        """What a yes or no leads to is to be yes: "are dogs allowed on the ridge"."""
        true = self.schema.truths.get(program.relation) if isinstance(program, Walk) else None
        return program if true is None else And(program, Entities((true,)))

    def _people_of(self, program: Program) -> list[Program]:
        """Whom all of some things have: the customers of orders, of "who ordered bread"."""
        nodes = self._executor.nodes(program)
        if len(nodes) > _MOST_OWNED:
            return []
        ways: list[Program] = [Walk(program, relation) for relation in self.schema.people_of(nodes)]
        return ways[:_OWNERS]

    def _are_rows(self, program: Program) -> bool:
        nodes = self._executor.nodes(program)
        return bool(len(nodes)) and bool(self.schema.surrogates[0][nodes].all())

    def _things_of(self, question: Question, program: Program) -> list[Program]:
        """What rows are of, where they were not asked for themselves: what Tom bought are products, not orders."""
        nodes, said = self._executor.nodes(program), {word.stem for word in question.words}
        kinds = [kind for kind in self.schema.kinds if len(common(self.schema.members(kind), nodes))]
        if any(said & set(stems_of(self.snapshot.entity_label(kind))) for kind in kinds):
            return []
        walked = program.relation if isinstance(program, Walk) else None
        things = [
            r for r in self.schema.held_by(nodes)
            if r < self.snapshot.num_relations and r != self.schema.type_relation
            and walked != self.schema.inverse(r) and self.schema.relations[r].leaves < _MOSTLY
        ]  # fmt: skip
        ways: list[Program] = [Walk(program, r) for r in things]
        return [own for own in ways if not self.schema.somebody[self._executor.nodes(own)].any()][:_OWNERS]

    def _another(self, question: Question, program: Program) -> Program:
        """Of two that have the same, the one that is not named: "which lake is in the same county as Loch Awe"."""
        texts = [word.text for word in question.words]
        if "same" not in texts or not _asks_for_one(question):
            return program
        nodes = self._executor.nodes(program)
        named = {node for part in walk(program) if isinstance(part, Entities) for node in part.ids}
        same = sorted(named & set(nodes.tolist())) if len(nodes) == _PAIR else []
        return Except(program, Entities(tuple(same))) if len(same) == 1 else program

    def _named(self, program: Program) -> list[Program]:
        """What the rows of a table are rows of, where they have no names of their own: the person, of "player 7"."""
        mask, naming = self.schema.surrogates
        nodes = self._executor.nodes(program)
        if not naming or not len(nodes) or not mask[nodes].all():
            return []
        return [
            Walk(program, r)
            for r in sorted(set(naming.values()))
            if np.isin(nodes, self.columns.sources(r)).all()
        ]

    def _root(
        self,
        question: Question,
        program: Program,
        result: Result,
        part: Part,
        several: Collection[Program],
    ) -> Features:
        asked = vocabulary.asked(question)
        idle = float(self._idle(program))
        if isinstance(program, Exists):
            return (
                (f"root.{asked}.truth", 1.0), (f"root.truth.{bool(result)}", 1.0), ("root.idle", idle),
                ("root.inapplicable", float(not result and self._inapplicable(program.source))),
            )  # fmt: skip
        if isinstance(program, Top) and program.count == EVERY:
            return (("root.each", 1.0), ("root.empty", float(not len(result))))  # type: ignore[arg-type]
        if not isinstance(result, np.ndarray):
            sort = (
                "count" if isinstance(program, Count) else "fold" if isinstance(program, Fold) else "number"
            )
            bad = float(result) != float(result)
            return ((f"root.{asked}.{sort}", 1.0), ("root.bad", float(bad)), ("root.idle", idle))
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
            (f"root.extra.{part.extra if isinstance(part.extra, str) else None}", 1.0), ("root.idle", idle),
        ]  # fmt: skip
        entities = (own for own in walk(program) if isinstance(own, Entities) and own not in several)
        named = [node for own in entities for node in own.ids]
        if len(result) and np.isin(result, named).all():
            features += [("root.echo", 1.0), (f"root.echo.{shape}", 1.0)]
            either = isinstance(program, Or) and any(word.text == "or" for word in question.words)
            features.append(("root.either", float(either and asked in ("which", "who", "what is"))))
        mask, naming = self.schema.surrogates
        features.append(
            ("root.surrogate", float(bool(naming) and sort == "nodes" and bool(mask[result].all())))
        )
        if isinstance(program, Top):
            tied = len(result) == len(self._executor.nodes(program.source)) > program.count
            features.append(("root.tied", float(tied)))
        features += self._fitting(asked, result)
        target = self._target(question, part)
        if target is not None and len(result):
            inside = among(result, self._executor.nodes(target)).all()
            features.append(("target.ok" if inside else "target.bad", 1.0))
            features.append((f"target.{asked}.{'ok' if inside else 'bad'}", 1.0))
        return tuple(features)

    def _idle(self, program: Program) -> int:
        """How many comparisons with a value leave out nothing that has one: more than one employee."""
        found, inner = 0, set[Program]()
        for own in walk(program):
            if not isinstance(own, Filter) or own.key.counted or own in inner:
                continue
            source = own.source
            while isinstance(source, Filter) and source.key == own.key:  # the two ends of a range
                inner.add(source)
                source = source.source
            having = common(self._executor.nodes(source), self.columns.sources(own.key.path[0]))
            found += len(having) > 1 and len(self._executor.nodes(own)) == len(having)
        return found

    def _counts_one(self, program: Program) -> bool:
        """Whether things are told apart by how many they have of what each has one of, as the cells of a table."""
        keys = [own.key for own in walk(program) if isinstance(own, Top)]
        keys += [
            own.key for own in walk(program)
            if isinstance(own, Filter) and not (isinstance(own.value, Constant) and own.value.value <= 1)
        ]  # fmt: skip
        forward = {key.path[0] for key in keys if key.counted and len(key.path) == 1}
        return any(
            self.schema.relations[r].facts == self.schema.relations[r].heads
            for r in forward if r < self.snapshot.num_relations
        )  # fmt: skip

    def _inapplicable(self, program: Program) -> bool:
        """Whether nothing is said of the one side that could tell the other: who has no award at all."""
        if not isinstance(program, And):
            return False
        for one, other in ((program.left, program.right), (program.right, program.left)):
            if isinstance(one, Entities) and isinstance(other, Walk):
                back = Having(self.schema.inverse(other.relation))
                return not len(common(self._executor.nodes(one), self._executor.nodes(back)))
        return False

    def _fitting(self, asked: str, result: np.ndarray) -> Features:
        """Whether "who" and "where" are answered with somebody and somewhere, where the graph has any."""
        mask = (
            {"who": self.schema.somebody, "where": self.schema.somewhere}.get(asked) if len(result) else None
        )
        if mask is None or not mask.any():
            return ()
        fits = float(np.mean(mask[result]) >= _MOSTLY)
        return ((f"root.{asked}.fits", fits), (f"root.{asked}.unfit", 1.0 - fits))

    def _target(self, question: Question, part: Part) -> Program | None:
        """What the question asks for: the first set of it, where that is a kind and no relation of it is asked for,
        or what the relation that stands right behind "which" leads to.
        """
        targets = vocabulary.targets(question)
        stack, first, relating = [part], None, list[int]()
        while stack:
            own = stack.pop()
            if (
                own.anchored
                and not own.parts
                and own.category == "R"
                and own.anchored[0] not in targets
                and own.extra.relation not in self.schema.namings
                and question.words[own.anchored[0]].text not in STOP
            ):
                relating.append(own.anchored[1])
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
        if first is None or first.anchored is None or any(end < first.anchored[0] for end in relating):
            return None
        if first.category == "S":
            return first.program
        relation = first.extra.relation
        match self.schema.relations[relation].form:
            case "noun":
                return Having(self.schema.inverse(relation))
            case "of":
                return Having(relation)
        return None


def _is_name(program: Program) -> bool:
    """Whether a program is what the question names, which is not what it asks for."""
    named = program.source if isinstance(program, Exists) else program
    return isinstance(named, Entities)


def _names_a_relation(part: Part) -> bool:
    """Whether words were read as a relation: who is asked for is said then."""
    return (part.category == "R" and part.anchored is not None) or any(map(_names_a_relation, part.parts))


def _asks_for_one(question: Question) -> bool:
    """Whether what is asked for is named in the singular: "which lake", "what is the only lake"."""
    wanted = [question.words[n] for n in sorted(vocabulary.targets(question))]
    return bool(wanted) and not any(word.text.endswith("s") and word.stem != word.text for word in wanted)


def _others(question: Question, program: Program) -> Program | None:
    """What "other" asks for: all but what the question names."""
    if not any(word.text in ("other", "else", "another", "others") for word in question.words):
        return None
    named = sorted({node for part in walk(program) if isinstance(part, Entities) for node in part.ids})
    return Except(program, Entities(tuple(named))) if named else None
