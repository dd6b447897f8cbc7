"""Anchors that are texts which names or values are to hold."""

from __future__ import annotations

import re

from retrieval.language.comparisons import TEXT_MATCHES
from retrieval.language.words import QuestionWords
from retrieval.programs.grounding.anchors.anchor import Anchor


def find_texts(question: QuestionWords) -> list[Anchor]:
    """Texts that names or values are to hold: "containing 'limits'", "starting with C"."""
    anchors: list[Anchor] = []
    for pattern, how in TEXT_MATCHES:
        expression = (
            rf"\b{pattern}\s+(?:(?:the|a)\s+)?"
            r"(?:(?:\w+\s+)?(?:words?|letters?|phrase|substring|string|text|characters?)\s+)?"
            rf"(?:['\"‘“](?P<a>[^'\"’”]+)['\"’”]|(?P<b>[A-Z]|(?<=letter )[a-z])\b)"
        )
        for match in re.finditer(
            expression, question.text, re.IGNORECASE if "'" in question.text or '"' in question.text else 0
        ):
            inside = [
                n for n, word in enumerate(question.words) if word.start >= match.start() and word.end <= match.end()
            ]
            if inside:
                text = match["a"] or match["b"]
                anchors.append(
                    Anchor("G", inside[0], inside[-1] + 1, extra=(how, text), features=(("text", 1.0),), strength=1.0)
                )
    return anchors
