"""The embedded servers and the supervisor."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
import redis as redis_client

from retrieval.errors import ConfigError
from tests.support import leftovers
from webapp.project import embedded, secret, supervisor

ROOT = Path(__file__).parents[2]
HOLD = "import sys; from pathlib import Path; from webapp.project.embedded import Servers\n"


@pytest.fixture
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


def test_both_servers_start_serve_and_stop(home):
    servers = embedded.Servers(home)
    servers.hold()
    try:
        with psycopg.connect(servers.layout.database_url) as sql:
            assert sql.execute("SELECT current_database()").fetchone() == ("clew",)
            assert sql.execute("SHOW listen_addresses").fetchone() == ("",)
        client = redis_client.Redis.from_url(servers.layout.redis_url)
        assert client.config_get("port") == {"port": "0"}
        assert client.config_get("appendonly") == {"appendonly": "yes"}
        client.set("kept", "1")
        client.close()
    finally:
        servers.release()
    assert not servers._redis_answers()
    assert not servers._postgres_answers()
    again = embedded.Servers(home, postgres=False)
    again.hold()
    client = redis_client.Redis.from_url(again.layout.redis_url)
    assert client.get("kept") == b"1"
    client.close()
    again.release()


def test_servers_live_as_long_as_somebody_holds_them(home):
    code = (
        HOLD + "s = Servers(Path(sys.argv[1]), postgres=False); s.hold(); print('held', flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(home)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout.readline() == "held\n"
        mine = embedded.Servers(home, postgres=False)
        mine.hold()
        mine.release()
        assert mine._redis_answers()
        other.communicate("\n")
    assert not mine._redis_answers()


def test_a_server_that_died_is_started_again(home):
    servers = embedded.Servers(home, postgres=False)
    servers.hold()
    try:
        pid = int((servers.layout.redis_dir / "redis.pid").read_text())
        os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + 5
        while servers._redis_answers() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert servers.check() == ["Redis"]
        assert servers.check() == []
    finally:
        servers.release()


def test_servers_of_a_test_run_that_was_killed_are_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(leftovers.tempfile, "gettempdir", lambda: str(tmp_path))
    killed, living, starting = (tmp_path / f"{leftovers.PREFIX}{i}" for i in range(3))
    code = HOLD + "import os; Servers(Path(sys.argv[1])).hold(); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", code, str(killed)], cwd=ROOT, check=False)
    (living / "run" / "holders").mkdir(parents=True)
    (living / "run" / "holders" / str(os.getpid())).touch()
    starting.mkdir()
    servers = embedded.Servers(killed)
    assert servers._redis_answers()
    assert servers._postgres_answers()
    assert leftovers.stop() == [killed]
    assert not servers._redis_answers()
    assert not servers._postgres_answers()
    assert sorted(tmp_path.iterdir()) == [living, starting]


def test_a_long_home_gets_short_sockets(tmp_path):
    layout = embedded.Layout(tmp_path / ("x" * 120))
    assert len(os.fsencode(layout.sockets / "redis.sock")) <= embedded.SOCKET_PATH_MAX
    other = embedded.Layout(tmp_path / ("y" * 120))
    assert layout.sockets != other.sockets


def test_a_setting_of_others_leaves_that_server_alone():
    from webapp.project import env

    mine = embedded.for_settings(env.read({"DATABASE_URL": "postgresql://h/d"}))
    assert (mine.postgres, mine.redis) == (False, True)


def test_the_secret_key_is_made_once_for_its_owner_only(tmp_path):
    first = secret.key(tmp_path)
    assert secret.key(tmp_path) == first
    assert len(first) >= 50
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600
    assert secret.key(tmp_path / "other") != first


def test_a_taken_port_is_said_plainly():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"Port {port} is taken") as caught:
            supervisor.require_free_port(port)
        assert "CLEW_PORT" in caught.value.hint
    supervisor.require_free_port(port)


def child(tmp_path, name, code):
    return supervisor.Child(name, [sys.executable, "-c", code], tmp_path / f"{name}.log")


def wait_for(condition, seconds=10):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert condition()


def test_a_child_that_stops_is_started_again_later_each_time(tmp_path):
    lines = []
    boss = supervisor.Supervisor([child(tmp_path, "weak", "raise SystemExit(3)")], say=lines.append)
    boss.start()
    weak = boss.children[0]
    delays = []
    for _ in range(2):
        weak.process.wait(10)
        before = time.monotonic()
        boss.look()
        delays.append(round(weak.start_at - before))
        weak.start_at = 0.0
        boss.look()
    boss.stop()
    assert delays == [1, 2]
    assert "The weak stopped (exit 3)" in lines[0]


def test_children_end_politely_and_else_by_force(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "STOP_S", 1.0)
    polite = (
        "import signal, time; signal.signal(15, lambda *_: exit(0)); print('up', flush=True); time.sleep(60)"
    )
    stubborn = (
        "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
    )
    boss = supervisor.Supervisor(
        [child(tmp_path, "p", polite), child(tmp_path, "s", stubborn)], say=lambda _: None
    )
    boss.start()
    wait_for(lambda: all(c.log.exists() and c.log.read_text() for c in boss.children))
    boss.stop()
    assert [c.process.returncode for c in boss.children] == [0, -signal.SIGKILL]


def test_the_command_line_names_a_wrong_setting(tmp_path):
    done = subprocess.run(
        [sys.executable, "manage.py", "up"],
        cwd=ROOT,
        check=False,
        env={**os.environ, "CLEW_PORT": "many", "DJANGO_SETTINGS_MODULE": "webapp.project.settings"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr == "CLEW_PORT is 'many'. Expected a whole number from 1 to 65535.\n"
