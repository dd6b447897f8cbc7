"""Whether what answers a question is what it asked for: operators that nothing computed, and scores that say little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.language.operators import HINTS, Cue, Operator, find_unexplained
from retrieval.language.question import Question
from retrieval.reasoning.base import Conclusion, Evidence
from retrieval.results import Answer, NoAnswer, NoAnswerReason, Span
from retrieval.types import LinkedEntity

if TYPE_CHECKING:
    from collections.abc import Iterable

#: What comparing two topics computes.
_COMPARES = frozenset({Operator.SUPERLATIVE, Operator.COMPARISON, Operator.YES_NO})
#: Chains less probable than this share of an answer's best one do not say what was asked.
_TELLS = 0.5
#: No-answers that an operator explains better: what was looked for is not what was asked.
_BESIDE = frozenset({NoAnswerReason.ENTITY_NOT_LINKED, NoAnswerReason.NOT_IN_GRAPH, NoAnswerReason.NO_PATH})


def verify_verdict(evidence: Evidence, verdict: Conclusion) -> Conclusion:
    """The verdict; a typed no-answer where the question has an operator that nothing of the evidence explains.

    An answer that was read from a passage may say what no walk can: it stays, as a guess.
    """
    cues = find_unexplained(
        evidence.question.text,
        evidence.question.cues,
        spans=[(linked.start, linked.end) for linked in evidence.entities],
        names=_list_names(evidence.entities),
        relations=_list_relations(evidence, verdict.answers),
        answers=[answer.label for answer in verdict.answers if answer.score == verdict.answers[0].score],
    )
    if evidence.compared is not None:
        cues = tuple(cue for cue in cues if cue.operator not in _COMPARES)
    if not cues:
        return verdict
    if any(answer.citations for answer in verdict.answers):
        return mark_guesses(verdict)
    if verdict.no_answer is not None and (evidence.unmatched or verdict.no_answer.reason not in _BESIDE):
        return verdict
    return replace(verdict, answers=(), no_answer=explain_not_understood(cues), text="", warnings=())


def verify_without_topics(question: Question, verdict: Conclusion, unmatched: Sequence[str]) -> Conclusion:
    """Like :func:`verify_verdict` of a question that names nothing; what it names and the graph lacks comes first."""
    cues = () if unmatched else find_unexplained(question.text, question.cues)
    return Conclusion(no_answer=explain_not_understood(cues)) if cues else verdict


def mark_guesses(verdict: Conclusion) -> Conclusion:
    """The verdict with all its answers as guesses."""
    return replace(verdict, answers=tuple(replace(answer, guess=True) for answer in verdict.answers))


def explain_not_understood(cues: Sequence[Cue]) -> NoAnswer:
    """The question asks for something to be computed that is not."""
    phrases = ", ".join(dict.fromkeys(f"“{cue.text}”" for cue in cues))
    hints = dict.fromkeys(HINTS[cue.operator] for cue in cues)
    spans = tuple(Span(cue.start, cue.end) for cue in cues)
    return NoAnswer(NoAnswerReason.NOT_UNDERSTOOD, f"Not understood: {phrases}.", next(iter(hints)), spans)


def _list_names(entities: Iterable[LinkedEntity]) -> list[str]:
    return [name for linked in entities for name in (linked.entity.label, linked.mention)]


def _list_relations(evidence: Evidence, answers: Sequence[Answer]) -> list[str]:
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


def is_unexplained(verdict: Conclusion) -> bool:
    """Whether relation paths alone do not answer what was asked."""
    return verdict.no_answer is not None and verdict.no_answer.reason is NoAnswerReason.NOT_UNDERSTOOD
