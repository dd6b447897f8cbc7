"""Questions that are a part only: "what about France?", "and the second longest?", "and in Asia?", "no, the film"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.language.english import STOP
from retrieval.language.question import Question
from retrieval.programs.dialogue.referents import is_called, list_directions
from retrieval.programs.dialogue.rewriting import Rewriting
from retrieval.types import Denoted

if TYPE_CHECKING:
    from retrieval.language.words import QuestionWords
    from retrieval.programs.dialogue.referents import Referents
    from retrieval.programs.grounding.anchors.anchor import Anchor
    from retrieval.programs.grounding.schema import Schema
    from retrieval.types import Turn

_OPENING = re.compile(
    r"^\W*(?:(?:ok|okay|well|so|now)\W+)*(?:and\s+)?(?:(?:what|how)\s+about|what\s+if\s+it\s+(?:is|were)|(?:the\s+)?same\s+"
    r"(?:for|with|question\s+for)|and|but|or|then|also)\b\W*",
    re.I,
)
_NO = re.compile(r"^\W*(?:no|nope|not\s+that\s+one|sorry|actually|i\s+mean|i\s+meant)\b\W*", re.I)
_MEANT = re.compile(r"^(?:not\s+[^,]+,\s*)?(?:i\s+(?:mean|meant)\s+)?", re.I)
_ASKS = re.compile(
    r"^(?:who|whom|whose|what|which|where|when|how|why|is|are|was|were|do|does|did|has|have|had|can|could|list|show|give|"
    r"name|find|tell|count)\b",
    re.I,
)
_BARE = re.compile(r"^(?:how\s+many|how\s+much|what|which)\s+([a-z]+)$", re.I)
#: A fragment without an opening word has at most so many words.
_SEVERAL = re.compile(r"^(?:the|their|its)\s+[\w\s-]*?[^sui\W]s(?:\s+(?:of|in)\b|$)", re.I)
_SHORT = 5
_OTHERS = 8


@dataclass(frozen=True, slots=True)
class EllipsisSpan:
    """Words of a question that are of one sort: characters [start, end), and the node that they name."""

    sort: str
    start: int
    end: int
    node: int = -1


def find_spans(
    question: QuestionWords, anchors: Sequence[Anchor], denoted: Sequence[Denoted] = ()
) -> list[EllipsisSpan]:
    """Names, rankings, values and other words that carry meaning, in order, none overlapping."""
    taken: dict[int, str] = {}
    nodes: dict[int, int] = {}
    words = question.words

    def take(first: int, last: int, sort: str, node: int = -1) -> None:
        if not any(n in taken for n in range(first, last)):
            taken.update(dict.fromkeys(range(first, last), f"{sort} {first}" if sort == "name" else sort))
            nodes[first] = node

    for reference in denoted:
        inside = [n for n, word in enumerate(words) if reference.start <= word.start < reference.end]
        if inside:
            sort = "name" if len(reference.ids) == 1 else "set"
            take(inside[0], inside[-1] + 1, sort, reference.ids[0])
    name_anchors = [a for a in anchors if a.category == "S" and a.extra == "node" and a.strength >= 0.8]
    for anchor in sorted(
        name_anchors, key=lambda a: (a.first - a.last, -a.strength, dict(a.features).get("e.place", 0))
    ):
        kind = any(
            a.extra == "kind" and a.strength > 0.5 and a.first == anchor.first and a.last == anchor.last
            for a in anchors
        )
        if not kind or words[anchor.first].capital:
            take(anchor.first, anchor.last, "name", anchor.program.ids[0])  # type: ignore[union-attr]
    for anchor in anchors:
        role = {"U": "ranking", "O": "ranking", "N": "value", "C": "value"}.get(anchor.category)
        if role:
            take(anchor.first, anchor.last, role)
    for n, word in enumerate(words):
        if n not in taken and word.text not in STOP and word.text != "'s":
            taken[n] = "content"
    return list(_merge_spans(question, taken, nodes))


def _merge_spans(question: QuestionWords, taken: dict[int, str], nodes: dict[int, int]) -> Iterator[EllipsisSpan]:
    last, first = -2, -1
    for n in [*sorted(taken), len(question.words) + 5]:
        same = n == last + 1 and taken.get(n) == taken.get(last)
        if not same and last >= 0:
            sort = taken[last].partition(" ")[0]
            yield EllipsisSpan(sort, question.words[first].start, question.words[last].end, nodes.get(first, -1))
        if not same:
            first = n
        last = n


def extract_fragment(question: Question) -> str | None:
    """The part that is asked anew; None where the question is a whole one."""
    rest = _MEANT.sub("", _NO.sub("", question.text)) if _NO.match(question.text) else _OPENING.sub("", question.text)
    rest = rest.strip().rstrip("?.! ")
    opening = rest != question.text.strip().rstrip("?.! ")
    bare = _BARE.match(rest) if opening else None
    if bare:
        return bare[1]
    if not rest or _ASKS.match(rest):
        return None
    return rest if opening or len(rest.split()) <= _SHORT else None


_WORD = re.compile(r"^(?:and\s+|but\s+|so\s+)?(who|whom|where|when|which|why|how\s+\w+)\W*$", re.I)
_LEADING = re.compile(
    r"^(?:(?:in|from|on|at|to)\s+)?(?:who|whom|where|when|which|what|why|how\s+(?:many|much|\w+))\b", re.I
)


def replace_question_word(question: Question, turn: Turn) -> Rewriting | None:
    """The question before with another question word: "and when?" after "where was she born"."""
    word, leading = _WORD.match(question.text.strip()), _LEADING.match(turn.question)
    if word is None or leading is None or leading[0].casefold() == word[1].casefold():
        return None
    return Rewriting(Question(turn.question), turn.denoted).replace_span(0, leading.end(), word[1]).format_sentence()


def is_correction(question: Question) -> bool:
    """Whether it takes back how the question before was read."""
    return bool(_NO.match(question.text))


class Ellipses:
    """Rewrites the question before with the parts of a fragment in the place of their counterparts.

    Args:
        turn: the question before.
        referents: what it was about.
    """

    def __init__(self, schema: Schema, turn: Turn, before: list[EllipsisSpan], referents: Referents) -> None:
        self.schema, self.turn, self.before, self.referents = schema, turn, before, referents

    def propose_other_readings(self, part: str) -> Iterator[Rewriting]:
        """The question before with another entity of a name: of the kind that was said, or simply the next."""
        words = re.sub(r"^(?:the|a|an)\s+", "", part, flags=re.I)
        labels = self.schema.snapshot.labels
        for span in (candidate for candidate in self.before if candidate.sort == "name"):
            mention = self.turn.question[span.start : span.end]
            others = [m.entity for m in labels.search(mention, _OTHERS) if m.entity != span.node]
            if words.casefold() not in ("other", "other one"):
                others = [node for node in others if is_called(self.schema, node, words)]
            for node in others[:1]:
                name = self.schema.snapshot.get_entity_label(node)
                changed = self._make_rewriting().replace_span(span.start, span.end, name, (node,))
                yield changed.format_sentence()

    def propose_rewritings(self, part: str, parts: list[EllipsisSpan]) -> Iterator[Rewriting]:
        """The question before, its parts exchanged; likeliest first."""
        content = [piece for piece in parts if piece.sort == "content"]
        rest = [piece for piece in parts if piece.sort != "content"]
        if not rest and content:
            yield from self._propose_topics(part)
            return
        if content and any(piece.sort == "name" for piece in rest):
            yield Rewriting(Question(f"what {'are' if _SEVERAL.match(part) else 'is'} {part}")).format_sentence()
        changed = self._make_rewriting()
        for piece in rest:
            changed = self._replace_span(changed, part, piece)
        if content:
            changed = self._replace_content(changed, part[content[0].start : content[-1].end])
        yield changed.format_sentence()
        if len(rest) == 1 and rest[0].sort == "name":
            for span in [piece for piece in self.before if piece.sort == "name"][1:]:
                text = part[rest[0].start : rest[0].end]
                yield (
                    self._make_rewriting().replace_span(span.start, span.end, text, (rest[0].node,)).format_sentence()
                )
            yield self._append_span(part, rest[0]).format_sentence()

    def _make_rewriting(self) -> Rewriting:
        return Rewriting(Question(self.turn.question), self.turn.denoted)

    def _replace_span(self, changed: Rewriting, part: str, piece: EllipsisSpan) -> Rewriting:
        text = part[piece.start : piece.end]
        ids = (piece.node,) if piece.sort == "name" else ()
        there = [span for span in self.before if span.sort == piece.sort]
        if piece.sort == "name" and there:
            there = sorted(there, key=lambda span: -self._compute_similarity(span.node, piece.node))
        if piece.sort == "ranking" and there:
            text = _merge_rankings(text, self.turn.question[there[0].start : there[0].end])
        if not there:
            return self._append_span(part, piece)
        by = len(changed.question.text) - len(self.turn.question)
        start = changed.question.text.find(self.turn.question[there[0].start : there[0].end])
        if start < 0:
            start = there[0].start + by
        return changed.replace_span(start, start + there[0].end - there[0].start, text, ids)

    def _append_span(self, part: str, piece: EllipsisSpan) -> Rewriting:
        question = self.turn.question.rstrip("?.! ")
        lead = part[: piece.start] if part[: piece.start].strip() else "in " if piece.sort == "name" else ""
        text = f"{question} {lead}{part[piece.start : piece.end]}"
        denoted = self.turn.denoted
        if piece.sort == "name":
            denoted = (*denoted, Denoted(len(text) - (piece.end - piece.start), len(text), (piece.node,)))
        return Rewriting(Question(text), denoted)

    def _compute_similarity(self, first: int, second: int) -> float:
        """The share of relations that two nodes have in common."""
        a, b = set(list_directions(self.schema, first)), set(list_directions(self.schema, second))
        return len(a & b) / max(1, len(a | b))

    def _propose_topics(self, part: str) -> Iterator[Rewriting]:
        """Another thing of the same topic, or the same of another kind of things."""
        phrase = re.sub(r"^(?:the|a|an|for|of|in|by)\s+", "", part, flags=re.I)
        name_spans = [piece for piece in self.before if piece.sort == "name"]
        single = [piece.node for piece in name_spans if piece.node >= 0] or list(self.referents.single)
        if len(name_spans) <= 1 and not any(piece.sort in ("ranking", "set") for piece in self.before):
            for node in dict.fromkeys([*single, *self.referents.single]):
                label = self.schema.snapshot.get_entity_label(node)
                text = f"what is the {phrase} of {label}"
                start = len(text) - len(label)
                yield Rewriting(Question(text), (Denoted(start, len(text), (node,)),)).format_sentence()
        for span in (piece for piece in self.before if piece.sort == "content"):
            changed = self._make_rewriting().replace_span(span.start, span.end, phrase)
            yield changed.format_sentence()

    def _replace_content(self, changed: Rewriting, text: str) -> Rewriting:
        span = next((piece for piece in self.before if piece.sort == "content"), None)
        if span is None:
            return changed
        old = self.turn.question[span.start : span.end]
        start = changed.question.text.find(old)
        return changed if start < 0 else changed.replace_span(start, start + len(old), text)


def _merge_rankings(new: str, old: str) -> str:
    """A ranking in the place of another: "second" alone keeps what is compared."""
    ordinal = re.match(r"(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:nd|rd|th))$", new, re.I)
    return new if ordinal is None else f"{new} {old.rsplit(maxsplit=1)[-1]}"
