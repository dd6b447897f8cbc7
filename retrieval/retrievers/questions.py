"""How a question is put to the text encoder: seen from one topic, without names.

A name would dominate the embedding and say nothing about the relations asked for, so the topic becomes
``X`` and the other topics ``Y``: "which films did X direct and Y act in".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

TOPIC, OTHER = "X", "Y"
_MARKS = re.compile(r"[\[\]]")
_SPACES = re.compile(r"\s+")


def seen_from(question: str, topic: int, names: Sequence[str]) -> str:
    """The question with the topic's name as ``X`` and the other topics' names as ``Y``.

    Args:
        question: as written; MetaQA's brackets around a mention are dropped.
        topic: index in ``names``.
        names: the texts of the mentions (or labels), one a topic; those not found are left.
    """
    text = _MARKS.sub("", question)
    # The longest name first, so that "New York" does not break "New York City".
    for index in sorted(range(len(names)), key=lambda i: -len(names[i])):
        text = _replace(text, names[index], TOPIC if index == topic else OTHER)
    return _SPACES.sub(" ", text).strip()


def shape(question: str, topic: int, names: Sequence[str]) -> str:
    """``seen_from`` without case and punctuation: questions of the same shape differ only in names."""
    text = re.sub(r"[^\w\s]", " ", seen_from(question, topic, names).casefold())
    return _SPACES.sub(" ", text).strip()


def _replace(text: str, name: str, by: str) -> str:
    name = _SPACES.sub(" ", name).strip()
    if not name:
        return text
    for spelled in (name, name.replace("_", " ")):
        pattern = r"(?<!\w)" + re.escape(spelled) + r"(?!\w)"
        changed, count = re.subn(pattern, by, text, count=1, flags=re.IGNORECASE)
        if count:
            return changed
    return text
