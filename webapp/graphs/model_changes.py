"""Changes of the data model of a graph that stands: the next version is made of the files that are kept.

All steps that made the current version are repeated with the changed model. Where files of a step are not kept, the
snapshot is changed instead, as far as that goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.db import transaction

from retrieval.kg.model.data_model import DataModel, ModelChoices
from retrieval.kg.model.examples import add_snapshot_examples
from retrieval.kg.model.merging import merge_models
from retrieval.kg.model.relabelling import update_labels
from retrieval.kg.model.storage import load_model
from webapp.accounts.models import User
from webapp.api.errors import NoModelError
from webapp.graphs import files, snapshots
from webapp.graphs.import_steps import list_steps
from webapp.graphs.models import Graph, GraphVersion, Mode
from webapp.graphs.versions import lock_graph
from webapp.jobs import services as jobs
from webapp.jobs.models import Job, JobKind


def load_version_model(version: GraphVersion) -> DataModel:
    """The data model that a version was imported with.

    Raises:
        NoModelError: it has none.
    """
    model = load_model(files.ensure_local_path(version.path))
    if model is None:
        raise NoModelError(
            f"Version {version.version} of {version.graph.name} has no data model.",
            hint="Only files of tables or of nodes have one, imported since models are kept.",
        )
    return model


def add_examples(model: DataModel, version: GraphVersion) -> DataModel:
    """The model with example sentences from the facts of a version: those of an import may be older than its edits."""
    return add_snapshot_examples(model, snapshots.open_snapshot(version.path), load_version_model(version))


def start(*, graph: Graph, changes: Mapping[str, Any], note: str, user: User | None) -> Job:
    """Queue the version that has the current one's facts by a changed model.

    Raises:
        ConfigError: a change needs files that are not kept.
        ConflictError: an import of this graph goes on.
        NoModelError: the current version has no model.
    """
    with transaction.atomic():
        locked = lock_graph(graph)
        version = snapshots.require_current(locked)
        model = load_version_model(version)
        merged = merge_models(model.to_json(), changes)
        steps = [replace(step, options=replace(step.options, model=merged)) for step in list_steps(version)]
        if not steps:
            update_labels(model, ModelChoices.from_json(merged))
        return jobs.create(
            kind=JobKind.IMPORT,
            title=f"Change the data model of {locked.name}",
            graph=locked,
            user=user,
            params={
                "mode": Mode.REPLACE.value,
                "note": note or f"Data model of version {version.version} changed",
                "model": merged,
                "steps": [step.to_json() for step in steps],
            },
            is_large=sum(file.size for step in steps for file in step.files) > settings.LARGE_IMPORT_BYTES,
        )
