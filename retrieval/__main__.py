"""``python -m retrieval``: build, label, train, evaluate and ask without a server."""

from __future__ import annotations

import sys

from cyclopts import CycloptsError

from retrieval.cli.app import app
from retrieval.cli.console import print_note
from retrieval.errors import Cancelled, ClewError

FAILED = 2
INTERRUPTED = 130


def main(argv: list[str] | None = None) -> int:
    """Run one command.

    Returns:
        0; 2 when it failed for a reason it can name, on one line; 130 when it was stopped.
    """
    try:
        code: int | None = app(argv)
    except (KeyboardInterrupt, Cancelled):
        print_note("Stopped.")
        return INTERRUPTED
    except (ClewError, CycloptsError) as error:
        print_note(f"error: {' '.join(str(error).split())}")
        return FAILED
    except BrokenPipeError:
        # The reader of a pipe (head, less) has gone; there is nobody left to tell.
        sys.stderr.close()
        return 0
    return code or 0


if __name__ == "__main__":
    sys.exit(main())
