"""The last part of a run: evidence to the reasoner, its verdict out.

Without a language model a question with an operator that nothing computed is said not to be understood.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.errors import LLMError
from retrieval.events import AnswerDelta, AnswerFinal
from retrieval.pipeline import PipelineRun
from retrieval.reasoning.base import Conclusion, Evidence, Reasoner
from retrieval.reasoning.extractive import ExtractiveReasoner, not_linked
from retrieval.reasoning.llm import NAME as LLM
from retrieval.reasoning.understanding import understood, without_topics
from retrieval.types import Usage

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot


def reason(
    run: PipelineRun,
    reasoner: Reasoner,
    fallback: ExtractiveReasoner,
    evidence: Evidence,
    *,
    spent: Usage | None = None,
    warnings: tuple[str, ...] = (),
) -> Iterator[AnswerDelta | AnswerFinal]:
    """Ask the reasoner; when its language model fails, the extractive answer stands in and says so.

    Args:
        run: the run that ends with this.
        reasoner: extractive or language model.
        fallback: stands in; without evidence it gives the typed no-answer, which is known already.
        evidence: what was found.
        spent: what the language model cost before.
        warnings: what went wrong before.

    Raises:
        Cancelled: somebody pressed Stop.
    """
    run.check()
    verdict: Conclusion | None = None
    computes = reasoner.name == LLM  # a language model may count and rank what it reads
    asked = reasoner if evidence.chains else fallback
    try:
        for item in asked.answer(evidence, cancelled=run.cancelled):
            if isinstance(item, Conclusion):
                verdict = item
            else:
                run.check()
                yield item
    except LLMError as error:
        verdict, computes = fallback.decide(evidence), False
        note = f"{error.message} {error.hint}".strip()
        warning = f"{note} These answers were extracted from the graph without it."
        verdict = replace(verdict, warnings=(warning, *verdict.warnings))
    if verdict is None:
        raise RuntimeError(f"reasoner {reasoner.name} gave no verdict")
    verdict = verdict if computes else understood(evidence, verdict)
    usage = verdict.usage.plus(spent) if spent is not None else verdict.usage
    yield run.final(replace(verdict, usage=usage, warnings=(*warnings, *verdict.warnings)))


def nothing_linked(
    run: PipelineRun,
    reasoner: Reasoner,
    snapshot: Snapshot,
    unmatched: Sequence[str],
    near: Sequence[str] = (),
) -> Conclusion:
    """The no-answer of a question that names no entity; ``near`` are labels spelt like what was not found."""
    verdict = Conclusion(no_answer=not_linked(unmatched, near, named=snapshot.has_names))
    if reasoner.name == LLM or not snapshot.has_names:
        return verdict
    return without_topics(run.request.question, verdict, unmatched)
