"""Whether what answers a question is what it asked for: operators that nothing computed, and scores that say little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.reasoning.base import Conclusion, Evidence
from retrieval.text.operators import HINTS, Cue, Operator, unexplained
from retrieval.types import Answer, LinkedEntity, NoAnswer, NoAnswerReason, Span

if TYPE_CHECKING:
    from collections.abc import Iterable

#: What comparing two topics computes.
_COMPARES = frozenset({Operator.SUPERLATIVE, Operator.COMPARISON, Operator.YES_NO})
#: Chains less probable than this share of an answer's best one do not say what was asked.
_TELLS = 0.5
#: No-answers that an operator explains better: what was looked for is not what was asked.
_BESIDE = frozenset({NoAnswerReason.ENTITY_NOT_LINKED, NoAnswerReason.NOT_IN_GRAPH, NoAnswerReason.NO_PATH})


def understood(evidence: Evidence, verdict: Conclusion) -> Conclusion:
    """The verdict; a typed no-answer where the question has an operator that nothing of the evidence explains.

    An answer that was read from a passage may say what no walk can: it stays, as a guess.
    """
    cues = unexplained(
        evidence.question,
        spans=[(linked.start, linked.end) for linked in evidence.entities],
        names=_names(evidence.entities),
        relations=_relations(evidence, verdict.answers),
        answers=[answer.label for answer in verdict.answers if answer.score == verdict.answers[0].score],
    )
    if evidence.compared is not None:
        cues = tuple(cue for cue in cues if cue.operator not in _COMPARES)
    if not cues:
        return verdict
    if any(answer.citations for answer in verdict.answers):
        return guessed(verdict)
    if verdict.no_answer is not None and (evidence.unmatched or verdict.no_answer.reason not in _BESIDE):
        return verdict
    return replace(verdict, answers=(), no_answer=not_understood(cues), text="", warnings=())


def without_topics(question: str, verdict: Conclusion, unmatched: Sequence[str]) -> Conclusion:
    """Like :func:`understood` of a question that names nothing; what it names and the graph lacks comes first."""
    cues = () if unmatched else unexplained(question)
    return Conclusion(no_answer=not_understood(cues)) if cues else verdict


def doubted(question: str, verdict: Conclusion) -> Conclusion:
    """The verdict of a reader of passages: its answers are guesses where the question has an operator."""
    return guessed(verdict) if verdict.answers and unexplained(question) else verdict


def guessed(verdict: Conclusion) -> Conclusion:
    """The verdict with all its answers as guesses."""
    return replace(verdict, answers=tuple(replace(answer, guess=True) for answer in verdict.answers))


def not_understood(cues: Sequence[Cue]) -> NoAnswer:
    """The question asks for something to be computed that is not."""
    said = ", ".join(dict.fromkeys(f"“{cue.text}”" for cue in cues))
    hints = dict.fromkeys(HINTS[cue.operator] for cue in cues)
    spans = tuple(Span(cue.start, cue.end) for cue in cues)
    return NoAnswer(NoAnswerReason.NOT_UNDERSTOOD, f"Not understood: {said}.", next(iter(hints)), spans)


def _names(entities: Iterable[LinkedEntity]) -> list[str]:
    return [name for linked in entities for name in (linked.entity.label, linked.mention)]


def _relations(evidence: Evidence, answers: Sequence[Answer]) -> list[str]:
    """Names of the relations on the chains that lead to the answers."""
    chains = {i: evidence.chains[i] for answer in answers for i in answer.chains if i < len(evidence.chains)}
    best = max((chain.score for chain in chains.values()), default=0.0)
    return [
        text
        for chain in chains.values()
        if chain.score >= _TELLS * best
        for step in chain.steps
        for text in (step.name, step.label)
    ]
