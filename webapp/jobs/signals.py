"""What jobs tell the apps above them."""

from __future__ import annotations

from django.dispatch import Signal

job_ended_early = Signal()
"""A job was cancelled before it began, or its worker was lost: ``job`` will not finish what it was for."""

job_retried = Signal()
"""A job that had ended is queued anew: ``job`` will do what it was for after all. May refuse with a ClewError."""
