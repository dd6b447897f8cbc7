"""Questions of the order in which a table lists its rows: what comes before, after, first and last.

A table that was imported alone keeps the place of each row (:data:`retrieval.kg.table.ROW`). What stands before or
after something is the row with the next place; of something that several rows have, all of them are left behind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.kg.snapshot.arrays import find_common, is_among
from retrieval.language import words as vocabulary
from retrieval.language.amounts import Comparison
from retrieval.language.english import STOP
from retrieval.language.words import QuestionWords
from retrieval.lexicon import get_words
from retrieval.programs.algebra.operations import Filter, Having, Key, KeyOf, Program, Top, Walk
from retrieval.programs.constructions.construction import ComposedQuestion
from retrieval.programs.constructions.subquestions import extract_subquestion, move_part
from retrieval.programs.grammar.constituents import Part
from retrieval.programs.grounding.anchors.anchor import Relating

if TYPE_CHECKING:
    import numpy as np

    from retrieval.programs.algebra.execution import Executor
    from retrieval.programs.grounding.anchors.anchor import Features
    from retrieval.programs.grounding.schema import Schema

_BEFORE = r"before|above|previous (?:to|from)|prior to|preceding|precedes|preceded|ahead of"
_AFTER = r"after|below|under|beneath|underneath|following|follows|followed|behind"
_LISTS = r"list|chart|table|page|sheet|spreadsheet|file"
_STANDS = (
    r"listed|comes?|came|is|was|appears?|appeared|stands?|located|placed|directly|immediately|right|just|one|"
    r"next"
)
#: "Which lake is listed before Loch Awe", "what is the next lake after Loch Awe".
_BESIDE = re.compile(rf"(?:(?P<ask>.*)\b(?:{_STANDS}) )?(?:(?P<before>{_BEFORE})|(?P<after>{_AFTER}))\b (?P<beside>.+)")
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
_ANYTHING = get_words("words_for_any_row")
#: Rows that something may stand in to stand before or after anything.
_MOST = 40


@dataclass(frozen=True, slots=True)
class RowOrderRequest:
    """A question of the order of rows: words [first, last) of what is asked for and of what it stands beside."""

    wanted: tuple[int, int]
    beside: tuple[int, int] | None
    cue: tuple[int, int]
    before: bool


def parse_row_order(question: QuestionWords) -> RowOrderRequest | None:
    """What a question asks of the order of rows, None where it does not."""
    texts = [word.text for word in question.words]
    folded, starts = vocabulary.join_words(question)

    def count_words_before(offset: int) -> int:
        return sum(start < offset for start in starts[: len(texts)])

    for pattern in (_NEXT, _BESIDE):
        match = pattern.fullmatch(folded)
        if match is None or (pattern is _BESIDE and match["ask"] is None):
            continue
        before = match["previous" if pattern is _NEXT else "before"] is not None
        reference = count_words_before(match.start("beside") + 1) - 1, len(texts)
        if _is_bare(folded) and _is_measurement(question, *reference):
            continue  # what is above 300 m is higher
        if pattern is _NEXT:
            name = "previous" if before else "next"
            wanted = count_words_before(match.start(name) + 1) - 1, count_words_before(match.end(name))
            if match[name].strip() == "":
                wanted = 0, count_words_before(match.end("ask"))
        else:
            wanted = 0, count_words_before(match.end("ask"))
        return RowOrderRequest(wanted, reference, (wanted[1], reference[0]), before)
    match = _PLACED.fullmatch(folded) or _ORDINAL.fullmatch(folded)
    if match is None or match["rest"].strip() not in ("", "in total"):
        return None
    groups = match.groupdict()
    what = "what" if groups.get("what") else "ask"
    wanted = (
        (count_words_before(match.start(what) + 1) - 1 if what == "what" else 0),
        count_words_before(match.end(what)),
    )
    first = bool(groups.get("tops")) or groups.get("adverb") == "first" or groups.get("end") == "top"
    return RowOrderRequest(wanted, None, (count_words_before(match.end("ask")), len(texts)), first)


def _is_bare(folded: str) -> bool:
    return re.search(r"\b(?:listed|comes?|came|directly|immediately|next|previous|appears?)\b", folded) is None


def _is_measurement(question: QuestionWords, first: int, last: int) -> bool:
    """Whether words are nothing but a number, a date or a range."""
    inside = {n for quantity in question.quantities for n in range(quantity.first, quantity.last)}
    return all(n in inside or question.words[n].text in STOP for n in range(first, last))


class RowOrder:
    """Composes programs of the order of a table's rows."""

    def __init__(self, schema: Schema, executor: Executor) -> None:
        self.schema = schema
        self.executor = executor

    def build_parts(self, composed: ComposedQuestion) -> Iterator[Part]:
        """See :meth:`Construction.build_parts`."""
        question, compose = composed.question, composed.compose
        relation = self.schema.listing
        if relation is None:
            return
        request = parse_row_order(question)
        if request is None:
            return
        key, every = Key((relation,)), Having(relation)
        cue = Part("C", 0, 1, None, None, 0.0, (), (), request.cue)
        if request.beside is None:
            rows: Program = Top(every, key, largest=not request.before)
            yield from self._build_wanted_parts(question, request, rows, None, (cue,))
            return
        reference = self._find_reference_rows(
            extract_subquestion(question, *request.beside), request.beside[0], compose
        )
        if reference is None:
            return
        part, inside, through = reference
        row: Program = inside
        if len(self.executor.compute_nodes(inside)) > 1:
            row = Top(inside, key, largest=not request.before)
        comparison = Comparison.LESS if request.before else Comparison.MORE
        rows = Top(Filter(every, key, comparison, KeyOf(row, key)), key, largest=request.before)
        yield from self._build_wanted_parts(question, request, rows, through, (cue, part))

    def _find_reference_rows(
        self, subquestion: QuestionWords, first: int, compose: Callable[[QuestionWords], list[Part]]
    ) -> tuple[Part, Program, int | None] | None:
        """What something stands beside, the rows that it is in, and the relation from these to it."""
        every = self.executor.compute_nodes(Having(self.schema.listing or 0))
        for part in compose(subquestion)[:3]:
            if part.category != "S" or part.program is None:
                continue
            nodes = self.executor.compute_nodes(part.program)
            if not 0 < len(nodes) <= _MOST:
                continue
            moved_part = move_part(part, first)
            if is_among(nodes, every).all():
                if len(nodes) < len(every):
                    return moved_part, part.program, None
                continue
            best = self.find_column(nodes, every)
            if best is not None:
                return moved_part, Walk(part.program, self.schema.get_inverse(best)), best
        return None

    def find_column(self, nodes: np.ndarray, every: np.ndarray) -> int | None:
        """The column that values stand in most often."""
        counts = {
            info.id: len(find_common(self.executor.walk(nodes, self.schema.get_inverse(info.id)), every))
            for info in self.schema.relations
            if info.id not in (self.schema.listing, self.schema.type_relation)
        }
        best = max(counts, key=lambda relation: (counts[relation], -relation), default=None)
        return best if best is not None and 0 < counts[best] <= _MOST else None

    def _build_wanted_parts(
        self,
        question: QuestionWords,
        request: RowOrderRequest,
        rows: Program,
        through: int | None,
        parts: tuple[Part, ...],
    ) -> Iterator[Part]:
        """Rows, or what stands in the column of them that is asked for."""
        span = range(*request.wanted)
        content = [n for n in span if question.words[n].text not in _ANYTHING]
        relation, read = self._match_column(question, content)
        features: Features = (("listing", 1.0), ("listing.unread", float(len(content) - len(read))))
        if relation is None and not read and (not content or through is not None):
            relation = through
        leaves = [Part("R", 0, 1, None, Relating(relation or 0, 1.0), 0.0, (), (), (n, n + 1)) for n in sorted(read)]
        program = rows if relation is None else Walk(rows, relation)
        if len(self.executor.compute_nodes(program)) or not len(self.executor.compute_nodes(rows)):
            yield Part("S", 0, 1, program, "filter", 0.0, features, (*parts, *leaves))

    def _match_column(self, question: QuestionWords, content: list[int]) -> tuple[int | None, set[int]]:
        """The column that words name, None for the rows themselves, and which words say so."""
        best: tuple[float, int | None, set[int]] = 0.0, None, set()
        stems = {n: question.words[n].stem for n in content}
        for info in self.schema.relations:
            matched = {n for n, stem in stems.items() if stem in info.stems}
            share = len({stems[n] for n in matched}) / max(1, len(info.stems))
            if matched and info.id != self.schema.type_relation and len(matched) + share > best[0]:
                best = len(matched) + share, info.id, matched
        for kind in self.schema.kinds:
            names = vocabulary.get_label_stems(self.executor.snapshot.get_entity_label(kind))
            matched = {n for n, stem in stems.items() if stem in names}
            if matched and len(matched) + len(matched) / len(names) >= best[0]:
                best = len(matched) + len(matched) / len(names), None, matched
        _, relation, read = best
        if relation is not None and len(read) < len(content) and not self._is_said(relation, stems.values()):
            return None, set()  # the "original title" is not the English one
        return relation, read

    def _is_said(self, relation: int, stems: Collection[str]) -> bool:
        return set(self.schema.relations[relation].stems) <= set(stems)
