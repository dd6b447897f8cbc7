"""Telling who watches jobs and graphs that a graph changed."""

from __future__ import annotations

from django.db import transaction

from webapp.jobs.announce import JOBS
from webapp.live import channels


def notify_graph(graph_id: int) -> None:
    """Announce that a graph's state changed."""
    channels.send(JOBS, {"type": "jobs.frame", "frame": {"type": "graph", "graph": graph_id}})


def notify_graph_on_commit(graph_id: int) -> None:
    """Announce a graph once the transaction that changes it is committed."""
    transaction.on_commit(lambda: notify_graph(graph_id))
