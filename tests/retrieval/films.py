"""A small film graph, questions about it, and an encoder whose vectors are sums of word vectors."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from retrieval.kg.build import build_snapshot
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.table import TripleTable
from retrieval.types import QuestionRecord

DIRECTORS = ("Varda", "Kurosawa", "Welles", "Campion")
LANGUAGES = ("French", "Japanese", "English", "Maori")
GENRES = ("Drama", "War", "Mystery")


def facts() -> list[tuple[str, str, str]]:
    """24 films: film i is by director i mod 4, in a language of the director's or the next one's."""
    found = []
    for i in range(24):
        film = f"Film {i:02}"
        found += [
            (film, "directed_by", DIRECTORS[i % 4]),
            (film, "in_language", LANGUAGES[(i % 4 + (i % 5 == 0)) % 4]),
            (film, "has_genre", GENRES[i % 3]),
            (film, "starred_actors", f"Actor {i % 7}"),
        ]
    return found


SHAPES = {
    "who directed {}": ("directed_by",),
    "what is the language of {}": ("in_language",),
    "which films did {} direct": ("-directed_by",),
    "which films share their director with {}": ("directed_by", "-directed_by"),
    "which languages are films by the director of {} in": ("directed_by", "-directed_by", "in_language"),
}
"""Question shapes and the relation path that answers each; ``-`` walks a relation backward."""


def walk(topic: str, path: tuple[str, ...]) -> set[str]:
    """What a path reaches from a topic without coming back to it, by plain loops over the facts."""
    here = {topic}
    for step in path:
        name, inverse = step.lstrip("-"), step.startswith("-")
        ends = [(t, h) if inverse else (h, t) for h, r, t in facts() if r == name]
        here = {b for a, b in ends if a in here and b != topic}
    return here


def questions() -> list[QuestionRecord]:
    """Every shape asked of every fitting topic, in a fixed order, with splits."""
    found = []
    for number, (shape, path) in enumerate(SHAPES.items()):
        topics = DIRECTORS * 4 if path[0] == "-directed_by" else [f"Film {i:02}" for i in range(24)]
        for i, topic in enumerate(topics):
            split = "dev" if i % 6 == 4 else "test" if i % 6 == 5 else "train"
            answers = tuple(sorted(walk(topic, path)))
            text = shape.format(topic)
            found.append(QuestionRecord(f"{number}-{i}", text, (topic,), answers, hops=len(path), split=split))
    return found


def build(path: Path, extra: Sequence[tuple[str, str, str]] = ()) -> Snapshot:
    """The graph's snapshot, with more facts when wanted."""
    return build_snapshot(TripleTable.from_facts([*facts(), *extra]), path)


class WordEncoder:
    """The normalised sum of one fixed random vector a word: equal words, equal directions. Counts its calls."""

    def __init__(self, name: str = "words") -> None:
        self.name = name
        self.dim = 24
        self.encoded = 0

    def encode(self, texts):
        self.encoded += len(texts)
        sums = np.array([self._sum(text) for text in texts], np.float32).reshape(-1, self.dim)
        return sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)

    def encode_words(self, texts):
        words = [np.array(self._words(text) or [np.zeros(self.dim)], np.float32) for text in texts]
        return self.encode(texts), words

    def _sum(self, text):
        return sum(self._words(text), np.zeros(self.dim))

    def _words(self, text):
        seeds = [
            int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
            for word in text.lower().replace("_", " ").split()
        ]
        return [np.random.default_rng(seed).standard_normal(self.dim) for seed in seeds]
