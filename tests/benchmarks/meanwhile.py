"""How soon others are answered while somebody looks at files that once froze the server."""

from __future__ import annotations

import tempfile
import threading
import time
from base64 import b64encode
from pathlib import Path

import requests

from retrieval.metrics.scores import compute_quantile
from tests.benchmarks import child
from tests.benchmarks.fuzz_seeds import BAD
from tests.benchmarks.report import Section
from tests.support.clew import Clew

COMMAND = "python -m tests.benchmarks meanwhile"
SECONDS, EVERY_S = 30.0, 0.05


def measure() -> list[Section]:
    """Ask for the session again and again, first alone, then while all samples are looked at in turn."""
    samples = [file for files in BAD.values() for file in files]
    section = Section(
        "Hostile files",
        COMMAND,
        f"`GET /api/v1/session` every {EVERY_S * 1000:g} ms for {SECONDS:g} s, alone and while one person previews "
        f"{len(samples)} files that once took minutes or gigabytes, one after the other. The application as "
        "`manage.py up` starts it; times from the client, on the same cores.",
    )
    with tempfile.TemporaryDirectory() as home, Clew(Path(home), options=("--no-demo",)) as clew:
        section.add("other work on the machine (load average before)", child.load())
        ids = [_upload(clew, name, data) for name, data in samples]
        _asked(clew, 5.0)
        alone = _asked(clew, SECONDS)
        stop, looked = threading.Event(), []
        looking = threading.Thread(target=_look, args=(clew, ids, stop, looked))
        looking.start()
        busy = _asked(clew, SECONDS)
        stop.set()
        looking.join()
    for name, times in (("alone", alone), ("meanwhile", busy)):
        shown = " / ".join(f"{1000 * compute_quantile(times, q):.0f}" for q in (0.5, 0.95, 1.0))
        section.add(f"{name}: median / p95 / longest, ms", shown, "<= 100 ms" if name == "meanwhile" else "")
    section.add("looks in that time, the longest", f"{len(looked)}, {max(looked):.1f} s")
    return [section]


def _upload(clew: Clew, name: str, data: bytes) -> str:
    headers = {
        "Tus-Resumable": "1.0.0",
        "Upload-Length": str(len(data)),
        "Upload-Metadata": f"filename {b64encode(name.encode()).decode()}",
    }
    made = clew.session.post(f"{clew.url}/api/v1/uploads", headers=headers, timeout=60)
    made.raise_for_status()
    place = made.headers["Location"]
    place = place if place.startswith("http") else clew.url + place
    part = {"Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}
    clew.session.patch(place, data=data, headers=part, timeout=120).raise_for_status()
    return place.rstrip("/").rsplit("/", 1)[-1]


def _look(clew: Clew, ids: list[str], stop: threading.Event, looked: list[float]) -> None:
    while not stop.is_set():
        for one in ids:
            began = time.monotonic()
            answer = clew.session.post(f"{clew.url}/api/v1/uploads/preview", json={"uploads": [one]}, timeout=120)
            answer.raise_for_status()
            looked.append(time.monotonic() - began)
            if stop.is_set():
                return


def _asked(clew: Clew, seconds: float) -> list[float]:
    """How long each answer took."""
    times = []
    with requests.Session() as session:
        session.headers.update(clew.session.headers)
        end = time.monotonic() + seconds
        while (began := time.monotonic()) < end:
            session.get(f"{clew.url}/api/v1/session", timeout=60).raise_for_status()
            times.append(time.monotonic() - began)
            time.sleep(EVERY_S)
    return times
