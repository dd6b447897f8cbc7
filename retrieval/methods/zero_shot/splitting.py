"""A question in words and stretches of words, and what of it is encoded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from retrieval.linking.questions import OTHER, TOPIC
from retrieval.linking.unspaced_scripts import LETTERS
from retrieval.methods.zero_shot.idioms import FUNCTION, replace_idioms
from retrieval.supervision.path_questions.lexicon import PREPOSITIONS

if TYPE_CHECKING:
    from retrieval.linking.text_features import TextEncoder

#: Texts that are encoded at once: encoders keep what so few texts come to.
_AT_ONCE = 64
_TOKEN = re.compile(rf"[{LETTERS}]|[^\W_{LETTERS}]+|['’]s\b")
#: Words of a question that are read, and those of a stretch that is compared with names.
_LONGEST, _STRETCH = 28, 3
_STARTING = frozenset({"who", "when", "where", "how"})


@dataclass(frozen=True, slots=True)
class SplitQuestion:
    """A question in words.

    Attributes:
        text: with its idioms replaced.
        words: in lower case but for the marks of topics.
        content: which words say something, bool [n].
        spans: words [first, last) of each stretch that may name a relation.
    """

    text: str
    words: list[str]
    content: np.ndarray
    spans: list[tuple[int, int]]

    @property
    def phrases(self) -> list[str]:
        """The stretches as texts."""
        return [" ".join(self.words[first:last]) for first, last in self.spans]

    @property
    def encoded(self) -> list[str]:
        """What a text encoder reads: the whole, and the stretches."""
        return [self.text, *self.phrases]


def split_question(text: str) -> SplitQuestion:
    """A question as seen from a topic (``linking.questions.replace_topic_names``) in words."""
    text = replace_idioms(text)
    words = [w if w in (TOPIC, OTHER) else w.lower() for w in _TOKEN.findall(text)][:_LONGEST] or ["thing"]
    content = np.array([w not in FUNCTION and w not in (TOPIC, OTHER, "'s", "’s") for w in words])
    return SplitQuestion(text, words, content, _list_spans(words, content))


def encode_texts(encoder: TextEncoder, texts: Iterable[str]) -> dict[str, np.ndarray]:
    """Vectors of texts, float32 [d] each; a text that comes again is encoded once."""
    every = list(dict.fromkeys(texts))
    encoded: dict[str, np.ndarray] = {}
    for start in range(0, len(every), _AT_ONCE):
        some = every[start : start + _AT_ONCE]
        encoded.update(zip(some, encoder.encode(some), strict=True))
    return encoded


def _list_spans(words: list[str], content: np.ndarray) -> list[tuple[int, int]]:
    """Stretches that may name a relation: no topic inside, and neither end says nothing."""
    return [
        (first, last)
        for size in range(1, _STRETCH + 1)
        for first in range(len(words) - size + 1)
        for last in [first + size]
        if content[first:last].any()
        and (content[first] or words[first] in _STARTING)
        and (content[last - 1] or words[last - 1] in PREPOSITIONS or words[last - 1] == "of")
        and not {TOPIC, OTHER} & set(words[first:last])
    ] or [(0, len(words))]
