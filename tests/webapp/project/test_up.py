"""``manage.py up`` as a whole: what is killed comes back, and a killed start leaves nothing in the way of the next."""

import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
import requests

from tests.support.clew import ROOT, Clew
from webapp.project import env, orphans, supervisor
from webapp.project.embedded import Servers

pytestmark = pytest.mark.slow


def wait_for(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def head(clew, name):
    (server,) = (s for s in Servers(clew.home).servers if s.name == name)
    return next((p for p in server.list_processes() if server.is_head(p)), None)


def parts(clew):
    home_id = json.loads((clew.home / "identity").read_text())["id"]
    return sorted(orphans.find(home_id).values())


def serves(clew):
    """Whether a request that needs both databases is answered."""
    try:
        return clew.session.get(f"{clew.url}/api/v1/status", timeout=10).ok
    except requests.RequestException:
        return False


ALL = sorted(child.name for child in supervisor.list_children(env.read({}), ""))


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def readiness(clew):
    answer = requests.get(f"{clew.url}/readyz", timeout=20)
    return answer.status_code, sorted(name for name, text in answer.json().items() if text != "OK")


def test_the_probes_follow_workers_and_servers_that_stop(home):
    with Clew(home, options=("--no-demo",)) as clew:
        wait_for(lambda: readiness(clew) == (200, []), seconds=300)
        home_id = json.loads((clew.home / "identity").read_text())["id"]
        stopped = [process for process, name in orphans.find(home_id).items() if name == "jobs worker"]
        for process in stopped:
            process.suspend()
        wait_for(lambda: readiness(clew) == (503, ["Worker(queue='jobs')"]))
        assert requests.get(f"{clew.url}/healthz", timeout=5).status_code == 200
        for process in stopped:
            process.resume()
        wait_for(lambda: readiness(clew) == (200, []), seconds=300)


def test_what_is_killed_comes_back_and_the_next_start_finds_its_way_free(home):
    with Clew(home, options=("--no-demo",)) as clew:
        boss = clew.process
        for name in ("PostgreSQL", "Redis", "PostgreSQL"):
            killed = head(clew, name)
            killed.kill()
            wait_for(lambda name=name, killed=killed: head(clew, name) not in (None, killed) and serves(clew))
        assert boss.poll() is None
        assert parts(clew) == ALL

        # Another one on this home is refused, and names the one that has it.
        environ = {**os.environ, "CLEW_HOME": str(home), "CLEW_PORT": str(clew.port)}
        environ.pop("DJANGO_SETTINGS_MODULE", None)
        kept = home / "tmp" / "an upload that arrives"
        kept.touch()
        second = subprocess.run(
            [sys.executable, "manage.py", "up"],
            cwd=ROOT,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert second.returncode == 2
        assert f"Clew already runs on {home} (process {boss.pid})" in second.stderr
        assert kept.exists()

        # Killed with children that do not notice it at once, for they are stopped.
        stopped = list(orphans.find(json.loads((home / "identity").read_text())["id"]))
        for process in stopped:
            process.suspend()
        os.kill(boss.pid, signal.SIGKILL)
        boss.wait(10)
        left = parts(clew)
        assert "web server" in left
        with Clew(home, options=("--no-demo",), port=clew.port) as again:
            said = again.log.read_text()
            assert "Ended what an earlier start had left: " in said
            assert all(name in said for name in left)
            assert not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in stopped)
            again.wait_for_workers()
            assert parts(again) == ALL
        assert parts(again) == []
        clew.process = None
    assert head(clew, "PostgreSQL") is None
    assert head(clew, "Redis") is None
