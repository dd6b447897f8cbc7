"""What a language model says of a report's answers, kept in the report: the judge, verified answers, faithfulness,
sufficiency of what was read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from retrieval.errors import ConfigError, EvaluationError
from retrieval.evaluation import answers, faithfulness, sufficiency
from retrieval.llm.replies import Asker
from retrieval.types import Progress

JUDGE, VERIFY, FAITHFULNESS, SUFFICIENCY = NAMES = ("judge", "verify", "faithfulness", "sufficiency")

#: What a judgement says of one question, by its name there and in the report's row.
_OF_A_QUESTION = {
    JUDGE: {"llm_judge": "right"},
    VERIFY: {"f1": "verified_f1"},
    FAITHFULNESS: {"used": "faithful"},
    SUFFICIENCY: {"sufficient": "sufficient"},
}
_LEFT_OUT = {"usage", "manifest", "per_question"}


def add_judgements(
    report: Mapping[str, Any],
    which: Collection[str],
    asker: Asker,
    *,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """A report with what a language model says of it. Replies are kept, and not paid for twice.

    Args:
        report: as ``evaluate`` writes it.
        which: some of ``NAMES``.
        progress: called before each judgement.

    Returns:
        The report with ``judged``: the figures of each judgement by its name (where there is nothing to judge,
        ``n`` of 0 and ``why``), the ``model``, and its ``usage``; each question's row has a ``judged`` too.

    Raises:
        ConfigError: there is no such judgement.
        LLMError: the endpoint cannot be used.
    """
    unknown = sorted(set(which) - set(NAMES))
    if unknown:
        raise ConfigError(f"There is no judgement {unknown[0]!r}.", hint=f"Choose some of: {', '.join(NAMES)}.")
    judgements: dict[str, Any] = {}
    rows: dict[str, dict[str, Any]] = {row["id"]: {} for row in report["per_question"]}
    wanted = [name for name in NAMES if name in which]
    for done, name in enumerate(wanted):
        progress(Progress("judging", done, len(wanted), "judgements"))
        try:
            judgement = _measure(name, report, asker, cancelled)
        except EvaluationError as nothing:  # the other figures stand all the same
            judgements[name] = {"n": 0, "why": nothing.message}
            continue
        judgements[name] = {key: value for key, value in judgement.items() if key not in _LEFT_OUT}
        judgements[name].setdefault("n", judgement.get("asked"))
        for row in judgement["per_question"]:
            rows[row["id"]] |= {ours: row[theirs] for theirs, ours in _OF_A_QUESTION[name].items()}
    usage = asker.usage
    tokens = usage.prompt_tokens + usage.completion_tokens
    judgements["model"] = asker.settings.title
    judgements["usage"] = {
        "llm_calls": usage.llm_calls,
        "tokens": tokens,
        "cost": usage.cost,
        "kept": asker.kept,
    }
    questions = [{**row, "judged": rows[row["id"]]} for row in report["per_question"]]
    return {**report, "judged": judgements, "per_question": questions}


def _measure(name: str, report: Mapping[str, Any], asker: Asker, cancelled: Callable[[], bool]) -> dict[str, Any]:
    if name == JUDGE:
        return answers.measure(report, asker, cancelled=cancelled)
    if name == VERIFY:
        return answers.verify(report, asker, cancelled=cancelled)
    if name == SUFFICIENCY:
        return sufficiency.measure(report, asker, cancelled=cancelled)
    return faithfulness.measure(report, asker, cancelled=cancelled)
