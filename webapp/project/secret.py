"""The installation's secret key, made once and kept in ``CLEW_HOME``."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def ensure_key(home: Path) -> str:
    """The key; made at the first call, readable by its owner only."""
    path = home / "secret-key"
    if not path.exists():
        home.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".secret-key-{os.getpid()}")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(48))
        try:
            os.link(fresh, path)  # fails when another process was first, whose key then counts
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text().strip()
