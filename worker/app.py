"""The workers' Celery application: ``celery -A worker.app worker -Q answers|jobs -P threads``."""

from __future__ import annotations

import gc
import os

import django
from kombu.transport import redis

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.project.settings")
from webapp.jobs.celery import app  # Celery looks for the name of the settings when it is made

django.setup()

app.task_cls = "worker.tasks:SafeTask"
# Messages that were not begun when the broker went away are sent anew from the rows. Kombu would try to put them back
# through the connection that broke, which ends the whole worker ('NoneType' object has no attribute 'hostname').
redis.Channel.do_restore = False


class _QoS(redis.QoS):
    """Acknowledges nothing by a connection that broke: trying ends the whole worker too, and rows tell what is done."""

    def ack(self, delivery_tag: str) -> None:
        if self.channel.connection is not None:
            super().ack(delivery_tag)


redis.Channel.QoS = _QoS

# The objects of imported modules live until the end. Collections during the imports take a quarter of the start and
# find nothing, and later ones need not walk these objects.
_COLLECTING = gc.isenabled()
gc.disable()

# Tasks need the apps.
from worker import (  # noqa: E402
    answering,
    calibration,
    checkpoints,
    evaluation,
    extraction,
    graph_tests,
    imports,
    indexing,
    label_sets,
    language_models,
    lifecycle,
    review_queues,
    self_training,
    studies,
    training,
    trajectories,
    webhooks,
)

gc.freeze()
if _COLLECTING:
    gc.enable()

__all__ = [
    "answering",
    "app",
    "calibration",
    "checkpoints",
    "evaluation",
    "extraction",
    "graph_tests",
    "imports",
    "indexing",
    "label_sets",
    "language_models",
    "lifecycle",
    "review_queues",
    "self_training",
    "studies",
    "training",
    "trajectories",
    "webhooks",
]
