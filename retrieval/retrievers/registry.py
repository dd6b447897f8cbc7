"""Every retriever by its method's name. Explicit: what is not listed here does not exist."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from retrieval import config as configs
from retrieval.errors import ConfigError, MethodError
from retrieval.evaluation.shift import Seen
from retrieval.kg.snapshot import Snapshot
from retrieval.retrievers import checkpoint as checkpoints
from retrieval.retrievers.base import Retriever
from retrieval.retrievers.checkpoint import Checkpoint
from retrieval.retrievers.features import TextEncoder, TextFeatures, text_features
from retrieval.retrievers.graph_s3 import open_retriever
from retrieval.retrievers.path_retriever import PathRetriever, open_states
from retrieval.retrievers.rapl import RaplRetriever
from retrieval.retrievers.reg_entity import RegEntityRetriever
from retrieval.retrievers.reg_path import RegPathRetriever, open_planner
from retrieval.retrievers.reg_triple import RegTripleRetriever
from retrieval.retrievers.rel_rag_path import RelRagPathRetriever
from retrieval.retrievers.rel_rag_triple import RelRagTripleRetriever, open_triple_states
from retrieval.retrievers.zero_shot import ZeroShotRetriever
from retrieval.types import Method

FAMILIAR = 0.5
"""Share of the relations that a checkpoint learned to follow, of which a graph must have as many for it to be used."""

Factory = Callable[[Path, Snapshot, TextEncoder, Path], Retriever]


def _path_method(method: Method, retriever: type[PathRetriever]) -> Factory:
    def opened(checkpoint: Path, snapshot: Snapshot, encoder: TextEncoder, cache: Path) -> Retriever:
        read = checkpoints.read(checkpoint, method=method, encoder=encoder.name)
        return retriever(
            read, snapshot, encoder, open_states(read, snapshot, encoder, cache=cache), cache=cache
        )

    return opened


def _reg_triple(checkpoint: Path, snapshot: Snapshot, encoder: TextEncoder, cache: Path) -> Retriever:
    opened = checkpoints.read(checkpoint, method=Method.REG_TRIPLE, encoder=encoder.name)
    return RegTripleRetriever(opened, snapshot, encoder, _features(opened, snapshot, encoder, cache))


def _reg_entity(checkpoint: Path, snapshot: Snapshot, encoder: TextEncoder, cache: Path) -> Retriever:
    opened = checkpoints.read(checkpoint, method=Method.REG_ENTITY, encoder=encoder.name)
    return RegEntityRetriever(opened, snapshot, encoder, _features(opened, snapshot, encoder, cache))


def _rel_rag_triple(checkpoint: Path, snapshot: Snapshot, encoder: TextEncoder, cache: Path) -> Retriever:
    opened = checkpoints.read(checkpoint, method=Method.REL_RAG_TRIPLE, encoder=encoder.name)
    states = open_triple_states(opened, snapshot, encoder, cache=cache)
    return RelRagTripleRetriever(opened, snapshot, encoder, states, cache=cache)


def _features(opened: Checkpoint, snapshot: Snapshot, encoder: TextEncoder, cache: Path) -> TextFeatures:
    return text_features(snapshot, encoder, entity_texts=opened.manifest.entity_texts, cache=cache)


def _reg_path(checkpoint: Path, snapshot: Snapshot, encoder: TextEncoder, cache: Path) -> Retriever:
    del cache
    opened = checkpoints.read(checkpoint, method=Method.REG_PATH, encoder=encoder.name)
    return RegPathRetriever(opened, snapshot, encoder, open_planner(opened, snapshot, encoder))


def _graph_s3(checkpoint: Path, snapshot: Snapshot, encoder: TextEncoder, cache: Path) -> Retriever:
    del cache
    return open_retriever(
        checkpoints.read(checkpoint, method=Method.GRAPH_S3, encoder=encoder.name), snapshot, encoder
    )


#: Trained methods. Without a checkpoint each is stood in for by the zero-shot retriever.
RETRIEVERS: Mapping[Method, Factory] = MappingProxyType(
    {
        Method.GRAPH_S3: _graph_s3,
        Method.RAPL: _path_method(Method.RAPL, RaplRetriever),
        Method.REG_ENTITY: _reg_entity,
        Method.REG_PATH: _reg_path,
        Method.REG_TRIPLE: _reg_triple,
        Method.REL_RAG_PATH: _path_method(Method.REL_RAG_PATH, RelRagPathRetriever),
        Method.REL_RAG_TRIPLE: _rel_rag_triple,
    }
)


def is_foreign(checkpoint: Path, snapshot: Snapshot) -> bool:
    """Whether what a checkpoint was trained on says nothing of a graph.

    So it is on another graph that lacks most of the relations that it learned to follow. There it binds answers to
    lengths that it saw and follows what it never read, and does worse than no training at all.

    Raises:
        CheckpointError: the checkpoint is missing or damaged.
    """
    if checkpoints.read_manifest(checkpoint).snapshot == snapshot.hash:
        return False
    seen = Seen.load(checkpoint)
    if seen is None or not seen.relations:
        return False
    learned = {name for name, _ in seen.relations}
    here = {snapshot.relation_name(relation) for relation in range(snapshot.num_relations)}
    return len(learned & here) < FAMILIAR * len(learned)


def load(
    method: Method | str,
    checkpoint: Path | None,
    snapshot: Snapshot,
    encoder: TextEncoder,
    *,
    cache: Path,
    options: Mapping[str, Any] | None = None,
) -> Retriever:
    """Open a retriever. A checkpoint that is foreign to the graph is stood in for by the zero-shot retriever.

    Args:
        method: its name.
        checkpoint: directory of a trained checkpoint, or None for the zero-shot retriever.
        snapshot: the graph to ask.
        encoder: the text encoder.
        cache: directory for what is computed once a snapshot, shared by processes.
        options: settings for asking (``config.parse_options``) that differ from the defaults.

    Raises:
        MethodError: no retriever of that name is available.
        ConfigError: the method has no such setting, or a value of it is wrong.
        CheckpointError: the checkpoint is missing, damaged, or of another method or encoder.
    """
    try:
        factory = RETRIEVERS[Method(method)]
    except (KeyError, ValueError):
        known = ", ".join(sorted(RETRIEVERS))
        raise MethodError(f"No retriever is called {str(method)!r}.", hint=f"There is: {known}.") from None
    chosen = configs.parse_options(method, options)
    foreign = checkpoint is not None and is_foreign(checkpoint, snapshot)
    if checkpoint is None or foreign:
        if options:
            raise ConfigError(
                f"The zero-shot retriever has no inference setting {next(iter(options))!r}.",
                hint="It has none; give a checkpoint that was trained on this graph.",
            )
        if checkpoint is None:
            return ZeroShotRetriever(snapshot, encoder, Method(method))
        read = checkpoints.read(
            checkpoint, method=Method(method), encoder=encoder.name
        )  # refused as elsewhere
        return ZeroShotRetriever(snapshot, encoder, Method(method), checkpoint=read.manifest.fingerprint)
    opened = factory(checkpoint, snapshot, encoder, cache)
    return opened.configured(chosen) if options else opened
