"""The receiver of docs/webhooks.md, run as written, is told what happens by the page's own request."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from dataclasses import replace

from retrieval.errors import ClewError
from tests.support.clew import free_port
from tests.support.guides import blocks
from tests.support.servers import WebServer
from webapp.jobs import services as jobs
from webapp.jobs.models import JobKind
from webapp.webhooks.models import Delivery
from worker.webhooks import send_waiting


def wait_for_port(port):
    deadline = time.monotonic() + 30
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_the_page_works_as_written(tiny_graph, settings, tmp_path, monkeypatch):
    port = free_port()
    settings.CLEW = replace(settings.CLEW, import_hosts=(f"127.0.0.1:{port}",))
    monkeypatch.setenv("CLEW_IMPORT_HOSTS", f"127.0.0.1:{port}")
    code = {name: text.replace("9000", str(port)) for name, text in blocks("webhooks.md").items()}
    with WebServer(tmp_path, {}) as server:
        request = code["create"].replace("http://127.0.0.1:8000", server.url)
        environ = {**os.environ, "CLEW_TOKEN": server.token("admin")}
        made = subprocess.run(["bash", "-c", request], env=environ, capture_output=True, check=True, text=True)
    webhook = json.loads(made.stdout)
    environ["CLEW_WEBHOOK_SECRET"] = webhook["secret"]
    process = subprocess.Popen(
        [sys.executable, "-c", code["receiver"]],
        env=environ,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        try:
            wait_for_port(port)
            job = jobs.create(kind=JobKind.TRAIN, title="Train", graph=tiny_graph, user=None)
            jobs.fail(job_id=job.pk, error=ClewError("It broke."))
            send_waiting(webhook["id"])
            assert process.stdout.readline() == f"job.ended failed /api/v1/jobs/{job.pk}\n"
            Delivery.objects.update(state="waiting")  # the same message again
            send_waiting(webhook["id"])
        finally:
            process.kill()
        assert process.stdout.read() == ""
    (delivery,) = Delivery.objects.all()
    assert [attempt["status"] for attempt in delivery.attempts] == [204, 204]
    assert re.fullmatch(r"msg_[0-9a-f]{32}", delivery.payload["id"])
