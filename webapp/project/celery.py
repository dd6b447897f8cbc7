"""The Celery application, as the web process needs it: to send tasks by name. ``worker.app`` adds the tasks."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.project.settings")

app = Celery("clew")
app.config_from_object("django.conf:settings", namespace="CELERY")
