"""What a follow-up is read as. Standard library only."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from retrieval.types import Denoted

THINGS = "things"
"""What several nodes are called that have no kind in common."""
_ASKING = re.compile(r"\b(?:which|what|who|how many|any|some|one|none)\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A question that stands on its own.

    Attributes:
        question: its words; where they stand for nodes, ``denoted`` says for which.
    """

    question: str
    denoted: tuple[Denoted, ...] = ()

    @property
    def shown(self) -> str:
        """The same as people read it: how many things are meant is said where several are."""
        text = self.question
        for own in reversed(self.denoted):
            if len(own.ids) < 2:
                continue
            before, name, after = text[: own.start], text[own.start : own.end], text[own.end :]
            of = "of " if _ASKING.search(before) else ""
            if after.startswith("'s") and name.endswith("s"):
                after = "'" + after.removeprefix("'s")
            text = f"{before}{of}these {len(own.ids)}{'' if name == THINGS else f' {name}'}{after}"
        return text

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
