"""``manage.py load_demo``: the demo graph, for installations that ``up`` does not start."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from webapp.project import demo


class Command(BaseCommand):
    """Load the demo graph."""

    help = "Load the demo graph with its questions and checkpoint, unless it was loaded before. Needs a jobs worker."

    def handle(self, *args: Any, **options: Any) -> None:
        """Wait until it can be asked."""
        demo.load(say=self.stdout.write, stopping=lambda: False)
