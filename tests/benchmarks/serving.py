"""How many questions are answered a second, by one process and by one for each core, and the memory that they take."""

from __future__ import annotations

import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from tests.benchmarks import child
from tests.benchmarks.data import found
from tests.benchmarks.latency import ask_question, read_questions, train_method
from tests.benchmarks.report import Section
from tests.support.clew import Clew

COMMAND = "python -m tests.benchmarks serving"
ABOUT = (
    "MetaQA, asked over HTTP and sockets by clients on the same cores, each of which asks again when it is answered; "
    "first without a checkpoint, then trained. Milliseconds of a core are those of all of Clew's processes. Memory is "
    "that of the processes that answer: in all, shared pages counted once (PSS)."
)
HEAD = ("processes", "checkpoint", "clients", "answers a second", "p50 (ms)", "ms of a core", "goal")
CLIENTS = (1, 8, 32)
GOALS = {("none", 1): "70 ms", ("none", 8): "25 a second", ("trained", 1): "50 ms", ("trained", 8): "45 a second"}
TRAIN_PER_HOP, WARM_UP, LOAD_S = 300, 30, 20.0


def measure() -> list[Section]:
    """One table."""
    metaqa = found("metaqa")
    if metaqa is None:
        return []
    section = Section("Answers a second", COMMAND, ABOUT, head=HEAD, theme="Speed and size")
    section.add("load of the machine before (1 min)", child.load())
    for env in ({"CLEW_ANSWER_PROCESSES": "1"}, {}):
        with tempfile.TemporaryDirectory() as home:
            settings = {"CLEW_SELF_TRAINING": "0", **env}
            with Clew(Path(home), env=settings, options=("--no-demo",)) as clew:
                _add_rows(section, clew, metaqa)
    return [section]


def _add_rows(section: Section, clew: Clew, metaqa: Path) -> None:
    clew.wait_for_workers()
    train, asked = read_questions(metaqa, TRAIN_PER_HOP)
    with (metaqa / "kb.txt.gz").open("rb") as kb:
        made = clew.api("POST", "graphs", data={"name": "MetaQA"}, files={"files": ("kb.txt.gz", kb)})
    graph = made["graph"]["id"]
    clew.wait_for_job(made["job"]["id"])
    for checkpoint in ("none", "trained"):
        if checkpoint == "trained":
            train_method(clew, graph, train)
        clew.wait_for_quiet()
        answering = [process for process in clew.list_processes() if "answers,warm" in process.cmdline()]
        for record in asked[:WARM_UP]:
            ask_question(clew, graph, record)
        for clients in CLIENTS:
            figures = _measure_load(clew, graph, asked, clients)
            section.add(str(len(answering)), checkpoint, str(clients), *figures, GOALS.get((checkpoint, clients), ""))
            print(section.rows[-1], flush=True)
    memory = sum(process.memory_full_info().pss for process in answering) / 2**20
    section.add(f"memory of {len(answering)} processes", f"{memory:.0f} MB")


def _measure_load(clew: Clew, graph: int, asked: list[dict[str, Any]], clients: int) -> tuple[str, str, str]:
    """Answers a second, the median time of one and the processor time of one."""
    ends, spent = time.perf_counter() + LOAD_S, clew.measure_processor_time()

    def ask_again(client: int) -> list[float]:
        times = []
        for record in islice(cycle(asked), client, None):
            if time.perf_counter() > ends:
                break
            times.append(ask_question(clew, graph, record)["final"])
        return times

    began = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        times = [milliseconds for one in pool.map(ask_again, range(clients)) for milliseconds in one]
    took, spent = time.perf_counter() - began, clew.measure_processor_time() - spent
    return f"{len(times) / took:.1f}", f"{statistics.median(times):.0f}", f"{1000 * spent / len(times):.0f}"
