"""Who this worker is, and whether it has been told to stop."""

from __future__ import annotations

import os
import secrets
import threading

from webapp.jobs import heartbeats

NAME = f"{heartbeats.get_machine_name()}:{os.getpid()}:{secrets.token_hex(4)}"
"""Unlike any other worker's, also after a restart: claims name it."""

stopping = threading.Event()
"""Set when the worker shuts down. Long jobs then give themselves back to the queue."""

loading = threading.Event()
"""Set while the worker loads what answering needs. Until then it takes no questions: another worker answers sooner."""
