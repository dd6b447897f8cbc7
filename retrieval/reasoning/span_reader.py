"""Where in a passage the answer to a question begins and ends, by the text encoder and what was learned beside it.

The encoder's own weights stay as they are. Beside each of its linear layers stands a product of two thin matrices that
was trained, and on top a layer that says how likely a word is the first or the last of the answer; both come with Clew
(``retrieval/pretrained/README.md``). Merged into a copy they cost nothing when asked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor

from retrieval.environment import DEFAULT_ENCODER
from retrieval.language.question import Question
from retrieval.linking.encoder import Encoder, make_fast_model
from retrieval.pretrained import READER
from retrieval.reasoning.spans import expand_to_phrases

WINDOW, OVERLAP = 256, 64
"""Tokens of a passage that are read at once, and how many of them the next window reads again."""

LONGEST = 13
"""Tokens of an answer, at most."""

BEST = 30
"""Spans of a window that are given."""

TOGETHER = 4
"""Windows that are read in one go."""


@dataclass(frozen=True, slots=True)
class ReadSpan:
    """A span that may answer: where in which passage, and how likely, on a scale of one question's spans."""

    passage: int
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class _Window:
    """What is read at once: tokens, where the passage's begin among them, and where those stand in its text."""

    passage: int
    ids: list[int]
    begin: int
    places: list[tuple[int, int]]


class SpanReader:
    """Reads answers in passages. Safe to use from several threads.

    Args:
        encoder: the one that the weights were trained beside.
    """

    def __init__(self, encoder: Encoder, weights: Path = READER) -> None:
        model, self._tokenizer = encoder.copy_transformer()
        learned = load_file(weights)
        parts = dict(model.named_modules())
        with torch.no_grad():
            for name in learned:
                if name.endswith(".a"):
                    layer = name.removesuffix(".a")
                    parts[layer].weight += learned[f"{layer}.b"].float() @ learned[name].float()
        self._head, self._bias = learned["head.weight"].float(), learned["head.bias"].float()
        self._model = make_fast_model(model.eval())
        self._lock = threading.Lock()

    def read(
        self,
        question: Question,
        passages: Sequence[tuple[str, str]],
        find_phrases: Callable[[str], Sequence[tuple[int, int]]] = lambda _: (),
    ) -> list[ReadSpan]:
        """Find the likeliest spans of each passage.

        Args:
            passages: (title, text) of each.
            find_phrases: where phrases stand in a text that no span may be cut out of; each may answer, too.

        Returns:
            Spans of the texts, the best of each window first.
        """
        windows = [
            w for index, (title, text) in enumerate(passages) for w in self._split_windows(question, index, title, text)
        ]
        windows.sort(key=lambda window: -len(window.ids))
        phrases = [find_phrases(text) for _, text in passages]
        read_spans: list[ReadSpan] = []
        for start in range(0, len(windows), TOGETHER):
            part = windows[start : start + TOGETHER]
            scores = self._score_windows(part)
            for window, window_scores in zip(part, scores, strict=True):
                read_spans += _extract_spans(window, window_scores, phrases[window.passage])
        return read_spans

    def _split_windows(self, question: Question, index: int, title: str, text: str) -> list[_Window]:
        before = f"{title}. " if title else ""
        with self._lock:
            read = self._tokenizer.encode(question.text, before + text)
        begin = read.type_ids.index(1)
        inside = [i for i in range(begin, len(read.ids) - 1) if read.offsets[i][1] > read.offsets[i][0]]
        windows: list[_Window] = []
        for start in range(0, max(1, len(inside) - OVERLAP), WINDOW - OVERLAP):
            part = inside[start : start + WINDOW]
            ids = [*read.ids[:begin], *(read.ids[i] for i in part), read.ids[-1]]
            places = [(read.offsets[i][0] - len(before), read.offsets[i][1] - len(before)) for i in part]
            windows.append(_Window(index, ids, begin, places))
        return windows

    def _score_windows(self, windows: Sequence[_Window]) -> list[np.ndarray]:
        """How likely each of a passage's tokens begins and ends the answer, float32 [t, 2] of each window."""
        longest = max(len(window.ids) for window in windows)
        ids = torch.zeros(len(windows), longest, dtype=torch.long)
        kinds, mask = ids.clone(), ids.clone()
        for row, window in enumerate(windows):
            length = len(window.ids)
            ids[row, :length] = torch.tensor(window.ids)
            kinds[row, window.begin : length] = 1
            mask[row, :length] = 1
        with torch.inference_mode():
            states: Tensor = self._model(
                input_ids=ids, token_type_ids=kinds, attention_mask=mask
            ).last_hidden_state.float()
            scores = (states @ self._head.T + self._bias).numpy()
        return [scores[row, window.begin : window.begin + len(window.places)] for row, window in enumerate(windows)]


def _extract_spans(window: _Window, scores: np.ndarray, phrases: Sequence[tuple[int, int]]) -> list[ReadSpan]:
    """The best spans of a window that lie in the passage's text, its title left out, extended to whole phrases."""
    count = len(scores)
    both = scores[:, :1] + scores[:, 1][None]
    length = np.arange(count)[None] - np.arange(count)[:, None]
    in_text = np.array([start >= 0 for start, _ in window.places], bool)
    both = np.where((length >= 0) & (length < LONGEST) & in_text[:, None], both, -np.inf)
    best: dict[tuple[int, int], float] = {}

    def add(start: int, end: int, score: float) -> None:
        if score > best.get((start, end), -np.inf):
            best[start, end] = score

    for cell in np.argsort(-both, axis=None, kind="stable")[:BEST].tolist():
        first, last = divmod(cell, count)
        add(*expand_to_phrases(phrases, window.places[first][0], window.places[last][1]), float(both[first, last]))
    begins = {start: token for token, (start, _) in reversed(list(enumerate(window.places)))}
    ends = {end: token for token, (_, end) in enumerate(window.places)}
    for start, end in phrases:
        if start in begins and end in ends and begins[start] <= ends[end]:
            add(start, end, float(scores[begins[start], 0] + scores[ends[end], 1]))
    return [
        ReadSpan(window.passage, *span, score)
        for span, score in sorted(best.items(), key=lambda item: -item[1])
        if score > -np.inf
    ]


@lru_cache(maxsize=2)
def _load_reader(encoder: Encoder) -> SpanReader:
    return SpanReader(encoder)


def get_reader(encoder: Any) -> SpanReader | None:
    """The reader of an encoder, made once; None where none was trained beside it."""
    known = isinstance(encoder, Encoder) and encoder.name == DEFAULT_ENCODER and encoder.device == "cpu"
    return _load_reader(encoder) if known else None
