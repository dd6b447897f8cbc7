"""Sending to webhooks."""

from __future__ import annotations

from celery import shared_task
from django.db import connection

from webapp.jobs import queue
from webapp.webhooks import sending


@shared_task(name=queue.DELIVER)
def send_waiting(webhook_id: int) -> None:
    """Send what waits for a webhook."""
    try:
        sending.send_waiting(webhook_id)
    finally:
        connection.close()
