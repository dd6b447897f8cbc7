"""The embedded servers."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
import redis as redis_client

from retrieval.errors import ConfigError
from tests.support import leftovers
from webapp.project import embedded, layout, secret

ROOT = Path(__file__).parents[3]
HOLD = "import sys; from pathlib import Path; from webapp.project.embedded import Servers\n"


@pytest.fixture
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


def server(servers, name):
    return next(s for s in servers.servers if s.name == name)


def kill(found):
    """Kill a server itself, as its machine would for want of memory; its number."""
    (head,) = [p for p in found.list_processes() if found.is_head(p)]
    head.kill()
    return head.pid


def back(servers, name, seconds=60):
    """Look after the servers until that one serves."""
    deadline = time.monotonic() + seconds
    while not server(servers, name).is_ready():
        assert time.monotonic() < deadline
        servers.check()
        time.sleep(0.05)


def serving(servers):
    return [s.name for s in servers.servers if s.is_ready()]


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
    assert serving(servers) == []
    again = embedded.Servers(home, postgres=False)
    again.hold()
    client = redis_client.Redis.from_url(again.layout.redis_url)
    assert client.get("kept") == b"1"
    client.close()
    again.release()


def test_servers_live_as_long_as_somebody_holds_them(home):
    code = HOLD + "s = Servers(Path(sys.argv[1]), postgres=False); s.hold(); print('held', flush=True); input()"
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
        assert serving(mine) == ["Redis"]
        other.communicate("\n")
    assert serving(mine) == []


def test_servers_that_were_killed_are_started_again(home):
    lines = []
    servers = embedded.Servers(home, say=lines.append)
    servers.hold()
    try:
        for name in ("PostgreSQL", "Redis"):
            # Its number stays in use: what this process started and has not taken leave of is a zombie.
            killed = kill(server(servers, name))
            back(servers, name)
            assert killed not in [p.pid for p in server(servers, name).list_processes()]
        servers.check()
        assert [line.split(". Its log")[0] for line in lines if "had stopped" in line] == [
            "PostgreSQL had stopped and is started again",
            "Redis had stopped and is started again",
        ]
    finally:
        servers.release()
    assert serving(servers) == []


def test_a_pid_file_whose_number_is_in_use_keeps_nothing_from_starting(home):
    """As after a loss of power, when another program got the number."""
    servers = embedded.Servers(home, redis=False)
    servers.hold()
    text = (servers.layout.pgdata / "postmaster.pid").read_text()
    kill(server(servers, "PostgreSQL"))
    with subprocess.Popen(["sleep", "60"]) as other:
        try:
            again = embedded.Servers(home, redis=False)
            deadline = time.monotonic() + 10
            while server(again, "PostgreSQL").is_locked() and time.monotonic() < deadline:
                time.sleep(0.02)
            stale = "\n".join([str(other.pid), *text.splitlines()[1:]]) + "\n"
            (servers.layout.pgdata / "postmaster.pid").write_text(stale)
            again.hold()
            assert serving(again) == ["PostgreSQL"]
            assert other.poll() is None
        finally:
            other.kill()
            servers.release()
            again.release()
    assert serving(servers) == []


def test_a_copy_of_a_running_home_has_servers_of_its_own(home):
    lines = []
    original = embedded.Servers(home / "original")
    copy = embedded.Servers(home / "copy", say=lines.append)
    original.hold()
    try:
        with psycopg.connect(original.layout.database_url, autocommit=True) as sql:
            sql.execute("CREATE TABLE said (word text)")
        subprocess.run(["cp", "-a", home / "original", home / "copy"], check=True)
        copy.hold()
        with psycopg.connect(copy.layout.database_url, autocommit=True) as sql:
            sql.execute("INSERT INTO said VALUES ('only in the copy')")
        with psycopg.connect(original.layout.database_url) as sql:
            assert sql.execute("SELECT count(*) FROM said").fetchone() == (0,)
        client = redis_client.Redis.from_url(copy.layout.redis_url)
        client.set("key", "of the copy")
        client.close()
        client = redis_client.Redis.from_url(original.layout.redis_url)
        assert client.get("key") is None
        client.close()
        copy.release()
        assert serving(original) == ["Redis", "PostgreSQL"]
    finally:
        copy.release()
        original.release()
    assert f"is a copy of {home / 'original'}" in lines[0]
    assert "copied while its database ran" in lines[1]


def test_servers_that_cannot_start_say_why_and_leave_nothing(home):
    servers = embedded.Servers(home)
    servers.hold()
    servers.release()
    (servers.layout.pgdata / "global" / "pg_control").unlink()
    with pytest.raises(ConfigError, match=r"PostgreSQL does not start\. Its last words: .*pg_control") as caught:
        servers.hold()
    assert "DATABASE_URL" in caught.value.hint
    assert serving(servers) == []


def test_servers_of_a_test_run_that_was_killed_are_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(leftovers.tempfile, "gettempdir", lambda: str(tmp_path))
    killed, living, starting = (tmp_path / f"{leftovers.PREFIX}{i}" for i in range(3))
    code = HOLD + "import os; Servers(Path(sys.argv[1])).hold(); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", code, str(killed)], cwd=ROOT, check=False)
    (living / "run" / "holders").mkdir(parents=True)
    (living / "run" / "holders" / str(os.getpid())).touch()
    starting.mkdir()
    servers = embedded.Servers(killed)
    assert serving(servers) == ["Redis", "PostgreSQL"]
    assert leftovers.stop() == [killed]
    assert serving(servers) == []
    assert sorted(tmp_path.iterdir()) == [living, starting]


def test_a_home_with_a_long_path_starts(home):
    servers = embedded.Servers(home / ("x" * 150))
    other = embedded.ServerLayout(home / ("y" * 150))
    assert servers.layout.reach != other.reach
    servers.hold()
    try:
        with psycopg.connect(servers.layout.database_url) as sql:
            assert sql.execute("SELECT current_database()").fetchone() == ("clew",)
        assert servers.layout.reach.readlink() == servers.layout.home
    finally:
        servers.release()
    assert not servers.layout.reach.is_symlink()


def test_a_link_of_somebody_else_is_not_followed(home, monkeypatch):
    monkeypatch.setattr(layout, "SHORT", home)
    servers = embedded.Servers(home / ("x" * 150), postgres=False)
    servers.layout.reach.symlink_to(home)
    with pytest.raises(ConfigError, match="is to be a link to"):
        servers.hold()


def test_a_setting_of_others_leaves_that_server_alone():
    from webapp.project import env

    mine = embedded.make_servers(env.read({"DATABASE_URL": "postgresql://h/d"}))
    assert [s.name for s in mine.servers] == ["Redis"]


def test_the_secret_key_is_made_once_for_its_owner_only(tmp_path):
    first = secret.ensure_key(tmp_path)
    assert secret.ensure_key(tmp_path) == first
    assert len(first) >= 50
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600
    assert secret.ensure_key(tmp_path / "other") != first
