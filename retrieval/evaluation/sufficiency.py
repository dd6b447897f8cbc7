"""How often what was read states what is right, as a language model judges (MINE; INSES App. G, Table 14)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from retrieval.errors import EvaluationError
from retrieval.evaluation.answers import MOST_ANSWERS, SUFFICIENCY, ask_sufficiency, get_usage
from retrieval.evaluation.faithfulness import get_read_lines
from retrieval.llm import prompts
from retrieval.llm.replies import Asker


def measure(
    report: Mapping[str, Any], asker: Asker, *, cancelled: Callable[[], bool] = lambda: False
) -> dict[str, Any]:
    """Ask of every question whether its right answers can be told from what its reader read.

    A question without right answers is a fact to be found, as MINE's are: then its own words are what the context has
    to state. Where nothing was read the verdict is no, and nobody is asked.

    Args:
        report: as ``evaluate`` writes it.

    Returns:
        Plain JSON: ``n``, ``sufficient`` (the share; null when no reply says), ``examples``, ``unsaid``, ``usage``,
        ``manifest`` and ``per_question``.

    Raises:
        EvaluationError: the report has no questions.
        Cancelled: ``cancelled()`` said so; replies that came are kept.
        LLMError: the endpoint cannot be used.
    """
    rows = report["per_question"]
    if not rows:
        raise EvaluationError("The report has no questions.", hint="Evaluate a question set that has some.")
    examples = [(get_read_lines(row), "; ".join(row["answers"][:MOST_ANSWERS]) or row["question"]) for row in rows]
    verdicts = ask_sufficiency(asker, examples, cancelled=cancelled)
    known = [verdict for verdict in verdicts if verdict is not None]
    return {
        "n": len(rows),
        "sufficient": known.count(True) / len(known) if known else None,
        "asked": sum(bool(context) for context, _ in examples),
        "unsaid": verdicts.count(None),
        "usage": get_usage(asker),
        "manifest": {
            "model": asker.settings.model,
            "prompts": prompts.describe_prompts(SUFFICIENCY),
            "report": report["manifest"],
        },
        "per_question": [{"id": row["id"], "sufficient": verdict} for row, verdict in zip(rows, verdicts, strict=True)],
    }
