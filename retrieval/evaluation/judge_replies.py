"""What a language model that judges answers replied, read."""

from __future__ import annotations

import json
import re

from retrieval.llm.asking import find_json

_PAIRS = re.compile(r'\{\s*"pairs"\s*:\s*\[[\d\s,\[\]]*\]\s*\}')


_DIGIT = re.compile(r"\b[01]\b")


_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)


Pairs = frozenset[tuple[int, int]]


def read_pairs(reply: str, given_count: int, gold_count: int) -> Pairs | None:
    """The last ``{"pairs": [[given, right], ...]}`` of a reply, from 0; None without one, or where a number is none."""
    matches = _PAIRS.findall(_THINKING.sub("", reply))
    if not matches:
        return None
    try:
        pairs = json.loads(matches[-1])["pairs"]
        read = frozenset((int(given_number) - 1, int(gold_number) - 1) for given_number, gold_number in pairs)
    except (ValueError, TypeError, KeyError):
        return None
    return (
        read
        if all(0 <= given_number < given_count and 0 <= gold_number < gold_count for given_number, gold_number in read)
        else None
    )


def read_equivalent(reply: str) -> bool | None:
    """``is_equivalent`` of a judge's reply; None when it does not say."""
    try:
        value = find_json(reply)
    except ValueError:
        return None
    verdict = value.get("is_equivalent") if isinstance(value, dict) else None
    if isinstance(verdict, str):
        return {"true": True, "false": False}.get(verdict.strip().lower())
    return verdict if isinstance(verdict, bool) else None


def read_digit(reply: str) -> bool | None:
    """The last 1 or 0 of a reply; None when there is none."""
    digits = _DIGIT.findall(_THINKING.sub("", reply))
    return digits[-1] == "1" if digits else None
