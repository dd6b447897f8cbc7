"""Questions of the order in which a table lists its rows: what comes before, after, first and last.

A table that was imported alone keeps the place of each row (:data:`retrieval.kg.table.ROW`). What stands before or
after something is the row with the next place; of something that several rows have, all of them are left behind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retrieval.kg.snapshot.arrays import among, common
from retrieval.programs import words as vocabulary
from retrieval.programs.algebra import Comparison, Filter, Having, Key, KeyOf, Program, Top, Walk
from retrieval.programs.anchors.anchor import Relating
from retrieval.programs.execution import Executor
from retrieval.programs.lexicon import STOP
from retrieval.programs.parts import Part
from retrieval.programs.words import Question, Word

if TYPE_CHECKING:
    import numpy as np

    from retrieval.programs.anchors.anchor import Features
    from retrieval.programs.schema import Schema

_BEFORE = r"before|above|previous (?:to|from)|prior to|preceding|precedes|preceded|ahead of"
_AFTER = r"after|below|under|beneath|underneath|following|follows|followed|behind"
_LISTS = r"list|chart|table|page|sheet|spreadsheet|file"
_STANDS = (
    r"listed|comes?|came|is|was|appears?|appeared|stands?|located|placed|directly|immediately|right|just|one|"
    r"next"
)
#: "Which lake is listed before Loch Awe", "what is the next lake after Loch Awe".
_BESIDE = re.compile(
    rf"(?:(?P<ask>.*)\b(?:{_STANDS}) )?(?:(?P<before>{_BEFORE})|(?P<after>{_AFTER}))\b (?P<beside>.+)"
)
_NEXT = re.compile(
    r"(?P<ask>.*)\b(?:(?:next|following) (?P<next>.*?) ?\b(?:after|to|from|following)"
    r"|(?:previous|preceding) (?P<previous>.*?) ?\b(?:before|to|from))\b (?P<beside>.+)"
)
#: "Which lake is listed first", "the last lake on the list", "what is at the top of the table".
_PLACED = re.compile(
    rf"(?P<ask>.*?)\b(?:(?:is |are |was |were |comes? |came )?(?:listed|appears?) (?P<adverb>first|last)"
    rf"|(?:is |are |was |were )?(?:listed |located )?(?:at|on) the (?:very )?(?P<end>top|bottom)"
    rf"(?: of (?:the|this) (?:{_LISTS}))?"
    rf"|(?P<tops>tops) (?:the|this) (?:{_LISTS}))\b(?P<rest>.*)"
)
_ORDINAL = re.compile(
    rf"(?P<ask>.*?)\b(?P<adverb>first|last)\b (?P<what>.*?) ?"
    rf"(?:\b(?:is |are |was |were )?listed\b(?: (?:on|in) (?:the|this) (?:{_LISTS}))?"
    rf"|\b(?:on|in) (?:the|this) (?:{_LISTS}))(?P<rest>)$"
)
#: What is asked for by these is the same as what is named, or the row.
_ANYTHING = STOP | {
    "item",
    "thing",
    "entry",
    "entries",
    "row",
    "line",
    "next",
    "previous",
    "following",
    "listed",
    "first",
}
#: Rows that something may stand in to stand before or after anything.
_MOST = 40


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the order of rows: words [first, last) of what is asked for and of what it stands beside."""

    wanted: tuple[int, int]
    beside: tuple[int, int] | None
    cue: tuple[int, int]
    before: bool


def asked(question: Question) -> Asked | None:
    """What a question asks of the order of rows, None where it does not."""
    texts = [word.text for word in question.words]
    folded, starts = vocabulary.folded(question)

    def place(at: int) -> int:
        return sum(start < at for start in starts[: len(texts)])

    for pattern in (_NEXT, _BESIDE):
        match = pattern.fullmatch(folded)
        if match is None or (pattern is _BESIDE and match["ask"] is None):
            continue
        before = match["previous" if pattern is _NEXT else "before"] is not None
        beside = place(match.start("beside") + 1) - 1, len(texts)
        if _is_bare(folded) and _measured(question, *beside):
            continue  # what is above 300 m is higher
        if pattern is _NEXT:
            name = "previous" if before else "next"
            wanted = place(match.start(name) + 1) - 1, place(match.end(name))
            if match[name].strip() == "":
                wanted = 0, place(match.end("ask"))
        else:
            wanted = 0, place(match.end("ask"))
        return Asked(wanted, beside, (wanted[1], beside[0]), before)
    match = _PLACED.fullmatch(folded) or _ORDINAL.fullmatch(folded)
    if match is None or match["rest"].strip() not in ("", "in total"):
        return None
    said = match.groupdict()
    what = "what" if said.get("what") else "ask"
    wanted = (place(match.start(what) + 1) - 1 if what == "what" else 0), place(match.end(what))
    first = bool(said.get("tops")) or said.get("adverb") == "first" or said.get("end") == "top"
    return Asked(wanted, None, (place(match.end("ask")), len(texts)), first)


def _is_bare(folded: str) -> bool:
    return (
        re.search(r"\b(?:listed|comes?|came|directly|immediately|next|previous|appears?)\b", folded) is None
    )


def _measured(question: Question, first: int, last: int) -> bool:
    """Whether words are nothing but a number, a date or a range."""
    inside = {n for own in question.quantities for n in range(own.first, own.last)}
    return all(n in inside or question.words[n].text in STOP for n in range(first, last))


