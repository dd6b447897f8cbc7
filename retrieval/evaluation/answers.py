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
from retrieval.evaluation.judge_replies import Pairs, read_digit, read_equivalent, read_pairs
from retrieval.kg.snapshot.labels import normalize_name
from retrieval.llm import prompts
from retrieval.llm.constraints import THOUGHT, make_choice, make_json_object, make_pairs
from retrieval.llm.prompts import wrap_fenced, wrap_fenced_lines
from retrieval.llm.replies import Asker, Request

JUDGE, SUFFICIENCY, VERIFY = "judge", "sufficiency", "verify"
MOST_ANSWERS = 20
"""Right answers that a judge is shown; of longer lists the rest is counted."""

_EQUIVALENT = make_json_object(is_equivalent={"type": "boolean"}, explanation={"type": "string", "maxLength": THOUGHT})
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalize_answer(text: str) -> str:
    """A text as SQuAD compares it."""
    return " ".join(_ARTICLES.sub(" ", text.casefold().translate(_PUNCTUATION)).split())


def compute_exact_match(predicted: str, gold: Sequence[str]) -> float:
    """1 when the answer is one of the right ones."""
    return float(normalize_answer(predicted) in {normalize_answer(answer) for answer in gold})


def compute_token_f1(predicted: str, gold: Sequence[str]) -> float:
    """F1 of the words, against the right answer that it has most in common with."""
    return max(
        (_compute_f1(normalize_answer(predicted).split(), normalize_answer(answer).split()) for answer in gold),
        default=0.0,
    )


def _compute_f1(predicted: list[str], gold: list[str]) -> float:
    if not predicted or not gold:
        return float(predicted == gold)
    common = sum((Counter(predicted) & Counter(gold)).values())
    return 2 * common / (len(predicted) + len(gold))


def ask_equivalence(
    asker: Asker, examples: Sequence[tuple[str, Sequence[str], str]], *, cancelled: Callable[[], bool] = lambda: False
) -> list[bool | None]:
    """Whether a language model takes each answer for the right one (INSES App. G, Table 13).

    Args:
        examples: (question, right answers, answer).

    Returns:
        None where no reply came, or it does not say.
    """
    requests = []
    for question, gold, predicted in examples:
        shown = [*gold[:MOST_ANSWERS], *([f"and {len(gold) - MOST_ANSWERS} more"] if len(gold) > MOST_ANSWERS else [])]
        requests.append(
            Request.from_prompt(
                prompts.load(JUDGE),
                question=wrap_fenced(question),
                truth=wrap_fenced("; ".join(shown)),
                prediction=wrap_fenced(predicted),
            ).apply_constraint(_EQUIVALENT)
        )
    return _ask(asker, requests, read_equivalent, cancelled)


def ask_matching_pairs(
    asker: Asker,
    examples: Sequence[tuple[str, Sequence[str], Sequence[str]]],
    *,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Pairs | None]:
    """Which given answers mean which right ones, as a language model reasons step by step (RAPL App. H).

    Args:
        examples: (question, right answers, given answers), at least one of each; of longer lists the first
            ``MOST_ANSWERS`` are shown.

    Returns:
        Places of (given, right) answers, from 0; None where no reply came, or it has no such pairs.
    """
    prompt = prompts.load(VERIFY)
    requests = [
        Request.from_prompt(
            prompt,
            question=wrap_fenced(question),
            truth=wrap_fenced_lines([f"{i}. {text}" for i, text in enumerate(gold[:MOST_ANSWERS], start=1)]),
            given=wrap_fenced_lines([f"{i}. {text}" for i, text in enumerate(predicted[:MOST_ANSWERS], start=1)]),
        ).apply_constraint(make_pairs(min(len(predicted), MOST_ANSWERS), min(len(gold), MOST_ANSWERS)))
        for question, gold, predicted in examples
    ]
    results: list[Pairs | None] = [None] * len(requests)
    for index, reply in asker.ask(requests, cancelled=cancelled):
        if reply is not None:
            _, gold, predicted = examples[index]
            results[index] = read_pairs(reply.text, min(len(predicted), MOST_ANSWERS), min(len(gold), MOST_ANSWERS))
    return results


