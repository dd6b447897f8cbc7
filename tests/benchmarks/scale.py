"""What a graph costs as it grows tenfold, and tenfold again: building, opening, walking, finding names."""

from __future__ import annotations

import json
import os
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks import child, generated
from tests.benchmarks.build import BUILD
from tests.benchmarks.plot import Line, curves
from tests.benchmarks.report import Section

COMMAND = "python -m tests.benchmarks scale"
#: The largest needs 12 GB of memory and 25 GB of disk; `CLEW_BENCH_TRIPLES` stops before it.
SIZES = (1_000_000, 10_000_000, 100_000_000)
MEMORY = 12 * 1024**3
PLOT = Path(__file__).resolve().parents[2] / "docs" / "scale.svg"
_ASK = """
import statistics
import numpy as np
from retrieval.kg.snapshot import integrity
from retrieval.kg import search
from retrieval.kg import snapshot


def times(name, work, arguments):
    wall, spent = [], []
    for argument in arguments:
        began, at = time.perf_counter(), time.thread_time()
        work(argument)
        wall.append((time.perf_counter() - began) * 1000)
        spent.append((time.thread_time() - at) * 1000)
    told[name] = [[float(np.percentile(values, share)) for share in (50, 95)] for values in (wall, spent)]
    return wall


from pathlib import Path
for path in Path(given["out"]).iterdir():
    with path.open("rb") as file:
        while file.read(1 << 24):
            pass
told["first_open"] = times("open", lambda _: snapshot.open(given["out"]), range(20))[0]
look, integrity.require = integrity.require, lambda *_, **__: None
times("open_unseen", lambda _: snapshot.open(given["out"]), range(20))
integrity.require = look
integrity.flush_work()
times("compare", lambda _: integrity.compare(Path(given["out"])), range(3))
graph = snapshot.open(given["out"])
drawn = np.random.default_rng(1)
some = drawn.integers(0, graph.num_entities, 2000).tolist()
times("neighbours", lambda entity: search.list_neighbours(graph, entity), some)
degrees = graph.get_degrees(np.arange(graph.num_entities))
hub = int(degrees.argmax())
told["hub"] = int(degrees[hub])
beside = graph.heads[graph.get_in_edges(hub)[:: max(1, len(graph.get_in_edges(hub)) // 300)]].tolist()[:300]
two = lambda topics: search.collect_k_hop(graph, topics, 2, max_triples=5000)
times("two_hop", two, [[entity] for entity in some[:1000]])
times("hub_two_hop", two, [[hub, entity] for entity in some[:300]])
times("beside_two_hop", two, [[entity] for entity in beside])
told["first_search"] = times("first", lambda text: graph.labels.search(text, 10), ["a"])[0]
names = graph.entity_labels.get_many(drawn.integers(0, graph.num_entities, 600))
times("prefix", lambda text: graph.labels.search(text, 10), [n[: 1 + i % 9].lower() for i, n in enumerate(names)])
times("fuzzy", lambda text: graph.labels.search(text, 10), [name[:4] + name[5:] for name in names[:100]])
"""
_ASKED = {
    "open": ("opening it", 0, "<= 50 ms"),
    "open_unseen": ("the same without a look at its checksums", 0, ""),
    "compare": ("comparing all of its files with their checksums", 0, ""),
    "neighbours": ("neighbours of an entity, p50", 0, "<= 0.1 ms"),
    "two_hop": ("two hops, at most 5,000 triples, p50", 0, "<= 30 ms"),
    "hub_two_hop": ("the same from the biggest hub and another, p50", 0, "<= 30 ms"),
    "beside_two_hop": ("the same from an entity beside the biggest hub, p50", 0, "<= 30 ms"),
    "prefix": ("names by their first 1 to 9 letters, p95", 1, "<= 20 ms"),
    "fuzzy": ("names with a letter left out, p95", 1, ""),
}


def measure() -> list[Section]:
    """Build each size under the limit of memory, ask it, and draw what grows."""
    largest = int(os.environ.get("CLEW_BENCH_TRIPLES") or SIZES[-1])
    sizes = [size for size in SIZES if size <= largest]
    measured = [_measure(size) for size in sizes]
    head = ("figure", *(f"{size // 1_000_000} million" for size in sizes), "goal")
    section = Section(
        "Up to 100 million triples",
        COMMAND,
        "Made-up names, a tenth as many entities as triples, tails drawn by Zipf's law. Built by "
        "`build_from_files`, which holds 2 GB of rows and of sort keys and leaves the rest on disk, in a process "
        f"that may have {MEMORY // 1024**3} GB; asked in another, in process, after its "
        "files were read once. In brackets the processor time, which other work on the machine changes little. Peak "
        "memory counts pages of mapped files. Plot: docs/scale.svg.",
        head=head,
    )

    def row(name: str, shown: Any, goal: str = "") -> None:
        section.add(name, *(shown(one) for one in measured), goal)

    row("triples a second, built (of processor time)", _rate)
    row("seconds to build, processor time", lambda one: f"{one['seconds']:.1f}, {one['cpu']:.1f}")
    row("peak memory while building", lambda one: f"{one['peak_mb'] / 1024:.2f} GB", "<= 12 GB")
    row("bytes a triple, with the index of names", lambda one: f"{one['bytes'] / one['triples']:.0f}")
    row("facts of the biggest hub", lambda one: f"{one['hub']:,}")
    for name, (about, which, goal) in _ASKED.items():
        row(about, partial(_both, name=name, which=which), goal)
    firsts = ("first_open", "first_search")
    row("the first opening and the first search", lambda one: ", ".join(f"{one[f]:.0f} ms" for f in firsts))
    row("load average of the machine, building and asking", lambda one: f"{one['load']}, {one['load_asked']}")
    lines = [
        Line(f"{about}, ms", [one[name][1][which] for one in measured])
        for name, (about, which, goal) in _ASKED.items()
        if goal
    ]
    lines.append(Line("building, µs a triple", [1e6 * one["cpu"] / one["rows"] for one in measured]))
    PLOT.write_text(curves(lines, sizes, "triples", "processor time"), encoding="utf-8")
    return [section]


def _both(one: dict[str, Any], *, name: str, which: int) -> str:
    """Time that passed, and processor time: they differ where other work keeps the machine busy."""
    wall, spent = one[name]
    return f"{wall[which]:.3g} ms ({spent[which]:.3g})"


def _rate(one: dict[str, Any]) -> str:
    return f"{one['rows'] / one['seconds']:,.0f} ({one['rows'] / one['cpu']:,.0f})"


def _measure(triples: int) -> dict[str, Any]:
    """Build and ask; with ``CLEW_BENCH_CACHE`` a graph that was built stays there, and is asked again."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(os.environ.get("CLEW_BENCH_CACHE") or name)
        out, kept = place / f"graph-{triples}", place / f"graph-{triples}.json"
        if not kept.exists():
            with generated.tsv(triples) as source:
                before = child.load()
                built = child.run(BUILD, {"source": str(source), "out": str(out)}, memory=MEMORY)
            kept.write_text(json.dumps(built | {"load": before}))
        built = json.loads(kept.read_text())
        asked = child.run(_ASK, {"out": str(out)})
        print(f"{triples:,}: built {built}, asked {asked}", flush=True)
        return asked | built | {"rows": triples, "bytes": child.size_of(out), "load_asked": child.load()}
