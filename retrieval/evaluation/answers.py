"""How good the words of answers are: exact match, token F1, a language model as judge, and sufficiency of evidence.

Measured of a report that ``evaluate`` wrote. Exact match and token F1 need no language model; they compare the best
answer with each right one after SQuAD's normalisation (case, punctuation and articles do not count), the best counts.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from retrieval.errors import EvaluationError
from retrieval.llm import prompts
from retrieval.llm.asking import find_json
from retrieval.llm.prompts import fenced, fenced_lines
from retrieval.llm.replies import Asker, Request

JUDGE, SUFFICIENCY = "judge", "sufficiency"
MOST_ANSWERS = 20
"""Right answers that a judge is shown; of longer lists the rest is counted."""

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_DIGIT = re.compile(r"\b[01]\b")
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)


def squad(text: str) -> str:
    """A text as SQuAD compares it."""
    return " ".join(_ARTICLES.sub(" ", text.casefold().translate(_PUNCTUATION)).split())


def exact_match(predicted: str, gold: Sequence[str]) -> float:
    """1 when the answer is one of the right ones."""
    return float(squad(predicted) in {squad(answer) for answer in gold})


def token_f1(predicted: str, gold: Sequence[str]) -> float:
    """F1 of the words, against the right answer that it has most in common with."""
    return max((_f1(squad(predicted).split(), squad(answer).split()) for answer in gold), default=0.0)


def _f1(one: list[str], other: list[str]) -> float:
    if not one or not other:
        return float(one == other)
    common = sum((Counter(one) & Counter(other)).values())
    return 2 * common / (len(one) + len(other))


def equivalent(
    asker: Asker,
    asked: Sequence[tuple[str, Sequence[str], str]],
    *,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[bool | None]:
    """Whether a language model takes each answer for the right one (INSES App. G, Table 13).

    Args:
        asker: the judge, through its store of replies.
        asked: (question, right answers, answer).
        cancelled: asked while waiting.

    Returns:
        None where no reply came, or it does not say.
    """
    requests = []
    for question, gold, predicted in asked:
        shown = [
            *gold[:MOST_ANSWERS],
            *([f"and {len(gold) - MOST_ANSWERS} more"] if len(gold) > MOST_ANSWERS else []),
        ]
        requests.append(
            Request.of(
                prompts.load(JUDGE),
                question=fenced(question),
                truth=fenced("; ".join(shown)),
                prediction=fenced(predicted),
            )
        )
    return _ask(asker, requests, read_equivalent, cancelled)


def sufficient(
    asker: Asker,
    asked: Sequence[tuple[Sequence[str], str]],
    *,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[bool | None]:
    """Whether each context states its fact, as a language model judges (MINE; INSES App. G, Table 14).

    Args:
        asker: the judge, through its store of replies.
        asked: (triples or sentences that were retrieved, fact that they should hold).
        cancelled: asked while waiting.

    Returns:
        None where no reply came, or it does not say. Without any context the answer is no, and nothing is asked.
    """
    prompt = prompts.load(SUFFICIENCY)
    places = [at for at, (context, _) in enumerate(asked) if context]
    requests = [
        Request.of(prompt, context=fenced_lines(asked[at][0]), answer=fenced(asked[at][1])) for at in places
    ]
    found: list[bool | None] = [False] * len(asked)
    for at, said in zip(places, _ask(asker, requests, read_digit, cancelled), strict=True):
        found[at] = said
    return found


def _ask(
    asker: Asker,
    requests: Sequence[Request],
    read: Callable[[str], bool | None],
    cancelled: Callable[[], bool],
) -> list[bool | None]:
    said: list[bool | None] = [None] * len(requests)
    for index, reply in asker.ask(requests, cancelled=cancelled):
        if reply is not None:
            said[index] = read(reply.text)
    return said


def read_equivalent(reply: str) -> bool | None:
    """``is_equivalent`` of a judge's reply; None when it does not say."""
    try:
        value = find_json(reply)
    except ValueError:
        return None
    said = value.get("is_equivalent") if isinstance(value, dict) else None
    if isinstance(said, str):
        return {"true": True, "false": False}.get(said.strip().lower())
    return said if isinstance(said, bool) else None


def read_digit(reply: str) -> bool | None:
    """The last 1 or 0 of a reply; None when there is none."""
    found = _DIGIT.findall(_THINKING.sub("", reply))
    return found[-1] == "1" if found else None


def measure(
    report: Mapping[str, Any], asker: Asker | None, *, cancelled: Callable[[], bool] = lambda: False
) -> dict[str, Any]:
    """Exact match, token F1 and, with an asker, the judge's share of right answers, of a report.

    Questions without a right answer are left out; one that got no answer counts as wrong, and no judge is asked.

    Returns:
        Plain JSON: ``n``, ``exact_match``, ``token_f1``, ``llm_judge`` (null without an asker, or when it never says),
        ``unsaid``, ``usage``, ``manifest`` and ``per_question``.

    Raises:
        EvaluationError: no question of the report has a right answer.
        Cancelled: ``cancelled`` said so; replies that came are kept.
        LLMError: the endpoint cannot be used.
    """
    rows = [row for row in report["per_question"] if row["answers"]]
    if not rows:
        raise EvaluationError(
            "No question of the report has a right answer.", hint="Evaluate a question set that has some."
        )
    best = [row["predicted"][0] if row["predicted"] else "" for row in rows]
    judged: list[bool | None] = [None] * len(rows)
    if asker is not None:
        given = [at for at, answer in enumerate(best) if answer]
        # All that was answered is shown: a set of right answers is right.
        asked = [
            (rows[at]["question"], rows[at]["answers"], "; ".join(rows[at]["predicted"])) for at in given
        ]
        judged = [False] * len(rows)
        for at, said in zip(given, equivalent(asker, asked, cancelled=cancelled), strict=True):
            judged[at] = said
    matches = [exact_match(answer, row["answers"]) for answer, row in zip(best, rows, strict=True)]
    overlaps = [token_f1(answer, row["answers"]) for answer, row in zip(best, rows, strict=True)]
    verdicts = [float(verdict) for verdict in judged if verdict is not None]
    return {
        "n": len(rows),
        "exact_match": fmean(matches),
        "token_f1": fmean(overlaps),
        "llm_judge": fmean(verdicts) if verdicts else None,
        "unsaid": judged.count(None) if asker is not None else 0,
        "usage": None if asker is None else _usage(asker),
        "manifest": {
            "model": asker.settings.model if asker is not None else None,
            "prompts": prompts.shown(JUDGE) if asker is not None else {},
            "report": report["manifest"],
        },
        "per_question": [
            {
                "id": row["id"],
                "answer": answer,
                "exact_match": match,
                "token_f1": overlap,
                "llm_judge": verdict,
            }
            for row, answer, match, overlap, verdict in zip(
                rows, best, matches, overlaps, judged, strict=True
            )
        ],
    }


def _usage(asker: Asker) -> dict[str, Any]:
    usage = asker.usage
    tokens = usage.prompt_tokens + usage.completion_tokens
    return {"llm_calls": usage.llm_calls, "tokens": tokens, "cost": usage.cost, "kept": asker.kept}
