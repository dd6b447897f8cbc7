"""REL-RAG with path-based learning: a trained model walks the line graph (sections 3 and 4.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from retrieval.kg.snapshot import Snapshot
from retrieval.linking.text_features import TextEncoder
from retrieval.methods.paths.retriever import PathRetriever, open_states
from retrieval.methods.paths.sampling import Drawn, draw
from retrieval.nn.query import Texts
from retrieval.training.checkpoint import OpenCheckpoint

#: Paths drawn from each topic between two looks at the budget; a sure model draws the same ones again and again, and
#: after the last round what was found is all.
_ROUNDS = (256, 1024)


class RelRagPathRetriever(PathRetriever):
    """Ranked by a beam, or sampled: paths drawn independently until the budget of triples is spent (App. B)."""

    def sample_paths(
        self,
        topics: Sequence[int],
        texts: Texts,
        *,
        budget: int,
        rng: np.random.Generator,
        cancelled: Callable[[], bool],
    ) -> list[Drawn]:
        """See ``PathRetriever``. The draws end with the round that spends the budget."""
        merged: dict[tuple[int, tuple[int, ...]], Drawn] = {}
        facts: set[int] = set()
        for count in _ROUNDS:
            drawn = draw(self.walker, topics, texts, firsts=count, each=1, rng=rng, cancelled=cancelled)
            for path in drawn:
                before = merged.get((path.topic, path.arcs))
                merged[path.topic, path.arcs] = replace(path, count=path.count + (before.count if before else 0))
                facts.update(arc % self.snapshot.num_triples for arc in path.arcs)
            if len(facts) >= budget:
                break
        return list(merged.values())


def open_retriever(
    checkpoint: OpenCheckpoint, snapshot: Snapshot, encoder: TextEncoder, cache: Path
) -> RelRagPathRetriever:
    """A checkpoint of ``rel-rag-path`` on a graph, which need not be the one trained on."""
    states = open_states(checkpoint, snapshot, encoder, cache=cache)
    return RelRagPathRetriever(checkpoint, snapshot, encoder, states, cache=cache)
