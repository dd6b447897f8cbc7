"""Clew's commands over Django: ``up`` starts everything; the others find running servers or start them."""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line

from retrieval.errors import ConfigError
from webapp.project import embedded, env, home

# Commands for which no server starts: they need no database, or start it themselves.
WITHOUT_SERVERS = {"help", "--help", "-h", "--version", "version", "events_ts", "spectacular", "doctor", "start"}


def run(argv: list[str]) -> int:
    """Run one command.

    Args:
        argv: the program, the command and its options.

    Returns:
        0; 2 when the settings are wrong, which is said on one line.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.project.settings")
    try:
        settings = env.read()
        home.make_private(settings.home)
        command = argv[1] if len(argv) > 1 else "help"
        if command not in WITHOUT_SERVERS | {"up"}:
            embedded.make_servers(settings).hold()
        execute_from_command_line(argv)
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0
