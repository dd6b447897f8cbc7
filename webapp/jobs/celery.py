"""The Celery application, as the web process needs it: to send tasks by name. ``worker.app`` adds the tasks."""

from __future__ import annotations

from celery import Celery

app = Celery("clew")
app.config_from_object("django.conf:settings", namespace="CELERY")
