"""Which code ran: the version and a fingerprint of the engine's own source."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from retrieval import __version__


@cache
def get_code_version() -> str:
    """``0.1.0+8f3c…``: the version, and 12 digits of a hash over every source file of the engine.

    The hash tells two states of the code apart also where there is no version control.
    """
    root = Path(__file__).parent
    digest = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return f"{__version__}+{digest.hexdigest()[:12]}"
