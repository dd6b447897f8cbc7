"""All that a graph's text is found by: what the index job builds, and whether it stands."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from retrieval.errors import NotIndexedError
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.cache import get_cache_folder
from retrieval.linking import entity_index, passage_index, relation_index
from retrieval.linking.encoder import Encoder
from retrieval.types import Progress


def build(
    snapshot: Snapshot,
    encoder: Encoder,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """Index names, passages and relations; what stands already is not built again.

    Args:
        progress: called after each piece.

    Raises:
        Cancelled: ``cancelled`` said so; a later call goes on where this one stopped.
    """
    relation_index.build(snapshot, encoder, progress=progress, cancelled=cancelled)
    entity_index.build(snapshot, encoder, progress=progress, cancelled=cancelled)
    if snapshot.passages is not None:
        passage_index.build(snapshot, encoder, progress=progress, cancelled=cancelled)
    # Earlier versions kept vectors of passages here a second time.
    shutil.rmtree(get_cache_folder(snapshot.path) / "inses", ignore_errors=True)


def is_built(snapshot: Snapshot, encoder_name: str) -> bool:
    """Whether all of it stands for an encoder."""
    return _is_indexed(snapshot, encoder_name) and relation_index.is_built(snapshot, encoder_name)


def require(snapshot: Snapshot, encoder_name: str) -> None:
    """Refuse a graph whose names or passages have no vectors. Relations may still be without.

    Raises:
        NotIndexedError: it is such a graph.
    """
    if not _is_indexed(snapshot, encoder_name):
        raise NotIndexedError


def _is_indexed(snapshot: Snapshot, encoder_name: str) -> bool:
    texts = snapshot.passages is None or passage_index.is_built(snapshot, encoder_name)
    return texts and entity_index.is_built(snapshot, encoder_name)
