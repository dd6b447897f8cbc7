"""The answer of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clew.types import Event, EvidenceSource, Run


@dataclass(frozen=True)
class Answer:
    """What came out of a question.

    Attributes:
        run: the run as a row; ``run["id"]`` continues the conversation as ``follows``.
        events: everything that the run computed, in order; the last has the answers.
        sources: facts of the proof, each with the file and row it comes from.
        url: page of the run.
    """

    run: Run
    events: list[Event]
    sources: list[EvidenceSource]
    url: str

    @property
    def final(self) -> Event:
        """The last event: answers with scores, table, sentence, warnings; an error where the run failed."""
        return self.events[-1] if self.events else {}

    @property
    def labels(self) -> list[str]:
        """The answers as text, best first."""
        return [answer["display"] or answer["label"] for answer in self.final.get("answers", ())]

    @property
    def confidence(self) -> float | None:
        """The score of the best answer, from 0 to 1; None where there is no answer."""
        return max((answer["score"] for answer in self.final.get("answers", ())), default=None)

    @property
    def program(self) -> Event | None:
        """The program that computed the answers, with ``steps``, ``sparql`` and ``cypher``; None where none did."""
        return next((event for event in reversed(self.events) if event["type"] == "program.executed"), None)

    def __str__(self) -> str:
        """The answer in a sentence, or why there is none."""
        final: dict[str, Any] = self.final
        reason = final.get("no_answer") or (self.run["error"] or {})
        refusal = " ".join(reason[part] for part in ("message", "hint") if reason.get(part))
        return final.get("text") or final.get("sentence") or ", ".join(self.labels) or refusal
