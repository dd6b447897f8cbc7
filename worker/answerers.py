"""The answerers that this worker keeps warm."""

from __future__ import annotations

import functools
import logging
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import connection

from retrieval.answering.loading import AnswererCache, load_answerer, load_parts
from retrieval.answering.spec import EXTRACTIVE, AnswererSpec
from retrieval.environment import DEFAULT_ENCODER
from retrieval.errors import CheckpointError
from retrieval.language.question import Question
from retrieval.methods import registry
from webapp.answers.models import Run
from webapp.experiments import methods
from webapp.experiments.models import Checkpoint, ForeignUse, Report
from webapp.experiments.resolution import find_checkpoint_in_use
from webapp.graphs.files import ensure_local_path
from webapp.graphs.models import GraphVersion
from webapp.graphs.selectors import list_ready_graphs, require_version
from webapp.vocabulary.selectors import load_graph_vocabulary
from worker import language_models

if TYPE_CHECKING:  # these load torch, which the jobs worker needs only for some jobs
    from retrieval.answering.pipeline import Answerer
    from retrieval.kg.snapshot import Snapshot
    from retrieval.linking.encoder import Encoder

logger = logging.getLogger(__name__)
WARM_MAX = 4
"""Graphs that are opened before anybody asks."""

KEPT = 12
"""Answerers kept open, so that all methods can be compared on one graph; those of one graph share most."""


@functools.cache
def get_cache() -> AnswererCache:
    """This process's answerers."""
    return AnswererCache(encoder_name=get_encoder_name(), device=settings.CLEW.device, size=KEPT)


def get_encoder_name() -> str | None:
    """The encoder's name as the answerer wants it: None for the default."""
    name: str = settings.CLEW.encoder
    return None if name == DEFAULT_ENCODER else name


def get_encoder() -> Encoder:
    """The text encoder, loaded once."""
    return get_cache().encoder


def open_run_engine(run: Run) -> Answerer:
    """The answerer that answers a run.

    Raises:
        ClewError: a part cannot be opened.
    """
    version = require_version(run.graph, run.snapshot_hash)
    return _open_answerer(version, run.checkpoint, run.method, run.reasoner, llm=run.llm, options=run.options)


def open_run_engine_or_untrained(run: Run) -> tuple[Answerer, str]:
    """Open the answerer that answers a run, or the untrained one where the run's checkpoint is damaged.

    Returns:
        The answerer, and the warning that goes with its answer; empty where the checkpoint answers.

    Raises:
        ClewError: a part cannot be opened.
    """
    try:
        return open_run_engine(run), ""
    except CheckpointError as error:
        if run.checkpoint is None:
            raise
        logger.warning("run %s is answered untrained: %s", run.pk, error)
        untrained = registry.list_untrained_options(run.method)
        options = {name: value for name, value in run.options.items() if name in untrained}
        version = require_version(run.graph, run.snapshot_hash)
        answerer = _open_answerer(version, None, run.method, run.reasoner, llm=run.llm, options=options)
        return answerer, f"{error.message} The question was answered without it. {error.hint}"


def open_report_engine(report: Report) -> Answerer:
    """The answerer that a report asks.

    Raises:
        ClewError: a part cannot be opened.
    """
    return _open_answerer(
        require_version(report.graph, report.snapshot_hash),
        report.checkpoint,
        report.method,
        report.reasoner,
        llm=None if report.reasoner == EXTRACTIVE else report.llm,  # else it is asked to judge alone
        options=report.options,
        asks_foreign=report.foreign == ForeignUse.ASK,
    )


def open_test_engine(
    version: GraphVersion, checkpoint: Checkpoint | None, method: str, options: Mapping[str, Any]
) -> Answerer:
    """The answerer that a test of a graph asks: one that answers alike each time, without a language model.

    Raises:
        ClewError: a part cannot be opened.
    """
    return _open_answerer(version, checkpoint, method, EXTRACTIVE, options=options)


def open_run_engine_on(run: Run, snapshot: Snapshot) -> Answerer:
    """The answerer that answers a run, over another graph; it is not kept open, and asks no language model.

    Raises:
        ClewError: a part cannot be opened.
    """
    version = require_version(run.graph, run.snapshot_hash)
    spec = _make_spec(version, run.checkpoint, run.method, EXTRACTIVE, run.options)
    return load_answerer(
        replace(spec, snapshot=snapshot.path),
        load_parts(snapshot, get_encoder()),
        vocabulary=load_graph_vocabulary(run.graph, spec.snapshot),
    )


