"""What a webhook is told of an event: ids and states, and where to read the rest with a token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from django.db.models import Model, QuerySet
from django.utils import timezone

from webapp.accounts.models import User
from webapp.answers.models import Run
from webapp.api.access import filter_visible
from webapp.graph_tests.models import GraphTest
from webapp.graphs.models import GraphVersion
from webapp.jobs.models import Job
from webapp.review.models import Item, Queue
from webapp.webhooks.models import Webhook


def _describe_run(run: Run) -> dict[str, Any]:
    return {"url": f"runs/{run.pk}", "run": str(run.pk), "graph": run.graph_id, "state": run.state}


def _describe_job(job: Job) -> dict[str, Any]:
    return {"url": f"jobs/{job.pk}", "job": job.pk, "graph": job.graph_id, "kind": job.kind, "state": job.state}


def _describe_version(row: GraphVersion) -> dict[str, Any]:
    return {"url": f"graphs/{row.graph_id}/versions/{row.version}", "graph": row.graph_id, "version": row.version}


def _describe_item(item: Item) -> dict[str, Any]:
    return {
        "url": f"review/items/{item.pk}",
        "item": item.pk,
        "queue": item.queue_id,
        "graph": item.queue.graph_id,
    }


def _describe_queue(queue: Queue) -> dict[str, Any]:
    return {"url": f"review/queues/{queue.pk}", "queue": queue.pk, "graph": queue.graph_id}


def _describe_test(test: GraphTest) -> dict[str, Any]:
    watched = test.watcher_id is not None
    return {"url": f"tests/{test.pk}/history", "test": test.pk, "graph": test.graph_id, "watched": watched}


def _describe_webhook(webhook: Webhook) -> dict[str, Any]:
    return {"url": f"webhooks/{webhook.pk}", "webhook": webhook.pk}


DESCRIBE: dict[type[Model], Callable[[Any], dict[str, Any]]] = {
    Run: _describe_run,
    Job: _describe_job,
    GraphVersion: _describe_version,
    Item: _describe_item,
    Queue: _describe_queue,
    GraphTest: _describe_test,
    Webhook: _describe_webhook,
}
MODELS = {model._meta.label_lower: model for model in DESCRIBE}


def list_rows(model: type[Model], keys: Sequence[Any], user: User) -> QuerySet[Any]:
    """Those of some rows that a person may be told of, in the order of their ids: what they see, and their own runs.

    Others' runs are seen by who has their address, which nobody can guess and a webhook must not tell.
    """
    rows = filter_visible(model._default_manager.filter(pk__in=keys), user).order_by("pk")
    return rows.filter(user=user, trial=False, retrieval=False) if model is Run else rows


def build_payload(event: str, row: Model) -> dict[str, Any]:
    """The body of an event about a row: ``{id, type, timestamp, data}``."""
    data = DESCRIBE[type(row)](row)
    return {
        "id": f"msg_{uuid4().hex}",
        "type": str(event),
        "timestamp": timezone.now().isoformat(),
        "data": {**data, "url": f"/api/v1/{data['url']}"},
    }
