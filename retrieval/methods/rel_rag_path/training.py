"""The task of ``rel-rag-path``."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.config import TrainingConfig
from retrieval.methods.paths.training import PathTask, make_path_task
from retrieval.methods.rel_rag_path.retriever import RelRagPathRetriever
from retrieval.supervision.labels import Label
from retrieval.training.recipe import Splits, Work


def make_task(work: Work, config: TrainingConfig, splits: Splits, labels: Sequence[Label], *, simple: bool) -> PathTask:
    """See ``recipe.Recipe``."""
    return make_path_task(work, config, splits, labels, simple=simple, opened=RelRagPathRetriever)
