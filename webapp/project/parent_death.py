"""``python -m webapp.project.parent_death PARENT COMMAND...``: a command that ends when its parent does.

The parent ends its children itself; this is for the time when it is killed, on Linux. Elsewhere, and for what is left
all the same, the next start ends what it finds (:mod:`webapp.project.orphans`).
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(parent: int, command: list[str]) -> None:
    """Become the command."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it was killed before this was asked for
            sys.exit(1)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
