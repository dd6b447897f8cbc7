"""``manage.py up``: start everything, load the demo graph, print the address, and keep it all running."""

from __future__ import annotations

import contextlib
import http.client
import threading
import time
from typing import Any

import redis
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import InterfaceError, OperationalError, connections

from retrieval.errors import ConfigError
from webapp.accounts import services as accounts
from webapp.graphs import services as graphs
from webapp.jobs import heartbeats
from webapp.project import demo, embedded, home, orphans, supervisor
from webapp.project.connections import raise_descriptor_limit
from webapp.project.env import COMMAND
from webapp.uploads import services as uploads

HEALTHY_WITHIN_S = 180.0

AWAY = (OperationalError, InterfaceError, redis.RedisError)
"""What is raised when a server is away, or goes away: it comes back."""


class Command(BaseCommand):
    """Start Clew."""

    help = "Start Clew: databases, web server, workers. Stop with Ctrl-C."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: Any) -> None:
        """``--no-demo`` leaves the demo graph out."""
        parser.add_argument("--no-demo", action="store_true", help="do not load the demo graph at first start")

    def handle(self, *args: Any, **options: Any) -> None:
        """Start, watch, stop."""
        env = settings.CLEW
        raise_descriptor_limit()
        with home.lock_home(env.home):
            home_id = embedded.ensure_identity(env.home, self.write_line)
            left = orphans.stop_all(home_id)
            if left:
                self.write_line(f"Ended what an earlier start had left: {', '.join(left)}.")
            supervisor.require_free_port(env.port)
            self.write_line(f"Starting Clew. Data: {env.home}")
            servers = embedded.make_servers(env, self.write_line)
            watcher = supervisor.Supervisor(
                supervisor.list_children(env, home_id), say=self.write_line, tend=servers.check
            )
            supervisor.handle_signals(watcher)
            try:
                self.run(watcher, servers, with_demo=not options["no_demo"])
            finally:
                self.write_line("\nStopping.")
                watcher.stop()
                connections.close_all()
                _close_pools()
                servers.release()

    def run(self, watcher: supervisor.Supervisor, servers: embedded.Servers, *, with_demo: bool) -> None:
        """Bring everything up, and keep it so until told to stop."""
        servers.hold(stopping=lambda: watcher.stopping)
        password = self.prepare(watcher, servers)
        threading.Thread(target=self.show_greeting, args=(watcher, password, with_demo), daemon=True).start()
        watcher.watch()

    def prepare(self, watcher: supervisor.Supervisor, servers: embedded.Servers) -> str | None:
        """Bring the database up to date and make the first user; the password that was made, if one was.

        A database that is away is waited for.
        """
        while not watcher.stopping:
            try:
                call_command("migrate", verbosity=0, interactive=False)
                graphs.remove_leftovers()
                uploads.drop_expired()
                return accounts.ensure_admin(password=settings.CLEW.admin_password)
            except AWAY as error:
                self.write_line(f"The database does not serve: {str(error).strip()}. Clew waits for it; Ctrl-C ends.")
            connections.close_all()
            with contextlib.suppress(ConfigError, OSError):
                servers.check()
            watcher.sleep(2.0)
        return None

    def show_greeting(self, watcher: supervisor.Supervisor, password: str | None, with_demo: bool) -> None:
        """Wait until everything answers, say where it is, then load the demo graph."""
        address = f"http://{supervisor.HOST}:{settings.CLEW.port}"
        if not _wait(watcher, _is_web_answering):
            if not watcher.stopping:
                self.write_line(f"The web server does not answer. Its log: {settings.CLEW.home / 'logs' / 'web.log'}")
            return
        lines = ["", f"  Clew is at  {address}"]
        if password is not None:
            lines += ["", f"  Log in as   {accounts.ADMIN}", f"  Password    {password}"]
            lines += ["", f"  This password is shown only now. `{COMMAND} changepassword admin` sets another."]
        elif settings.CLEW.admin_password:
            lines += [
                "",
                f"  Log in as {accounts.ADMIN} with CLEW_ADMIN_PASSWORD (as it was at the first start).",
            ]
        else:
            lines += ["", f"  Log in as {accounts.ADMIN} with the password shown at the first start."]
        self.write_line("\n".join([*lines, "", "  Ctrl-C stops it.", ""]))
        if not _wait(watcher, _has_live_workers) and not watcher.stopping:
            self.write_line(f"No worker has come up. Their logs: {settings.CLEW.home / 'logs'}")
        if with_demo:
            self.load_demo(watcher)

    def load_demo(self, watcher: supervisor.Supervisor) -> None:
        """Load the demo graph; when a server is away meanwhile, once more later."""
        while not watcher.stopping:
            try:
                return demo.load(say=self.write_line, stopping=lambda: watcher.stopping)
            except AWAY as error:
                self.write_line(f"The demo graph waits for a server: {str(error).strip()}.")
            watcher.sleep(5.0)

    def write_line(self, text: str) -> None:
        """Show a line at once, if anybody still reads."""
        with contextlib.suppress(OSError, ValueError):
            self.stdout.write(text)
            self.stdout.flush()


def _wait(watcher: supervisor.Supervisor, ready: Any) -> bool:
    deadline = time.monotonic() + HEALTHY_WITHIN_S
    while time.monotonic() < deadline and not watcher.stopping:
        if ready():
            return True
        time.sleep(0.1)
    return False


def _is_web_answering() -> bool:
    connection = http.client.HTTPConnection(supervisor.HOST, settings.CLEW.port, timeout=5)
    try:
        connection.request("GET", "/api/v1/session")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _has_live_workers() -> bool:
    try:
        return all(heartbeats.count(queue) for queue in (heartbeats.ANSWERS, *heartbeats.JOB_QUEUES))
    except redis.RedisError:
        return False


def _close_pools() -> None:
    for connection in connections.all():
        close: Any = getattr(connection, "close_pool", None)
        if close is not None:
            close()
