"""How often right answers rest on the retrieved paths, as a language model says of itself (RAPL 5.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from retrieval.errors import EvaluationError
from retrieval.llm import prompts
from retrieval.llm.replies import Asker
from retrieval.reasoning.judge import PROMPT, ask_judgements, compute_hallucination_score


def measure(
    report: Mapping[str, Any], asker: Asker, *, cancelled: Callable[[], bool] = lambda: False
) -> dict[str, Any]:
    """Ask of every question of a report that was hit whether the model answers it from what its reader read.

    Args:
        report: as ``evaluate`` writes it.

    Returns:
        Plain JSON: ``hallucination_score`` (null when no reply says), how many questions were ``examples``, said
        ``used``, ``not_used`` or nothing (``unsaid``), ``usage``, ``manifest``, and ``per_question``.

    Raises:
        EvaluationError: no question of the report was hit and has paths.
        Cancelled: ``cancelled()`` said so; replies that came are kept.
        LLMError: the endpoint cannot be used.
    """
    rows = [row for row in report["per_question"] if row["hit"] > 0 and get_read_lines(row)]
    if not rows:
        raise EvaluationError(
            "No question of the report was answered rightly with paths.",
            hint="Faithfulness is asked of right answers; evaluate another checkpoint or question set.",
        )
    examples = [(row["question"], get_read_lines(row)) for row in rows]
    judgements = ask_judgements(asker, examples, cancelled=cancelled)
    verdicts = [judgement.grounded for judgement in judgements]
    return {
        "hallucination_score": compute_hallucination_score(judgements),
        "asked": len(rows),
        "used": verdicts.count(True),
        "not_used": verdicts.count(False),
        "unsaid": verdicts.count(None),
        "usage": {
            "llm_calls": asker.usage.llm_calls,
            "tokens": asker.usage.prompt_tokens + asker.usage.completion_tokens,
            "kept": asker.kept,
        },
        "manifest": {
            "model": asker.settings.model,
            "prompt": prompts.load(PROMPT).id,
            "report": report["manifest"],
        },
        "per_question": [
            {"id": row["id"], "used": judgement.grounded, "answers": list(judgement.answers)}
            for row, judgement in zip(rows, judgements, strict=True)
        ],
    }


def get_read_lines(row: Mapping[str, Any]) -> list[str]:
    """What a language model was shown, line by line; of the extractive reasoner its chains."""
    return list(row.get("read") or [path["path"] for path in row["paths"]])
