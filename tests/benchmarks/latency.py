"""Times at the HTTP and websocket boundary: MetaQA, warm worker, one user; and the web process's memory."""

from __future__ import annotations

import gzip
import json
import random
import re
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from retrieval.metrics.scores import compute_quantile
from tests.benchmarks.data import found
from tests.benchmarks.report import Section
from tests.support.clew import Clew

HOPS = ("1-hop", "2-hop", "3-hop")
TRAIN_PER_HOP = 3000
ASKED_PER_HOP = 100
WARM_UP = 10


def read_questions(
    metaqa: Path, train_per_hop: int = TRAIN_PER_HOP
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Disjoint training and asked questions of each hop, drawn with a fixed seed."""
    train, asked = [], []
    for hop, folder in enumerate(HOPS, start=1):
        with gzip.open(metaqa / folder / "qa_dev.txt.gz", "rt", encoding="utf-8") as lines:
            rows = [line.rstrip("\n").split("\t") for line in lines]
        random.Random(7).shuffle(rows)
        for number, (question, answers) in enumerate(rows[: train_per_hop + ASKED_PER_HOP]):
            topics = re.findall(r"\[(.+?)\]", question)
            record = {
                "id": f"{folder}-{number}",
                "question": re.sub(r"[\[\]]", "", question),
                "topic_entities": topics,
                "answers": answers.split("|"),
                "hops": hop,
            }
            if number < train_per_hop:
                split = "dev" if number % 10 == 0 else "train"
                train.append({**record, "split": split})
            else:
                asked.append(record)
    random.Random(11).shuffle(asked)
    return train, asked


def ask_question(clew: Clew, graph: int, record: dict[str, Any]) -> dict[str, Any]:
    """Ask a question, and time its first event, first path and end (ms)."""
    began = time.perf_counter()
    run = clew.api("POST", "runs", json={"graph": graph, "question": record["question"]})
    first = path = final = None
    last: dict[str, Any] = {}
    for event in clew.events(run["id"]):
        now = (time.perf_counter() - began) * 1000
        first = now if first is None else first
        if event["type"] == "path.retrieved" and path is None:
            path = now
        final, last = now, event
    answers = {a["label"] for a in last.get("answers", [])}
    return {
        "first": first,
        "path": path,
        "final": final,
        "exact": answers == set(record["answers"]),
        "end": last["type"],
        "hops": record["hops"],
    }


def train_method(clew: Clew, graph: int, train: list[dict[str, Any]]) -> dict[str, Any]:
    """Upload questions and train the default method on them; the job."""
    body = "\n".join(json.dumps(record) for record in train).encode()
    questions = clew.api(
        "POST",
        "question-sets",
        data={"name": "MetaQA sample", "graph": graph, "format": "jsonl"},
        files={"file": ("metaqa.jsonl", body)},
    )
    job = clew.api("POST", f"graphs/{graph}/train", json={"question_set": questions["id"], "method": "rel-rag-path"})
    return clew.wait_for_job(job["id"])


def _resident_mb(port: int) -> float:
    """Resident memory of the process that listens on ``port``, from /proc (the largest of its tree)."""
    sizes = []
    for status in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = status.read_bytes().decode(errors="replace").split("\0")
            if any("uvicorn" in w for w in words) and str(port) in words:
                text = (status.parent / "status").read_text()
                sizes.append(int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) / 1024)  # type: ignore[union-attr]
        except (FileNotFoundError, ProcessLookupError, AttributeError):
            continue
    if not sizes:
        raise RuntimeError("the web process was not found")
    return max(sizes)


def measure() -> list[Section]:
    """Start Clew in a fresh home, upload and train MetaQA through the API, then ask test questions."""
    metaqa = found("metaqa")
    if metaqa is None:
        return []
    section = Section(
        "Answer latency over HTTP",
        "python -m tests.benchmarks latency",
        f"One user, warm worker, {ASKED_PER_HOP} unseen questions of each hop count, no brackets around the "
        "topic entity (linking is timed too); the clock starts before the POST and stops when the socket "
        "delivers the event.",
    )
    train, asked = read_questions(metaqa)
    with tempfile.TemporaryDirectory() as home, Clew(Path(home)) as clew:
        clew.wait_for_workers()
        with (metaqa / "kb.txt.gz").open("rb") as kb:
            made = clew.api("POST", "graphs", data={"name": "MetaQA"}, files={"files": ("kb.txt.gz", kb)})
        graph = made["graph"]["id"]
        clew.wait_for_job(made["job"]["id"])
        done = train_method(clew, graph, train)
        clew.wait_for_quiet()
        for record in asked[:WARM_UP]:
            ask_question(clew, graph, record)
        results = [ask_question(clew, graph, record) for record in asked]
        memory = _resident_mb(clew.port)
    ended = [r for r in results if r["end"] == "answer.final"]
    paths = [r["path"] for r in results if r["path"] is not None]
    for name, values, share, goal in (
        ("first event p50", [r["first"] for r in results], 0.5, "<= 100 ms"),
        ("first path p50", paths, 0.5, "<= 250 ms"),
        ("final answer p50", [r["final"] for r in ended], 0.5, "<= 400 ms"),
        ("final answer p95", [r["final"] for r in ended], 0.95, "<= 800 ms"),
    ):
        section.add(name, f"{compute_quantile(values, share):.0f} ms", goal)
    section.add("runs that ended in answer.final", f"{len(ended)} of {len(results)}", "all")
    for hop in (1, 2, 3):
        exact = [r["exact"] for r in results if r["hops"] == hop]
        section.add(f"exact answer set, {hop} hop (of {len(exact)})", f"{statistics.mean(exact):.2f}")
    section.add("resident memory of the web process", f"{memory:.0f} MB", "<= 250 MB")
    seconds = _seconds_between(done["started_at"], done["finished_at"])
    section.add(f"training job ({len(train)} questions)", f"{seconds:.0f} s")
    return [section]


def _seconds_between(start: str, end: str) -> float:
    from datetime import datetime

    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
