"""Opening the retriever of any method, trained or zero-shot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from retrieval.config import UntrainedOptions, parse
from retrieval.errors import MethodError
from retrieval.kg.snapshot import Snapshot
from retrieval.kg.snapshot.renaming import RenamedSnapshot
from retrieval.linking.text_features import TextEncoder
from retrieval.linking.wordings import restore_labels
from retrieval.methods import registry
from retrieval.methods.checkpoints import open_checkpoint
from retrieval.methods.common.ranking import RankingRetriever
from retrieval.methods.zero_shot.retriever import ZeroShotRetriever
from retrieval.methods.zero_shot.self_trained import SelfTaughtRetriever
from retrieval.retriever import Retriever
from retrieval.supervision.distribution_shift import TrainingCoverage
from retrieval.training.manifest import read_manifest

FAMILIAR = 0.5
"""Share of the relations that a checkpoint learned to follow, of which a graph must have as many for it to be used."""

WRITTEN = "written"
"""The source of labels of questions that Clew wrote."""

FOREIGN = (
    "The checkpoint was trained on a graph of other relations and says nothing of this one: "
    "relation paths were ranked by their names alone."
)
"""What a run says whose checkpoint was not used."""


def is_foreign(checkpoint: Path, snapshot: Snapshot) -> bool:
    """Whether what a checkpoint was trained on says nothing of a graph.

    So it is on another graph that lacks most of the relations that it learned to follow. There it binds answers to
    lengths that it saw and follows what it never read, and does worse than no training at all.

    Raises:
        CheckpointError: the checkpoint is missing or damaged.
    """
    if read_manifest(checkpoint).snapshot == snapshot.hash:
        return False
    seen = TrainingCoverage.load(checkpoint)
    if seen is None or not seen.relations:
        return False
    learned = {name for name, _ in seen.relations}
    here = {snapshot.get_relation_name(relation) for relation in range(snapshot.num_relations)}
    return len(learned & here) < FAMILIAR * len(learned)


def is_self_taught(checkpoint: Path) -> bool:
    """Whether a checkpoint learned from nothing but questions that Clew wrote, which are of relation paths all.

    Raises:
        CheckpointError: the checkpoint is missing or damaged.
    """
    return set(read_manifest(checkpoint).labels) == {WRITTEN}


def open_retriever(
    method: str,
    checkpoint: Path | None,
    snapshot: Snapshot,
    encoder: TextEncoder,
    *,
    cache: Path,
    options: Mapping[str, Any] | None = None,
    asks_foreign: bool = False,
    untrained: Callable[[], ZeroShotRetriever] | None = None,
) -> Retriever:
    """Open a retriever. A checkpoint that is foreign to the graph is stood in for by the zero-shot retriever, which
    ranks beside one that the graph taught itself.

    Args:
        checkpoint: directory of a trained checkpoint, or None for the zero-shot retriever.
        cache: directory for what is computed once a snapshot, shared by processes.
        options: settings for asking (``registry.parse_options``) that differ from the defaults.
        asks_foreign: open the checkpoint itself wherever it is asked.
        untrained: the graph's zero-shot retriever, where several methods share one.

    Raises:
        MethodError: no retriever of that name is available.
        ConfigError: the method has no such setting, or a value of it is wrong.
        CheckpointError: the checkpoint is missing, damaged, or of another method or encoder.
    """
    spec = registry.get_method(method)
    if spec.retriever is None:
        known = ", ".join(sorted(registry.RETRIEVERS))
        raise MethodError(f"{method} is no retriever of relation paths.", hint=f"There is: {known}.")
    chosen = registry.parse_options(method, options)
    foreign = checkpoint is not None and not asks_foreign and is_foreign(checkpoint, snapshot)
    zero_shot = untrained or partial(ZeroShotRetriever, snapshot, encoder)
    if checkpoint is None:
        return zero_shot().copy_for_method(method).apply_options(_select_untrained_options(options))
    read = open_checkpoint(checkpoint, method=method, encoder=encoder.name)
    if foreign:
        fingerprint = read.manifest.fingerprint
        return zero_shot().copy_for_method(method, fingerprint).apply_options(_select_untrained_options(options))
    labelled = snapshot.base if isinstance(snapshot, RenamedSnapshot) else snapshot
    opened: Retriever = spec.load_part("retriever")(read, labelled, encoder, cache)
    if isinstance(snapshot, RenamedSnapshot) and isinstance(opened, RankingRetriever):
        opened.reword = partial(restore_labels, snapshot=snapshot)  # its weights were learned with the labels
    if is_self_taught(checkpoint) and isinstance(opened, RankingRetriever):
        opened = SelfTaughtRetriever(zero_shot(), opened)
    return opened.apply_options(chosen) if options else opened


def _select_untrained_options(options: Mapping[str, Any] | None) -> UntrainedOptions:
    """Of the settings for asking those that the zero-shot retriever has: what is read of what it retrieves."""
    return parse(UntrainedOptions, "The zero-shot retriever has no inference setting", options)
