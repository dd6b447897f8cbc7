"""What ``rel-rag-path`` and ``rapl`` share: opening a checkpoint, its triple states, ranked and sampled inference."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.cache import get_states_folder
from retrieval.kg.snapshot.restriction import RestrictedSnapshot
from retrieval.language.question import Question
from retrieval.limits import DEFAULT_BUDGET
from retrieval.linking.features import GraphFeatures, Labels, build_features, compute_graph_features
from retrieval.linking.questions import read_each
from retrieval.linking.text_features import TextEncoder, get_relation_vectors
from retrieval.methods.common.ranking import RankingRetriever
from retrieval.methods.paths.explorer import Beam, search_relation_paths
from retrieval.methods.paths.model import PathModel
from retrieval.methods.paths.sampling import Drawn
from retrieval.methods.paths.settings import PathConfig, PathOptions
from retrieval.methods.paths.states import States, StoredStates, compute_all_states, make_states
from retrieval.methods.paths.walker import Walker
from retrieval.nn.conv_layer import require_same_graph
from retrieval.nn.query import Texts
from retrieval.training.checkpoint import OpenCheckpoint, load_weights
from retrieval.types import FoundPath, Progress, RelationPath

#: Relation paths by which drawn paths are ordered.
_RANKED = 64


class PathRetriever(RankingRetriever):
    """A trained path model asked by a beam over relation paths (``ranked``) or by draws (``sampled``).

    Args:
        checkpoint: opened for the method and the encoder.
        snapshot: the graph; it need not be the one trained on.
        states: of the snapshot's arcs under this checkpoint.
        cache: where label vectors are kept.
    """

    def __init__(
        self,
        checkpoint: OpenCheckpoint,
        snapshot: Snapshot,
        encoder: TextEncoder,
        states: States,
        beam: Beam | None = None,
        *,
        cache: Path | None = None,
    ) -> None:
        super().__init__(
            snapshot,
            encoder,
            method=checkpoint.manifest.method,
            checkpoint=checkpoint.manifest.fingerprint,
            simple=checkpoint.manifest.simple,
            least_support=checkpoint.get_least_support(snapshot.hash),
            learned_support=checkpoint.manifest.least_support,
        )
        self._entities = Labels(snapshot, encoder, cache) if checkpoint.manifest.entity_texts else None
        self.mask_names = get_config(checkpoint).mask_names
        self._words = get_config(checkpoint).words
        self._directed = get_config(checkpoint).arcs == "directed"
        self.beam = beam or Beam()
        assert isinstance(checkpoint.config, PathConfig), "what its method has"
        self.walker = Walker(
            snapshot,
            load_model(checkpoint),
            states,
            get_relation_vectors(snapshot, encoder),
            simple=checkpoint.manifest.simple,
            max_hops=checkpoint.config.max_hops,
        )
        self.max_hops = checkpoint.config.max_hops

    @abstractmethod
    def sample_paths(
        self,
        topics: Sequence[int],
        texts: Texts,
        *,
        budget: int,
        rng: np.random.Generator,
        cancelled: Callable[[], bool],
    ) -> list[Drawn]:
        """The paths that the paper's sampled inference draws."""

    def keep(self, drawn: list[Drawn]) -> list[Drawn]:
        """Those of them that it hands on: all, unless the paper says otherwise."""
        return drawn

    @property
    def _ranks(self) -> bool:
        assert isinstance(self.options, PathOptions), "options are parsed for their own method"
        return self.options.inference == "ranked"

    def rank(
        self, topics: Sequence[int], texts: Sequence[str], cancelled: Callable[[], bool]
    ) -> list[list[RelationPath]]:
        """See ``RankingRetriever``."""
        return search_relation_paths(self.walker, topics, self._read_texts(texts), self.beam, cancelled)

    def retrieve(
        self,
        question: Question,
        topics: Sequence[int],
        *,
        budget: int = DEFAULT_BUDGET,
        seed: int = 0,
        mentions: Sequence[str] = (),
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[FoundPath]:
        """See ``base.Retriever``. Drawn paths come in the order of their relation paths' probabilities."""
        if self._ranks:
            yield from super().retrieve(
                question, topics, budget=budget, seed=seed, mentions=mentions, cancelled=cancelled
            )
            return
        ranked = self.rank_relation_paths(question, topics, limit=_RANKED, mentions=mentions, cancelled=cancelled)
        probable = {(path.topic, path.relations): path.score for path in ranked}
        live, texts = self._list_live_topics(question, topics, mentions)
        if not live:
            return
        rng = np.random.default_rng(seed)
        drawn = self.sample_paths(live, self._read_texts(texts), budget=budget, rng=rng, cancelled=cancelled)
        facts: set[int] = set()

        def rank(path: Drawn) -> tuple[Any, ...]:
            share = probable.get((live[path.topic], path.relations), 0.0)
            return -share, path.topic, path.relations, -path.probability, path.arcs

        for path in sorted(self.keep(drawn), key=rank):
            fresh = {arc % self.snapshot.num_triples for arc in path.arcs} - facts
            if len(facts) + len(fresh) <= budget:
                facts |= fresh
                yield FoundPath(live[path.topic], path.arcs, path.probability)

    def apply_restriction(self, snapshot: RestrictedSnapshot) -> Self:
        """See ``base.Retriever``: the triple states are those of the small graph."""
        other, mine = super().apply_restriction(snapshot), self.walker
        small = snapshot.compact
        entities = self._entities.get_vectors(small.entities) if self._entities is not None else None
        features = build_features(small, mine.relations, entities, directed=self._directed)
        states = compute_all_states(mine.model.triples, features)
        other.walker = mine.apply_restriction(snapshot, StoredStates(states))
        return other

    def _read_texts(self, texts: Sequence[str]) -> Texts:
        """The texts as the encoder reads them."""
        return read_each(self.encoder, texts, words=self._words)


def get_config(checkpoint: OpenCheckpoint) -> PathConfig:
    """The checkpoint's settings, of this method's class."""
    assert isinstance(checkpoint.config, PathConfig), "a checkpoint is read for its own method"
    return checkpoint.config


def load_model(checkpoint: OpenCheckpoint) -> PathModel:
    """The checkpoint's model, in evaluation mode.

    Raises:
        CheckpointError: the weights do not fit the settings.
    """
    return load_weights(build_model(checkpoint), checkpoint)


def build_model(checkpoint: OpenCheckpoint) -> PathModel:
    """The model of a checkpoint's settings, initialised."""
    manifest = checkpoint.manifest
    return PathModel(get_config(checkpoint), manifest.text_features, manifest.relations)


def open_states(
    checkpoint: OpenCheckpoint,
    snapshot: Snapshot,
    encoder: TextEncoder,
    *,
    cache: Path,
    features: GraphFeatures | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> States:
    """Triple states of the snapshot: kept in ``cache`` when they fit the budget, else computed on demand.

    Args:
        encoder: for texts that are not encoded yet.
        cache: directory shared by processes.
        features: of this snapshot and encoder, if the caller has them.

    Raises:
        CheckpointError: the model knows the relations of the graph trained on alone, and this is another.
    """
    model, config = load_model(checkpoint), get_config(checkpoint)
    require_same_graph(model, trained_on=checkpoint.manifest.snapshot, snapshot=snapshot.hash)

    def make_features() -> GraphFeatures:
        return features or compute_graph_features(
            snapshot,
            encoder,
            entity_texts=checkpoint.manifest.entity_texts,
            directed=config.arcs == "directed",
            cache=cache,
            progress=progress,
            cancelled=cancelled,
        )

    return make_states(
        model.triples,
        snapshot,
        make_features,
        budget_mb=config.state_budget_mb,
        kept=get_states_folder(cache, checkpoint.manifest.fingerprint, snapshot.hash),
        progress=progress,
        cancelled=cancelled,
    )
