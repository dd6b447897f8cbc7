"""The last part of a run: evidence to the reasoner, its verdict out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from retrieval.errors import LLMError
from retrieval.events import AnswerDelta, AnswerFinal
from retrieval.pipeline import Run
from retrieval.reasoning.base import Evidence, Reasoner, Verdict
from retrieval.reasoning.extractive import ExtractiveReasoner
from retrieval.types import Usage


def reason(
    run: Run,
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
    verdict: Verdict | None = None
    asked = reasoner if evidence.chains else fallback
    try:
        for item in asked.answer(evidence, cancelled=run.cancelled):
            if isinstance(item, Verdict):
                verdict = item
            else:
                run.check()
                yield item
    except LLMError as error:
        verdict = fallback.decide(evidence)
        note = f"{error.message} {error.hint}".strip()
        warning = f"{note} These answers were extracted from the graph without it."
        verdict = replace(verdict, warnings=(warning, *verdict.warnings))
    if verdict is None:
        raise RuntimeError(f"reasoner {reasoner.name} gave no verdict")
    usage = verdict.usage.plus(spent) if spent is not None else verdict.usage
    yield run.final(replace(verdict, usage=usage, warnings=(*warnings, *verdict.warnings)))
