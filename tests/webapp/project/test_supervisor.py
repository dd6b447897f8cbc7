"""The supervisor: it restarts what ends, and never ends by itself."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from retrieval.errors import ConfigError
from webapp.project import env, orphans, supervisor

ROOT = Path(__file__).parents[3]


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


def test_a_child_that_stops_soon_is_started_again_later_each_time(tmp_path):
    lines = []
    boss = supervisor.Supervisor([child(tmp_path, "weak", "raise SystemExit(3)")], say=lines.append)
    boss.start_children()
    weak = boss.children[0]
    apart = []
    for _ in range(2):
        weak.process.wait(10)
        weak.started = time.monotonic()
        boss.start_children()
        apart.append(weak.start_at - weak.started)
        weak.start_at = 0.0
        boss.start_children()
    weak.process.wait(10)
    weak.started -= 5.0  # longer than the four seconds that its third stop would cost it
    boss.start_children()
    assert weak.process is not None
    boss.stop()
    assert apart == [1.0, 2.0]
    assert "The weak stopped (exit 3)" in lines[0]


def test_children_end_politely_and_else_by_force(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "STOP_S", 1.0)
    polite = "import signal, time; signal.signal(15, lambda *_: exit(0)); print('up', flush=True); time.sleep(60)"
    stubborn = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
    boss = supervisor.Supervisor([child(tmp_path, "p", polite), child(tmp_path, "s", stubborn)], say=lambda _: None)
    boss.start_children()
    wait_for(lambda: all(c.log.exists() and c.log.read_text() for c in boss.children))
    boss.stop()
    assert [c.process.returncode for c in boss.children] == [0, -signal.SIGKILL]


@pytest.mark.parametrize(
    ("code", "after"), [("os.kill(os.getpid(), 9)", 1.0), ("sys.exit(1)", 8.0)], ids=["killed", "failed"]
)
def test_only_what_fails_by_itself_is_started_later_every_time(tmp_path, code, after):
    one = child(tmp_path, "part", f"import os, sys; {code}")
    one.failures = 3
    one.start()
    one.process.wait(10)
    one.ensure_running(lambda _: None)
    assert one.start_at - one.started == pytest.approx(after)


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


def test_the_supervisor_outlives_whatever_is_raised_in_its_loops(tmp_path, monkeypatch):
    lines, tended = [], []

    def tend():
        tended.append(1)
        raise [AssertionError("no server"), subprocess.CalledProcessError(1, "pg_ctl"), KeyError(5)][len(tended) % 3]

    monkeypatch.setattr(supervisor, "BACKOFF_S", (0.01,))
    missing = supervisor.Child("lost", ["nothing"], tmp_path / "a file" / "lost.log")
    (tmp_path / "a file").touch()
    steady = child(tmp_path, "steady", "import time; time.sleep(60)")
    boss = supervisor.Supervisor([missing, steady], say=lines.append, tend=tend)
    watching = threading.Thread(target=boss.watch)
    watching.start()
    try:
        wait_for(lambda: len(tended) > 6 and missing.failures > 2)
        first = steady.process.pid
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: steady.process is not None and steady.process.pid != first)
        assert watching.is_alive()
    finally:
        boss.stopping = True
        watching.join(10)
        boss.stop()
    assert any("The lost cannot be started now" in line for line in lines)
    assert any("Clew goes on and tries again" in line for line in lines)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent died")
def test_children_end_with_a_supervisor_that_is_killed(tmp_path):
    code = (
        "import sys, time; from pathlib import Path; from webapp.project import supervisor as s\n"
        "c = s.Child('part', [sys.executable, '-c', 'import time; time.sleep(60)'], Path(sys.argv[1]))\n"
        "c.start(); print(c.process.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "log")], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as boss:
        part = psutil.Process(int(boss.stdout.readline()))
        wait_for(lambda: "webapp.project.parent_death" not in part.cmdline())
        boss.kill()
    wait_for(lambda: not part.is_running() or part.status() == psutil.STATUS_ZOMBIE)


def test_orphans_of_a_home_are_ended_by_name_and_others_are_not(tmp_path):
    def start(home):
        environ = {**os.environ, **orphans.build_environ(home, "web server")}
        return subprocess.Popen(["sleep", "60"], env=environ)

    mine, other = start("a" * 32), start("b" * 32)
    try:
        assert orphans.stop_all("a" * 32) == [f"web server ({mine.pid})"]
        assert mine.poll() is not None
        assert other.poll() is None
        assert orphans.stop_all("a" * 32) == []
    finally:
        for process in (mine, other):
            process.kill()
            process.wait()


def test_as_many_processes_answer_as_are_set():
    children = supervisor.list_children(env.read({"CLEW_ANSWER_PROCESSES": "3"}), "home")
    answering = [child for child in children if child.name.startswith("answers worker")]
    assert [child.name for child in answering] == ["answers worker", "answers worker 2", "answers worker 3"]
    assert len({child.log for child in children}) == len(children) == 6
    assert len({child.command[-1] for child in answering}) == 3, "Celery tells workers apart by name"


def test_the_small_language_model_is_a_process_where_it_is_wanted(monkeypatch):
    model = {"LLM_MODEL": "m", "CLEW_ANSWER_PROCESSES": "1"}
    wanted, other = (env.read({"LLM_BASE_URL": url} | model) for url in ("local", "http://there/v1"))
    monkeypatch.setattr(supervisor, "find_spec", lambda name: object())
    monkeypatch.setattr(supervisor, "_is_port_taken", lambda port: False)
    assert [child.name for child in supervisor.list_children(wanted, "home")][4:] == ["language model"]
    assert len(supervisor.list_children(other, "home")) == 4
    monkeypatch.setattr(supervisor, "_is_port_taken", lambda port: True)  # somebody serves it already
    assert len(supervisor.list_children(wanted, "home")) == 4
    monkeypatch.setattr(supervisor, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match="the language model is not installed"):
        supervisor.list_children(wanted, "home")
