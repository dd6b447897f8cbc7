"""What a follow-up is read as. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass, replace

from retrieval.types import Denoted


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A question that stands on its own.

    Attributes:
        question: its words; where they stand for nodes, ``denoted`` says for which.
        shown: the same as people read it.
    """

    question: str
    denoted: tuple[Denoted, ...] = ()
    shown: str = ""

    def exchanged(self, start: int, end: int, text: str, ids: tuple[int, ...] = ()) -> Rewriting:
        """With ``text`` in place of characters [start, end), standing for ``ids`` where there are any."""
        by = len(text) - (end - start)
        kept = [
            own if own.end <= start else replace(own, start=own.start + by, end=own.end + by)
            for own in self.denoted
            if own.end <= start or own.start >= end
        ]
        if ids:
            kept.append(Denoted(start, start + len(text), ids))
        kept.sort(key=lambda own: own.start)
        return Rewriting(self.question[:start] + text + self.question[end:], tuple(kept))

    def capitalised(self) -> Rewriting:
        """As a sentence: beginning with a capital letter, ending with a question mark."""
        text = self.question.strip().rstrip("?.! ")
        return replace(self, question=text[:1].upper() + text[1:] + "?")
