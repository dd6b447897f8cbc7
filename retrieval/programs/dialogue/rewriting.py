"""What a follow-up is read as. Standard library only."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from retrieval.language.question import Question
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

    question: Question
    denoted: tuple[Denoted, ...] = ()

    @property
    def shown(self) -> str:
        """The same as people read it: how many things are meant is said where several are."""
        text = self.question.text
        for reference in reversed(self.denoted):
            if len(reference.ids) < 2:
                continue
            before, name, after = (
                text[: reference.start],
                text[reference.start : reference.end],
                text[reference.end :],
            )
            of = "of " if _ASKING.search(before) else ""
            if after.startswith("'s") and name.endswith("s"):
                after = "'" + after.removeprefix("'s")
            text = f"{before}{of}these {len(reference.ids)}{'' if name == THINGS else f' {name}'}{after}"
        return text

    def replace_span(self, start: int, end: int, text: str, ids: tuple[int, ...] = ()) -> Rewriting:
        """With ``text`` in place of characters [start, end), standing for ``ids`` where there are any."""
        by = len(text) - (end - start)
        kept = [
            reference
            if reference.end <= start
            else replace(reference, start=reference.start + by, end=reference.end + by)
            for reference in self.denoted
            if reference.end <= start or reference.start >= end
        ]
        if ids:
            kept.append(Denoted(start, start + len(text), ids))
        kept.sort(key=lambda reference: reference.start)
        asked = self.question.text
        return Rewriting(Question(asked[:start] + text + asked[end:]), tuple(kept))

    def format_sentence(self) -> Rewriting:
        """As a sentence: beginning with a capital letter, ending with a question mark."""
        text = self.question.text.strip().rstrip("?.! ")
        return replace(self, question=Question(text[:1].upper() + text[1:] + "?"))
