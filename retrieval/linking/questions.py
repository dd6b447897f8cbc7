"""How a question is put to the text encoder: seen from one topic, without names.

A name would dominate the embedding and say nothing about the relations asked for, so the topic becomes
``X`` and the other topics ``Y``: "which films did X direct and Y act in".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from retrieval.errors import check
from retrieval.linking.text_features import TextEncoder, encode_all
from retrieval.linking.unspaced_scripts import is_within
from retrieval.nn.query import Texts
from retrieval.types import Progress

TOPIC, OTHER = "X", "Y"
_MARKS = re.compile(r"[\[\]]")
_SPACES = re.compile(r"\s+")


def replace_topic_names(question: str, topic: int, names: Sequence[str]) -> str:
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


def compute_shape(question: str, topic: int, names: Sequence[str]) -> str:
    """``replace_topic_names`` without case and punctuation: questions of the same shape differ only in names."""
    text = re.sub(r"[^\w\s]", " ", replace_topic_names(question, topic, names).casefold())
    return _SPACES.sub(" ", text).strip()


def _replace(text: str, name: str, by: str) -> str:
    name = _SPACES.sub(" ", name).strip()
    if not name:
        return text
    if is_within(name):
        return text.replace(name, f" {by} ", 1)
    for spelled in (name, name.replace("_", " ")):
        pattern = r"(?<!\w)" + re.escape(spelled) + r"(?!\w)"
        changed, count = re.subn(pattern, by, text, count=1, flags=re.IGNORECASE)
        if count:
            return changed
    return text


#: Texts whose words are encoded between two looks at ``cancelled``.
_AT_ONCE = 128


@dataclass(frozen=True, slots=True)
class QuestionTexts:
    """What the text encoder says of M texts.

    Attributes:
        vectors: float32 [M, d].
        words: of all texts one after the other, float16 [W, d]; None where they are not read.
        starts: where each text's words start, int64 [M+1].
    """

    vectors: np.ndarray
    words: np.ndarray | None
    starts: np.ndarray

    @classmethod
    def encode(
        cls,
        encoder: TextEncoder,
        texts: Sequence[str],
        *,
        words: bool,
        progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> QuestionTexts:
        """Encode M texts, with their words or without."""
        stage = "encoding questions"
        if not words:
            vectors = encode_all(encoder, texts, stage=stage, progress=progress, cancelled=cancelled)
            return cls(vectors, None, np.zeros(len(texts) + 1, np.int64))
        vectors = np.empty((len(texts), encoder.dim), np.float32)
        parts: list[np.ndarray] = []
        for start in range(0, len(texts), _AT_ONCE):
            check(cancelled)
            part = list(texts[start : start + _AT_ONCE])
            vectors[start : start + len(part)], word_vectors = encoder.encode_words(part)
            parts += [each.astype(np.float16) for each in word_vectors]
            if progress is not None:
                progress(Progress(stage, start + len(part), len(texts), "texts"))
        starts = np.cumsum([0, *(len(part) for part in parts)])
        return cls(vectors, np.concatenate(parts) if parts else None, starts)

    def select_rows(self, rows: np.ndarray) -> Texts:
        """The texts of n rows as tensors, padded to the longest."""
        vectors = torch.from_numpy(self.vectors[rows])
        if self.words is None:
            return Texts(vectors)
        lengths = self.starts[rows + 1] - self.starts[rows]
        within = np.arange(int(lengths.max(initial=1)))
        inside = within < lengths[:, None]
        padded = np.zeros((len(rows), len(within), self.vectors.shape[1]), np.float32)
        padded[inside] = self.words[(self.starts[rows][:, None] + within)[inside]]
        return Texts(vectors, torch.from_numpy(padded), torch.from_numpy(lengths))


def read_each(encoder: TextEncoder, texts: Sequence[str], *, words: bool) -> Texts:
    """What the encoder says of n texts, in their order; one that comes again is read once."""
    rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
    encoded = QuestionTexts.encode(encoder, list(rows), words=words)
    return encoded.select_rows(np.array([rows[text] for text in texts], np.int64))
