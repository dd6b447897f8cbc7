"""How likely an answer that was read from passages is right: a logistic model of signs, fitted by ``build-weights``.

There are three: for spans of the trained reader, for spans found by rules, and for whole sentences.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from retrieval.language.operators import find_unexplained
from retrieval.language.question import Question
from retrieval.linking.stems import extract_stems
from retrieval.pretrained import CONFIDENCE
from retrieval.reasoning.likeliest import AnswerSpan, ReadPassage
from retrieval.reasoning.passages import Sentence
from retrieval.reasoning.rule_reader import Weigher
from retrieval.reasoning.spans import SpanKind, detect_kind

AnswerForm = Literal["reader", "rules", "sentence"]
FORMS: tuple[AnswerForm, ...] = ("reader", "rules", "sentence")

_CLEAR = 8.0
"""A margin beyond this is no clearer; in log-odds."""


@dataclass(frozen=True, slots=True)
class AnswerConfidence:
    """The models.

    Attributes:
        weights: by form of answer and sign; "one" is the constant.
    """

    weights: Mapping[str, Mapping[str, float]]

    def compute_probability(self, form: AnswerForm, signs: Mapping[str, float]) -> float:
        """The probability in (0, 1) that an answer of these signs is right."""
        weights = self.weights[form]
        odds = weights["one"] + sum(weights.get(name, 0.0) * value for name, value in signs.items())
        return round(1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds)))), 4)

    def save(self, path: Path) -> None:
        """Write the weights as JSON, signs sorted."""
        content = {
            form: {name: round(value, 4) for name, value in sorted(weights.items())}
            for form, weights in self.weights.items()
        }
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")

    @classmethod
    @lru_cache(maxsize=2)
    def load(cls, path: Path = CONFIDENCE) -> AnswerConfidence:
        """Read the weights that :meth:`save` wrote."""
        return cls(json.loads(path.read_text(encoding="utf-8")))


def compute_span_signs(
    question: Question, spans: Sequence[AnswerSpan], read: Sequence[ReadPassage], weigh: Weigher
) -> dict[str, float]:
    """Compute the signs of the best span.

    Args:
        spans: the best first, with shares of the best one's odds as worths; at least one.
        read: the passages that were read at once.
        weigh: how much words tell.
    """
    best = spans[0]
    passage_id = best.sentence.at.passage
    passage = next((each for each in read if each.found.passage.id == passage_id), None)
    scores = [each.found.score for each in read]
    kind = detect_kind(question)
    others = sum(best.label in each.found.passage.text for each in read if each is not passage)
    signs = {
        "reader": best.reader / 10,
        "margin": min(_CLEAR, -math.log(max(1e-9, spans[1].worth))) if len(spans) > 1 else _CLEAR,
        "typed": float(best.is_typed),
        "passage": passage.found.score if passage else 0.0,
        "behind": max(scores, default=0.0) - passage.found.score if passage else 0.0,
        "steps": float(len(best.through)),
        "repeated": float(others > 0),
        f"kind.{(kind or SpanKind.NAME).value}": 1.0,
    }
    return signs | compute_sentence_signs(question, best.sentence, read, weigh)


def compute_sentence_signs(
    question: Question, sentence: Sentence, read: Sequence[ReadPassage], weigh: Weigher
) -> dict[str, float]:
    """Compute the signs of how well a sentence and its surroundings support the question."""
    passage = next((each for each in read if each.found.passage.id == sentence.at.passage), None)
    nearest = max((sentence.score, *(each.score for passage_read in read for each in passage_read.sentences)))
    weights = weigh(extract_stems(question.text))
    title, text = (passage.found.passage.title, passage.found.passage.text) if passage else ("", sentence.text)
    near = set(extract_stems(f"{title}. {sentence.text}"))
    around = set(extract_stems(f"{title}. {text}"))
    names = [stem for word in question.text.split()[1:] if word[:1].isupper() for stem in extract_stems(word)]
    return {
        "sentence": sentence.score,
        "farther": nearest - sentence.score,
        "words": sum(weight for stem, weight in weights.items() if stem in near),
        "words.passage": sum(weight for stem, weight in weights.items() if stem in around),
        "names": sum(stem in around for stem in names) / len(names) if names else 1.0,
        "operator": float(bool(find_unexplained(question.text, question.cues))),
    }
