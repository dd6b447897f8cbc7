"""The workers' Celery application: ``celery -A worker.app worker -Q answers|jobs -P threads``."""

from __future__ import annotations

import django

from webapp.project.celery import app

django.setup()

app.task_cls = "worker.tasks:SafeTask"

# Tasks need the apps.
from worker import (  # noqa: E402
    answering,
    evaluating,
    extracting,
    importing,
    indexing,
    labelling,
    language_models,
    lifecycle,
    reviewing,
    synthesising,
    training,
)

__all__ = [
    "answering",
    "app",
    "evaluating",
    "extracting",
    "importing",
    "indexing",
    "labelling",
    "language_models",
    "lifecycle",
    "reviewing",
    "synthesising",
    "training",
]
