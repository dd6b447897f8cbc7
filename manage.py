#!/usr/bin/env python
"""Clew's commands in a checkout. ``manage.py up`` starts everything; :mod:`webapp.project.commands` runs them."""

from __future__ import annotations

import sys


def main() -> int:
    """Run one command."""
    try:
        from webapp.project import commands  # noqa: PLC0415
    except ImportError:
        sys.stderr.write("Clew's packages are not installed here. Run `make install` first.\n")
        return 1
    return commands.run(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
