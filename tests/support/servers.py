"""The web server as the supervisor starts it, beside a test and on its database."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil
import requests
from django.conf import settings
from django.db import connection
from websockets.sync.client import ClientConnection, connect

from tests.support.clew import ROOT, free_port
from webapp.accounts.models import User
from webapp.accounts.services import create_token
from webapp.project import supervisor


@dataclass
class WebServer:
    """A running server. Use as a context manager.

    Args:
        folder: for its log.
        limits: settings that differ from the usual ones.
        files: how many descriptors the system lets it have.
    """

    folder: Path
    limits: dict[str, Any]
    files: int | None = None
    port: int = field(default_factory=free_port)
    clients: ExitStack = field(default_factory=ExitStack)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> WebServer:
        env = replace(settings.CLEW, port=self.port)
        web = supervisor.list_children(env, "test")[0]
        environ = {
            **os.environ,
            "CLEW_HOME": str(env.home),
            "CLEW_PORT": str(self.port),
            "CLEW_TEST_DATABASE": connection.settings_dict["NAME"],
            "CLEW_TEST_LIMITS": json.dumps(self.limits),
            "DJANGO_SETTINGS_MODULE": "tests.support.web_settings",
        }
        self.log = self.folder / "web.log"
        with self.log.open("wb") as log:
            command = [*(["prlimit", f"--nofile={self.files}"] if self.files else []), *web.command]
            self.process = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=log, stderr=log)
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            try:
                if requests.get(f"{self.url}/api/v1/session", timeout=5).ok:
                    return self
            except requests.RequestException:
                time.sleep(0.1)
            if self.process.poll() is not None:
                break
        self.__exit__()
        raise RuntimeError(f"no web server:\n{self.log.read_text()[-4000:]}")

    def __exit__(self, *_: object) -> None:
        self.clients.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)

    def token(self, role: str) -> str:
        """Return a new token of the user of a role."""
        return create_token(user=User.objects.get(username=role))

    def connect(self, data: bytes = b"", *, address: str = "127.0.0.1") -> socket.socket:
        """Connect from an address, and send some bytes; the connection is closed with ``clients``."""
        client = socket.create_connection(("127.0.0.1", self.port), timeout=30, source_address=(address, 0))
        self.clients.enter_context(client)
        with suppress(ConnectionError):  # the server may have refused before all of it was sent
            client.sendall(data)
        return client

    def open_socket(self, token: str, address: str = "ws/jobs") -> ClientConnection:
        """Open a socket, which is closed with ``clients``."""
        header = {"Authorization": f"Bearer {token}"}
        url = f"ws://127.0.0.1:{self.port}/{address}"
        return self.clients.enter_context(connect(url, additional_headers=header, compression=None))

    def count_connections(self) -> int:
        """Count the clients that are connected."""
        found = psutil.Process(self.process.pid).net_connections("tcp")
        return sum(one.status == psutil.CONN_ESTABLISHED for one in found)
