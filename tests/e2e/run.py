"""Run the browser tests, or say plainly that no Chromium can be had.

Looks for ``CHROMIUM``, then for a Chromium or Chrome on the PATH, then for one that Playwright can install.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL_SECONDS = 180


def find_chromium() -> str | None:
    """A browser's path, or None."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named if Path(named).exists() else None
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    return _from_playwright()


def _from_playwright() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    if not path.exists():
        print("No Chromium found; asking Playwright to install one.", flush=True)
        try:
            subprocess.run(
                [sys.executable, "-m", "playwright", "install", "chromium"],
                check=True,
                timeout=INSTALL_SECONDS,
                capture_output=True,
            )
        except (subprocess.SubprocessError, OSError):
            return None
    return str(path) if path.exists() else None


def main() -> int:
    chromium = find_chromium()
    if chromium is None:
        print(
            "SKIPPED: the browser test needs Chromium, and none was found or could be installed.\n"
            "Install one (Debian: apt-get install chromium) or set CHROMIUM to its path. The other checks ran.",
            flush=True,
        )
        return 0
    command = [sys.executable, "-m", "pytest", "tests/e2e", *sys.argv[1:]]
    return subprocess.run(command, env={**os.environ, "CHROMIUM": chromium}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
