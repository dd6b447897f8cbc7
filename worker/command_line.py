"""``clew``: the commands of the engine and of the server under one name."""

from __future__ import annotations

import pkgutil
import sys

from retrieval.__main__ import main as run_engine
from retrieval.cli.app import app
from webapp.project.management import commands as server_commands

SERVER = (*(module.name for module in pkgutil.iter_modules(server_commands.__path__)), "changepassword", "migrate")
"""Commands of the server. ``doctor`` is the engine's where a folder is named."""

app.help = "Question answering over knowledge graphs, in the browser with `clew up`, or without a server."
app.command(
    "webapp.project.mcp_server:serve",
    name="mcp",
    help="Offer graphs to chat programs and agents as an MCP server, over stdio or HTTP.",
)
app.help_epilogue = f"Of the server: {', '.join(SERVER)}. `clew COMMAND --help` explains each."


def run() -> int:
    """Run one command: 0, or what a shell is told when it fails."""
    words = sys.argv[1:] or ["--help"]
    names_folder = any(not word.startswith("-") for word in words[1:])
    if words[0] not in SERVER or (words[0] == "doctor" and names_folder):
        return run_engine(words)
    from webapp.project import commands  # noqa: PLC0415 - imports Django

    return commands.run(["clew", *words])


if __name__ == "__main__":
    sys.exit(run())