def _open_answerer(
    snapshot: GraphVersion,
    checkpoint: Checkpoint | None,
    method: str,
    reasoner: str,
    *,
    llm: int | None = None,
    options: Mapping[str, Any] = MappingProxyType({}),
    asks_foreign: bool = False,
) -> Answerer:
    spec = replace(_make_spec(snapshot, checkpoint, method, reasoner, options), asks_foreign=asks_foreign)
    try:
        return get_cache().get(
            spec,
            llm=language_models.get_settings(llm) if llm is not None else None,
            vocabulary=load_graph_vocabulary(snapshot.graph, spec.snapshot),
        )
    except CheckpointError as error:
        if checkpoint is None:
            raise
        # The answerer knows the directory alone, which is numbered by the job that made it.
        raise CheckpointError(
            f"Checkpoint {checkpoint.pk} of {checkpoint.method} cannot be opened: its files are damaged or missing.",
            hint="Train again, upload it again, or promote another checkpoint.",
        ) from error


def _make_spec(
    snapshot: GraphVersion,
    checkpoint: Checkpoint | None,
    method: str,
    reasoner: str,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> AnswererSpec:
    base_checkpoint = _find_base_checkpoint(snapshot, checkpoint)
    return AnswererSpec(
        snapshot=ensure_local_path(snapshot.path),
        checkpoint=ensure_local_path(checkpoint.path) if checkpoint else None,
        method=method,
        reasoner=reasoner,
        options=tuple(sorted(options.items())),
        asked_with=ensure_local_path(base_checkpoint.path) if base_checkpoint else None,
    )


def _find_base_checkpoint(snapshot: GraphVersion, checkpoint: Checkpoint | None) -> Checkpoint | None:
    """What a router asks a graph of facts alone with, where its own checkpoint has nothing to decide."""
    if checkpoint is None or checkpoint.method != "router" or snapshot.passages:
        return None
    return find_checkpoint_in_use(snapshot.graph, method=registry.DEFAULT)


def prepare_encoder() -> None:
    """Load the encoder and encode once, so that the first question finds it ready."""
    get_encoder().encode(["warm"])


def prepare_indexing() -> None:
    """Load what indexing needs, so that it begins, and can be stopped, at once."""
    from retrieval.linking import entity_index  # noqa: PLC0415, F401

    prepare_encoder()


def prepare_training() -> None:
    """Load what training and indexing need, so that they begin, and can be stopped, at once."""
    from retrieval import training  # noqa: PLC0415, F401

    prepare_indexing()


def prepare_graphs() -> None:
    """Encode what questions of all graphs need, and open the graphs that can be asked, the ones asked last first."""
    from retrieval.answering import parts  # noqa: PLC0415, F401 - takes seconds, which no first question waits for
    from retrieval.methods.zero_shot.common_relations import encode_common_relations  # noqa: PLC0415

    try:
        encode_common_relations(get_encoder())
        registry.get_method(registry.DEFAULT).load_part("answerer")
        for graph in list_ready_graphs().order_by("-runs__created_at", "-pk").distinct()[:WARM_MAX]:
            if graph.snapshot is not None:
                prepare_engine(graph.snapshot, find_checkpoint_in_use(graph))
    except Exception:  # warming is a courtesy; the first question opens what this could not
        logger.warning("could not warm up", exc_info=True)
    finally:
        connection.close()


def prepare_engine(snapshot: GraphVersion, checkpoint: Checkpoint | None) -> None:
    """Open one answerer of a graph and run it once over the graph's own first label."""
    from retrieval.answering.run import AskRequest  # noqa: PLC0415

    default = methods.get_default_method(facts=snapshot.triples, passages=snapshot.passages)
    try:
        answerer = _open_answerer(snapshot, checkpoint, checkpoint.method if checkpoint else default, "extractive")
    except CheckpointError as error:  # who asks is told; answering untrained is made ready
        logger.warning("%s", error)
        answerer = _open_answerer(snapshot, None, default, "extractive")
    if answerer.snapshot.num_entities:
        for _ in answerer.run(AskRequest(Question(answerer.snapshot.get_entity_label(0)[:200] or "?"), given=(0,))):
            pass
