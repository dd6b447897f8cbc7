"""Parts that are started one by one, as units and containers start them, are one Clew that answers."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager

import pytest
import requests

from tests.support.clew import PASSWORD, ROOT, Clew, free_port
from tests.support.deployment import list_compose_commands
from tests.support.s3_server import connect, run_s3_server
from webapp.project.embedded import Servers
from webapp.project.layout import ServerLayout

pytestmark = pytest.mark.slow


@contextmanager
def start(words, environ, log):
    """Start ``clew WORDS`` until the end of the block."""
    with log.open("wb") as output:
        command = [sys.executable, "manage.py", *words]
        process = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=output, stderr=subprocess.STDOUT)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)


def run(words, environ):
    command = [sys.executable, "manage.py", *words]
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def wait_until_ready(url, processes, logs):
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        assert [process.args for process in processes if process.poll() is not None] == [], logs()
        try:
            if requests.get(f"{url}/readyz", timeout=20).status_code == 200:
                return
        except requests.RequestException:
            pass
        time.sleep(0.5)
    raise AssertionError(logs())


def test_parts_with_disks_of_their_own_answer_together(tmp_path):
    """As in Kubernetes: only PostgreSQL, Redis, the object store and the secret key are shared."""
    port, layout = free_port(), ServerLayout(tmp_path / "servers")
    with ExitStack() as stack:
        servers = Servers(layout.home)
        servers.hold()
        stack.callback(servers.release)
        store = stack.enter_context(run_s3_server())
        connect(store).create_bucket(Bucket="clew")
        shared = {
            **{name: value for name, value in os.environ.items() if not name.startswith("CLEW_")},
            "DJANGO_SETTINGS_MODULE": "webapp.project.settings",
            "DATABASE_URL": layout.database_url,
            "REDIS_URL": layout.redis_url,
            "CLEW_STORAGE": f"s3://clew?endpoint={store}&region=us-east-1",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "CLEW_SECRET_KEY": "k" * 32,
            "CLEW_ADMIN_PASSWORD": PASSWORD,
            "CLEW_PORT": str(port),
        }
        commands = sorted(list_compose_commands())
        assert commands[0] == ["prepare"]
        environs = {words[1]: {**shared, "CLEW_HOME": str(tmp_path / words[1])} for words in commands[1:]}
        for _ in range(2):
            assert run(commands[0], {**shared, "CLEW_HOME": str(tmp_path / "prepare")}) == (
                "The database is up to date.\n"
            )
        processes = [
            stack.enter_context(start(words, environs[words[1]], tmp_path / f"{words[1]}.log"))
            for words in commands[1:]
        ]
        clew = Clew(tmp_path / "none", port=port)
        wait_until_ready(clew.url, processes, lambda: "\n".join(p.read_text()[-2000:] for p in tmp_path.glob("*.log")))
        health = requests.get(f"{clew.url}/healthz", headers={"Host": "localhost"}, timeout=20)
        assert (health.status_code, health.json()) == (200, {"status": "ok"})
        assert requests.get(f"{clew.url}/healthz", headers={"Host": "elsewhere"}, timeout=20).status_code == 400

        run(["load_demo"], environs["answers"])
        clew.login()
        (graph,) = clew.api("GET", "graphs")["results"]
        question = {"graph": graph["id"], "question": "How many countries border Chad?"}
        asked = clew.api("POST", "runs", json=question)
        list(clew.events(asked["id"]))
        assert clew.api("GET", f"runs/{asked['id']}")["answers"] == ["6"]
        assert not list((tmp_path / "web").glob("secret-key")), "the key is the one that all share"
