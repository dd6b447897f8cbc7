"""Names of the channel groups, all in one place."""

from __future__ import annotations

from uuid import UUID

JOBS = "jobs"
"""Everybody who watches jobs and graph states."""


def run(run_id: UUID | str) -> str:
    """Everybody who watches one run."""
    return f"run.{run_id}"