def verify(report: Mapping[str, Any], asker: Asker, *, cancelled: Callable[[], bool] = lambda: False) -> dict[str, Any]:
    """Hit and Macro-F1 of a report where a language model says which answers are right (RAPL App. H).

    What is equal by the report's own comparison is right without asking about it; only the rest is asked. Questions
    without a right answer are left out, and one whose reply does not say keeps the report's figures.

    Returns:
        Plain JSON: ``n``, ``hit``, ``macro_f1``, beside them the report's own ``by_names``, ``examples``, ``unsaid``,
        ``usage``, ``manifest`` and ``per_question``.

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
    open_ = [index for index, row in enumerate(rows) if row["predicted"] and row["f1"] < 1]
    examples = [(rows[index]["question"], rows[index]["answers"], rows[index]["predicted"]) for index in open_]
    pairs_by_index = dict(zip(open_, ask_matching_pairs(asker, examples, cancelled=cancelled), strict=True))
    scores = [_score_verified(row, pairs_by_index.get(index)) for index, row in enumerate(rows)]
    usage = get_usage(asker)
    return {
        "n": len(rows),
        "hit": fmean(hit for hit, _ in scores),
        "macro_f1": fmean(f1 for _, f1 in scores),
        "by_names": {"hit": fmean(row["hit"] for row in rows), "macro_f1": fmean(row["f1"] for row in rows)},
        "asked": len(examples),
        "unsaid": sum(pairs is None for pairs in pairs_by_index.values()),
        "usage": usage,
        "manifest": {
            "model": asker.settings.model,
            "prompts": prompts.describe_prompts(VERIFY),
            "report": report["manifest"],
        },
        "per_question": [
            {
                "id": row["id"],
                "hit": hit,
                "f1": f1,
                "pairs": sorted(pairs_by_index[index] or ()) if index in pairs_by_index else None,
            }
            for index, (row, (hit, f1)) in enumerate(zip(rows, scores, strict=True))
        ],
    }


def _score_verified(row: Mapping[str, Any], pairs: Pairs | None) -> tuple[float, float]:
    """Hit and F1 of a question, what is right by name and what the model found right together."""
    if pairs is None:
        return row["hit"], row["f1"]
    names = {normalize_name(answer): place for place, answer in enumerate(row["answers"])}
    alike = {
        (place, names[normalize_name(answer)])
        for place, answer in enumerate(row["predicted"])
        if normalize_name(answer) in names
    }
    right = pairs | alike
    precision = len({predicted_index for predicted_index, _ in right}) / len(row["predicted"])
    recall = len({gold for _, gold in right}) / len(row["answers"])
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return float(bool(right)), max(f1, row["f1"])


def ask_sufficiency(
    asker: Asker, examples: Sequence[tuple[Sequence[str], str]], *, cancelled: Callable[[], bool] = lambda: False
) -> list[bool | None]:
    """Whether each context states its fact, as a language model judges (MINE; INSES App. G, Table 14).

    Args:
        examples: (triples or sentences that were retrieved, fact that they should hold).

    Returns:
        None where no reply came, or it does not say. Without any context the answer is no, and nothing is asked.
    """
    prompt = prompts.load(SUFFICIENCY)
    places = [index for index, (context, _) in enumerate(examples) if context]
    requests = [
        Request.from_prompt(
            prompt, context=wrap_fenced_lines(examples[index][0]), answer=wrap_fenced(examples[index][1])
        ).apply_constraint(make_choice("0", "1"))
        for index in places
    ]
    verdicts: list[bool | None] = [False] * len(examples)
    for index, verdict in zip(places, _ask(asker, requests, read_digit, cancelled), strict=True):
        verdicts[index] = verdict
    return verdicts


def _ask(
    asker: Asker, requests: Sequence[Request], read: Callable[[str], bool | None], cancelled: Callable[[], bool]
) -> list[bool | None]:
    verdicts: list[bool | None] = [None] * len(requests)
    for index, reply in asker.ask(requests, cancelled=cancelled):
        if reply is not None:
            verdicts[index] = read(reply.text)
    return verdicts


def measure(
    report: Mapping[str, Any], asker: Asker | None, *, cancelled: Callable[[], bool] = lambda: False
) -> dict[str, Any]:
    """Exact match, token F1 and, with an asker, the judge's share of right answers, of a report.

    Questions without a right answer are left out; one that got no answer counts as wrong, and no judge is asked.

    Returns:
        Plain JSON: ``n``, ``exact_match``, ``token_f1``, ``llm_judge`` (null without an asker, or when
        it never says), ``unsaid``, ``usage``, ``manifest`` and ``per_question``.

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
        answered = [index for index, answer in enumerate(best) if answer]
        # All that was answered is shown: a set of right answers is right.
        examples = [
            (rows[index]["question"], rows[index]["answers"], "; ".join(rows[index]["predicted"])) for index in answered
        ]
        judged = [False] * len(rows)
        for index, is_right in zip(answered, ask_equivalence(asker, examples, cancelled=cancelled), strict=True):
            judged[index] = is_right
    matches = [compute_exact_match(answer, row["answers"]) for answer, row in zip(best, rows, strict=True)]
    overlaps = [compute_token_f1(answer, row["answers"]) for answer, row in zip(best, rows, strict=True)]
    verdicts = [float(verdict) for verdict in judged if verdict is not None]
    return {
        "n": len(rows),
        "exact_match": fmean(matches),
        "token_f1": fmean(overlaps),
        "llm_judge": fmean(verdicts) if verdicts else None,
        "unsaid": judged.count(None) if asker is not None else 0,
        "usage": None if asker is None else get_usage(asker),
        "manifest": {
            "model": asker.settings.model if asker is not None else None,
            "prompts": prompts.describe_prompts(JUDGE) if asker is not None else {},
            "report": report["manifest"],
        },
        "per_question": [
            {"id": row["id"], "answer": answer, "exact_match": match, "token_f1": overlap, "llm_judge": verdict}
            for row, answer, match, overlap, verdict in zip(rows, best, matches, overlaps, judged, strict=True)
        ],
    }


def get_usage(asker: Asker) -> dict[str, Any]:
    """What asking has cost so far; replies that were ``kept`` from before cost nothing."""
    usage = asker.usage
    tokens = usage.prompt_tokens + usage.completion_tokens
    return {"llm_calls": usage.llm_calls, "tokens": tokens, "cost": usage.cost, "kept": asker.kept}
