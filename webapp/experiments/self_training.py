"""Graphs that nobody trained on teach themselves: when they do, and what becomes of it."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction

from retrieval.limits import SELF_TRAINING_FACTS
from webapp.accounts.models import User
from webapp.experiments import resolution
from webapp.graphs.models import Graph
from webapp.graphs.selectors import get_endpoint
from webapp.jobs import log
from webapp.jobs import services as jobs
from webapp.jobs.models import ACTIVE, Job, JobKind


def start(*, graph: Graph, user: User | None) -> Job | None:
    """Queue the self-training of a graph's current version; None where there is nothing to do.

    One of an earlier version is stopped: nobody wants its result any more.
    """
    if not settings.CLEW.self_training:
        return None
    with transaction.atomic():
        graph = Graph.objects.select_for_update(of=("self",)).select_related("snapshot").get(pk=graph.pk)
        snapshot = graph.snapshot
        if snapshot is None or not snapshot.triples or get_endpoint(graph) is not None or is_trained(graph):
            return None
        if snapshot.passages:
            return None  # its passages are asked too, by a method that reads them
        if snapshot.triples < SELF_TRAINING_FACTS:
            return None
        active = Job.objects.filter(graph=graph, kind=JobKind.SELF_TRAIN, state__in=ACTIVE)
        for job in active:
            if job.params["snapshot"] == snapshot.hash:
                return None
            log.write(job.pk, "The graph has another version: that one's own training takes the place of this.")
            jobs.stop(job)
        return jobs.create(
            kind=JobKind.SELF_TRAIN,
            title=f"Self-training of {graph.name}",
            graph=graph,
            user=user,
            params={"snapshot": snapshot.hash},
        )


def is_trained(graph: Graph) -> bool:
    """Whether a checkpoint answers on the current version, whoever made it."""
    return resolution.find_checkpoint_in_use(graph) is not None
