"""Names of the channel groups, all in one place."""

from __future__ import annotations

from uuid import UUID

JOBS = "jobs"
"""Everybody who watches jobs and graph states."""


def person(user_id: int) -> str:
    """All sockets of one person."""
    return f"person.{user_id}"


def run(run_id: UUID | str) -> str:
    """Everybody who watches one run."""
    return f"run.{run_id}"
