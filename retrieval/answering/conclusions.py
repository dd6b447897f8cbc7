"""The last part of a run: evidence to the reasoner, its verdict out.

Without a language model a question with an operator that nothing computed is said not to be understood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.answering.run import PipelineRun
from retrieval.errors import LLMError
from retrieval.events import AnswerFinal, ChainsBuilt, Event, PathRetrieved, ProgramExecuted
from retrieval.reasoning.base import Conclusion, Evidence, Reasoner
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.reasoning.llm import NAME as LLM
from retrieval.reasoning.no_answers import explain_not_linked
from retrieval.reasoning.understanding import verify_verdict, verify_without_topics
from retrieval.results import Span
from retrieval.types import Usage

if TYPE_CHECKING:
    from retrieval.answering.pipeline import Answerer
    from retrieval.kg.snapshot import Snapshot

NEAR_PHRASES, NEAR_EACH = 2, 3
"""Phrases that were not found for which near entities are offered, and how many for each."""


def ask_reasoner(
    run: PipelineRun,
    reasoner: Reasoner,
    fallback: ExtractiveReasoner,
    evidence: Evidence,
    *,
    spent: Usage | None = None,
    warnings: tuple[str, ...] = (),
    without_model: Callable[[], Iterator[Event]] | None = None,
) -> Iterator[Event]:
    """Ask the reasoner; when its language model fails, the question is answered without it, with a warning.

    Args:
        fallback: stands in; without evidence it gives the typed no-answer, which is known already.
        spent: what the language model cost before.
        warnings: what went wrong before.
        without_model: answers as the answerer does without a language model; None where that is ``fallback`` alone.

    Raises:
        Cancelled: somebody pressed Stop.
    """
    run.check()
    verdict: Conclusion | None = None
    computes = reasoner.name == LLM  # a language model may count and rank what it reads
    answerer = reasoner if evidence.chains else fallback
    try:
        for item in answerer.answer(evidence, cancelled=run.cancelled):
            if isinstance(item, Conclusion):
                verdict = item
            else:
                run.check()
                yield item
    except LLMError as error:
        warnings = (_explain_failure(error), *warnings)
        if without_model is not None:
            for event in without_model():
                yield _add_warnings(event, warnings, spent) if isinstance(event, AnswerFinal) else event
            return
        verdict, computes = fallback.draw_conclusion(evidence), False
    if verdict is None:
        raise RuntimeError(f"reasoner {reasoner.name} gave no verdict")
    verdict = verdict if computes else _require_all_names(run, evidence, verify_verdict(evidence, verdict))
    usage = verdict.usage.add(spent) if spent is not None else verdict.usage
    yield run.build_final(replace(verdict, usage=usage, warnings=(*warnings, *verdict.warnings)))


def answer_again(answerer: Answerer, run: PipelineRun) -> Iterator[Event]:
    """Answer a run that has retrieved already once more, and stream only what is new: programs, chains, the answer."""
    again = replace(run, facts={})
    computed = False
    for event in answerer.answer(again):
        computed = computed or isinstance(event, ProgramExecuted)
        if isinstance(event, PathRetrieved) and computed:
            run.paths += 1
            yield replace(event, index=run.paths)
        elif isinstance(event, ChainsBuilt):
            yield replace(event, paths=run.paths)
        elif isinstance(event, ProgramExecuted | AnswerFinal):
            yield event


def _explain_failure(error: LLMError) -> str:
    return f"{error.message} {error.hint} The question was answered without the language model."


def _add_warnings(final: AnswerFinal, warnings: tuple[str, ...], spent: Usage | None) -> AnswerFinal:
    usage = final.usage if spent is None else final.usage.add(spent)
    return replace(final, warnings=tuple(dict.fromkeys((*warnings, *final.warnings))), usage=usage)


def build_unlinked_conclusion(
    run: PipelineRun, reasoner: Reasoner, snapshot: Snapshot, unmatched: Sequence[str]
) -> Conclusion:
    """The no-answer of a question that names no entity."""
    near = _find_near_labels(snapshot, unmatched)
    verdict = Conclusion(no_answer=explain_not_linked(unmatched, near, has_names=snapshot.has_names))
    if reasoner.name == LLM or not snapshot.has_names:
        return verdict
    return verify_without_topics(run.request.question, verdict, unmatched)


def _require_all_names(run: PipelineRun, evidence: Evidence, verdict: Conclusion) -> Conclusion:
    """The verdict; a typed no-answer where it is about other things than a name that the graph lacks."""
    if not run.missing or any(answer.citations for answer in verdict.answers):
        return verdict
    names = [name.text for name in run.missing]
    no_answer = replace(
        explain_not_linked(names, _find_near_labels(evidence.snapshot, names)),
        spans=tuple(Span(name.start, name.end) for name in run.missing),
    )
    return replace(verdict, answers=(), no_answer=no_answer, text="")


def _find_near_labels(snapshot: Snapshot, phrases: Sequence[str]) -> tuple[str, ...]:
    """Labels spelt like the phrases that were not found, for "did you mean"."""
    labels: dict[str, None] = {}
    for phrase in phrases[:NEAR_PHRASES]:
        matches = snapshot.labels.search(phrase, NEAR_EACH)
        labels.update((match.node.label, None) for match in matches)
    return tuple(labels)
