"""What jobs tell the apps above them."""

from __future__ import annotations

from django.dispatch import Signal

job_ended_early = Signal()
"""A job was cancelled before it began, or its worker was lost: ``job`` will not finish what it was for."""
