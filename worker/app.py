"""The workers' Celery application: ``celery -A worker.app worker -Q answers|jobs -P threads``."""

from __future__ import annotations

import django

from webapp.project.celery import app

django.setup()

from worker import answering, importing, indexing, lifecycle, training  # noqa: E402  # tasks need the apps

__all__ = ["answering", "app", "importing", "indexing", "lifecycle", "training"]