class Listing:
    """Composes programs of the order of a table's rows.

    Args:
        schema: of the graph.
        executor: runs them.
    """

    def __init__(self, schema: Schema, executor: Executor) -> None:
        self.schema = schema
        self.executor = executor

    def parts(self, question: Question, compose: Callable[[Question], list[Part]]) -> Iterator[Part]:
        """What a question asks of the order of rows, composed; nothing where it does not or no table is kept.

        Args:
            question: in words.
            compose: the parts that a question's chart has, best first.
        """
        relation = self.schema.listing
        if relation is None:
            return
        found = asked(question)
        if found is None:
            return
        key, every = Key((relation,)), Having(relation)
        cue = Part("C", 0, 1, None, None, 0.0, (), (), found.cue)
        if found.beside is None:
            rows: Program = Top(every, key, largest=not found.before)
            yield from self._wanted(question, found, rows, None, (cue,))
            return
        named = self._beside(piece(question, *found.beside), found.beside[0], compose)
        if named is None:
            return
        part, inside, through = named
        one: Program = inside
        if len(self.executor.nodes(inside)) > 1:
            one = Top(inside, key, largest=not found.before)
        comparison = Comparison.LESS if found.before else Comparison.MORE
        rows = Top(Filter(every, key, comparison, KeyOf(one, key)), key, largest=found.before)
        yield from self._wanted(question, found, rows, through, (cue, part))

    def _beside(
        self, own: Question, first: int, compose: Callable[[Question], list[Part]]
    ) -> tuple[Part, Program, int | None] | None:
        """What something stands beside, the rows that it is in, and the relation from these to it."""
        every = self.executor.nodes(Having(self.schema.listing or 0))
        for part in compose(own)[:3]:
            if part.category != "S" or part.program is None:
                continue
            nodes = self.executor.nodes(part.program)
            if not 0 < len(nodes) <= _MOST:
                continue
            whole = moved(part, first)
            if among(nodes, every).all():
                if len(nodes) < len(every):
                    return whole, part.program, None
                continue
            best = self.column_of(nodes, every)
            if best is not None:
                return whole, Walk(part.program, self.schema.inverse(best)), best
        return None

    def column_of(self, nodes: np.ndarray, every: np.ndarray) -> int | None:
        """The column that values stand in most often."""
        counts = {
            info.id: len(common(self.executor.walk(nodes, self.schema.inverse(info.id)), every))
            for info in self.schema.relations
            if info.id not in (self.schema.listing, self.schema.type_relation)
        }
        best = max(counts, key=lambda relation: (counts[relation], -relation), default=None)
        return best if best is not None and 0 < counts[best] <= _MOST else None

    def _wanted(
        self, question: Question, found: Asked, rows: Program, through: int | None, parts: tuple[Part, ...]
    ) -> Iterator[Part]:
        """Rows, or what stands in the column of them that is asked for."""
        span = range(*found.wanted)
        content = [n for n in span if question.words[n].text not in _ANYTHING]
        relation, read = self._column(question, content)
        features: Features = (("listing", 1.0), ("listing.unread", float(len(content) - len(read))))
        if relation is None and not read and (not content or through is not None):
            relation = through
        leaves = [
            Part("R", 0, 1, None, Relating(relation or 0, 1.0), 0.0, (), (), (n, n + 1)) for n in sorted(read)
        ]
        program = rows if relation is None else Walk(rows, relation)
        if len(self.executor.nodes(program)) or not len(self.executor.nodes(rows)):
            yield Part("S", 0, 1, program, "filter", 0.0, features, (*parts, *leaves))

    def _column(self, question: Question, content: list[int]) -> tuple[int | None, set[int]]:
        """The column that words name, None for the rows themselves, and which words say so."""
        best: tuple[float, int | None, set[int]] = 0.0, None, set()
        stems = {n: question.words[n].stem for n in content}
        for info in self.schema.relations:
            own = {n for n, stem in stems.items() if stem in info.stems}
            share = len({stems[n] for n in own}) / max(1, len(info.stems))
            if own and info.id != self.schema.type_relation and len(own) + share > best[0]:
                best = len(own) + share, info.id, own
        for kind in self.schema.kinds:
            names = vocabulary.stems_of(self.executor.snapshot.entity_label(kind))
            own = {n for n, stem in stems.items() if stem in names}
            if own and len(own) + len(own) / len(names) >= best[0]:
                best = len(own) + len(own) / len(names), None, own
        _, relation, read = best
        if relation is not None and len(read) < len(content) and not self._is_said(relation, stems.values()):
            return None, set()  # the "original title" is not the English one
        return relation, read

    def _is_said(self, relation: int, stems: Collection[str]) -> bool:
        return set(self.schema.relations[relation].stems) <= set(stems)


def piece(question: Question, first: int, last: int) -> Question:
    """Some of a question's words as a question of their own."""
    start, end = question.words[first].start, question.words[last - 1].end
    text = question.text[start:end]
    words = [
        Word(word.text, word.stem, word.start - start, word.end - start, word.capital)
        for word in question.words[first:last]
    ]
    quantities = [
        replace(own, first=own.first - first, last=own.last - first)
        for own in question.quantities if own.first >= first and own.last <= last
    ]  # fmt: skip
    quoted = [(a - first, b - first) for a, b in question.quoted if a >= first and b <= last]
    return Question(text, words, quantities, quoted)


def moved(part: Part, by: int) -> Part:
    """A part of a piece of a question as one of the whole."""
    anchored = (part.anchored[0] + by, part.anchored[1] + by) if part.anchored else None
    return replace(part, anchored=anchored, parts=tuple(moved(inner, by) for inner in part.parts))
