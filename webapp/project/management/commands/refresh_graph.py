"""``manage.py refresh_graph NAME``: read the source of a graph again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from retrieval.errors import ClewError
from webapp.graphs.models import Graph
from webapp.sources.models import Cause
from webapp.sources.services import require_source, start_refresh


class Command(BaseCommand):
    """Queue a refresh."""

    help = "Read the source of a graph again; a worker does it."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the graph's name."""
        parser.add_argument("name", help="of the graph")

    def handle(self, *args: Any, **options: Any) -> None:
        """Queue it.

        Raises:
            CommandError: there is no such graph, it has no source, or it is being changed.
        """
        graph = Graph.objects.filter(name=options["name"], deleted_at=None).first()
        if graph is None:
            raise CommandError(f"There is no graph named {options['name']}.")
        try:
            refresh = start_refresh(source=require_source(graph), cause=Cause.HAND, user=graph.owner)
        except ClewError as error:
            raise CommandError(f"{error.message} {error.hint}") from error
        self.stdout.write(f"Queued: job {refresh.job_id} refreshes {graph.name}.")
