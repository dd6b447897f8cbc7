"""RAPL: a trained model walks the line graph, looking ahead; paths are drawn from it (section 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from retrieval.kg.snapshot import Snapshot
from retrieval.linking.text_features import TextEncoder
from retrieval.methods.paths.retriever import PathRetriever, open_states
from retrieval.methods.paths.sampling import Drawn, draw
from retrieval.methods.rapl.spec import RaplOptions
from retrieval.nn.query import Texts
from retrieval.training.checkpoint import OpenCheckpoint

#: Paths drawn from each first triple (section 4.3, Inference).
PER_FIRST = 5


class RaplRetriever(PathRetriever):
    """Sampled: K first triples, 5 paths from each, the M most probable kept and repeats dropped; or ranked."""

    def sample_paths(
        self,
        topics: Sequence[int],
        texts: Texts,
        *,
        budget: int,
        rng: np.random.Generator,
        cancelled: Callable[[], bool],
    ) -> list[Drawn]:
        """See ``PathRetriever``."""
        del budget
        firsts, _ = self._sizes
        return draw(self.walker, topics, texts, firsts=firsts, each=PER_FIRST, rng=rng, cancelled=cancelled)

    def keep(self, drawn: list[Drawn]) -> list[Drawn]:
        """See ``PathRetriever``. The M are counted before repeats are dropped, as the paper says."""
        topics = sorted({path.topic for path in drawn})
        return [path for topic in topics for path in keep_most_probable(drawn, topic, self._sizes[1])]

    @property
    def _sizes(self) -> tuple[int, int]:
        assert isinstance(self.options, RaplOptions), "options are parsed for their own method"
        return self.options.sizes


def keep_most_probable(drawn: Sequence[Drawn], topic: int, most: int) -> list[Drawn]:
    """Those of a topic's paths that are among its ``most`` most probable draws, each once, best first."""
    mine = sorted((path for path in drawn if path.topic == topic), key=lambda path: (-path.probability, path.arcs))
    before = np.cumsum([0, *(path.count for path in mine)])[:-1]
    return [path for path, ahead in zip(mine, before.tolist(), strict=True) if ahead < most]


def open_retriever(checkpoint: OpenCheckpoint, snapshot: Snapshot, encoder: TextEncoder, cache: Path) -> RaplRetriever:
    """A checkpoint of ``rapl`` on a graph, which need not be the one trained on."""
    states = open_states(checkpoint, snapshot, encoder, cache=cache)
    return RaplRetriever(checkpoint, snapshot, encoder, states, cache=cache)
