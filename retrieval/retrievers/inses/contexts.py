"""What facts are read in: the passage a fact came from, else its own words. Vectors are computed once a snapshot."""

from __future__ import annotations

import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retrieval.kg.storage import load_array, published, save_array
from retrieval.retrievers.features import TextEncoder, encode_all

if TYPE_CHECKING:
    from retrieval.kg.snapshot import Snapshot
    from retrieval.text.entity_index import EntityIndex

_WORD = re.compile(r"[a-z0-9]+")
_FUNCTION_TEXT = """
    a about an and any are as at be been being both but by can could did do does for from had has have he her his how
    i if in into is it its many may much of on or other she so some such than that the their them then there these
    they this those to was were what when where which while who whom whose why will with would you
"""
#: Words that say nothing of what is asked. Nouns that ask ("state", "president") stay: a passage answers with them.
_FUNCTION_WORDS = frozenset(_FUNCTION_TEXT.split())


def words_in(text: str) -> list[str]:
    """Words that carry meaning, without endings that only grammar needs; repeats once, in order."""
    found = dict.fromkeys(_stem(word) for word in _WORD.findall(text.casefold()))
    return [word for word in found if word not in _FUNCTION_WORDS]


def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("s"):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if len(word) > 6 and word.endswith(ending):
            return word[: -len(ending)]
    return word


class Contexts:
    """The passages of one graph as vectors and words, and vectors of its facts.

    Args:
        snapshot: the whole graph; restricted ones share its passages, entities and relations.
        encoder: the text encoder.
        index: names of the graph with their vectors.
        cache: directory for what is computed once a snapshot.
        cancelled: asked between batches of what is computed.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        encoder: TextEncoder,
        index: EntityIndex,
        cache: Path,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self._index = index
        self._passages = snapshot.passages
        kept = cache / "inses" / hashlib.sha256(f"{snapshot.hash} {encoder.name}".encode()).hexdigest()[:24]
        if not kept.is_dir():
            labels = [snapshot.relation_label(r) for r in range(snapshot.num_relations)]
            texts = self._texts()
            arrays = {
                "relations": encode_all(encoder, labels, stage="encoding relations", cancelled=cancelled),
                "passages": encode_all(encoder, texts, stage="encoding passages", cancelled=cancelled),
            }
            with published(kept) as directory:
                for name, array in arrays.items():
                    save_array(directory, name, array.astype(np.float16))
        self.relations = load_array(kept, "relations", "float16").astype(np.float32)
        self.passages = load_array(kept, "passages", "float16").astype(np.float32)

    def __len__(self) -> int:
        return len(self.passages)

    def _texts(self) -> list[str]:
        table = self._passages
        return [] if table is None else [f"{table.title(i)}. {table.text(i)}" for i in range(len(table))]

    @cached_property
    def places(self) -> dict[str, np.ndarray]:
        """The passages that hold each word, int32."""
        found: dict[str, list[int]] = defaultdict(list)
        for i, text in enumerate(self._texts()):
            for word in words_in(text):
                found[word].append(i)
        return {word: np.array(where, np.int32) for word, where in found.items()}

    def weights(self, words: Iterable[str]) -> dict[str, float]:
        """How much each word tells, log(1 + P / (1 + passages that hold it)), as shares of all of them."""
        found = {w: math.log(1 + len(self) / (1 + len(self.places.get(w, ())))) for w in words}
        total = sum(found.values())
        return {word: weight / total for word, weight in found.items()} if total else {}

    def held(self, weights: dict[str, float]) -> np.ndarray:
        """Which words each passage holds, by weight: float32 [P, words]."""
        table = np.zeros((len(self), len(weights)), np.float32)
        for column, (word, weight) in enumerate(weights.items()):
            table[self.places.get(word, []), column] = weight
        return table

    def of_facts(self, snapshot: Snapshot, facts: np.ndarray, worth: np.ndarray) -> np.ndarray:
        """The passage that each fact is read in: of several sources the worthiest; -1 where none is known.

        Args:
            snapshot: the graph that the ids mean.
            facts: int64 [n].
            worth: float [P].
        """
        table = snapshot.passages
        if table is None:
            return np.full(len(facts), -1, np.int64)
        starts, stops = table.fact_offsets[facts], table.fact_offsets[facts + 1]
        found = np.full(len(facts), -1, np.int64)
        some = stops > starts
        found[some] = table.fact_passages[starts[some]]
        for i in np.flatnonzero(stops - starts > 1).tolist():
            sources = table.fact_passages[starts[i] : stops[i]]
            found[i] = sources[int(np.argmax(worth[sources]))]
        return found

    def fact_vectors(self, snapshot: Snapshot, facts: np.ndarray) -> np.ndarray:
        """Facts by the sum of head, relation and tail, float32 [n, d] of unit length (or zero)."""
        vectors = self._index.vectors_of(snapshot.heads[facts]) + self._index.vectors_of(
            snapshot.tails[facts]
        )
        vectors += self.relations[snapshot.relations[facts]]
        sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: np.ndarray = np.divide(vectors, sizes, out=np.zeros_like(vectors), where=sizes > 0)
        return unit
