"""``manage.py doctor``: look for damage, and say how to mend it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from retrieval.errors import ConfigError
from retrieval.kg.analysis import doctor as engine
from webapp.project import doctor, embedded


class Command(BaseCommand):
    """Read everything that Clew keeps."""

    help = (
        "Read everything that Clew keeps - graphs, checkpoints, files, the database - and say what is damaged and how "
        "to mend it. Ends with 1 where something is damaged."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: Any) -> None:
        """``--fix`` mends what needs no choice."""
        parser.add_argument(
            "--fix",
            action="store_true",
            help="write missing checksums, remove what crashes left and what is damaged and can be computed again",
        )
        parser.add_argument("--quiet", action="store_true", help="leave out what is well")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look, show, count."""
        servers = embedded.make_servers(settings.CLEW)
        try:
            servers.hold()
        except (ConfigError, OSError, RuntimeError) as error:
            self.stderr.write(f"The servers of Clew's own do not start: {error}")
        states: Counter[str] = Counter()
        for finding in doctor.check_all(fix=options["fix"]):
            states[finding.state] += 1
            if finding.state != "ok" or not options["quiet"]:
                self._show(finding)
        counts = ", ".join(f"{states[state]} {state}" for state in ("ok", "mended", "note", "damaged"))
        self.stdout.write(f"\n{counts}.")
        if states["damaged"]:
            raise CommandError("Something is damaged; see above what to do.", returncode=1)

    def _show(self, finding: engine.Finding) -> None:
        for line in engine.format_findings([finding]):
            self.stdout.write(line)
        self.stdout.flush()
