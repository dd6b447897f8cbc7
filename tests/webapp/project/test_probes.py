"""``/healthz`` and ``/readyz`` with servers and workers that are really away."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from tests.support.outages import without_postgres, without_redis
from webapp.jobs import heartbeats
from webapp.project import probes
from webapp.project.probes import ReadinessView

ALL = {
    "Database(alias='default')": "OK",
    "Migrations()": "OK",
    "Redis()": "OK",
    "Worker(queue='answers')": "OK",
    "Worker(queue='jobs')": "OK",
}


@pytest.fixture(autouse=True)
def always_fresh(monkeypatch):
    monkeypatch.setattr(ReadinessView, "_latest", None)
    monkeypatch.setattr(probes, "FRESH_S", 0.0)


@pytest.fixture
def workers(stored):
    """A process that stands for a worker of each queue."""
    processes = {}
    for queue in (heartbeats.ANSWERS, heartbeats.JOBS):
        process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        processes[queue] = process
        heartbeats.send_beat(queue, f"{heartbeats.get_machine_name()}:{process.pid}:test")
    yield processes
    for process in processes.values():
        process.kill()
        process.wait()


def readiness():
    answer = Client().get("/readyz")
    told = answer.json()
    return answer.status_code, {name: text for name, text in told.items() if text != "OK"}, told


def test_everything_is_there(workers):
    assert readiness() == (200, {}, ALL)
    alive = Client().get("/healthz")
    assert (alive.status_code, alive.json()) == (200, {"status": "ok"})
    assert "no-store" in alive["Cache-Control"]


@pytest.mark.parametrize("queue", [heartbeats.ANSWERS, heartbeats.JOBS])
def test_a_worker_that_was_killed_is_missed_at_once(workers, queue):
    workers[queue].kill()
    workers[queue].wait()
    code, failed, _ = readiness()
    assert (code, failed) == (
        503,
        {f"Worker(queue='{queue}')": f"Unavailable: No worker for {queue} is running."},
    )
    assert Client().get("/healthz").status_code == 200


def test_a_redis_that_was_stopped_is_missed(workers, servers):
    with without_redis(servers):
        code, failed, _ = readiness()
        assert (code, failed.keys()) == (503, ALL.keys() - {"Database(alias='default')", "Migrations()"})
        assert set(failed.values()) == {"Unavailable: Redis is not reachable."}
        assert Client().get("/healthz").status_code == 200


@pytest.mark.slow
def test_a_database_that_is_away_is_missed(workers):
    with without_postgres():
        code, failed, told = readiness()
        assert (code, failed.keys()) == (503, {"Database(alias='default')", "Migrations()"})
        assert "/" not in "".join(told.values()), "no place is told"
        assert Client().get("/healthz").status_code == 200
    assert readiness() == (200, {}, ALL)


@pytest.mark.slow
def test_connections_that_were_cut_cost_no_request_however_many(workers):
    connection.close()
    connection.pool.open()
    held = [connection.pool.getconn() for _ in range(8)]
    for each in held:
        connection.pool.putconn(each)
    with without_postgres():
        pass
    connection.ensure_connection()
    assert readiness() == (200, {}, ALL)


def test_a_database_of_another_version_is_not_ready(workers):
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("answers", "0001_initial")
    try:
        code, failed, _ = readiness()
    finally:
        recorder.record_applied("answers", "0001_initial")
    assert (code, failed) == (503, {"Migrations()": "Unavailable: 1 migrations are not applied."})


def test_many_probes_at_once_look_once(workers, monkeypatch):
    monkeypatch.setattr(probes, "FRESH_S", 60.0)
    looked = []
    look = ReadinessView._run_checks

    async def counted(view):
        looked.append(1)
        return await look(view)

    monkeypatch.setattr(ReadinessView, "_run_checks", counted)
    assert readiness()[0] == 200
    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(lambda _: Client().get("/readyz").status_code, range(50)))
    assert codes == [200] * 50
    assert looked == [1]


def test_monitors_read_it_too(workers):
    text = Client().get("/readyz?format=openmetrics").content.decode()
    assert 'django_health_check_status{check="Worker",queue="jobs"} 1\n' in text
    assert "django_health_check_overall_status 1\n" in text


def test_probes_only_look(stored):
    assert Client().post("/healthz").status_code == 405
    assert Client().post("/readyz").status_code == 405
