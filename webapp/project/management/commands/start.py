"""``manage.py start ROLE``: one process of Clew in the foreground, for systemd, containers and Kubernetes."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from retrieval.errors import ConfigError
from webapp.project import supervisor
from webapp.project.connections import raise_descriptor_limit
from webapp.project.env import COMMAND, ROOT


class Command(BaseCommand):
    """Become the web server or a worker."""

    help = "Start one part of Clew in the foreground, with PostgreSQL and Redis by DATABASE_URL and REDIS_URL."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: Any) -> None:
        """The role, and where the web server listens."""
        parser.add_argument("role", choices=supervisor.ROLES, help="what to start")
        parser.add_argument("--host", default=supervisor.HOST, help="address that the web server listens on")

    def handle(self, *args: Any, **options: Any) -> None:
        """Replace this process.

        Raises:
            ConfigError: PostgreSQL or Redis is not named; a part that runs alone cannot keep embedded servers running.
        """
        env, role = settings.CLEW, options["role"]
        for name, address in (("DATABASE_URL", env.database_url), ("REDIS_URL", env.redis_url)):
            if address is None:
                hint = f"Set it, or let `{COMMAND} up` start everything with servers of its own."
                raise ConfigError(f"`{COMMAND} start {role}` needs {name}.", hint=hint)
        raise_descriptor_limit()
        children = supervisor.list_children(env, "", host=options["host"])
        child = next(child for child in children if child.name == supervisor.ROLES[role])
        if role != "web":  # Celery tells workers of a machine apart by name
            child.command[-1] = f"{role}-{os.getpid()}@%h"
        os.chdir(ROOT)
        os.execvpe(child.command[0], child.command, {**os.environ, **child.environ})
