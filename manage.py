#!/usr/bin/env python
"""Clew's commands. ``manage.py up`` starts everything; the others find running servers or start them."""

from __future__ import annotations

import os
import sys

# Commands for which no server starts: they need no database, or start it themselves.
WITHOUT_SERVERS = {"help", "--help", "-h", "--version", "version", "events_ts", "spectacular", "doctor"}


def main() -> int:
    """Run one command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.project.settings")
    try:
        from django.core.management import execute_from_command_line  # noqa: PLC0415
    except ImportError:
        sys.stderr.write("Clew's packages are not installed here. Run `make install` first.\n")
        return 1
    from retrieval.errors import ConfigError  # noqa: PLC0415
    from webapp.project import embedded, env, home  # noqa: PLC0415

    try:
        settings = env.read()
        home.make_private(settings.home)
        command = sys.argv[1] if len(sys.argv) > 1 else "help"
        if command not in WITHOUT_SERVERS | {"up"}:
            embedded.make_servers(settings).hold()
        execute_from_command_line(sys.argv)
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
