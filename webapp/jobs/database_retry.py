"""Writing what must not be lost while PostgreSQL is away for a moment."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection

logger = logging.getLogger(__name__)
Written = TypeVar("Written")

AWAY = (OperationalError, InterfaceError)
"""What Django raises when the database cannot be reached, or a connection to it broke."""

PATIENCE_S = 120.0
LONGEST_WAIT_S = 2.0


def retry_while_away(write: Callable[[], Written]) -> Written:
    """Do what needs the database, again and again while it is away. Not for use within a transaction.

    Args:
        write: may be done twice: a connection can break after the database has done what it was asked for.

    Raises:
        OperationalError, InterfaceError: the database was away for longer than ``PATIENCE_S``.
    """
    until = time.monotonic() + PATIENCE_S
    wait = 0.1
    while True:
        try:
            return write()
        except AWAY as error:
            connection.close()
            if time.monotonic() >= until:
                raise
            logger.warning("the database is away: %s", error)
        time.sleep(wait)
        wait = min(wait * 2, LONGEST_WAIT_S)
