"""``manage.py events_ts``: write the front end's event types."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from webapp.project.env import ROOT
from webapp.project.typescript import generate

TARGET = ROOT / "frontend" / "src" / "api" / "events.ts"


class Command(BaseCommand):
    """Generate ``frontend/src/api/events.ts`` from the engine's events."""

    help = "Generate frontend/src/api/events.ts from the engine's events."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file."""
        TARGET.write_text(generate())
        self.stdout.write(f"wrote {TARGET.relative_to(ROOT)}")
