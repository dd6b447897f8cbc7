"""RAPL: a trained model walks the line graph, looking ahead; paths are drawn from it (section 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from retrieval.config import RaplOptions
from retrieval.nn.query import Texts
from retrieval.retrievers.path_retriever import PathRetriever
from retrieval.retrievers.sampling import Drawn, draw

#: Paths drawn from each first triple (section 4.3, Inference).
PER_FIRST = 5


class RaplRetriever(PathRetriever):
    """Sampled: K first triples, 5 paths from each, the M most probable kept and repeats dropped; or ranked."""

    def draws(
        self,
        topics: Sequence[int],
        texts: Texts,
        *,
        budget: int,
        rng: np.random.Generator,
        cancelled: Callable[[], bool],
    ) -> list[Drawn]:
        """See ``PathRetriever``. The M are counted before repeats are dropped, as the paper says."""
        del budget
        assert isinstance(self.options, RaplOptions), "options are parsed for their own method"
        firsts, most = self.options.sizes
        drawn = draw(self.walker, topics, texts, firsts=firsts, each=PER_FIRST, rng=rng, cancelled=cancelled)
        return [path for topic in range(len(topics)) for path in kept(drawn, topic, most)]


def kept(drawn: Sequence[Drawn], topic: int, most: int) -> list[Drawn]:
    """Those of a topic's paths that are among its ``most`` most probable draws, each once, best first."""
    mine = sorted(
        (path for path in drawn if path.topic == topic), key=lambda path: (-path.probability, path.arcs)
    )
    before = np.cumsum([0, *(path.count for path in mine)])[:-1]
    return [path for path, ahead in zip(mine, before.tolist(), strict=True) if ahead < most]
